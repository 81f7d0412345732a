package dev.ropewalk.fibers.spi;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.VoidBlock;
import dev.ropewalk.fibers.internal.fiber.Abandonment;
import dev.ropewalk.fibers.internal.fiber.Cancellation;
import dev.ropewalk.fibers.internal.fiber.Children;
import dev.ropewalk.fibers.internal.fiber.Family;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.ScopeMembers;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The fibers that any code of a block spins (rule F7). They end with the block, not with the fiber
 * that runs it, and their failures are the block's, so the code finds the same whichever fiber runs
 * it. A {@link Scope} has those that are spun by the scope itself.
 *
 * <p>They are children of the fiber that runs the block. Confined to its cord.
 */
public final class SpunFibers {
    private final FiberImpl<?> owner = FiberImpl.current();
    private final Consumer<? super FiberFailedException> onFailure;

    /** Told also of those that fail while they are ended. */
    private final boolean tellsEnd;

    private final Members members = new Members();
    private int alive;

    /** Number of the owner's last wait for them; -1 before the first. */
    private long waitNumber = -1;

    private boolean isOver;

    private SpunFibers(Consumer<? super FiberFailedException> onFailure, boolean tellsEnd) {
        this.onFailure = onFailure;
        this.tellsEnd = tellsEnd;
    }

    /**
     * Runs the block. Fibers that its code spins by {@link Fiber#spin}, on a cord or on a
     * scheduler, are terminated when the block is over, and awaited within the cord's stop limit;
     * those that do not end are abandoned with a report. Failures of their clean-up go to the
     * uncaught handler. The fiber of a {@link dev.ropewalk.fibers.Handler} is not among them: the
     * library that made it ends it.
     *
     * @param <X> what the block throws
     * @param onFailure is told of a fiber that fails and is not awaited, on this cord and at times
     *     as no fiber; it must be short, must not wait, and must not throw
     * @param block runs at once, in this fiber
     * @throws X what the block threw
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <X extends Exception> void run(
            Consumer<? super FiberFailedException> onFailure, VoidBlock<X> block) throws X {
        run(onFailure, block, false);
    }

    /**
     * Like {@link #run}, where the end of the block is a cause of failures too: a fiber that fails
     * while it is ended, with an exception that it was about to throw, is told like those before.
     *
     * @param <X> what the block throws
     * @param onFailure as of {@link #run}; also while this call ends what is left
     * @param block runs at once, in this fiber
     * @throws X what the block threw
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <X extends Exception> void runToEnd(
            Consumer<? super FiberFailedException> onFailure, VoidBlock<X> block) throws X {
        run(onFailure, block, true);
    }

    private static <X extends Exception> void run(
            Consumer<? super FiberFailedException> onFailure, VoidBlock<X> block, boolean tellsEnd)
            throws X {
        Objects.requireNonNull(onFailure, "onFailure");
        Objects.requireNonNull(block, "block");
        SpunFibers spun = new SpunFibers(onFailure, tellsEnd);
        Children children = Family.childList(spun.owner);
        ScopeMembers outer = children.keeper;
        children.keeper = spun.members;
        try {
            block.run();
        } finally {
            children.keeper = outer;
            spun.isOver = true;
            if (spun.alive > 0) {
                Cancellation.shielded(spun.owner, spun::endAll);
            }
        }
    }

    private boolean endAll() {
        for (FiberImpl<?> each : living()) {
            Family.terminateBelow(each, owner);
        }
        Cord cord = owner.cord;
        long limitNs = owner.cord.stopLimitNs();
        long startNs = cord.nanoTime();
        Object result = null;
        while (alive > 0 && result != Waits.TIMED_OUT) {
            long leftNs =
                    limitNs == Long.MAX_VALUE
                            ? limitNs
                            : Math.max(0, limitNs - (cord.nanoTime() - startNs));
            waitNumber = owner.nextWaitNumber();
            result = Waits.park(this, leftNs);
        }
        if (alive > 0) {
            Abandonment.abandonChildren(
                    owner,
                    List.<Fiber<?>>copyOf(living()),
                    "the block that spun it ended, and its limit of "
                            + limitNs / 1_000_000
                            + " ms ran out");
        }
        return true;
    }

    private List<FiberImpl<?>> living() {
        List<FiberImpl<?>> found = new ArrayList<>(alive);
        for (FiberImpl<?> each = owner.firstChild(); each != null; each = each.nextSibling) {
            if (each.memberOf == members) {
                found.add(each);
            }
        }
        return found;
    }

    private final class Members implements ScopeMembers {
        @Override
        public void spun(FiberImpl<?> child) {
            child.memberOf = this;
            alive++;
        }

        @Override
        public void ended(FiberImpl<?> member, @Nullable FiberFailedException untaken) {
            forget(member);
            if (untaken != null) {
                failedAfterAll(member, untaken);
            }
        }

        @Override
        public void failedAfterAll(FiberImpl<?> member, FiberFailedException untaken) {
            if (isOver && !tellsEnd) {
                owner.cord.reportUntaken(member, untaken);
            } else {
                onFailure.accept(untaken);
            }
        }

        @Override
        public void forget(FiberImpl<?> member) {
            member.memberOf = null;
            alive--;
            owner.resume(waitNumber, null);
        }
    }

    @Override
    public String toString() {
        return "the end of what a block of " + owner + " has spun";
    }
}
