package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.internal.platform.Checks;
import dev.ropewalk.fibers.internal.platform.SafeText;
import dev.ropewalk.fibers.internal.timer.Timer;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * The state of one cancel scope: its place in the list of its fiber, its timer, its signal (rule
 * F5).
 *
 * <p>Confined to the fiber's cord, but for {@link #cancel}.
 */
public final class ScopeNode extends CancelScope {
    /*
     * States; their one writer is state(from, to):
     *
     *   NEW       -> OPEN        the block begins
     *   OPEN      -> LEFT        the block is over
     *
     * Beside it the signal: null until the scope is cancelled; from then on the switchpoints inside
     * raise it. A scope may be cancelled while it is NEW; its block then runs up to its first
     * switchpoint, as that of a limit of zero does.
     *
     * The scopes of a fiber are a list linked from the innermost outward; Cancellation walks it,
     * and only when something was cancelled.
     */
    private enum State {
        NEW,
        OPEN,
        LEFT
    }

    public static final long NO_LIMIT = Long.MAX_VALUE;

    private final FiberImpl<?> fiber = FiberImpl.current();
    private final boolean isShield;
    private long limitNs;
    private State state = State.NEW;
    private @Nullable ScopeNode outer;

    /** How many shields of the library's own stood when it was entered. */
    private byte shields;

    private @Nullable Timer timer;
    private Unwind.@Nullable Cancel signal;

    /** The limit of a shield passed: it protects no more. */
    private boolean isLifted;

    public ScopeNode(long limitNs, boolean isShield) {
        this.limitNs = limitNs;
        this.isShield = isShield;
    }

    // ---------------------------------------------------------------- for its owner

    @Override
    public void cancel() {
        if (fiber.cord.isCurrent()) {
            cancelHere(false);
        } else {
            fiber.cord.send(FiberMessages.quiet(() -> cancelHere(false)));
        }
    }

    @Override
    public boolean reset() {
        if (limitNs == NO_LIMIT) {
            throw new IllegalStateException(
                    this + " has no time limit to start again; use reset(limit)");
        }
        return resetTo(limitNs);
    }

    @Override
    public boolean reset(Duration limit) {
        return resetTo(Waits.nanos(limit));
    }

    @Override
    public boolean isCancelled() {
        return signal != null;
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

    // ---------------------------------------------------------------- for the fiber

    @Nullable ScopeNode outer() {
        return outer;
    }

    public Unwind.@Nullable Cancel signal() {
        return signal;
    }

    /** Whether it was entered inside the innermost shield of the library's own. */
    boolean isInsideShields() {
        return shields == fiber.shields;
    }

    /** Whether what comes from outside must wait. */
    boolean holdsOff() {
        return isShield && !isLifted;
    }

    public void enter() {
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
        shields = fiber.shields;
        try {
            Cancellation.enterScope(fiber, this);
            armTimer();
        } catch (Throwable full) { // no block will leave it; first without a call: see below
            fiber.scope = outer;
            state = State.LEFT;
            throw full;
        }
    }

    public void leave() {
        if (state == State.LEFT) {
            return; // its fiber was abandoned
        }
        fiber.scope = outer; // first, and without a call: the stack may be full
        state = State.LEFT;
        cancelTimer();
        Cancellation.refreshAlert(fiber);
        if (signal != null) {
            signal.over();
            fiber.forgetInterruptFor(signal);
        }
    }

    /** The fiber is over with these scopes still open: it was abandoned. */
    static void dropAll(FiberImpl<?> ended) {
        for (ScopeNode each = Cancellation.scope(ended); each != null; each = each.outer()) {
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
        timer = null; // last: if a step fails for want of stack it is done again
    }

    private void cancelHere(boolean isTimeout) {
        if (signal != null || state == State.LEFT) {
            return;
        }
        signal = new Unwind.Cancel(this, isTimeout, waitedFor());
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

    /** A node of a queue forgets what it waits for when the wait ends, before anybody is told. */
    private @Nullable Object waitedFor() {
        Object reason = fiber.waitedFor();
        Object guarded = reason instanceof GuardedWait node ? node.guarded() : null;
        return guarded == null ? reason : guarded;
    }

    // ---------------------------------------------------------------- its edge

    /**
     * This scope's signal if it left the block: as itself, wrapped in another exception, or as the
     * interrupt by which it reached a call of the JDK on a virtual thread.
     */
    public Unwind.@Nullable Cancel mine(Throwable thrown) {
        Unwind.Cancel own = signal;
        if (own == null) {
            return null;
        }
        if (own.isRaisedBy(thrown)) {
            Unwind.atEdge(thrown, fiber);
            return own;
        }
        return Cancellation.due(fiber) == own && fiber.isInterruptFor(own, thrown) ? own : null;
    }

    /** The call that goes on throws nothing that could carry what failed as its block was left. */
    public void tellHidden(Unwind.Cancel raised) {
        for (Throwable hidden : raised.failures()) {
            if (!(hidden instanceof FiberAbandonedException)) { // that was reported
                fiber.cord.reportUncaught(fiber, hidden);
            }
        }
    }

    public RuntimeException outcome(Unwind.Cancel raised) {
        Object waitedFor = raised.waitedFor;
        String where =
                waitedFor == null
                        ? fiber + " was not waiting then"
                        : fiber + " was waiting: " + SafeText.of(waitedFor);
        RuntimeException outcome =
                raised.isTimeout
                        ? new FiberTimeoutException(
                                "the limit of " + Duration.ofNanos(limitNs) + " passed; " + where)
                        : new CancelledException("the scope was cancelled; " + where);
        for (Throwable cleanUp : raised.getSuppressed()) {
            outcome.addSuppressed(cleanUp);
        }
        raised.taken().forEach(outcome::addSuppressed);
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

    /** Cancels a scope, or lifts a shield. */
    public static final class Limit extends Timer {
        private @Nullable ScopeNode scope;

        public Limit(long deadlineNs, ScopeNode scope) {
            super(deadlineNs);
            this.scope = scope;
        }

        @Override
        public boolean isCancelled() {
            return scope == null;
        }

        @Override
        public String kind() {
            return "limit";
        }

        @Override
        public @Nullable FiberImpl<?> owner() {
            ScopeNode limited = scope;
            return limited == null ? null : limited.fiber;
        }

        @Override
        public void markCancelled() {
            scope = null;
        }

        @Override
        public void fire() {
            ScopeNode limited = scope;
            if (limited != null) {
                limited.limitPassed();
            }
            scope = null;
        }
    }
}
