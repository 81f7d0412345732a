package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

/**
 * The part of a fiber that runs and ends: its turns, its outcome, its awaiters (rules F3 and F7).
 *
 * <p>How a fiber ends: the body is over; what is pending joins its outcome; the children are
 * terminated and awaited within the limit, shielded; the outcome is published; awaiters and the
 * handler are told; and the parent hears of it on its own cord, with the failure if nobody took it.
 * From publishing on no fiber is current, so what is called then cannot wait or spin as a dead one.
 *
 * <p>Everything without a note is confined to the cord's thread.
 */
abstract sealed class FiberLife<T extends @Nullable Object> extends FiberFamily permits Fiber {
    private static final VarHandle OUTCOME;

    static {
        try {
            OUTCOME =
                    MethodHandles.lookup().findVarHandle(FiberLife.class, "outcome", Outcome.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** How often a fiber is tried to be abandoned while there is no memory. */
    static final int MAX_TRIES = 16;

    private final @Nullable Callable<? extends T> body;
    private @Nullable Handler handler;

    private @Nullable EndListener listener;

    /** Locks and the like that it must give back; a list through the holdings themselves. */
    @Nullable Hold held;

    /** The values of its fiber locals; null until it has one. */
    @Nullable LocalValues locals;

    /**
     * Written once, on the cord; read by any thread. By a release, for a fence costs 7 ns; there is
     * one where user's code is told, which may look whether others have ended too.
     */
    private volatile @Nullable Outcome<T> outcome;

    FiberLife(
            Cord cord,
            @Nullable Fiber<?> parent,
            @Nullable Callable<? extends T> body,
            @Nullable Handler handler) {
        super(cord, parent);
        this.body = body;
        this.handler = handler;
        this.locals = LocalValues.inheritedFrom(parent);
    }

    FiberLife(TaskSlot slot, @Nullable Fiber<?> parent, Callable<? extends T> body) {
        super(slot, parent);
        this.body = body;
        this.locals = LocalValues.inheritedFrom(parent);
    }

    // ---------------------------------------------------------------- running

    /** Called by the cord on a stack: the first turn of a body, or one turn of a handler. */
    void turn() {
        Object value = cord.loop.takeValue();
        state(value == Handler.START ? UNSTARTED : RUNNABLE, RUNNING);
        if (cord.hooks != null) {
            cord.hooks.show(self());
        }
        if (value == Handler.START) {
            cord.roster.countStarted();
        }
        Throwable raised = value == Handler.START || value == RAISED ? pending() : null;
        if (raised != null) {
            end(new Outcome.Failure<>(raised));
        } else if (handler != null) {
            handlerTurn(handler, value);
        } else {
            bodyTurn();
        }
        dropStack();
    }

    /** For its first turn, or a handler's next one, there is no memory; by the root frame. */
    final void failWithoutStack(OutOfMemoryError full) {
        Object value = cord.loop.takeValue();
        state(value == Handler.START ? UNSTARTED : RUNNABLE, RUNNING);
        if (value == Handler.START) {
            cord.roster.countStarted();
        }
        abandonAll(childList(), "there is no memory for a stack of " + this + " to await it on");
        end(new Outcome.Failure<>(full));
    }

    private void bodyTurn() {
        if (taskSlot != null) {
            taskSlot.hasBegun = true;
        }
        boolean again = false;
        do {
            Outcome<T> raw;
            try {
                if (again) {
                    yieldHere();
                }
                // First: else each parked stack holds an outcome.
                T result = Objects.requireNonNull(body, "body").call();
                raw = new Outcome.Success<>(result);
            } catch (Throwable t) {
                raw = new Outcome.Failure<>(t);
            }
            again = end(raw);
        } while (again);
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
        mend();
        if (next == Handler.END) {
            end(handlerResult());
            return;
        }
        if (cord.hooks != null) {
            cord.hooks.keep(self());
        }
        Throwable raised = pending();
        if (raised != null) {
            end(new Outcome.Failure<>(raised));
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

    /** True if the body is to run again. */
    private boolean end(Outcome<T> raw) {
        if (rawState() == DEAD) {
            return false; // abandoned while it ran, on a stack that could not be left
        }
        mend();
        if (openWaiter != null) {
            settle();
        }
        setEnding(true);
        setShielded(true);
        abandonedFor = null; // it ends by itself after all
        Throwable pending = takePending();
        Outcome<T> end = PendingRules.withPending(atEdge(raw, pending), pending);
        if (!hasNobodyBelow()) {
            end = endChildren(end);
        }
        if (end instanceof Outcome.Failure<T>(Unwind.Restart restart)) {
            beginAgain(restart);
            return true;
        }
        finish(RUNNING, end);
        return false;
    }

    /** What left the body stands for: the origin of a raise, or what a JDK call was ended for. */
    private Outcome<T> atEdge(Outcome<T> raw, @Nullable Throwable pending) {
        if (!(raw instanceof Outcome.Failure<T>(Throwable thrown))) {
            return raw;
        }
        if (pending instanceof Unwind signal && isInterruptFor(signal, thrown)) {
            return new Outcome.Failure<>(signal);
        }
        return new Outcome.Failure<>(Unwind.atEdge(thrown));
    }

    /** What the restart hid is told at once, for there is no outcome that could carry it. */
    private void beginAgain(Unwind.Restart restart) {
        for (Throwable hidden : restart.getSuppressed()) {
            cord.reportUncaught(self(), hidden);
        }
        if (held != null) {
            Hold.tellAll(self());
        }
        locals = LocalValues.begunWith(locals);
        if (cord.hooks != null) {
            cord.hooks.show(self());
        }
        forgetInstantValue();
        setEnding(false);
        setShielded(false);
    }

    /** Terminates who is below, awaits them within the limit, and abandons the rest. */
    private Outcome<T> endChildren(Outcome<T> raw) {
        for (Fiber<?> child = firstChild(); child != null; child = child.nextSibling) {
            child.terminateBelow(self());
        }
        cord.roster.terminateForeignChildrenOf(self());
        long limitNs = cord.stopLimitNs();
        long startNs = cord.nanoTime();
        Object result = null;
        while (!hasNobodyBelow()) {
            if (result == Waits.TIMED_OUT) {
                String why = "its limit of " + limitNs / 1_000_000 + " ms for ending ran out";
                abandonAll(childList(), why);
                cord.roster.abandonForeignChildrenOf(self(), why);
                break;
            }
            long leftNs =
                    limitNs == Long.MAX_VALUE
                            ? limitNs
                            : Math.max(0, limitNs - (cord.nanoTime() - startNs));
            result = parkFor(WaitKind.LIBRARY, "the end of its children", leftNs);
        }
        Throwable failure = takePending();
        return failure == null ? raw : PendingRules.withCleanUpFailure(raw, failure);
    }

    private void finish(int from, Outcome<T> end) {
        boolean taken = publish(from, end);
        FiberFailedException untaken = taken ? null : untakenFailure(end);
        if (end instanceof Outcome.Stopped<T>(Unwind.Stop signal, T _)) {
            reportCleanUp(signal, "was stopped"); // an awaiter is not told, it gets the result
        }
        Fiber<?> toTell = parentOrNull();
        if (toTell != null) {
            tellParent(toTell, untaken);
        } else if (taken) {
            cord.noteTaken(self());
        }
    }

    private void tellParent(Fiber<?> toTell, @Nullable FiberFailedException untaken) {
        if (toTell.cord == cord && toTell.rawState() != SPUN) {
            toTell.childEnded(self(), untaken);
        } else {
            toTell.send(FiberMessages.childEnded(toTell, self(), untaken));
        }
    }

    private @Nullable FiberFailedException untakenFailure(Outcome<T> end) {
        if (end instanceof Outcome.Terminated<T>(Unwind.Terminate signal)) {
            reportCleanUp(signal, "was terminated");
        }
        return end.untaken(self());
    }

    /** What failed while the fiber was being ended is no outcome, but it is told. */
    private void reportCleanUp(Unwind.End signal, String how) {
        Throwable[] failures = signal.getSuppressed();
        if (failures.length > 0) {
            FiberFailedException told =
                    new FiberFailedException(
                            self(), self() + " " + how + ", and its clean-up failed", failures[0]);
            for (int i = 1; i < failures.length; i++) {
                told.addSuppressed(failures[i]);
            }
            cord.reportUncaught(self(), told);
        }
    }

    /** Makes the outcome known; true if somebody has taken it. */
    private boolean publish(int from, Outcome<T> end) {
        state(from, DEAD);
        if (from == RUNNING) {
            cord.loop.clearRunning();
        }
        if (from != SPUN) {
            cord.roster.countEnded(from != UNSTARTED);
        }
        if (FiberTimes.ON) {
            cord.loop.times().forget(self());
        }
        Handler ended = handler;
        handler = null;
        locals = null;
        dropStack();
        CancelScope.dropAll(self());
        OUTCOME.setRelease(this, end);
        if (held != null) {
            VarHandle.fullFence();
            Hold.tellAll(self());
        }
        boolean taken = false;
        EndListener toTell = listener;
        if (toTell != null) {
            listener = null;
            taken = toTell.ended(self());
        }
        taken |= ended != null && tellHandler(ended, end);
        if (FiberTraces.ON) {
            FiberTraces.ended(self());
        }
        if (isForeignChild()) {
            cord.roster.removeForeignChild(self()); // last: from now on the cord may end
        }
        if (taskSlot != null) {
            taskSlot.scheduler.ended(self(), taskSlot);
        }
        return taken;
    }

    private boolean tellHandler(Handler ended, Outcome<T> end) {
        VarHandle.fullFence();
        try {
            return ended.onEnd(self(), end.failure(self()));
        } catch (Throwable broken) {
            cord.reportUncaught(self(), broken);
            return false;
        }
    }

    /** Its cord has ended, or has no place for it; on whatever thread finds out. */
    void refuseStart(RuntimeException why) {
        Throwable pending = taskSlot == null ? null : takePending(); // it was ended before
        Throwable failure = pending == null ? why : pending;
        Outcome<T> end = PendingRules.withPending(new Outcome.Failure<>(failure), null);
        FiberFailedException untaken = publish(rawState(), end) ? null : untakenFailure(end);
        Children given = childList(); // to this fiber before the start
        for (Fiber<?> child = given.poll(); child != null; child = given.poll()) {
            child.terminate();
            child.detach();
        }
        Fiber<?> toTell = parentOrNull();
        if (toTell != null && (toTell.cord != cord || taskSlot != null)) {
            toTell.send(FiberMessages.childEnded(toTell, self(), untaken));
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
                abandonIn(toDo, child, why);
                if (next.first() == child) {
                    next.poll(); // only now: without memory it is tried again
                }
            }
        }
    }

    /** Each that is abandoned gives back what its stack held, so a later try has some memory. */
    private static void abandonIn(ArrayDeque<Children> toDo, Fiber<?> child, String why) {
        for (int i = 1; ; i++) {
            try {
                if (!child.isEnteredHere()) {
                    child.sendNow(FiberMessages.abandon(child, why));
                } else {
                    child.abandonAlone(why);
                    if (child.outcome() != null && child.firstChild() != null) {
                        toDo.add(child.childList());
                    }
                }
                return;
            } catch (OutOfMemoryError full) {
                MemoryReserve.release();
                if (i == MAX_TRIES) {
                    throw full;
                }
            }
        }
    }

    /** These children of this fiber, which did not end in time. */
    void abandonChildren(List<Fiber<?>> those, String why) {
        Children toAbandon = new Children(this);
        for (Fiber<?> child : those) {
            if (childList().remove(child)) {
                toAbandon.add(child);
            } else if (child.isEnteredHere()) {
                child.abandon(why); // on its way here
            } else {
                child.sendNow(FiberMessages.abandon(child, why));
            }
        }
        abandonAll(toAbandon, why);
    }

    /** The fiber and all below it never run again; their awaiters are told. On its cord. */
    void abandon(String why) {
        if (abandonAlone(why)) {
            abandonAll(childList(), "its parent was abandoned");
        }
    }

    /** By its own cord, which ends; its parent on another one has not heard of that. */
    void abandonForeignChild(String why) {
        if (abandonAlone(why)) {
            abandonAll(childList(), "its parent was abandoned");
            tellParentElsewhere();
        }
    }

    /** There is no memory to end it as usual: its parent does not wait for it all the same. */
    final void endWithoutMemory(OutOfMemoryError full) {
        dropStacksBelow();
        MemoryReserve.release();
        lose("there was no memory left to end it: " + full);
        Fiber<?> toTell = parentOrNull();
        if (toTell != null && toTell.cord == cord && isIn != null) {
            toTell.childEnded(self(), null); // that it was lost is reported already
        }
        MemoryReserve.refill();
    }

    private void tellParentElsewhere() {
        Fiber<?> toTell = parentOrNull();
        Outcome<T> end = outcome;
        if (toTell != null && end != null && toTell.cord != cord) {
            toTell.send(FiberMessages.childEnded(toTell, self(), end.untaken(self())));
        }
    }

    /** Like {@link #abandon}, while its parent goes on. */
    void abandonBelow(String why) {
        if (abandonAlone(why)) {
            abandonAll(childList(), "its parent was abandoned");
            Fiber<?> toTell = parentOrNull();
            Outcome<T> end = outcome;
            if (toTell != null && end != null) {
                tellParent(toTell, end.untaken(self()));
            }
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
        if ((from == RUNNING || from == SWITCH_FAILED) && !cord.roster.isBroken()) {
            abandonedFor = why;
            addPending(new Unwind.Terminate(this + " is to be abandoned"));
            return false;
        }
        Object queued = null;
        if (isQueued()) {
            queued = cord.loop.runQueue.valueOf(self());
            cord.loop.runQueue.remove(self());
        }
        publishAbandoned(from, why, queued);
        return true;
    }

    /** Reports last: the report may block on a virtual thread, and nothing is half done then. */
    private void publishAbandoned(int from, String why, @Nullable Object queued) {
        FiberAbandonedException leaked = abandonment(why);
        if (openWaiter != null) {
            openWaiter.leave(); // first: what its end sets free must not be given to itself
        }
        publish(from, new Outcome.Abandoned<>(leaked));
        giveBack(queued);
        cord.reportUncaught(self(), leaked);
    }

    /**
     * Its cord broke while this fiber ran. First those below it, as at any end: an awaiter that is
     * told may look at once whether the cord is over.
     */
    void lose(String why) {
        if (firstChild() != null) {
            abandonAll(childList(), "its parent was lost");
        }
        if (rawState() != DEAD) {
            publishAbandoned(rawState(), why, null);
            tellParentElsewhere();
        }
    }

    @Override
    void abandonRunning(String why) {
        FiberAbandonedException leaked = abandonment(why);
        giveBack(null);
        abandonedFor = null;
        setEnding(true);
        setShielded(true);
        Outcome<T> end = new Outcome.Abandoned<>(leaked);
        finish(RUNNING, hasNobodyBelow() ? end : endChildren(end));
        cord.reportUncaught(self(), leaked);
        for (; ; ) {
            cord.mount.mountedStack().yield();
        }
    }

    /**
     * So that nobody gives to a fiber that will never take, and what it was given in the last
     * moment is not lost.
     */
    private void giveBack(@Nullable Object queued) {
        WaitCell open = openWaiter;
        Object value = open == null || open.leave() ? queued : open.given();
        Object given = value == RAISED || value == Waits.TIMED_OUT ? null : value;
        try {
            if (waitReason() instanceof WaitNode<?> node) {
                node.abandoned(given);
            } else if (given != null && (open != null || given == endAwaited())) {
                throw new FiberAbandonedException(
                        self(), "a value was lost that had been given to " + this);
            }
        } catch (Throwable lost) {
            cord.reportUncaught(self(), lost);
        }
    }

    /** Whose end it waited for last, on its own cord or elsewhere. */
    private @Nullable Fiber<?> endAwaited() {
        return waitReason() instanceof FiberAwait.EndOf end ? end.awaited() : null;
    }

    /**
     * A wait was not left for want of stack: it is left now, or what it was given is given back.
     */
    final void settle() {
        giveBack(null);
        openWaiter = null;
    }

    private FiberAbandonedException abandonment(String why) {
        return new FiberAbandonedException(
                self(),
                this + " was abandoned, for " + why + ". It did not end: " + describeWait());
    }

    // ---------------------------------------------------------------- awaiters and the rest

    @Nullable Outcome<T> outcome() {
        return outcome;
    }

    /** On the cord, while the fiber is alive. */
    void addListener(EndListener added) {
        EndListener first = listener;
        if (first == null) {
            listener = added;
        } else if (first instanceof EndListeners several) {
            several.add(added);
        } else {
            listener = new EndListeners(first, added);
        }
    }

    void removeListener(EndListener removed) {
        if (listener == removed) {
            listener = null;
        } else if (listener instanceof EndListeners several) {
            several.remove(removed);
        }
    }

    /** How many listen for the end, for tests. */
    int listening() {
        return listener == null ? 0 : listener instanceof EndListeners all ? all.size() : 1;
    }

    @Nullable Handler handler() {
        return handler;
    }

    @Nullable Callable<? extends T> body() {
        return body;
    }

    void checkInvariants() {
        checkPending();
        if (firstChild() != null) {
            childList().checkInvariants();
        }
        if ((rawState() == DEAD) != (outcome != null)) {
            throw new IllegalStateException("state=" + rawState() + " outcome=" + outcome);
        }
    }
}
