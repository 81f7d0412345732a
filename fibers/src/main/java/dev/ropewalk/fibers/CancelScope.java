package dev.ropewalk.fibers;

import dev.ropewalk.fibers.internal.platform.Checks;
import dev.ropewalk.fibers.internal.timer.Timer;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;

/**
 * A part of a fiber's run that can be cancelled by itself: by a time limit, or by {@link #cancel}.
 *
 * <p>{@link #cancelAfter} and {@link #moveOnAfter} are all that most code needs:
 *
 * {@snippet file="dev/ropewalk/fibers/SnippetsTest.java" region="cancelAfter"}
 *
 * <p>Cancellation is level-triggered: in a cancelled scope every switchpoint raises, also in its
 * {@code finally} blocks, until the block is left; only {@link #shielded} code may wait for its
 * clean-up. What is raised is an {@code Error} that only this scope catches, so scopes nest, an
 * inner one never takes what belongs to an outer one, and a termination passes through all of them.
 * A block that is done in spite of the cancellation keeps its result, and nothing is left behind.
 *
 * <p>A scope belongs to the fiber that made it and is for one block. {@link #cancel} works from any
 * thread; all else is confined to the fiber's cord. Fibers that the block spins are not cancelled
 * with it: they are children of the fiber, see {@link Scope} for those that end with a block.
 *
 * <p>The semantics are those of the cancel scopes of Trio.
 */
public final class CancelScope {
    /*
     * States; their one writer is state(from, to):
     *
     *   NEW       -> OPEN        the block begins
     *   OPEN      -> LEFT        the block is over
     *
     * Beside it the signal: null until the scope is cancelled, and from then on what the
     * switchpoints inside raise. A scope may be cancelled while it is NEW; its block then runs up
     * to its first switchpoint, as that of a limit of zero does.
     *
     * The scopes of a fiber are a list linked from the innermost outward; FiberPending walks it,
     * and only when something was cancelled.
     */
    private enum State {
        NEW,
        OPEN,
        LEFT
    }

    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final FiberImpl<?> fiber = FiberImpl.current();
    private final boolean isShield;
    private long limitNs;
    private State state = State.NEW;
    private @Nullable CancelScope outer;
    private @Nullable Timer timer;
    private Unwind.@Nullable Cancel signal;

    /** The limit of a shield passed: it protects no more. */
    private boolean isLifted;

    private CancelScope(long limitNs, boolean isShield) {
        this.limitNs = limitNs;
        this.isShield = isShield;
    }

    // ---------------------------------------------------------------- the short forms

    /**
     * Runs the block, for no longer than the limit: after it, the block's switchpoints raise.
     *
     * @param <T> the type of the result
     * @param <X> what the block throws
     * @param limit how long the block may take, from now
     * @param block runs at once, in this fiber
     * @return what the block returned
     * @throws TimeoutException if the block was left because the limit had passed
     * @throws X what the block threw
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T extends @Nullable Object, X extends Exception> T cancelAfter(
            Duration limit, Block<? extends T, X> block) throws X {
        return withLimit(limit).call(block);
    }

    /**
     * Like {@link #cancelAfter(Duration, Block)}, without a result.
     *
     * @param <X> what the block throws
     * @param limit how long the block may take, from now
     * @param block runs at once, in this fiber
     * @throws TimeoutException if the block was left because the limit had passed
     * @throws X what the block threw
     */
    public static <X extends Exception> void cancelAfter(Duration limit, VoidBlock<X> block)
            throws X {
        withLimit(limit).run(block);
    }

    /**
     * Runs the block, for no longer than the limit, and goes on with another value if it was left.
     * What fails as it is left, in its clean-up, goes to the cord's uncaught handler.
     *
     * @param <T> the type of the result
     * @param <X> what the block throws
     * @param limit how long the block may take, from now
     * @param other what is returned if the block was left
     * @param block runs at once, in this fiber
     * @return what the block returned, or {@code other}
     * @throws X what the block threw
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T extends @Nullable Object, X extends Exception> T moveOnAfter(
            Duration limit, T other, Block<? extends T, X> block) throws X {
        return withLimit(limit).callOrElse(other, block);
    }

    /**
     * Runs the block, for no longer than the limit, and goes on after it. What fails as it is left,
     * in its clean-up, goes to the cord's uncaught handler.
     *
     * @param <X> what the block throws
     * @param limit how long the block may take, from now
     * @param block runs at once, in this fiber
     * @return whether the block was done; false if it was left
     * @throws X what the block threw
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <X extends Exception> boolean moveOnAfter(Duration limit, VoidBlock<X> block)
            throws X {
        return withLimit(limit).runOrLeave(block);
    }

    /**
     * Runs clean-up that has to wait: for the limit at most, whatever is raised, cancelled or
     * terminated outside is held off. When the limit has passed the shield is gone, and the next
     * switchpoint raises what was held off, if anything. Scopes inside the block work as ever.
     *
     * @param <T> the type of the result
     * @param <X> what the block throws
     * @param limit how long the block is protected, from now
     * @param block runs at once, in this fiber
     * @return what the block returned
     * @throws X what the block threw
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T extends @Nullable Object, X extends Exception> T shielded(
            Duration limit, Block<? extends T, X> block) throws X {
        return new CancelScope(Waits.nanos(limit), true).call(block);
    }

    /**
     * Like {@link #shielded(Duration, Block)}, without a result.
     *
     * @param <X> what the block throws
     * @param limit how long the block is protected, from now
     * @param block runs at once, in this fiber
     * @throws X what the block threw
     */
    public static <X extends Exception> void shielded(Duration limit, VoidBlock<X> block) throws X {
        new CancelScope(Waits.nanos(limit), true).run(block);
    }

    // ---------------------------------------------------------------- a scope as an object

    /**
     * {@return a scope of the current fiber with a time limit, which starts with its block}
     *
     * @param limit how long its block may take
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static CancelScope withLimit(Duration limit) {
        return new CancelScope(Waits.nanos(limit), false);
    }

    /**
     * {@return a scope of the current fiber that only {@link #cancel} cancels}
     *
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static CancelScope withoutLimit() {
        return new CancelScope(NO_LIMIT, false);
    }

    /**
     * Runs the block in this scope.
     *
     * @param <T> the type of the result
     * @param <X> what the block throws
     * @param block runs at once, in this fiber
     * @return what the block returned
     * @throws TimeoutException if the block was left because the limit had passed
     * @throws CancelledException if the block was left because of {@link #cancel}
     * @throws X what the block threw
     * @throws IllegalStateException if this scope had a block already, or is another fiber's
     */
    public <T extends @Nullable Object, X extends Exception> T call(Block<? extends T, X> block)
            throws X {
        Objects.requireNonNull(block, "block");
        enter();
        try {
            return block.run();
        } catch (Throwable thrown) {
            Unwind.Cancel mine = mine(thrown);
            if (mine == null) {
                throw thrown;
            }
            throw outcome(mine);
        } finally {
            leave();
        }
    }

    /**
     * Like {@link #call}, without a result.
     *
     * @param <X> what the block throws
     * @param block runs at once, in this fiber
     * @throws TimeoutException if the block was left because the limit had passed
     * @throws CancelledException if the block was left because of {@link #cancel}
     * @throws X what the block threw
     * @throws IllegalStateException if this scope had a block already, or is another fiber's
     */
    public <X extends Exception> void run(VoidBlock<X> block) throws X {
        Objects.requireNonNull(block, "block");
        this.<@Nullable Object, X>call(
                () -> {
                    block.run();
                    return null;
                });
    }

    /**
     * Runs the block in this scope, and goes on with another value if it was left. What fails as it
     * is left, in its clean-up, goes to the cord's uncaught handler.
     *
     * @param <T> the type of the result
     * @param <X> what the block throws
     * @param other what is returned if the block was left
     * @param block runs at once, in this fiber
     * @return what the block returned, or {@code other}
     * @throws X what the block threw
     * @throws IllegalStateException if this scope had a block already, or is another fiber's
     */
    public <T extends @Nullable Object, X extends Exception> T callOrElse(
            T other, Block<? extends T, X> block) throws X {
        Objects.requireNonNull(block, "block");
        enter();
        try {
            return block.run();
        } catch (Throwable thrown) {
            Unwind.Cancel mine = mine(thrown);
            if (mine == null) {
                throw thrown;
            }
            tellHidden(mine);
            return other;
        } finally {
            leave();
        }
    }

    /**
     * Runs the block in this scope, and goes on after it. What fails as it is left, in its
     * clean-up, goes to the cord's uncaught handler.
     *
     * @param <X> what the block throws
     * @param block runs at once, in this fiber
     * @return whether the block was done; false if it was left
     * @throws X what the block threw
     * @throws IllegalStateException if this scope had a block already, or is another fiber's
     */
    public <X extends Exception> boolean runOrLeave(VoidBlock<X> block) throws X {
        Objects.requireNonNull(block, "block");
        return this.<Boolean, X>callOrElse(
                false,
                () -> {
                    block.run();
                    return true;
                });
    }

    /**
     * Cancels the scope: its block is left at its next switchpoint, or where it waits now. Works
     * from any thread and does not wait; no effect on a scope that is cancelled or left already.
     */
    public void cancel() {
        if (fiber.cord.isCurrent()) {
            cancelHere(false);
        } else {
            fiber.cord.send(FiberMessages.quiet(() -> cancelHere(false)));
        }
    }

    /**
     * Starts the time limit again, from now.
     *
     * @return false if it is too late: the scope is cancelled or left already
     * @throws IllegalStateException if the scope has no time limit
     * @throws WrongThreadException if called on another cord than the fiber's
     */
    public boolean reset() {
        if (limitNs == NO_LIMIT) {
            throw new IllegalStateException(
                    this + " has no time limit to start again; use reset(limit)");
        }
        return resetTo(limitNs);
    }

    /**
     * Gives the scope another time limit, from now. One that has not begun starts with it.
     *
     * @param limit how long the block may still take
     * @return false if it is too late: the scope is cancelled or left already
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws WrongThreadException if called on another cord than the fiber's
     */
    public boolean reset(Duration limit) {
        return resetTo(Waits.nanos(limit));
    }

    private boolean resetTo(long newLimitNs) {
        fiber.checkCord("reset of a cancel scope");
        if (signal != null || state == State.LEFT) {
            return false;
        }
        limitNs = newLimitNs;
        if (state == State.OPEN) {
            cancelTimer();
            armTimer();
        }
        return true;
    }

    /**
     * {@return whether the scope was cancelled, by its limit or by a call; from elsewhere a hint}
     */
    public boolean isCancelled() {
        return signal != null;
    }

    // ---------------------------------------------------------------- for the fiber

    @Nullable CancelScope outer() {
        return outer;
    }

    Unwind.@Nullable Cancel signal() {
        return signal;
    }

    /** Whether what comes from outside must wait. */
    boolean holdsOff() {
        return isShield && !isLifted;
    }

    private void enter() {
        if (state != State.NEW || Fiber.currentOrNull() != fiber) {
            throw new IllegalStateException(
                    this
                            + (state == State.NEW
                                    ? " was used by " + Fiber.currentOrNull()
                                    : " had a block already")
                            + "; make a new one, in the fiber that runs the block");
        }
        state(State.NEW, State.OPEN);
        outer = Cancellation.scope(fiber);
        Cancellation.enterScope(fiber, this);
        armTimer();
    }

    private void leave() {
        if (state == State.LEFT) {
            return; // its fiber was abandoned
        }
        cancelTimer();
        Cancellation.leaveScope(fiber, this);
        if (signal != null) {
            fiber.forgetInterruptFor(signal);
        }
        state(State.OPEN, State.LEFT);
    }

    /** The fiber is over with these scopes still open: it was abandoned. */
    static void dropAll(FiberImpl<?> ended) {
        for (CancelScope each = Cancellation.scope(ended); each != null; each = each.outer()) {
            each.leave();
        }
    }

    /** A limit of zero needs no timer: the first switchpoint raises. */
    private void armTimer() {
        if (limitNs == 0) {
            limitPassed();
        } else if (limitNs != NO_LIMIT) {
            timer = fiber.cord.armScope(this, limitNs);
        }
    }

    boolean isLimited() {
        return timer != null;
    }

    private void cancelTimer() {
        Timer armed = timer;
        timer = null;
        if (armed != null) {
            fiber.cord.cancelTimer(armed);
        }
    }

    /** Its timer is due. */
    void limitPassed() {
        if (isShield) {
            isLifted = true;
            fiber.interruptIfDue();
        } else {
            cancelHere(true);
        }
        timer = null; // last: what fails for want of stack is done again
    }

    private void cancelHere(boolean isTimeout) {
        if (signal != null || state == State.LEFT) {
            return;
        }
        signal = new Unwind.Cancel(this, isTimeout, fiber.waitedFor());
        if (state == State.OPEN) {
            try {
                Cancellation.alert(fiber);
                fiber.interruptIfDue();
            } catch (VirtualMachineError full) {
                signal = null; // it was not cancelled, and can be
                throw full;
            }
        }
    }

    // ---------------------------------------------------------------- its edge

    /**
     * This scope's signal if it is what left the block: as itself, or as the interrupt by which it
     * reached a call of the JDK on a virtual thread.
     */
    private Unwind.@Nullable Cancel mine(Throwable thrown) {
        Unwind.Cancel own = signal;
        if (own == null) {
            return null;
        }
        if (Unwind.originOf(thrown) == own) {
            Unwind.atEdge(thrown);
            return own;
        }
        return Cancellation.due(fiber) == own && fiber.isInterruptFor(own, thrown) ? own : null;
    }

    /** The call that goes on throws nothing that could carry what failed as its block was left. */
    private void tellHidden(Unwind.Cancel raised) {
        for (Throwable hidden : raised.getSuppressed()) {
            if (!(hidden instanceof FiberAbandonedException)) { // that was reported
                fiber.cord.reportUncaught(fiber, hidden);
            }
        }
    }

    private RuntimeException outcome(Unwind.Cancel raised) {
        Object waitedFor = raised.waitedFor;
        String where =
                waitedFor == null
                        ? fiber + " was not waiting then"
                        : fiber + " was waiting: " + FiberImpl.textOf(waitedFor);
        RuntimeException outcome =
                raised.isTimeout
                        ? new TimeoutException(
                                "the limit of " + Duration.ofNanos(limitNs) + " passed; " + where)
                        : new CancelledException("the scope was cancelled; " + where);
        for (Throwable cleanUp : raised.getSuppressed()) {
            outcome.addSuppressed(cleanUp);
        }
        return outcome;
    }

    private void state(State from, State to) {
        if (Checks.ON && state != from) {
            throw new IllegalStateException("state=" + state + " != from=" + from + " in " + this);
        }
        state = to;
    }

    @Override
    public String toString() {
        String kind = isShield ? "shield" : "cancel scope";
        String limit = limitNs == NO_LIMIT ? "" : " with limit " + Duration.ofNanos(limitNs);
        return kind + limit + " of " + fiber;
    }
}
