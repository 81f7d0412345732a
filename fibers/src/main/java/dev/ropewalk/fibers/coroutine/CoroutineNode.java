package dev.ropewalk.fibers.coroutine;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.internal.context.LocalValues;
import dev.ropewalk.fibers.internal.fiber.Abandonment;
import dev.ropewalk.fibers.internal.fiber.Cancellation;
import dev.ropewalk.fibers.internal.fiber.EndListener;
import dev.ropewalk.fibers.internal.fiber.Family;
import dev.ropewalk.fibers.internal.fiber.FiberAwait;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.FiberMessages;
import dev.ropewalk.fibers.internal.fiber.Outcome;
import dev.ropewalk.fibers.internal.fiber.Unwind;
import dev.ropewalk.fibers.internal.platform.Unchecked;
import dev.ropewalk.fibers.internal.report.WaitCycle;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

/**
 * A body that is run a piece at a time, on a fiber of its own: the core of {@link Coroutine} and
 * {@link Generator} (rule F16).
 *
 * <p>Everything is confined to the cord's thread.
 */
final class CoroutineNode extends ControlNode implements Callable<@Nullable Object>, EndListener {
    /*
     * The calls that a state allows, as in Ruby 3; ControlChecks refuses the others. "me" is the
     * node that calls.
     *
     *                      resume       transfer      raise          yield      close
     *   NEW                begins       begins        error          -          DEAD at once
     *   RUNNING, is me     error        its value     thrown         see below  error
     *   RUNNING, is not    error        error         error          error      ended
     *   RESUMING           error        error         error          error      ended
     *   YIELDING           goes on      error         thrown there   error      ended
     *   TRANSFERRING       error        goes on       error          error      ended
     *   DEAD               error        error         error          error      nothing to do
     *
     * A yield needs a resumer, which is answered; one that was resumed and left yields once more,
     * and owes that. YIELDING or DEAD with an answer that is owed: await takes it, and resume is an
     * error until then.
     *
     * The fiber is a child of the fiber that made the coroutine, so it ends with that fiber. Its
     * outcome is known when its own children have ended too, as for any fiber.
     */
    interface Body {
        @Nullable Object run(@Nullable Object first) throws Exception;

        /** The answer if the fiber was stopped with that result. */
        default @Nullable Object stoppedWith(@Nullable Object result) {
            return result;
        }
    }

    private final String kind;
    private final @Nullable String name;
    private final Body body;
    private boolean hasBegun;
    private boolean hasRun;
    private @Nullable Object first;

    /** Its end has been thrown or returned by a call, or will be. */
    private boolean isEndTaken;

    /** It failed and owes the failure; the end of its parent is the last moment to take it. */
    private boolean isWatchingParent;

    /** The fiber that closes it and waits for its end. */
    private List<FiberImpl<?>> closers = List.of();

    /** The values that the body begins with: those of its maker when it makes it. */
    private @Nullable LocalValues inherited;

    /** The current fiber makes it. */
    CoroutineNode(String kind, @Nullable String name, Body body) {
        super(FiberImpl.current(), State.NEW);
        this.kind = kind;
        this.name = name;
        this.body = body;
        this.inherited = LocalValues.inheritedFrom(fiber);
    }

    // ---------------------------------------------------------------- giving control on

    @Nullable Object resume(@Nullable Object value) {
        ControlNode me = caller("resume");
        ControlChecks.resumable(this, me);
        goOn(me, value);
        return me.awaitAnswer(this, this);
    }

    @Nullable Object raise(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        ControlNode me = caller("raise into");
        if (me == this) {
            throw Unchecked.<RuntimeException>sneaky(failure);
        }
        ControlChecks.raisable(this, me);
        goOn(me, new Thrown(failure));
        return me.awaitAnswer(this, this);
    }

    @Nullable Object transfer(@Nullable Object value) {
        ControlNode me = caller("transfer to");
        if (me == this) {
            fiber.switchpoint();
            return value;
        }
        ControlChecks.transferable(this, me);
        goOn(me, value);
        return me.awaitTransfer(this);
    }

    @Nullable Object yieldValue(@Nullable Object value) {
        ControlChecks.yieldedBy(this, caller("yield in"));
        fiber.raiseIfDue(); // one that is to end yields nothing any more
        ControlChecks.yieldable(this);
        return awaitResume(value);
    }

    /** Takes the answer that a resume did not wait for. */
    @Nullable Object await() {
        ControlNode me = caller("await");
        ControlChecks.owing(this);
        if (hasAnswer()) {
            return takeAnswer();
        }
        ControlNode last = last();
        ControlChecks.awaitable(this, last, me);
        WaitCycle.check(me.fiber, fiber);
        me.fiber.raiseIfDue();
        return me.awaitAnswer(this, last);
    }

    /** Whether an await has something to take, or to wait for. */
    boolean owes() {
        noticeOver();
        return isLeft();
    }

    /** Nothing has happened if this throws; an exception that is due for the caller comes first. */
    private void goOn(ControlNode me, @Nullable Object value) {
        me.fiber.raiseIfDue();
        if (state() == State.NEW) {
            begin(value);
        } else if (!wake(value)) {
            throw ControlChecks.error(this, "cannot go on: something was raised into its fiber");
        }
    }

    private void begin(@Nullable Object value) {
        FiberImpl<?> parent = fiber;
        ControlChecks.beginnable(this, parent);
        FiberImpl<@Nullable Object> own = new FiberImpl<>(cord, parent, name, this, null);
        own.locals = inherited;
        own.addListener(this);
        Family.adopt(parent, own);
        inherited = null;
        first = value;
        fiber = own;
        hasBegun = true;
        state(State.NEW, State.RUNNING);
    }

    /** The node that runs: the coroutine whose body this is, or a new one for a plain fiber. */
    private ControlNode caller(String operation) {
        checkCord(operation);
        FiberImpl<?> running = FiberImpl.current();
        Object its = running.body();
        return its instanceof CoroutineNode node && node.fiber == running
                ? node
                : new ControlNode(running);
    }

    void checkCord(String operation) {
        if (!cord.isCurrent()) {
            throw new WrongThreadException(
                    operation
                            + " "
                            + label()
                            + " from "
                            + Thread.currentThread()
                            + ", but it belongs to "
                            + cord
                            + "; a channel passes values between cords");
        }
    }

    // ---------------------------------------------------------------- its fiber

    @Override
    public @Nullable Object call() throws Exception {
        if (hasRun) {
            throw ControlChecks.error(
                    this, "runs once and cannot be restarted or respawned; make a new one");
        }
        hasRun = true;
        Object given = first;
        first = null;
        return body.run(given);
    }

    /**
     * A failure is taken by the one that is answered, by the closer, or by the next call; if it can
     * come no more, because the parent ends or is elsewhere, it is the parent's like any child's.
     */
    @Override
    public boolean ended(Fiber<?> dead) {
        if (dead != fiber) {
            isWatchingParent = false;
            dropOwed(true);
            return false;
        }
        isEndTaken = answerEnd(endOf(FiberImpl.of(dead)), !isEndByOthers(FiberImpl.of(dead)));
        boolean isKept = owesFailure() && isKept(FiberImpl.of(dead));
        return isEndTaken || isKept || hasCloser();
    }

    private boolean isKept(FiberImpl<?> dead) {
        FiberImpl<?> parent = dead.parentOrNull();
        isWatchingParent =
                parent != null
                        && parent.cord == cord
                        && !parent.isEnding()
                        && parent.outcome() == null;
        if (parent != null && isWatchingParent) {
            parent.addListener(this);
        } else {
            dropAnswer();
        }
        return isWatchingParent;
    }

    /** Drops an answer that has no taker; a failure is reported, a value is lost. */
    private void dropOwed(boolean isLater) {
        Outcome<?> end = end();
        FiberFailedException untaken = end != null && owesFailure() ? end.untaken(fiber) : null;
        dropAnswer();
        failureTaken();
        if (untaken != null && isLater) {
            FiberMessages.reportLater(fiber, untaken);
        } else if (untaken != null) {
            cord.reportUncaught(fiber, untaken);
        }
    }

    @Override
    void failureTaken() {
        isEndTaken = true;
        FiberImpl<?> parent = fiber.parentOrNull();
        if (isWatchingParent && parent != null) {
            isWatchingParent = false;
            parent.removeListener(this);
        }
    }

    private @Nullable Object endOf(FiberImpl<?> dead) {
        Outcome<?> outcome = Objects.requireNonNull(dead.outcome(), "outcome");
        if (outcome instanceof Outcome.Failure<?>(Throwable cause)
                && (cause instanceof RuntimeException || cause instanceof Error)
                && !(cause instanceof Unwind)) {
            return new Thrown(cause);
        }
        try {
            Object result = outcome.take(dead);
            return outcome instanceof Outcome.Stopped<?> ? body.stoppedWith(result) : result;
        } catch (RuntimeException failed) {
            return new Thrown(failed);
        }
    }

    /** It was terminated or abandoned: a fiber that did not wait for it has lost nothing. */
    private static boolean isEndByOthers(FiberImpl<?> dead) {
        return dead.outcome() instanceof Outcome.Terminated<?>
                || dead.outcome() instanceof Outcome.Abandoned<?>;
    }

    // ---------------------------------------------------------------- closing

    void close() {
        ControlNode me = caller("close");
        if (state() == State.NEW) {
            state(State.NEW, State.DEAD);
            return;
        }
        if (state() != State.DEAD) {
            ControlChecks.closable(this, me.fiber);
            end(me.fiber);
        }
        if (owes()) {
            dropOwed(false);
        }
    }

    private void end(FiberImpl<?> closer) {
        FiberImpl<?> own = fiber;
        closers = closers.isEmpty() ? new ArrayList<>(1) : closers;
        closers.add(closer);
        try {
            own.terminate();
            long limitNs = cord.stopLimitNs();
            if (!Cancellation.shielded(closer, () -> FiberAwait.end(own, limitNs, false))) {
                abandon("its limit of " + limitNs / 1_000_000 + " ms for ending ran out");
            }
        } finally {
            closers.remove(closer);
        }
        boolean isMine = !isEndTaken && !isEndByOthers(own);
        isEndTaken = true;
        if (isMine && endOf(own) instanceof Thrown thrown) {
            if (owesFailure()) {
                dropAnswer();
                failureTaken();
            }
            throw thrown.sneaky();
        }
    }

    /** A fiber that was abandoned in its close does not count. */
    private boolean hasCloser() {
        for (FiberImpl<?> each : closers) {
            if (each.outcome() == null) {
                return true;
            }
        }
        return false;
    }

    private void abandon(String why) {
        FiberImpl<?> parent = fiber.parentOrNull();
        if (parent != null && parent.cord == cord) {
            Abandonment.abandonChildren(parent, List.of(fiber), why);
        } else {
            Abandonment.abandonForeignChild(fiber, why);
        }
    }

    // ---------------------------------------------------------------- what it is

    /** How it ended; null if it was closed before it began. */
    @Nullable Outcome<?> end() {
        return hasBegun ? fiber.outcome() : null;
    }

    boolean hasReturned() {
        return end() instanceof Outcome.Success<?> || end() instanceof Outcome.Stopped<?>;
    }

    @Override
    boolean isPlain() {
        return false;
    }

    @Override
    String label() {
        if (name == null && !hasBegun) {
            return "a new " + kind + " of " + fiber;
        }
        return kind + " " + (name == null ? fiber.name() : name) + " on " + cord;
    }
}
