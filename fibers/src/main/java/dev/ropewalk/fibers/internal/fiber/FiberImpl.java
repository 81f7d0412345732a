package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.EndHook;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.internal.context.LocalValues;
import dev.ropewalk.fibers.internal.context.SwitchHooks;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.FiberLoop;
import dev.ropewalk.fibers.internal.cord.ForeignChildren;
import dev.ropewalk.fibers.internal.cord.Ids;
import dev.ropewalk.fibers.internal.cord.TaskSource;
import dev.ropewalk.fibers.internal.platform.Checks;
import dev.ropewalk.fibers.internal.platform.SafeText;
import dev.ropewalk.fibers.internal.reactor.HandlerFrames;
import dev.ropewalk.fibers.internal.report.FiberTraces;
import dev.ropewalk.fibers.internal.report.SpinTraces;
import dev.ropewalk.fibers.internal.report.Texts;
import dev.ropewalk.fibers.internal.report.WaitCycle;
import dev.ropewalk.fibers.internal.stack.Interrupts;
import dev.ropewalk.fibers.internal.stack.Stack;
import dev.ropewalk.fibers.internal.timer.Timer;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The part of a fiber that waits and is resumed: its state and its waits.
 *
 * <p>States; their writer is {@link #state(int, int)}, but for two stores where there may be no
 * room for a call:
 *
 * <pre>
 *   SPUN      -> UNSTARTED  its cord has entered it: at once, or when it took the start message
 *   SPUN      -> DEAD       its start was refused
 *   UNSTARTED -> RUNNING    the cord took its entry off the run queue; it has no stack yet
 *   UNSTARTED -> DEAD       refused, or abandoned, before it ran
 *   RUNNING   -> WAITING    park: it leaves its stack, or a handler's turn is over
 *   RUNNING   -> RUNNABLE   snooze (but behind tasks), or a handler with its next value: it
 *                           queues itself
 *   WAITING   -> RUNNABLE   schedule, resume, raise: entered into the run queue with a value
 *   RUNNABLE  -> RUNNING    the cord took its entry off the run queue
 *   any       -> SWITCH_FAILED  the stack could not be left: pinned, too large, or full;
 *                               or the memory is
 *   SWITCH_FAILED -> RUNNING   mended, at once or at the next switchpoint
 *   RUNNING   -> DEAD       the body is over and so are the children
 *   RUNNABLE  -> DEAD       abandoned
 *   WAITING   -> DEAD       abandoned
 * </pre>
 *
 * A fiber whose stack is full may fail in any call, also in the middle of a switch. So a half done
 * step is only noted, by stores (SWITCH_FAILED), and the next caller that has room for a call
 * undoes it; and steps on which the lives of other fibers hang are all or nothing.
 *
 * <p>A SPUN fiber is unknown to its cord: it is in no list of that cord and is not counted. So
 * calls on it go through the inbox, where the start message came first, even on its own cord (rule
 * F8).
 *
 * <p>Invariants: a fiber is in the run queue once if it is UNSTARTED or RUNNABLE, otherwise not at
 * all. The number of a wait (rule F4) is the value of {@code waitNumber} while it is open; each end
 * of a wait counts it up, even before the fiber parked. So (fiber, number) names one wait for ever,
 * and a late giver is refused.
 *
 * <p>Everything is confined to the cord's thread.
 */
public final class FiberImpl<T extends @Nullable Object> extends Fiber<T> {

    /** Zero, so that a reader that comes too early sees this. */
    public static final int SPUN = 0;

    public static final int UNSTARTED = 1;
    static final int RUNNABLE = 2;
    public static final int RUNNING = 3;
    public static final int WAITING = 4;
    static final int DEAD = 5;
    static final int SWITCH_FAILED = 6;

    /** Resume value that says: throw what is due. Never leaves the kernel. */
    static final Object RAISED = new Object();

    /** Resume value of a fiber that comes back from the JDK, and takes no value. */
    static final Object FOREIGN_OVER = new Object();

    /** No instant resume is pending. */
    private static final Object NONE = new Object();

    /** Empty while this is an unclaimed task; then it is written once, by the claimer. */
    @SuppressWarnings("NullAway.Init")
    public CordImpl cord;

    /** Of a fiber that is or was a task. */
    public final @Nullable TaskSlot taskSlot;

    /** Read from other cords as a hint only. A byte: there are millions of fibers. */
    private byte state;

    private @Nullable Stack stack;
    private long waitNumber;
    private WaitKind waitKind = WaitKind.SUSPEND;
    private Object waitReason = "";
    private @Nullable Object instantValue = NONE;

    /** The wait that this fiber is parked in, if others may give to it from any thread. */
    public @Nullable WaitSlot openWaiter;

    // the exceptions of its switchpoints, see Cancellation

    /** Raised into the fiber as a whole. */
    @Nullable Throwable pending;

    /** The innermost scope that the fiber is in. */
    @Nullable ScopeNode scope;

    boolean alerted;

    /**
     * How many shields of the library's own clean-up stand, one inside the other. They hold off
     * everything but the scopes that were entered inside the innermost.
     */
    byte shields;

    /** Set when the running fiber is to be abandoned at its next switchpoint; no shield helps. */
    public @Nullable String abandonedFor;

    // its parent and children, see Family and Adoption

    /** Written on this fiber's cord only, by {@link Adoption#attachHere}. */
    @Nullable FiberImpl<?> parent;

    /** From the end of the body on: the fiber waits for its children. */
    boolean ending;

    /** Children that fail are reported, and do not cancel this fiber. */
    boolean isolatesChildren;

    /** Null until it has one; of this cord. */
    @Nullable Children children;

    /** The scope that keeps this fiber, if it is not its parent alone; of the parent's cord. */
    public @Nullable ScopeMembers memberOf;

    public boolean keepsScopeOpen;

    /** The list of children that this fiber is in, and its links there; of that parent's cord. */
    @Nullable Children isIn;

    @Nullable FiberImpl<?> previousSibling;
    public @Nullable FiberImpl<?> nextSibling;

    /** On its way from one parent's list to another's. */
    boolean isMoving;

    /** Where it is to go then. */
    @Nullable FiberImpl<?> moveOnTo;

    /** Its parent is on another cord; then this fiber's own cord keeps it too, at this place. */
    public int foreignIndex = ForeignChildren.NOWHERE;

    /** The parent awaits this fiber and takes its outcome; of the parent's cord. */
    public boolean isAwaitedByParent;

    /** Its failure was held back because the parent awaits it; of the parent's cord. */
    boolean isNewsHeldBack;

    /** The parent has taken its outcome, so later news of it is dropped; of the parent's cord. */
    boolean isTakenByParent;

    // its body and its end, see Ending

    static final VarHandle OUTCOME;

    static {
        try {
            OUTCOME =
                    MethodHandles.lookup().findVarHandle(FiberImpl.class, "outcome", Outcome.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final @Nullable Callable<? extends T> body;
    @Nullable Handler handler;

    @Nullable EndListener listener;

    /** Locks and the like that it must give back; a list through the holdings themselves. */
    public @Nullable Held held;

    /** The values of its fiber locals; null until it has one. */
    public @Nullable LocalValues locals;

    /**
     * Written once, on the cord; read by any thread. By a release, because a fence costs 7 ns;
     * there is one where user's code is told, which may check whether others have ended too.
     */
    volatile @Nullable Outcome<T> outcome;

    private final long id;
    private final @Nullable String name;

    public FiberImpl(
            CordImpl cord,
            @Nullable FiberImpl<?> parent,
            @Nullable String name,
            @Nullable Callable<? extends T> body,
            @Nullable Handler handler) {
        this.cord = cord;
        this.taskSlot = null;
        this.parent = parent;
        this.body = body;
        this.handler = handler;
        this.locals = LocalValues.inheritedFrom(parent);
        this.id = idOf(cord);
        this.name = name;
        noteSpun();
    }

    /** A task: it has no cord before one starts it. */
    public FiberImpl(
            TaskSlot slot,
            @Nullable FiberImpl<?> parent,
            @Nullable String name,
            Callable<? extends T> body) {
        this.taskSlot = slot;
        this.parent = parent;
        this.body = body;
        this.locals = LocalValues.inheritedFrom(parent);
        this.id = idOf(parent == null ? CordImpl.currentOrNull() : parent.cord);
        this.name = name;
        noteSpun();
    }

    private static long idOf(@Nullable CordImpl spinner) {
        return spinner != null && spinner.isCurrent() ? spinner.ids.next() : Ids.nextOfAny();
    }

    private void noteSpun() {
        if (SpinTraces.ON) {
            SpinTraces.note(this);
        }
        if (FiberTraces.ON) {
            FiberTraces.spun(this);
        }
    }

    // ---------------------------------------------------------------- the current one

    public static FiberImpl<?> current() {
        FiberImpl<?> fiber = currentOrNull();
        if (fiber == null) {
            String handler = HandlerFrames.innermost();
            throw new IllegalStateException(
                    handler != null
                            ? "the Netty handler "
                                    + handler
                                    + " must not wait: it runs as no fiber, and all fibers of its"
                                    + " cord stand still meanwhile; it may tell, trySend, schedule"
                                    + " or spin, and the fiber that it wakes waits"
                            : "no fiber runs on "
                                    + Thread.currentThread()
                                    + ": call this inside Cord.run(...), or in a fiber spun on a"
                                    + " cord");
        }
        return fiber;
    }

    public static @Nullable FiberImpl<?> currentOrNull() {
        CordImpl here = CordImpl.currentOrNull();
        return here == null ? null : here.loop.running();
    }

    /** {@return the machine behind what the user holds} */
    public static <T extends @Nullable Object> FiberImpl<T> of(Fiber<T> fiber) {
        return (FiberImpl<T>) fiber;
    }

    /** {@return the machines behind them, a copy} */
    public static List<FiberImpl<?>> allOf(List<? extends Fiber<?>> fibers) {
        List<FiberImpl<?>> all = new ArrayList<>(fibers.size());
        for (Fiber<?> each : fibers) {
            all.add(of(each));
        }
        return all;
    }

    // ---------------------------------------------------------------- its cord

    /** Whether the calling thread runs the fiber's cord; false for a task. From any thread. */
    public final boolean isHere() {
        CordImpl here = cord;
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
    public final void enter() {
        state(SPUN, UNSTARTED);
        cord.roster.countEntered();
    }

    /** Null for a task. From any thread. */
    public final @Nullable CordImpl cordOrNull() {
        CordImpl here = cord; // seen late by other threads, unlike the task slot
        return here == null && taskSlot != null ? taskSlot.cord() : here;
    }

    /** To the fiber's cord, or to the one that will start it. From any thread. */
    public final void send(CordMessage message) {
        if (cord == null && taskSlot != null && taskSlot.send(message)) {
            return;
        }
        home().send(message);
    }

    /** Like {@link #send}, and a cord claims a task at once rather than in its turn. */
    final void sendNow(CordMessage message) {
        if (cord == null && taskSlot != null && taskSlot.send(message)) {
            taskSlot.claimSoon(this);
            return;
        }
        home().send(message);
    }

    /** Has a task claimed by a cord that has time to poll: this one, if it is its scheduler's. */
    public final void startNow() {
        if (cordOrNull() == null && taskSlot != null) {
            taskSlot.claimSoon(this);
        }
    }

    /** The cord of a fiber that is no task, or no longer. From any thread. */
    public final CordImpl home() {
        CordImpl here = cordOrNull();
        if (here == null) {
            throw new IllegalStateException(
                    this + " has no cord before one starts it; await it, or pin it: onThisCord");
        }
        return here;
    }

    // ---------------------------------------------------------------- waiting

    public long nextWaitNumber() {
        return waitNumber;
    }

    /** Leaves the stack until the wait is ended. The short path of every switchpoint. */
    public @Nullable Object park(WaitKind kind, Object reason) {
        describe(kind, reason); // first: a value given while it is raised into belongs to this wait
        SwitchHooks hooks = cord.loop.hooks;
        if (hooks != null) {
            hooks.keep(this); // a failure there may be raised into it
        }
        raiseIfDue();
        yieldAs(WAITING);
        Object value = cord.loop.takeValue();
        if (hooks != null) {
            hooks.show(this);
        }
        if (value == RAISED) {
            throw throwCounted();
        }
        return value;
    }

    /** Like {@link #park}, and ends with {@link Waits#TIMED_OUT} after the limit. */
    public @Nullable Object parkFor(WaitKind kind, Object reason, long timeoutNanos) {
        if (timeoutNanos == Long.MAX_VALUE) {
            return park(kind, reason);
        }
        Timer timer = cord.armTimer(this, waitNumber, timeoutNanos);
        try {
            return park(kind, reason);
        } finally {
            cord.cancelTimer(timer);
        }
    }

    public final @Nullable Object suspendHere() {
        if (instantValue == NONE && !FiberMessages.awaitSchedule(this)) {
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
    public final void yieldBehindTasks() {
        TaskSource tasks = cord.tasks;
        if (tasks == null || !tasks.isInFront() || !tasks.yieldBehind(this)) {
            yieldHere();
        }
    }

    /**
     * Begins each call that may wait, also one that need not (rules F6 and C1): raises what is due;
     * yields if the turn is over; and raises what came in between. The call takes or gives after
     * that, so an exception means that it did neither.
     *
     * <p>Otherwise a fiber whose channel never runs dry keeps its cord for itself, and clean-up
     * that locks or sends fails only when it happens to wait: one time in a thousand.
     */
    public final void switchpoint() {
        if (cord.loop.mayBeDue) {
            switchpointNow();
        }
    }

    /** Something may be due to be raised in it. */
    public boolean isAlerted() {
        return alerted;
    }

    /** Its calls that need not wait read this of the loop alone. */
    void alert() {
        alerted = true;
        if (cord != null) { // a task that no cord has claimed
            cord.loop.mayBeDue = true;
        }
    }

    /** Whether {@link #switchpoint} would do anything; on a virtual clock the call counts. */
    public boolean isTurnOver() {
        return cord.loop.mayBeDue && (alerted || cord.loop.isTurnOver());
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
            // The call need not wait, so it does not fail; but fibers that wait for the cord run
            // first.
            if (!cord.loop.pollsAtRootOnly) {
                cord.loop.pollInTurn();
            }
        }
        raiseIfDue();
    }

    public final void yieldHere() {
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
        SwitchHooks hooks = cord.loop.hooks;
        if (hooks != null) {
            hooks.keep(this);
        }
        yieldAs(RUNNABLE);
        cord.loop.takeValue();
        if (hooks != null) {
            hooks.show(this);
        }
    }

    /**
     * Leaves the stack; returns when it is this fiber's turn.
     *
     * <p>From here to the switch, and from the user's code to here, there are few calls and little
     * code, and rare cases have methods of their own. C2 makes one frame of it all only if it is
     * not nested too deeply (15 calls) and its machine code stays small (2,500 bytes); each further
     * frame is copied at each switch, and costs 10 to 20 ns, or 300 after a collection.
     */
    private void yieldAs(int as) {
        try {
            state(RUNNING, as);
            if (as == RUNNABLE) {
                cord.loop.enqueue(this, null);
            }
            Stack own = stack == null ? keepStack() : stack;
            if (cord.mount.switchesItself) {
                cord.mount.switchAway(own, this);
            } else {
                own.yieldControl();
            }
        } catch (Throwable e) {
            // The fiber is still on its stack. First without a call, because there may be no room.
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
            cord.loop.runQueue.remove(this);
            state(SWITCH_FAILED, RUNNING);
            cord.loop.mayBeDue |= alerted; // a poll on its stack may have come
        }
    }

    /** Every switchpoint begins here. */
    public final void raiseIfDue() {
        if (Cancellation.isAlerted(this) || state != RUNNING) {
            raiseNow();
        }
    }

    private void raiseNow() {
        mend();
        Throwable due = Cancellation.due(this);
        if (due != null) {
            waitNumber++;
            if (due instanceof Unwind && abandonedFor == null) {
                yieldFirst();
            }
            throw throwCounted();
        }
    }

    /** A fiber that swallows a signal in a loop slows only itself (rule F6). */
    void yieldFirst() {
        try {
            yieldTurn();
        } catch (StackPinnedException pinned) {
            // The exception that is due says more, and is thrown now.
        }
    }

    /**
     * And it does not swallow one for ever: each raise counts, also that of a shield which was
     * lifted, or a fresh shield around each wait would keep it alive.
     */
    private RuntimeException throwCounted() {
        Throwable due = Objects.requireNonNull(Cancellation.due(this), "nothing is due");
        if (abandonedFor != null) {
            Abandonment.abandonRunning(this, abandonedFor);
        } else if (due instanceof Unwind signal && !signal.mayRaiseAgain()) {
            Abandonment.abandonRunning(
                    this,
                    Abandonment.swallowed(
                            "its termination", "let the Error that a switchpoint throws pass"));
        }
        throw Cancellation.throwDue(this);
    }

    // ---------------------------------------------------------------- ending a wait

    public boolean resume(long number, @Nullable Object value) {
        if (state != WAITING || waitNumber != number || waitKind == WaitKind.BLOCKED_IN_JDK) {
            return false;
        }
        makeRunnable(value);
        return true;
    }

    /** Whether the wait is open, or is yet to be parked in. */
    public final boolean isOpen(long number) {
        return waitNumber == number && state != DEAD;
    }

    public boolean resumeHandler(@Nullable Object value) {
        return resumeHandler(cord.loop, value);
    }

    /** Of its cord, whose loop the caller has: its fields are loaded before those of the fiber. */
    public boolean resumeHandler(FiberLoop loop, @Nullable Object value) {
        if (state != WAITING || waitKind != WaitKind.HANDLER) {
            return false;
        }
        makeRunnable(loop, value);
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

    public void raiseHere(Throwable failure) {
        boolean isUnstarted = state == UNSTARTED || state == SPUN;
        boolean hasNothingToRestart = failure instanceof Unwind.Restart && isUnstarted;
        if (state != DEAD && !hasNothingToRestart) {
            Cancellation.addPending(this, failure);
            interruptIfDue();
            if (state == UNSTARTED) {
                cord.roster.startIfHeld(this);
            }
        }
    }

    /** Ends the fiber's wait if something is due there now. */
    final void interruptIfDue() {
        Throwable due = state == WAITING ? Cancellation.due(this) : null;
        if (due == null) {
            return;
        }
        if (waitKind == WaitKind.BLOCKED_IN_JDK) {
            if (stack != null) {
                stack.interruptFor(due);
            }
            return;
        }
        if (openWaiter == null || openWaiter.leave()) {
            makeRunnable(RAISED);
        } // otherwise its wait was given a value already, whose wake-up is on its way
    }

    final void makeRunnable(@Nullable Object value) {
        makeRunnable(cord.loop, value);
    }

    /** All or nothing: it is called by fibers whose stack may be full. */
    private void makeRunnable(FiberLoop loop, @Nullable Object value) {
        state(WAITING, RUNNABLE);
        try {
            loop.enqueue(this, value);
        } catch (Throwable full) {
            state = WAITING; // without a call
            throw full;
        }
        waitNumber++;
    }

    /** Its stack blocks in a call of the JDK. */
    public final void blockForeign(Stack blocked) {
        stack = blocked;
        mend();
        state(RUNNING, WAITING);
        describe(WaitKind.BLOCKED_IN_JDK, "a call of the JDK that blocks");
        interruptIfDue();
    }

    /** The JDK's call is over. An exception raised meanwhile is thrown at its next switchpoint. */
    public final boolean unblockForeign() {
        if (state != WAITING || waitKind != WaitKind.BLOCKED_IN_JDK) {
            return false; // abandoned meanwhile: it never runs again
        }
        describe(WaitKind.LIBRARY, waitReason);
        state(WAITING, RUNNABLE);
        cord.loop.enqueue(this, FOREIGN_OVER);
        return true;
    }

    /** A handler's turn is over: it waits without a stack. */
    final void waitForNextTurn() {
        state(RUNNING, WAITING);
        describe(WaitKind.HANDLER, Handler.NEXT_MESSAGE);
    }

    /**
     * Stores only fields that changed: a store of a reference costs more than a load (G1: a fence).
     */
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
        cord.loop.enqueue(this, value);
    }

    // ---------------------------------------------------------------- running

    /** Called by the cord before it enters the fiber's own stack. */
    public void beforeEnter() {
        state(RUNNABLE, RUNNING);
        if (alerted) {
            cord.loop.mayBeDue = true;
        }
    }

    public @Nullable Stack stack() {
        return stack;
    }

    public final void dropStack() {
        if (stack != null) { // a store of a reference costs more than a load
            stack = null;
        }
    }

    // ---------------------------------------------------------------- state

    public final int rawState() {
        return state;
    }

    final void state(int from, int to) {
        if (Checks.ON && state != from) {
            throw new IllegalStateException("state=" + state + " != from=" + from + " in " + this);
        }
        state = (byte) to;
    }

    public final boolean isQueued() {
        return state == UNSTARTED || state == RUNNABLE;
    }

    /** The reason of the fiber's wait; null if it does not wait. */
    final @Nullable Object waitedFor() {
        return state == WAITING ? waitReason : null;
    }

    final void forgetInterruptFor(Throwable over) {
        if (stack != null && FiberImpl.currentOrNull() == this) {
            stack.forgetInterruptFor(over);
        }
    }

    /** Whether what was thrown is how this signal reached a call of the JDK. */
    final boolean isInterruptFor(@Nullable Throwable due, Throwable thrown) {
        return stack != null && stack.wasInterruptedFor(due) && Interrupts.causedBy(thrown);
    }

    /** The fiber that it waits for now, if that is one and known; for finding circles. */
    public final @Nullable FiberImpl<?> awaited() {
        return waitedFor() instanceof WaitCycle.One one ? of(one.awaited()) : null;
    }

    /** Waits in a call of the library, not of the JDK. */
    final boolean isParked() {
        return state == WAITING && waitKind != WaitKind.BLOCKED_IN_JDK;
    }

    public final WaitKind waitKind() {
        return waitKind;
    }

    /** The reason of its wait, or of its last one. */
    public final Object waitReason() {
        return waitReason;
    }

    /** The same as reports show it: a handler gives its own reason. */
    public final Object waitShown() {
        Handler waiting = waitKind == WaitKind.HANDLER ? handler : null;
        return waiting == null ? waitReason : waiting.waitsFor();
    }

    /** A restarted body does not get what was meant for the one before. */
    public final void forgetInstantValue() {
        instantValue = NONE;
    }

    /**
     * The reason of its wait as text, for reports; never fails, even if the reason's toString
     * throws.
     */
    public final String describeWait() {
        if (state != WAITING) {
            return this + " is " + this.state();
        }
        return this + " waits: " + SafeText.of(waitShown());
    }

    public final void checkCord(String operation) {
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

    public final boolean isForeignChild() {
        return foreignIndex != ForeignChildren.NOWHERE;
    }

    /** Of a task that no fiber spun, by its cord. */
    public final void setParentOfOwnerless(FiberImpl<?> root) {
        parent = root;
    }

    public final @Nullable FiberImpl<?> parentOrNull() {
        return parent;
    }

    // ---------------------------------------------------------------- children

    public @Nullable FiberImpl<?> firstChild() {
        return children == null ? null : children.first();
    }

    public void isolateChildren() {
        isolatesChildren = true;
    }

    public boolean isEnding() {
        return ending;
    }

    /** From now on it ends as soon as no fiber is below it; false again for a restart. */
    final void setEnding(boolean on) {
        ending = on;
    }

    // ---------------------------------------------------------------- running

    /** Called by the cord on a stack: the first turn of a body, or one turn of a handler. */
    public void turn(FiberLoop loop) {
        Object value = loop.takeValue();
        state(value == Handler.START ? UNSTARTED : RUNNABLE, RUNNING);
        if (alerted) {
            loop.mayBeDue = true;
        }
        if (loop.hooks != null) {
            loop.hooks.show(this);
        }
        if (value == Handler.START) {
            cord.roster.countStarted();
        }
        Throwable raised =
                value == Handler.START || value == RAISED ? Cancellation.pending(this) : null;
        if (raised != null) {
            Ending.end(this, new Outcome.Failure<>(raised));
        } else if (handler != null) {
            handlerTurn(loop, handler, value);
        } else {
            bodyTurn();
        }
        dropStack();
    }

    /** For its first turn, or a handler's next one, there is no memory; by the root frame. */
    public final void failWithoutStack(OutOfMemoryError full) {
        Object value = cord.loop.takeValue();
        state(value == Handler.START ? UNSTARTED : RUNNABLE, RUNNING);
        if (value == Handler.START) {
            cord.roster.countStarted();
        }
        Abandonment.abandonAll(
                Family.childList(this),
                "there is no memory for a stack of " + this + " to await it on");
        Ending.end(this, new Outcome.Failure<>(full));
    }

    private void bodyTurn() {
        if (taskSlot != null) {
            taskSlot.begin();
        }
        boolean again = false;
        do {
            Outcome<T> raw;
            try {
                if (again) {
                    yieldHere();
                }
                // First: otherwise each parked stack holds an outcome.
                T result = Objects.requireNonNull(body, "body").call();
                raw = new Outcome.Success<>(result);
            } catch (Throwable t) {
                raw = new Outcome.Failure<>(t);
            }
            again = Ending.end(this, raw);
        } while (again);
    }

    /** A value that was accepted is handled, also if a termination came after it. */
    private void handlerTurn(FiberLoop loop, Handler toRun, @Nullable Object value) {
        Object next;
        try {
            next =
                    Objects.requireNonNull(
                            toRun.handle(value), "a turn returned null instead of Handler.WAIT");
        } catch (Throwable t) {
            Ending.end(this, new Outcome.Failure<>(t));
            return;
        }
        mend();
        if (next == Handler.END) {
            Ending.end(this, handlerResult());
            return;
        }
        if (loop.hooks != null) {
            loop.hooks.keep(this);
        }
        Throwable raised = Cancellation.pending(this);
        if (raised != null) {
            Ending.end(this, new Outcome.Failure<>(raised));
        } else if (next == Handler.WAIT) {
            waitForNextTurn();
        } else {
            queueNextTurn(next);
        }
    }

    @SuppressWarnings("unchecked") // a handler's result type is always Void
    private Outcome<T> handlerResult() {
        return (Outcome<T>) Outcome.WITHOUT_RESULT;
    }

    // ---------------------------------------------------------------- awaiters and the rest

    public @Nullable Outcome<T> outcome() {
        return outcome;
    }

    /** On the cord, while the fiber is alive. */
    public void addListener(EndListener added) {
        EndListener first = listener;
        if (first == null) {
            listener = added;
        } else if (first instanceof EndListeners several) {
            several.add(added);
        } else {
            listener = new EndListeners(first, added);
        }
    }

    public void removeListener(EndListener removed) {
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

    public @Nullable Handler handler() {
        return handler;
    }

    public @Nullable Callable<? extends T> body() {
        return body;
    }

    public void checkInvariants() {
        Cancellation.checkPending(this);
        if (alerted && state == RUNNING && !cord.loop.mayBeDue) {
            throw new IllegalStateException("alerted=true mayBeDue=false in " + this);
        }
        if (firstChild() != null) {
            Family.childList(this).checkInvariants();
        }
        if ((rawState() == DEAD) != (outcome != null)) {
            throw new IllegalStateException("state=" + rawState() + " outcome=" + outcome);
        }
    }

    // ---------------------------------------------------------------- for programs

    public static <T extends @Nullable Object> FiberImpl<T> spinOn(
            FiberImpl<?> parent, @Nullable String name, Callable<? extends T> body) {
        Objects.requireNonNull(body, "body");
        return Family.spin(parent, new FiberImpl<T>(parent.cord, parent, name, body, null));
    }

    @Override
    public T await() {
        return FiberAwait.outcome(this).take(this);
    }

    @Override
    public boolean awaitEnd(Duration limit) {
        long limitNs = Waits.nanos(limit);
        Waits.switchpoint();
        return outcome() != null || FiberAwait.end(this, limitNs, false);
    }

    @Override
    public boolean schedule(@Nullable Object value) {
        if (isHere()) {
            return scheduleHere(value);
        }
        send(FiberMessages.schedule(this, value));
        return true;
    }

    @Override
    public void raise(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        CordImpl here = cordOrNull();
        TaskSource tasks = here == null ? null : here.tasks;
        if (here != null && tasks != null && here.ownThread != null && here.root() == this) {
            throw new IllegalStateException(
                    this + " belongs to " + tasks.scheduler() + " and ends with it; close that");
        }
        raiseAnyway(failure);
    }

    /** Also in the root fiber of a scheduler's cord. */
    public void raiseAnyway(Throwable failure) {
        if (isEnteredHere()) {
            raiseHere(failure);
        } else {
            sendNow(FiberMessages.raise(this, failure));
        }
    }

    @Override
    public void terminate() {
        raise(new Unwind.Terminate("terminate was called on " + this));
    }

    @Override
    public void stop(T result) {
        raise(new Unwind.Stop("stop was called on " + this, result));
    }

    @Override
    public void restart() {
        if (body() == null) {
            throw new IllegalStateException(
                    this + " runs a handler, which cannot be restarted; end it and spin another");
        }
        if (outcome() != null) {
            throw new IllegalStateException(
                    this + " is dead and cannot be restarted; respawn() makes a new one of it");
        }
        raise(new Unwind.Restart("restart was called on " + this));
    }

    @Override
    public FiberImpl<T> respawn() {
        FiberImpl<?> parent = parentOrNull();
        Callable<? extends T> body = body();
        if (parent == null || body == null || outcome() == null) {
            throw new IllegalStateException(
                    this
                            + (outcome() == null
                                    ? " is alive; restart() runs its body again"
                                    : " is a handler's or a root fiber and cannot be respawned"));
        }
        parent.checkCord("respawn below");
        if (parent.isEnding() || parent.outcome() != null) {
            throw new IllegalStateException(
                    this + " cannot be respawned: its parent, " + parent + ", has ended");
        }
        FiberImpl<T> again = new FiberImpl<>(cord, parent, name, body, null);
        cord.spinBelow(parent, again);
        return again;
    }

    @Override
    public void detach() {
        if (isRoot()) {
            throw new IllegalArgumentException(
                    this + " is a root fiber and ends with its cord; it has no parent");
        }
        if (isEnteredHere()) {
            Adoption.detachHere(this);
        } else {
            sendNow(FiberMessages.quiet(() -> Adoption.detachHere(this)));
        }
    }

    @Override
    public void attachTo(Fiber<?> newParent) {
        attachTo(FiberImpl.of(newParent));
    }

    private void attachTo(FiberImpl<?> newParent) {
        checkAttach(newParent);
        if (isEnteredHere()) {
            Adoption.attachHere(this, newParent);
        } else {
            sendNow(FiberMessages.quiet(() -> Adoption.attachHere(this, newParent)));
        }
    }

    public void checkAttach(FiberImpl<?> newParent) {
        if (Adoption.isAbove(this, newParent)) {
            throw Adoption.circle(this, newParent);
        }
        if (isRoot()) {
            throw new IllegalArgumentException(
                    this + " is a root fiber and ends with its cord; it cannot have a parent");
        }
    }

    @Override
    public EndHook onEnd(Consumer<? super Fiber<?>> hook) {
        FiberEndHook monitor = new FiberEndHook(this, Objects.requireNonNull(hook, "hook"));
        FiberAwait.listen(this, monitor);
        return monitor;
    }

    @Override
    public CompletableFuture<T> toFuture() {
        FiberFuture<T> future = new FiberFuture<>(this);
        FiberAwait.listen(this, future);
        return future;
    }

    @Override
    public @Nullable Throwable failure() {
        Outcome<T> ended = outcome();
        return ended == null ? null : ended.failure(this);
    }

    @Override
    public CordImpl cord() {
        return home();
    }

    public boolean isRoot() {
        CordImpl here = cordOrNull();
        return here != null && here.root() == this;
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public String name() {
        return name == null ? "fiber-" + id : name;
    }

    @Override
    public @Nullable FiberImpl<?> parent() {
        return taskSlot != null && taskSlot.isOwnerless() ? null : parentOrNull();
    }

    @Override
    public List<Fiber<?>> children() {
        checkCord("children");
        List<Fiber<?>> living = new ArrayList<>();
        for (FiberImpl<?> each = firstChild(); each != null; each = each.nextSibling) {
            if (each.outcome() == null) {
                living.add(each);
            }
        }
        return List.copyOf(living);
    }

    @Override
    public String lineage() {
        return Texts.lineage(this);
    }

    @Override
    public FiberState state() {
        return switch (rawState()) {
            case SPUN, UNSTARTED, RUNNABLE -> FiberState.RUNNABLE;
            case RUNNING, SWITCH_FAILED -> FiberState.RUNNING;
            case WAITING -> FiberState.WAITING;
            default -> FiberState.DEAD;
        };
    }

    @Override
    public String toString() {
        CordImpl here = cordOrNull();
        return here == null && taskSlot != null
                ? "task " + name() + " of " + taskSlot.scheduler()
                : "fiber " + name() + " on " + here;
    }
}
