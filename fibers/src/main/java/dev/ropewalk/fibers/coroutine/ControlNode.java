package dev.ropewalk.fibers.coroutine;

import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.WaitKind;
import dev.ropewalk.fibers.internal.platform.Checks;
import dev.ropewalk.fibers.internal.platform.Unchecked;
import dev.ropewalk.fibers.internal.report.WaitCycle;

import org.jspecify.annotations.Nullable;

/**
 * A party that control passes to and from: a {@link CoroutineNode}, or a plain fiber for the time
 * of one call on a coroutine (rule F16). This part knows which one waits for which.
 *
 * <p>Everything is confined to the cord's thread.
 */
class ControlNode implements WaitCycle.One {
    /*
     * States; their one writer is state(from, to):
     *
     *   NEW          -> RUNNING       its first resume or transfer: its fiber is spun
     *   RUNNING -> RESUMING it resumed another and waits for that one's yield RUNNING -> YIELDING
     *   it yielded and waits for the next resume RUNNING -> TRANSFERRING it transferred to another
     *   and waits for a transfer back RESUMING -> RUNNING answered; or left, because something was
     *   raised into it YIELDING -> RUNNING resumed; or left TRANSFERRING -> RUNNING transferred to,
     *   or an end came back to it; or left RUNNING -> DEAD its fiber has ended NEW -> DEAD closed
     *   before it began
     *
     * The giver of control writes the state of the taker, at once; that one's fiber then comes
     * through the run queue like any other. So a switch is one entry of the cord's FIFO order, and
     * no stack nests on another. RUNNING says "has control": its fiber may wait for a timer then.
     *
     * "resumer" and "resuming" link the waiter for an answer and the one that owes it; such a chain
     * begins at a plain fiber, or at a coroutine that was transferred to. A yield answers the
     * resumer, and is an error without one. An end answers the resumer too; without one it goes to
     * the last of the chain that begins at the plain fiber on whose behalf it ran.
     *
     * That behalf is a CallerToken, which is passed on with control and comes back with the answer.
     * Two nodes never act for the same fiber. Invariant: while a plain fiber waits, the last of
     * its chain holds its token, or is TRANSFERRING.
     *
     * A wait that is left by an exception (a time limit, a termination) takes the token back that
     * it passed on, wherever that is now. The strand that was to answer goes on without a caller:
     * it "isLeft", keeps its yielded value or its end, and owes it to the next await. So nothing is
     * lost, and no late answer reaches another wait. Rejected: to end the strand instead. This is
     * simpler, but a time limit around Generator.next would cost the generator.
     */
    enum State {
        NEW,
        RUNNING,
        RESUMING,
        YIELDING,
        TRANSFERRING,
        DEAD
    }

    /** A value that is thrown where it arrives. */
    record Thrown(Throwable failure) {
        RuntimeException sneaky() {
            throw Unchecked.<RuntimeException>sneaky(failure);
        }
    }

    private static final Object NONE = new Object();

    final CordImpl cord;

    /** Its own; until a coroutine begins, the fiber that made it and will be the parent. */
    FiberImpl<?> fiber;

    private State state;
    private long waitNumber;
    private @Nullable ControlNode resumer;
    private @Nullable ControlNode resuming;

    /** Of the plain fiber that this strand acts for; null if there is no such fiber. */
    @Nullable CallerToken token;

    /** The token that it passed on with its wait, and takes back if it leaves the wait. */
    @Nullable CallerToken claim;

    /** Whose claim on the same token comes before. */
    @Nullable ControlNode claimBefore;

    /** Its yielded value, or its end, until either is taken; NONE before and after. */
    private @Nullable Object answer = NONE;

    /** The fiber that was woken for the answer and has not run yet. */
    private @Nullable ControlNode answered;

    /** It owes a resume an answer, whether its resumer waits or has left. */
    private boolean isResumed;

    /** The strand that would get its answer has left: the answer waits for an await. */
    private boolean isLeft;

    /** It left the wait in its last yield, so no resume has ended that wait. */
    private boolean hasLeftYield;

    /** Of a plain fiber, which brings control with it. */
    ControlNode(FiberImpl<?> plain) {
        this(plain, State.RUNNING);
        this.token = new CallerToken(this);
    }

    ControlNode(FiberImpl<?> fiber, State state) {
        this.fiber = fiber;
        this.cord = fiber.cord;
        this.state = state;
    }

    // ---------------------------------------------------------------- waiting

    /** By its resumer, so that an await that closes a circle is found. */
    @Override
    public final FiberImpl<?> awaited() {
        return fiber;
    }

    /** Waits as the resumer of {@code target}, while {@code running} acts for this strand. */
    final @Nullable Object awaitAnswer(ControlNode target, ControlNode running) {
        target.resumer = this;
        target.isResumed = true;
        target.isLeft = false;
        target.hasLeftYield = false;
        resuming = target;
        state(State.RUNNING, State.RESUMING);
        lendTo(running);
        return park(target);
    }

    final @Nullable Object awaitTransfer(ControlNode target) {
        state(State.RUNNING, State.TRANSFERRING);
        lendTo(target);
        return park("a transfer back to it");
    }

    final @Nullable Object awaitResume(@Nullable Object yielded) {
        answer = yielded;
        isResumed = false;
        state(State.RUNNING, State.YIELDING);
        ControlNode to = resumer;
        if (to != null) {
            answer(to, State.RESUMING);
        }
        return park("its next resume");
    }

    /** Leaves the stack until control comes back. */
    private @Nullable Object park(Object reason) {
        waitNumber = fiber.nextWaitNumber();
        Object given;
        try {
            given = fiber.park(WaitKind.LIBRARY, reason);
        } catch (Throwable raised) {
            leave();
            throw raised;
        }
        return switch (given) {
            case ControlNode from -> from.takeAnswer();
            case Thrown thrown -> throw thrown.sneaky();
            case null, default -> given;
        };
    }

    // ---------------------------------------------------------------- giving

    /** False if its wait is over: something was raised into it, and it will leave. */
    final boolean wake(@Nullable Object value) {
        if (!fiber.resume(waitNumber, value)) {
            return false;
        }
        state(state, State.RUNNING);
        return true;
    }

    /** True if the fiber that waits for it will take it; otherwise it is owed. */
    private boolean answer(ControlNode to, State as) {
        boolean isTaken = to.state == as && to.fiber.resume(to.waitNumber, this);
        resumer = null;
        to.resuming = null;
        passTokenTo(to);
        isLeft = !isTaken;
        if (isTaken) {
            answered = to;
            to.state(as, State.RUNNING);
        }
        return isTaken;
    }

    /**
     * It is over, and answers with its end, unless its last yielded value has yet to be taken.
     *
     * @param isOwed whether the end is kept if there is no taker now
     * @return whether there is a taker now
     */
    final boolean answerEnd(@Nullable Object end, boolean isOwed) {
        if (state != State.RUNNING) {
            leave(); // abandoned where it waited
        }
        state(State.RUNNING, State.DEAD);
        boolean isTaken = false;
        if (answer == NONE) {
            answer = end;
            CallerToken main = token;
            if (resumer != null) {
                isTaken = answer(resumer, State.RESUMING);
            } else if (main != null) {
                isTaken = answer(main.plain.last(), State.TRANSFERRING);
            }
            isLeft = !isTaken && isOwed;
            if (!isTaken && !isOwed) {
                answer = NONE;
            }
        }
        return isTaken;
    }

    final @Nullable Object takeAnswer() {
        Object taken = answer;
        dropAnswer();
        if (taken instanceof Thrown thrown) {
            failureTaken();
            throw thrown.sneaky();
        }
        return taken;
    }

    /** For subclasses: its failure has been taken. */
    void failureTaken() {
        // A plain fiber owes no answer.
    }

    /** Whether its end is kept for an await, and is to be thrown there. */
    final boolean owesFailure() {
        noticeOver();
        return isLeft && answer instanceof Thrown;
    }

    final void dropAnswer() {
        answer = NONE;
        answered = null;
        isLeft = false;
    }

    private void lendTo(ControlNode to) {
        CallerToken lent = token;
        passTokenTo(to);
        if (lent != null) {
            lent.claimFor(this);
        }
    }

    /** Control goes there, whether it has a token or not. */
    private void passTokenTo(ControlNode to) {
        CallerToken passed = token;
        to.endClaim(passed);
        if (passed != null) {
            passed.moveTo(to);
        }
    }

    private void endClaim(@Nullable CallerToken got) {
        if (claim != null) {
            claim.endClaim(this, claim == got);
        }
    }

    // ---------------------------------------------------------------- leaving

    /** Its wait was ended by an exception, or it was abandoned there. */
    private void leave() {
        ControlNode first = first();
        CallerToken passed = first.isPlain() ? first.claim : claim;
        CallerToken lent = passed == null ? last().token : passed;
        ControlNode left = resuming;
        if (left != null) {
            resuming = null;
            left.resumer = null;
            left.isLeft = true;
        }
        if (lent != null && lent.holder() != this) {
            lent.holder().first().isLeft = true;
            lent.moveTo(this);
        }
        endClaim(token);
        hasLeftYield |= state == State.YIELDING;
        state(state, State.RUNNING);
    }

    /** A fiber that was abandoned takes no answer any more. */
    final void noticeOver() {
        ControlNode waiting = resumer;
        if (waiting != null && waiting.fiber.outcome() != null) {
            waiting.resuming = null;
            resumer = null;
            isLeft = true;
        }
        if (answered != null && answered.fiber.outcome() != null) {
            answered = null;
            isLeft = true;
        }
    }

    // ---------------------------------------------------------------- what it is

    /** The end of the chain of those that wait for the next one's answer. */
    final ControlNode last() {
        ControlNode last = this;
        for (ControlNode next = resuming; next != null; next = next.resuming) {
            last = next;
        }
        return last;
    }

    /** The beginning of the chain of resumers. */
    final ControlNode first() {
        ControlNode first = this;
        for (ControlNode next = resumer; next != null; next = next.resumer) {
            first = next;
        }
        return first;
    }

    final State state() {
        return state;
    }

    final @Nullable ControlNode resumer() {
        return resumer;
    }

    final @Nullable ControlNode resuming() {
        return resuming;
    }

    /** The plain fiber that this strand acts for. */
    final @Nullable ControlNode origin() {
        ControlNode plain = token == null ? null : token.plain;
        return plain == null || plain.fiber.outcome() != null ? null : plain; // it was abandoned
    }

    final @Nullable ControlNode answered() {
        return answered;
    }

    final boolean isResumed() {
        return isResumed;
    }

    final boolean isLeft() {
        return isLeft;
    }

    final boolean hasLeftYield() {
        return hasLeftYield;
    }

    final boolean hasAnswer() {
        return answer != NONE;
    }

    boolean isPlain() {
        return true;
    }

    /** The name that errors use. */
    String label() {
        return fiber.toString();
    }

    final void state(State from, State to) {
        if (Checks.ON && state != from) {
            throw new IllegalStateException("state=" + state + " != from=" + from + ": " + label());
        }
        state = to;
    }

    final void checkInvariants() {
        if ((token != null && token.holder() != this)
                || (resuming != null && resuming.resumer != this)
                || (resumer != null && resumer.resuming != this)) {
            throw new IllegalStateException(
                    label()
                            + " origin="
                            + origin()
                            + " resuming="
                            + resuming
                            + " resumer="
                            + resumer
                            + ": a link has no way back");
        }
    }

    /** It stands for the wait of its resumer. */
    @Override
    public final String toString() {
        return "the next value of " + label();
    }
}
