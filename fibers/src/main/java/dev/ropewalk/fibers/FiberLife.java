package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

/**
 * The part of a fiber that runs and ends: its turns, its children, its outcome, its awaiters (rules
 * F3 and F7).
 *
 * <p>How a fiber ends: the body is over; what is pending joins its outcome; the children are
 * terminated and awaited within the limit, shielded; the outcome is published; awaiters and the
 * handler are told; and the parent hears of it on its own cord, with the failure if nobody took it.
 * From publishing on no fiber is current, so what is called then cannot wait or spin as a dead one.
 *
 * <p>Everything without a note is confined to the cord's thread.
 */
abstract sealed class FiberLife<T extends @Nullable Object> extends FiberCore permits Fiber {
    final @Nullable Fiber<?> parent;
    private @Nullable Callable<? extends T> body;
    private @Nullable Handler handler;

    /** From the end of the body on: the fiber waits for its children. */
    private boolean ending;

    /** Children that fail are reported, and do not cancel this fiber. */
    private boolean isolatesChildren;

    private final Children children = new Children();

    /** The links of the parent's list, and whether this fiber is in it; of the parent's cord. */
    @Nullable Fiber<?> previousSibling;

    @Nullable Fiber<?> nextSibling;
    boolean isEntered;

    /** Its parent is on another cord; then this fiber's own cord keeps it too. */
    boolean isGuest;

    /** The parent awaits this fiber and takes its outcome; of the parent's cord. */
    boolean isAwaitedByParent;

    private @Nullable List<EndWaiter> awaiters;

    /** Whom this fiber awaits, for finding cycles among the fibers of a cord. */
    private @Nullable Fiber<?> awaited;

    /** Written once on the cord; read by any thread. */
    private volatile @Nullable Outcome<T> outcome;

    FiberLife(
            Cord cord,
            @Nullable Fiber<?> parent,
            @Nullable Callable<? extends T> body,
            @Nullable Handler handler) {
        super(cord);
        this.parent = parent;
        this.body = body;
        this.handler = handler;
    }

    // ---------------------------------------------------------------- running

    /** Enters a new child of the same cord and queues it. */
    <C extends @Nullable Object> Fiber<C> adopt(Fiber<C> child) {
        children.add(child);
        cord.enqueue(child, Handler.START);
        return child;
    }

    /** Called by the cord on a stack: the first turn of a body, or one turn of a handler. */
    void turn() {
        Object value = cord.takeValue();
        state(value == Handler.START ? UNSTARTED : RUNNABLE, RUNNING);
        if (pending != null && (value == Handler.START || value == RAISED)) {
            end(new Outcome.Failure<>(pending));
        } else if (handler != null) {
            handlerTurn(handler, value);
        } else {
            bodyTurn();
        }
        dropStack();
    }

    private void bodyTurn() {
        Callable<? extends T> toRun = Objects.requireNonNull(body, "body");
        Outcome<T> raw;
        try {
            raw = new Outcome.Success<>(toRun.call());
        } catch (Throwable t) {
            raw = new Outcome.Failure<>(t);
        }
        end(raw);
    }

    /** A value that was accepted is handled, also if a termination came after it. */
    private void handlerTurn(Handler toRun, @Nullable Object value) {
        Object next;
        try {
            next =
                    Objects.requireNonNull(
                            toRun.handle(value), "a turn returned null instead of Handler.WAIT");
        } catch (Throwable t) {
            end(new Outcome.Failure<>(t));
            return;
        }
        if (next == Handler.END) {
            end(handlerResult());
        } else if (pending != null) {
            end(new Outcome.Failure<>(pending));
        } else if (next == Handler.WAIT) {
            waitForNextTurn();
        } else {
            queueNextTurn(next);
        }
    }

    @SuppressWarnings("NullAway") // a handler's result type is always Void
    private Outcome<T> handlerResult() {
        return new Outcome.Success<>(null);
    }

    // ---------------------------------------------------------------- ending

    private void end(Outcome<T> raw) {
        if (rawState() == DEAD) {
            return; // abandoned while it ran, on a stack that could not be left
        }
        ending = true;
        shielded = true;
        Outcome<T> end = Ranks.withPending(raw, pending);
        pending = null;
        finish(RUNNING, hasNobodyBelow() ? end : endChildren(end));
    }

    private boolean hasNobodyBelow() {
        return children.isEmpty() && !cord.hasGuestsOf(self());
    }

    /** Terminates who is below, awaits them within the limit, and abandons the rest. */
    private Outcome<T> endChildren(Outcome<T> raw) {
        for (Fiber<?> child = children.first(); child != null; child = child.nextSibling) {
            child.terminate();
        }
        cord.terminateGuestsOf(self());
        long limitNs = cord.stopLimitNs();
        long startNs = cord.nanoTime();
        Object result = null;
        while (!hasNobodyBelow()) {
            if (result == Waits.TIMED_OUT) {
                String why = "its limit of " + limitNs / 1_000_000 + " ms for ending ran out";
                abandonAll(children, why);
                cord.abandonGuestsOf(self(), why);
                break;
            }
            long leftNs =
                    limitNs == Long.MAX_VALUE
                            ? limitNs
                            : Math.max(0, limitNs - (cord.nanoTime() - startNs));
            result = parkFor(WaitKind.LIBRARY, "the end of its children", leftNs);
        }
        Throwable failure = pending;
        pending = null;
        return failure == null ? raw : Ranks.withCleanUpFailure(raw, failure);
    }

    private void finish(int from, Outcome<T> end) {
        boolean taken = publish(from, end);
        FiberFailedException untaken = taken ? null : untakenFailure(end);
        if (parent == null) {
            return;
        }
        if (parent.cord == cord) {
            parent.childEnded(self(), untaken);
        } else {
            parent.cord.send(FiberMessages.childEnded(parent, self(), untaken));
        }
    }

    private @Nullable FiberFailedException untakenFailure(Outcome<T> end) {
        if (end instanceof Outcome.Terminated<T>(Signal.Terminate signal)
                && signal.getSuppressed().length > 0) {
            cord.reportUncaught(self(), signal);
        }
        return end.untaken(self());
    }

    /** Makes the outcome known; true if somebody has taken it. */
    private boolean publish(int from, Outcome<T> end) {
        state(from, DEAD);
        if (from == RUNNING) {
            cord.clearRunning();
        }
        Handler ended = handler;
        body = null;
        handler = null;
        awaited = null;
        dropStack();
        outcome = end;
        if (isGuest) {
            cord.guestEnded(self());
        }
        boolean taken = false;
        if (awaiters != null) {
            for (EndWaiter waiter : awaiters) {
                taken |= waiter.give(this) && waiter.takesOutcome;
            }
            awaiters = null;
        }
        return (ended != null && tellHandler(ended, end)) || taken;
    }

    private boolean tellHandler(Handler ended, Outcome<T> end) {
        try {
            return ended.onEnd(self(), end.failure(self()));
        } catch (Throwable broken) {
            cord.reportUncaught(self(), broken);
            return false;
        }
    }

    /** On this fiber's cord: a child is over; {@code untaken} is its failure if nobody took it. */
    void childEnded(Fiber<?> child, @Nullable FiberFailedException untaken) {
        children.remove(child);
        if (untaken != null && !child.isAwaitedByParent) {
            if (rawState() == DEAD || isolatesChildren) {
                cord.reportUntaken(child, untaken);
            } else {
                raiseHere(new Signal.ChildFailed(untaken));
            }
        }
        wakeIfAlone();
    }

    /** Ends the wait for the children once there are none. */
    void wakeIfAlone() {
        if (ending && rawState() == WAITING && hasNobodyBelow()) {
            makeRunnable(null);
        }
    }

    /** The cord ended before it could start the fiber; on whatever thread finds out. */
    void refuseStart(String why) {
        Outcome<T> end = new Outcome.Failure<>(new CordClosedException(why));
        FiberFailedException untaken = publish(UNSTARTED, end) ? null : untakenFailure(end);
        if (parent != null && parent.cord != cord) {
            parent.cord.send(FiberMessages.childEnded(parent, self(), untaken));
        } else if (untaken != null) {
            cord.reportUntaken(self(), untaken);
        }
    }

    // ---------------------------------------------------------------- abandoning

    /** With a list of its own, for a tree may be deeper than a stack. */
    private static void abandonAll(Children first, String why) {
        ArrayDeque<Children> toDo = new ArrayDeque<>();
        toDo.add(first);
        for (Children next = toDo.poll(); next != null; next = toDo.poll()) {
            for (Fiber<?> child = next.first(); child != null; child = next.first()) {
                next.remove(child);
                if (child.cord != Cord.currentOrNull()) {
                    child.cord.send(FiberMessages.abandon(child, why));
                } else if (child.abandonAlone(why)) {
                    toDo.add(child.children());
                }
            }
        }
    }

    /** The fiber and all below it never run again; their awaiters are told. On its cord. */
    void abandon(String why) {
        if (abandonAlone(why)) {
            abandonAll(children, "its parent was abandoned");
        }
    }

    /**
     * False if there was nothing to do yet: it is dead, or runs and goes at its next switchpoint.
     */
    boolean abandonAlone(String why) {
        int from = rawState();
        if (from == DEAD) {
            return false;
        }
        if (from == RUNNING) {
            abandonedFor = why;
            pending = Ranks.stronger(pending, new Signal.Terminate(this + " is to be abandoned"));
            return false;
        }
        FiberAbandonedException leaked = leak(why);
        if (isQueued()) {
            cord.dequeue(self());
        }
        leaveOpenWait();
        publish(from, new Outcome.Abandoned<>(leaked));
        return true;
    }

    /** Its cord broke while this fiber ran. */
    void lose(String why) {
        if (rawState() != DEAD) {
            leaveOpenWait();
            publish(rawState(), new Outcome.Abandoned<>(leak(why)));
            abandonAll(children, "its parent was lost");
        }
    }

    @Override
    void abandonRunning(String why) {
        FiberAbandonedException leaked = leak(why);
        leaveOpenWait();
        abandonedFor = null;
        ending = true;
        shielded = true;
        Outcome<T> end = new Outcome.Abandoned<>(leaked);
        finish(RUNNING, hasNobodyBelow() ? end : endChildren(end));
        for (; ; ) {
            cord.mountedStack().leave();
        }
    }

    /** So that nobody gives to a fiber that will never take. */
    private void leaveOpenWait() {
        Waiter open = openWaiter;
        if (open != null && !open.leave()) {
            cord.reportUncaught(
                    self(),
                    new FiberAbandonedException("a value was lost that had been given to " + this));
        }
    }

    private FiberAbandonedException leak(String why) {
        FiberAbandonedException leaked =
                new FiberAbandonedException(
                        this
                                + " was abandoned, for "
                                + why
                                + ". It did not end: "
                                + describeWait());
        cord.reportUncaught(self(), leaked);
        return leaked;
    }

    // ---------------------------------------------------------------- awaiters and the rest

    @Nullable Outcome<T> outcome() {
        return outcome;
    }

    /** On the cord, while the fiber is alive. */
    void addAwaiter(EndWaiter waiter) {
        if (awaiters == null) {
            awaiters = new ArrayList<>(2);
        }
        awaiters.add(waiter);
    }

    void removeAwaiter(EndWaiter waiter) {
        if (awaiters != null) {
            awaiters.remove(waiter);
        }
    }

    @Nullable Fiber<?> awaited() {
        return awaited;
    }

    void setAwaited(@Nullable Fiber<?> other) {
        awaited = other;
    }

    void isolateChildren() {
        isolatesChildren = true;
    }

    boolean isEnding() {
        return ending;
    }

    @Nullable Handler handler() {
        return handler;
    }

    Children children() {
        return children;
    }

    void checkInvariants() {
        children.checkInvariants();
        if ((rawState() == DEAD) != (outcome != null)) {
            throw new IllegalStateException("state=" + rawState() + " outcome=" + outcome);
        }
    }

    /** A wait for the end of a fiber. */
    static final class EndWaiter extends Waiter {
        /** Whether the awaiter takes the outcome, so that its failure is nobody else's business. */
        final boolean takesOutcome;

        EndWaiter(boolean takesOutcome) {
            this.takesOutcome = takesOutcome;
        }
    }
}
