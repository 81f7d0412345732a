package dev.ropewalk.fibers;

import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.RunOrder;
import dev.ropewalk.fibers.internal.fiber.Abandonment;
import dev.ropewalk.fibers.internal.fiber.Cancellation;
import dev.ropewalk.fibers.internal.fiber.ChildPlace;
import dev.ropewalk.fibers.internal.fiber.Family;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.ScopeMembers;
import dev.ropewalk.fibers.internal.fiber.WaitKind;
import dev.ropewalk.fibers.internal.platform.Callables;
import dev.ropewalk.fibers.internal.platform.Unchecked;
import dev.ropewalk.fibers.internal.report.WaitCycle;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

/**
 * Fibers that live no longer than a block (structured concurrency).
 *
 * {@snippet file="dev/ropewalk/fibers/SnippetsTest.java" region="call"}
 *
 * <p>The block ends when its code is done and all fibers of the scope have ended, service fibers
 * excepted. If one of them fails and no fiber awaits it, the block is cancelled where it waits, the
 * other fibers are terminated, and the call throws the failure. However the block ends, nothing of
 * the scope runs afterwards: fibers that are left are terminated and awaited within the cord's stop
 * limit, and abandoned with a report if they do not end.
 *
 * <p>The fibers are children of the fiber that runs the block, the scope's owner. A scope is
 * confined to its owner's cord, its fibers are not. Fibers that the block spins by {@link
 * Fiber#spin} are not the scope's.
 *
 * <p>The idea is that of the nurseries of Trio; joiners are those of the JDK's structured task
 * scopes.
 *
 * @param <T> the type of the fibers' results
 */
public final class Scope<T extends @Nullable Object> {
    /*
     * Members are the owner's children whose "memberOf" is this scope; there is no second list.
     *
     * OPEN -> CLOSED: the block is over, nothing more can be spun. Invariant: open <= alive, and
     * both count members only; alive is 0 when the call returns, but for those that were abandoned.
     *
     * Everything is confined to the owner's cord: the end of a member on another cord comes as a
     * message to the owner, as that of any child.
     */
    private static final Object LEFT = new Object();

    private final FiberImpl<?> owner = FiberImpl.current();
    private final CancelScope cancelScope = CancelScope.withoutLimit();
    private final @Nullable Joiner<T, ?> joiner;
    private final Members members = new Members();
    private boolean isClosed;

    /** Done by the word of the joiner: the block's result does not matter any more. */
    private boolean isDone;

    /** Members that the block waits for. */
    private int open;

    /** All members, service fibers included. */
    private int alive;

    /** Number of the owner's last wait for members; -1 before the first. */
    private long waitNumber = -1;

    private @Nullable Throwable failure;

    private Scope(@Nullable Joiner<T, ?> joiner) {
        this.joiner = joiner;
    }

    // ---------------------------------------------------------------- opening one

    /**
     * Runs the block with a scope that fails fast.
     *
     * @param <R> the type of the result
     * @param <X> what the block throws
     * @param block runs at once, in this fiber
     * @return what the block returned
     * @throws FiberFailedException if a fiber of the scope failed and no other awaited it
     * @throws CancelledException if {@link #cancel} was called
     * @throws X what the block threw
     * @throws IllegalStateException if no fiber runs on this thread
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // the block returns an R
    public static <R extends @Nullable Object, X extends Exception> R call(
            ScopeBlock<Scope<@Nullable Object>, ? extends R, X> block) throws X {
        Objects.requireNonNull(block, "block");
        Scope<@Nullable Object> scope = new Scope<>(null);
        return (R) scope.runToEnd(() -> block.run(scope));
    }

    /**
     * Like {@link #call}, without a result.
     *
     * @param <X> what the block throws
     * @param block runs at once, in this fiber
     * @throws FiberFailedException if a fiber of the scope failed and no other awaited it
     * @throws CancelledException if {@link #cancel} was called
     * @throws X what the block threw
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <X extends Exception> void run(VoidScopeBlock<Scope<@Nullable Object>, X> block)
            throws X {
        Objects.requireNonNull(block, "block");
        Scope<@Nullable Object> scope = new Scope<>(null);
        scope.<X>runToEnd(
                () -> {
                    block.run(scope);
                    return null;
                });
    }

    /**
     * Runs the block with a scope whose joiner decides when it is done and what it returns. The end
     * of a fiber is told to the joiner, and a failure is the joiner's.
     *
     * @param <T> the type of the fibers' results
     * @param <R> the type of the result
     * @param <X> what the block throws
     * @param joiner a new one; {@link Joiner#all}, {@link Joiner#firstSuccess}, {@link
     *     Joiner#until}, or one of your own
     * @param block runs at once, in this fiber
     * @return the joiner's result
     * @throws FiberFailedException by the joiner's result, or if a service fiber failed
     * @throws CancelledException if {@link #cancel} was called
     * @throws X what the block threw
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T extends @Nullable Object, R extends @Nullable Object, X extends Exception>
            R join(Joiner<T, ? extends R> joiner, VoidScopeBlock<Scope<T>, X> block) throws X {
        Objects.requireNonNull(joiner, "joiner");
        Objects.requireNonNull(block, "block");
        Scope<T> scope = new Scope<>(joiner);
        scope.<X>runToEnd(
                () -> {
                    block.run(scope);
                    return null;
                });
        return joiner.result();
    }

    // ---------------------------------------------------------------- its fibers

    /**
     * Spins a fiber of this scope on the owner's cord.
     *
     * @param <C> the type of the fiber's result
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if the block is over
     * @throws WrongThreadException if called on another cord than the owner's
     * @throws TooManyFibersException if the cord has as many fibers as it may
     */
    public <C extends T> Fiber<C> spin(String name, Callable<? extends C> body) {
        return spinOn(owner.cord, name, body);
    }

    /**
     * Spins a fiber of this scope on a cord of choice, or as a task that any cord of a scheduler
     * may start.
     *
     * @param <C> the type of the fiber's result
     * @param where the cord or scheduler
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if the block is over, or the scheduler has no cord
     * @throws WrongThreadException if called on another cord than the owner's
     * @throws CordClosedException if the cord has ended, or the scheduler is closed
     * @throws TooManyFibersException if the cord has as many fibers as it may
     * @throws java.util.concurrent.RejectedExecutionException if as many tasks wait as may wait
     */
    public <C extends T> Fiber<C> spinOn(Spinner where, String name, Callable<? extends C> body) {
        Objects.requireNonNull(body, "body");
        return enter(where, name, body, true);
    }

    /**
     * Spins a fiber of this scope on a cord of choice that keeps no stack between its turns, as
     * {@link Cord#spinHandler} does.
     *
     * @param where the cord
     * @param name shown in reports; need not be unique
     * @param handler is called once per turn
     * @return the new fiber
     * @throws IllegalStateException if the block is over
     * @throws WrongThreadException if called on another cord than the owner's
     * @throws CordClosedException if the cord has ended
     * @throws TooManyFibersException if the cord has as many fibers as it may
     */
    public Fiber<@Nullable Void> spinHandlerOn(Cord where, String name, Handler handler) {
        Objects.requireNonNull(handler, "handler");
        CordImpl cord = CordImpl.of(where);
        Objects.requireNonNull(name, "name");
        return enter(cord, new FiberImpl<>(cord, owner, name, null, handler), true);
    }

    /**
     * Spins a fiber of this scope without a result.
     *
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if the block is over
     * @throws WrongThreadException if called on another cord than the owner's
     * @throws TooManyFibersException if the cord has as many fibers as it may
     */
    public Fiber<@Nullable Void> spin(String name, Action body) {
        return enter(owner.cord, name, Callables.of(body), true);
    }

    /**
     * Spins a fiber of this scope without a result on a cord of choice, or as a task.
     *
     * @param where the cord or scheduler
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if the block is over, or the scheduler has no cord
     * @throws WrongThreadException if called on another cord than the owner's
     * @throws CordClosedException if the cord has ended, or the scheduler is closed
     * @throws TooManyFibersException if the cord has as many fibers as it may
     * @throws java.util.concurrent.RejectedExecutionException if as many tasks wait as may wait
     */
    public Fiber<@Nullable Void> spinOn(Spinner where, String name, Action body) {
        return enter(where, name, Callables.of(body), true);
    }

    /**
     * Spins a service fiber of this scope: the block does not wait for it; it is terminated when
     * the block and all other fibers are done. If it fails, the scope fails.
     *
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if the block is over
     * @throws WrongThreadException if called on another cord than the owner's
     * @throws TooManyFibersException if the cord has as many fibers as it may
     */
    public Fiber<@Nullable Void> spinService(String name, Action body) {
        return enter(owner.cord, name, Callables.of(body), false);
    }

    /**
     * Cancels the block and terminates the fibers of the scope; the call that opened it throws
     * {@link CancelledException}, unless it was done already. Works from any thread and does not
     * wait.
     */
    public void cancel() {
        cancelScope.cancel();
    }

    private <C extends @Nullable Object> FiberImpl<C> enter(
            Spinner where, String name, Callable<? extends C> body, boolean keepsOpen) {
        ChildPlace place = ChildPlace.of(where);
        Objects.requireNonNull(name, "name");
        return enter(place, place.newChild(owner, name, body), keepsOpen);
    }

    @SuppressWarnings("unchecked") // a fiber without a result is one that returns null
    private <C extends @Nullable Object> FiberImpl<C> enter(
            ChildPlace place, FiberImpl<C> fiber, boolean keepsOpen) {
        owner.checkCord("spin in the scope of");
        if (isClosed || owner.outcome() != null) {
            throw new IllegalStateException(
                    "the block of " + this + " is over; " + fiber + " was not started");
        }
        place.spinBelow(owner, fiber);
        fiber.memberOf = members;
        fiber.keepsScopeOpen = keepsOpen;
        alive++;
        if (keepsOpen) {
            open++;
            if (joiner != null) {
                joiner.onSpin((Fiber<? extends T>) fiber);
            }
        }
        return fiber;
    }

    // ---------------------------------------------------------------- its end

    private <X extends Exception> @Nullable Object runToEnd(Block<@Nullable Object, X> block)
            throws X {
        Object value = LEFT;
        Throwable thrown = null;
        try {
            value =
                    cancelScope.<@Nullable Object, X>callOrElse(
                            LEFT,
                            () -> {
                                Object result = block.run();
                                awaitOpen();
                                return result;
                            });
        } catch (Throwable t) {
            thrown = t;
        }
        isClosed = true;
        if (alive > 0) {
            Cancellation.shielded(owner, this::endMembers);
        }
        Throwable failed = failure;
        if (thrown != null) {
            if (failed != null && failed != thrown) {
                thrown.addSuppressed(failed);
            }
            throw Unchecked.<RuntimeException>sneaky(thrown);
        }
        if (failed != null) {
            throw Unchecked.<RuntimeException>sneaky(failed);
        }
        if (value == LEFT && !isDone) {
            throw new CancelledException(this + " was cancelled");
        }
        return value;
    }

    private void awaitOpen() {
        if (open > 0 && !isDone) {
            WaitCycle.check(owner, members);
        }
        while (open > 0 && !isDone) {
            waitNumber = owner.nextWaitNumber();
            RunOrder.of(owner).park(owner, members);
        }
    }

    /** The fibers of the scope, for which the block waits. */
    private final class Members implements WaitCycle.Several, ScopeMembers {
        /** Empty if they are too many to be followed. */
        @Override
        public List<? extends Fiber<?>> fibers() {
            return open > WaitCycle.MAX_STEPS
                    ? List.of()
                    : living().stream().filter(each -> FiberImpl.of(each).keepsScopeOpen).toList();
        }

        @Override
        public void ended(FiberImpl<?> member, @Nullable FiberFailedException untaken) {
            forget(member);
            if (isClosed || isDone) {
                if (untaken != null) {
                    tellLate(member, untaken);
                }
            } else if (joiner != null && member.keepsScopeOpen) {
                askJoiner(joiner, member);
            } else if (untaken != null) {
                failure = untaken;
                isDone = true;
                cancelScope.cancel();
            }
        }

        @Override
        public void failedAfterAll(FiberImpl<?> member, FiberFailedException untaken) {
            if (isClosed || isDone) {
                tellLate(member, untaken);
            } else if (joiner == null || !member.keepsScopeOpen) {
                failure = untaken;
                isDone = true;
                cancelScope.cancel();
            } // otherwise the joiner was asked when it ended
        }

        @Override
        public void forget(FiberImpl<?> member) {
            member.memberOf = null;
            alive--;
            if (member.keepsScopeOpen) {
                open--;
            }
            owner.resume(waitNumber, null);
        }

        /** A joiner may be content with one. */
        @Override
        public boolean needsAll() {
            return joiner == null;
        }

        @Override
        public String toString() {
            return Scope.this.toString();
        }
    }

    /** Terminates the members that are left and awaits them within the stop limit. */
    private boolean endMembers() {
        for (Fiber<?> member : living()) {
            Family.terminateBelow(FiberImpl.of(member), owner);
        }
        Cord cord = owner.cord;
        long limitNs = CordImpl.of(cord).stopLimitNs();
        long startNs = cord.nanoTime();
        Object result = null;
        while (alive > 0 && result != Waits.TIMED_OUT) {
            long leftNs = Math.max(0, limitNs - (cord.nanoTime() - startNs));
            waitNumber = owner.nextWaitNumber();
            result = owner.parkFor(WaitKind.LIBRARY, this, leftNs);
        }
        if (alive > 0) {
            Abandonment.abandonChildren(
                    owner,
                    living(),
                    this + " ended, and its limit of " + limitNs / 1_000_000 + " ms ran out");
        }
        return true;
    }

    private List<Fiber<?>> living() {
        List<Fiber<?>> found = new ArrayList<>(alive);
        for (FiberImpl<?> each = owner.firstChild(); each != null; each = each.nextSibling) {
            if (each.memberOf == members) {
                found.add(each);
            }
        }
        return found;
    }

    private void tellLate(FiberImpl<?> member, FiberFailedException untaken) {
        if (joiner != null && member.keepsScopeOpen && isToldLate(joiner, member)) {
            return;
        }
        if (failure == null) {
            owner.cord.reportUntaken(member, untaken);
        } else {
            failure.addSuppressed(untaken);
        }
    }

    @SuppressWarnings("unchecked") // a fiber without a result is one that returns null
    private boolean isToldLate(Joiner<T, ?> asked, Fiber<?> member) {
        try {
            return asked.onLateFailure((Fiber<? extends T>) member);
        } catch (Throwable broken) {
            Waits.report(owner, broken);
            return false;
        }
    }

    @SuppressWarnings("unchecked") // a fiber without a result is one that returns null
    private void askJoiner(Joiner<T, ?> asked, Fiber<?> member) {
        try {
            isDone = asked.onEnd((Fiber<? extends T>) member);
        } catch (Throwable broken) {
            failure = broken;
            isDone = true;
        }
        if (isDone) {
            cancelScope.cancel();
        }
    }

    @Override
    public String toString() {
        return "the scope of " + owner;
    }
}
