package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * The part of a fiber that waits and is resumed: its state and its waits.
 *
 * <p>States; their one writer is {@link #state(int, int)}:
 *
 * <pre>
 *   SPUN      -> UNSTARTED  its cord has entered it: at once, or when it took the start message
 *   SPUN      -> DEAD       its start was refused
 *   UNSTARTED -> RUNNING    the cord took its entry off the run queue; it has no stack yet
 *   UNSTARTED -> DEAD       refused, or abandoned, before it ran
 *   RUNNING   -> WAITING    park: it leaves its stack, or a handler's turn is over
 *   RUNNING   -> RUNNABLE   snooze (but behind tasks), or a handler with its next value: it queues itself
 *   WAITING   -> RUNNABLE   schedule, resume, raise: entered into the run queue with a value
 *   RUNNABLE  -> RUNNING    the cord took its entry off the run queue
 *   any       -> SWITCH_FAILED  the stack could not be left: pinned, too large, or full; or the memory is
 *   SWITCH_FAILED -> RUNNING   mended, at once or at the next switchpoint
 *   RUNNING   -> DEAD       the body is over and so are the children
 *   RUNNABLE  -> DEAD       abandoned
 *   WAITING   -> DEAD       abandoned
 * </pre>
 *
 * A fiber whose stack is full may fail in any call, also in the middle of a switch. So what is half
 * done then is only noted, by stores (SWITCH_FAILED), and undone by whoever comes next with room
 * for a call; and what other fibers' lives hang on is all or nothing.
 *
 * <p>Of a SPUN fiber its cord knows nothing yet: it is in no list of that cord and is not counted.
 * So what is done to it goes through the inbox, where the start message came first, also on its own
 * cord (rule F8).
 *
 * <p>Invariants: a fiber is in the run queue once if it is UNSTARTED or RUNNABLE, else not at all.
 * The number of a wait (rule F4) is the value of {@code waitNumber} while it is open; whatever ends
 * a wait counts it up, also when it ends before the fiber parked. So (fiber, number) names one wait
 * for ever, and a late giver is refused.
 *
 * <p>Everything is confined to the cord's thread.
 */
abstract sealed class FiberCore extends FiberPending permits FiberFamily {
    /** Zero, so that whoever sees a fiber too early sees this. */
    static final int SPUN = 0;

    static final int UNSTARTED = 1;
    static final int RUNNABLE = 2;
    static final int RUNNING = 3;
    static final int WAITING = 4;
    static final int DEAD = 5;
    static final int SWITCH_FAILED = 6;

    /** Resume value that says: throw what is due. Never leaves this class and its subclass. */
    static final Object RAISED = new Object();

    /** Resume value of a fiber that comes back from the JDK, and takes none. */
    static final Object FOREIGN_OVER = new Object();

    /** No instant resume is pending. */
    private static final Object NONE = new Object();

    /**
     * None while this is a task that nobody has claimed; then it is written once, by who claims it.
     */
    @SuppressWarnings("NullAway.Init")
    Cord cord;

    /** Of a fiber that is or was a task. */
    final @Nullable TaskSlot taskSlot;

    /** Read from other cords as a hint only. A byte: there are millions of fibers. */
    private byte state;

    private @Nullable Stack stack;
    private long waitNumber;
    private WaitKind waitKind = WaitKind.SUSPEND;
    private Object waitReason = "";
    private @Nullable Object instantValue = NONE;

    /** The wait that this fiber is parked in, if others may give to it from any thread. */
    @Nullable WaitCell openWaiter;

    FiberCore(Cord cord) {
        this.cord = cord;
        this.taskSlot = null;
    }

    FiberCore(TaskSlot slot) {
        this.taskSlot = slot;
    }

    abstract Fiber<?> self();

    /** Ends this running fiber for good; never returns unless its stack is pinned. */
    abstract void abandonRunning(String why);

    // ---------------------------------------------------------------- its cord

    /** Whether the calling thread runs the fiber's cord; false for a task. From any thread. */
    final boolean isHere() {
        Cord here = cord;
        return here != null && here.isCurrent();
    }

    /**
     * Whether what is done to the fiber acts at once: its cord calls, and has entered it. If not,
     * it goes through the inbox. From any thread.
     */
    final boolean isEnteredHere() {
        return isHere() && state != SPUN;
    }

    /** Its cord knows it from now on, and counts it. */
    final void enter() {
        state(SPUN, UNSTARTED);
        cord.roster.countEntered();
    }

    /** Null for a task. From any thread. */
    final @Nullable Cord cordOrNull() {
        Cord here = cord; // seen late by other threads, unlike the task slot
        return here == null && taskSlot != null ? taskSlot.cord() : here;
    }

    /** To the fiber's cord, or to the one that will start it. From any thread. */
    final void send(CordMessage message) {
        if (cord == null && taskSlot != null && taskSlot.send(message)) {
            return;
        }
        home().send(message);
    }

    /** Like {@link #send}, and a cord claims a task at once rather than in its turn. */
    final void sendNow(CordMessage message) {
        if (cord == null && taskSlot != null && taskSlot.send(message)) {
            taskSlot.scheduler.claimSoon(self());
            return;
        }
        home().send(message);
    }

    /** Has a task claimed by a cord that has time to look: this one, if it is its scheduler's. */
    final void startNow() {
        if (cordOrNull() == null && taskSlot != null) {
            taskSlot.scheduler.claimSoon(self());
        }
    }

    /** The cord of a fiber that is no task, or no longer. From any thread. */
    final Cord home() {
        Cord here = cordOrNull();
        if (here == null) {
            throw new IllegalStateException(
                    this + " has no cord before one starts it; await it, or pin it: onThisCord");
        }
        return here;
    }

    // ---------------------------------------------------------------- waiting

    long nextWaitNumber() {
        return waitNumber;
    }

    /** Leaves the stack until the wait is ended. The short path of every switchpoint. */
    @Nullable Object park(WaitKind kind, Object reason) {
        describe(kind, reason); // first: what it is given while it is raised into belongs to this
        SwitchHooks hooks = cord.hooks;
        if (hooks != null) {
            hooks.keep(self()); // what fails there may be raised into it
        }
        raiseIfDue();
        yieldAs(WAITING);
        Object value = cord.loop.takeValue();
        if (hooks != null) {
            hooks.show(self());
        }
        if (value == RAISED) {
            throw throwCounted();
        }
        return value;
    }

    /** Like {@link #park}, and ends with {@link Waits#TIMED_OUT} after the limit. */
    @Nullable Object parkFor(WaitKind kind, Object reason, long timeoutNanos) {
        if (timeoutNanos == Long.MAX_VALUE) {
            return park(kind, reason);
        }
        Timer timer = cord.armTimer(self(), waitNumber, timeoutNanos);
        try {
            return park(kind, reason);
        } finally {
            cord.cancelTimer(timer);
        }
    }

    final @Nullable Object suspendHere() {
        if (instantValue == NONE) {
            return park(WaitKind.SUSPEND, "suspend");
        }
        raiseIfDue();
        if (cord.loop.isPollDue()) {
            endTurn(); // it counts as a switch, and others have their turn as after one
        }
        Object value = instantValue;
        instantValue = NONE;
        return value;
    }

    /** Yields to tasks too. */
    final void yieldBehindTasks() {
        TaskQueue tasks = cord.tasks;
        if (tasks == null || !tasks.isInFront() || !tasks.yieldBehind(self())) {
            yieldHere();
        }
    }

    /**
     * Begins each call that may wait, also one that need not (rules F6 and C1): raises what is due;
     * yields if the turn is over; and raises what came in between. Only then does the call take or
     * give, so an exception means that it did neither.
     *
     * <p>Otherwise a fiber whose channel never runs dry keeps its cord for itself, and clean-up
     * that locks or sends fails only when it happens to wait: one time in a thousand.
     */
    final void switchpoint() {
        if (hasAlert() || cord.loop.mayTurnBeOver) {
            switchpointNow();
        }
    }

    private void switchpointNow() {
        raiseIfDue();
        if (cord.loop.isTurnOver()) {
            endTurn();
        }
    }

    private void endTurn() {
        try {
            yieldHere();
        } catch (StackPinnedException pinned) {
            // The call need not wait, so it does not fail; but what waits for the cord comes first.
            if (!cord.loop.pollsAtRootOnly) {
                cord.loop.pollInTurn();
            }
        }
        raiseIfDue();
    }

    final void yieldHere() {
        raiseIfDue();
        if (cord.loop.hasRunnable()) {
            yieldTurn();
        } else {
            yieldAlone();
        }
    }

    private void yieldAlone() {
        if (cord.loop.isPollDue()) {
            try {
                yieldTurn(); // a poll is not for this stack, which may be full
            } catch (StackPinnedException pinned) {
                if (cord.loop.pollsAtRootOnly) {
                    throw pinned; // nor may it block one, or do more than a turn
                }
                cord.loop.pollInTurn();
            }
        }
    }

    private void yieldTurn() {
        SwitchHooks hooks = cord.hooks;
        if (hooks != null) {
            hooks.keep(self());
        }
        yieldAs(RUNNABLE);
        cord.loop.takeValue();
        if (hooks != null) {
            hooks.show(self());
        }
    }

    /**
     * Leaves the stack; returns when it is this fiber's turn.
     *
     * <p>From here to the switch, and from the user's code to here, there are few calls and little
     * code, and what is rare has a method of its own. For C2 makes one frame of it all only if it
     * is not nested too deeply (15 calls) and its machine code stays small (2,500 bytes); each
     * further frame is copied at each switch, and costs 10 to 20 ns, or 300 after a collection.
     */
    private void yieldAs(int as) {
        try {
            state(RUNNING, as);
            if (as == RUNNABLE) {
                cord.loop.enqueue(self(), null);
            }
            Stack own = stack == null ? keepStack() : stack;
            if (cord.mount.leavesLate) {
                cord.mount.yieldLate(own, self());
            } else {
                own.yield();
            }
        } catch (Throwable e) {
            // The fiber is still on its stack. First without a call, for there may be no room.
            waitNumber++;
            state = SWITCH_FAILED;
            mend();
            throw e;
        }
    }

    /** It runs on a worker's, which is its own from now on. */
    private Stack keepStack() {
        Stack own = cord.mount.mountedStack();
        stack = own;
        return own;
    }

    /** Undoes a switch that failed half way. */
    final void mend() {
        if (state == SWITCH_FAILED) {
            cord.loop.runQueue.remove(self());
            state(SWITCH_FAILED, RUNNING);
        }
    }

    /** Every switchpoint begins here. */
    final void raiseIfDue() {
        if (isAlerted() || state != RUNNING) {
            raiseNow();
        }
    }

    private void raiseNow() {
        mend();
        Throwable due = due();
        if (due != null) {
            waitNumber++;
            if (due instanceof Unwind && abandonedFor == null) {
                yieldFirst();
            }
            throw throwCounted();
        }
    }

    /** A fiber that swallows a signal in a loop slows only itself (rule F6). */
    private void yieldFirst() {
        try {
            yieldTurn();
        } catch (StackPinnedException pinned) {
            // What is due says more, and is thrown now.
        }
    }

    /**
     * And it does not swallow one for ever: each raise counts, also that of a shield which was
     * lifted, or a fresh shield around each wait would keep it alive.
     */
    private RuntimeException throwCounted() {
        Throwable due = Objects.requireNonNull(due(), "nothing is due");
        if (abandonedFor != null) {
            abandonRunning(abandonedFor);
        } else if (due instanceof Unwind signal && !signal.mayRaiseAgain()) {
            abandonRunning(
                    "it swallowed its termination "
                            + Unwind.MAX_RAISES
                            + " times; let the Error that a switchpoint throws pass");
        }
        throw throwDue();
    }

    // ---------------------------------------------------------------- ending a wait

    boolean resume(long number, @Nullable Object value) {
        if (state != WAITING || waitNumber != number || waitKind == WaitKind.BLOCKED_IN_JDK) {
            return false;
        }
        makeRunnable(value);
        return true;
    }

    /** Whether the wait is open, or is yet to be parked in. */
    final boolean isOpen(long number) {
        return waitNumber == number && state != DEAD;
    }

    boolean resumeHandler(@Nullable Object value) {
        if (state != WAITING || waitKind != WaitKind.HANDLER) {
            return false;
        }
        makeRunnable(value);
        return true;
    }

    boolean scheduleHere(@Nullable Object value) {
        if (state == WAITING && waitKind == WaitKind.SUSPEND) {
            makeRunnable(value);
            return true;
        }
        if (state == RUNNING && instantValue == NONE) {
            instantValue = value;
            return true;
        }
        return false;
    }

    void raiseHere(Throwable failure) {
        boolean isUnstarted = state == UNSTARTED || state == SPUN;
        boolean hasNothingToRestart = failure instanceof Unwind.Restart && isUnstarted;
        if (state != DEAD && !hasNothingToRestart) {
            addPending(failure);
            interruptIfDue();
            if (state == UNSTARTED) {
                cord.roster.startIfHeld(self());
            }
        }
    }

    /** Ends the fiber's wait if something is due there now. */
    final void interruptIfDue() {
        Throwable due = state == WAITING ? due() : null;
        if (due == null) {
            return;
        }
        if (waitKind == WaitKind.BLOCKED_IN_JDK) {
            if (stack instanceof VirtualStack blocked) {
                blocked.interruptFor(due);
            }
            return;
        }
        if (openWaiter == null || openWaiter.leave()) {
            makeRunnable(RAISED);
        } // else its wait was given a value already, whose wake-up is on its way
    }

    /** All or nothing: it is called by fibers whose stack may be full. */
    final void makeRunnable(@Nullable Object value) {
        state(WAITING, RUNNABLE);
        try {
            cord.loop.enqueue(self(), value);
        } catch (Throwable full) {
            state = WAITING; // without a call
            throw full;
        }
        waitNumber++;
    }

    /** Its stack blocks in a call of the JDK. */
    final void blockForeign(Stack blocked) {
        stack = blocked;
        mend();
        state(RUNNING, WAITING);
        describe(WaitKind.BLOCKED_IN_JDK, "a call of the JDK that blocks");
        interruptIfDue();
    }

    /** The JDK's call is over. What it was raised meanwhile is thrown at its next switchpoint. */
    final boolean unblockForeign() {
        if (state != WAITING || waitKind != WaitKind.BLOCKED_IN_JDK) {
            return false; // abandoned meanwhile: it never runs again
        }
        describe(WaitKind.LIBRARY, waitReason);
        state(WAITING, RUNNABLE);
        cord.loop.enqueue(self(), FOREIGN_OVER);
        return true;
    }

    /** A handler's turn is over: it waits without a stack. */
    final void waitForNextTurn() {
        state(RUNNING, WAITING);
        describe(WaitKind.HANDLER, "its next message");
    }

    /** Stores only what changed: a store of a reference costs more than a look (G1: a fence). */
    private void describe(WaitKind kind, Object reason) {
        if (waitKind != kind || waitReason != reason) {
            describeAnew(kind, reason);
        }
    }

    /** Apart, to keep the machine code of every switchpoint small enough to be inlined. */
    private void describeAnew(WaitKind kind, Object reason) {
        waitKind = kind;
        waitReason = reason;
    }

    /** A handler's turn is over and the value of the next one is there. */
    final void queueNextTurn(Object value) {
        state(RUNNING, RUNNABLE);
        cord.loop.enqueue(self(), value);
    }

    // ---------------------------------------------------------------- running

    /** Called by the cord before it enters the fiber's own stack. */
    void beforeEnter() {
        state(RUNNABLE, RUNNING);
    }

    @Nullable Stack stack() {
        return stack;
    }

    final void dropStack() {
        stack = null;
    }

    // ---------------------------------------------------------------- state

    /** Reads the fields of a switch, the first and the last of them; the sum means nothing. */
    final long readAhead() {
        return state + waitNumber;
    }

    final int rawState() {
        return state;
    }

    final void state(int from, int to) {
        if (Checks.ON && state != from) {
            throw new IllegalStateException("state=" + state + " != from=" + from + " in " + this);
        }
        state = (byte) to;
    }

    final boolean isQueued() {
        return state == UNSTARTED || state == RUNNABLE;
    }

    /** What the fiber waits for now; null if it does not wait. */
    final @Nullable Object waitedFor() {
        return state == WAITING ? waitReason : null;
    }

    @Override
    final void forgetInterruptFor(Throwable over) {
        if (stack instanceof VirtualStack own && Fiber.currentOrNull() == self()) {
            own.forgetInterruptFor(over);
        }
    }

    /** Whether what was thrown is how this signal reached a call of the JDK. */
    final boolean isInterruptFor(@Nullable Throwable due, Throwable thrown) {
        return stack instanceof VirtualStack own
                && own.wasInterruptedFor(due)
                && Interrupts.causedBy(thrown);
    }

    /** Whom it waits for now, if that is one fiber and known; for finding circles. */
    final @Nullable Fiber<?> awaited() {
        return waitedFor() instanceof WaitCycle.One one ? one.awaited() : null;
    }

    /** Waits in a call of the library, not of the JDK. */
    final boolean isParked() {
        return state == WAITING && waitKind != WaitKind.BLOCKED_IN_JDK;
    }

    final WaitKind waitKind() {
        return waitKind;
    }

    /** What it waits for, or waited for last. */
    final Object waitReason() {
        return waitReason;
    }

    /** A restarted body does not get what was meant for the one before. */
    final void forgetInstantValue() {
        instantValue = NONE;
    }

    /** What the fiber waits for, for reports; never fails, whatever the reason's toString does. */
    final String describeWait() {
        if (state != WAITING) {
            return this + " is " + self().state();
        }
        return this + " waits: " + textOf(waitReason);
    }

    static String textOf(Object reason) {
        try {
            return reason.toString();
        } catch (Throwable broken) {
            return "something whose toString failed: " + broken.getClass().getName();
        }
    }

    final void checkCord(String operation) {
        if (!isHere()) {
            throw new WrongThreadException(
                    operation
                            + " on "
                            + this
                            + " from "
                            + Thread.currentThread()
                            + ", but it belongs to "
                            + (cordOrNull() == null ? "no cord yet" : cordOrNull())
                            + "; post a message to that cord instead");
        }
    }
}
