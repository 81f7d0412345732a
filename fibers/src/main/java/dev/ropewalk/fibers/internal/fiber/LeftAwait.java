package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.StackPinnedException;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * A parent's await that a limit, a cancellation or a raise ends in the turn in which the awaited
 * fiber fails (rules F4 and F7). The failure goes to the awaiter, because it was there to take it:
 *
 * <pre>
 *   raised while it waited               the await has its outcome, and what was raised comes at
 *                                        the next switchpoint
 *   due before it began to wait          it is raised, as at every switchpoint, and the failure
 *                                        is told in what leaves the scope
 * </pre>
 *
 * The second row is so, because otherwise a loop that awaits one failing child after the other
 * would never be left. A child that fails in a later turn has no awaiter.
 *
 * <p>Everything is confined to the parent's cord.
 */
public final class LeftAwait {
    /** Turns of this fiber in which what is awaited gets its own where turns are drawn. */
    private static final int MAX_DRAWN_TURNS = 32;

    private LeftAwait() {}

    /** Whether the next switchpoint raises. */
    public static boolean isDue(@Nullable FiberImpl<?> me) {
        return me != null && Cancellation.due(me) != null;
    }

    /**
     * The first awaited fiber whose failure the await throws after all; null if the raised
     * exception leaves it. Called in the fiber that awaits, which counts as awaiting them still.
     */
    public static @Nullable FiberImpl<?> failedMeanwhile(
            @Nullable FiberImpl<?> me,
            List<? extends FiberImpl<?>> awaited,
            Throwable raised,
            boolean wasDue) {
        if (me == null || !mayBeRaised(raised)) {
            return null;
        }
        List<FiberImpl<?>> failed = failed(me, awaited);
        if (failed.isEmpty()) {
            return null;
        }
        if (!wasDue) {
            Family.stopAwaiting(me, failed.getFirst(), true);
            Cancellation.keepForNextSwitchpoint(me, raised);
            return failed.getFirst();
        }
        for (FiberImpl<?> each : failed) {
            FiberFailedException failure = untaken(each);
            Family.stopAwaiting(me, each, true);
            if (failure != null) {
                tellIn(raised, failure);
            }
        }
        return null;
    }

    /** The same for an await whose own limit passed. */
    public static @Nullable FiberImpl<?> failedAtLimit(
            @Nullable FiberImpl<?> me, List<? extends FiberImpl<?>> awaited) {
        if (me == null) {
            return null;
        }
        List<FiberImpl<?>> failed = failed(me, awaited);
        if (failed.isEmpty()) {
            return null;
        }
        Family.stopAwaiting(me, failed.getFirst(), true);
        return failed.getFirst();
    }

    /** Otherwise it says what is wrong with the call. */
    private static boolean mayBeRaised(Throwable raised) {
        return !(raised instanceof DeadlockException
                || raised instanceof StackPinnedException
                || raised instanceof VirtualMachineError);
    }

    private static void tellIn(Throwable raised, FiberFailedException failure) {
        if (raised instanceof Unwind signal) {
            signal.origin().noteTaken(failure);
        } else {
            raised.addSuppressed(failure);
        }
    }

    private static List<FiberImpl<?>> failed(
            FiberImpl<?> me, List<? extends FiberImpl<?>> awaited) {
        List<FiberImpl<?>> own = new ArrayList<>(awaited);
        own.removeIf(each -> each.parentOrNull() != me);
        giveWay(me, own);
        own.removeIf(each -> !isToldToNobody(each));
        return own;
    }

    /**
     * An exception that leaves a wait lets others go first, as at every switchpoint (rule F6). Once
     * is enough, because all fibers that are queued then have a turn before the next one of this
     * fiber.
     */
    private static void giveWay(FiberImpl<?> me, List<FiberImpl<?>> children) {
        int turns = me.cord.platform.isOrderSeeded() ? MAX_DRAWN_TURNS : 1;
        for (int i = 0; i < turns && isAnyQueued(children); i++) {
            me.yieldFirst();
        }
    }

    private static boolean isAnyQueued(List<FiberImpl<?>> children) {
        for (FiberImpl<?> each : children) {
            if (each.isHere() && each.isQueued()) {
                return true;
            }
        }
        return false;
    }

    /** Of another cord its news may be on the way: it finds that the failure was taken. */
    private static boolean isToldToNobody(FiberImpl<?> child) {
        return child.isNewsHeldBack
                || (!child.isHere() && !child.isTakenByParent && untaken(child) != null);
    }

    private static @Nullable FiberFailedException untaken(FiberImpl<?> child) {
        Outcome<?> outcome = child.outcome();
        return outcome == null ? null : outcome.untaken(child);
    }
}
