package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.util.function.Supplier;

/**
 * What a cord is to its fibers and to the ticker: its run queue, timers, inbox, clock and marks.
 *
 * <p>The layers of a cord, each of which owns the state that it writes: this one, {@link CordLook}
 * (what it does between fibers, and when there is none), {@link CordMount} (stacks), {@link
 * CordLoop} (who runs next), {@link CordLife} (its root and its end), and {@link Cord}, what users
 * call. They are superclasses rather than parts, because the way of a fiber through them is the
 * fast path.
 *
 * <p>Confined to the cord's thread, but for what says otherwise.
 */
abstract sealed class CordCore permits CordLook {
    /** Switches between two polls: bounds how late a timer is, and makes a poll's cost small. */
    static final int POLL_INTERVAL = 128;

    final CordOptions options;

    /** Read by other threads to post and to wake. */
    final Inbox inbox = new Inbox();

    final Platform platform;
    final RunQueue runQueue = new RunQueue();
    final Timers timers = new Timers();
    final boolean orderSeeded;

    /** It shares its thread with other cords, and yields to them after each switch. */
    final boolean inTurns;

    /** It broke: no fiber here runs any more, whatever its state says. */
    boolean isBroken;

    /** Null while what runs is no fiber's. */
    @Nullable Fiber<?> running;

    /** Switches until the next poll. */
    int untilPoll = POLL_INTERVAL;

    /**
     * Set by the ticker by a plain store; seen late at worst, never never: the loop makes calls.
     */
    boolean marked;

    /** Set with the mark; on a virtual clock always: all that a call that need not wait reads. */
    boolean mayTurnBeOver;

    /** On a virtual clock, see {@link #isTurnOver}. */
    final boolean countsCalls;

    private int callsLeft = POLL_INTERVAL;

    /** When the ticker set the mark that is there now; by the ticker. */
    private volatile long markedNs;

    /** How often it has polled; with the switches since, a number for each turn of a fiber. */
    long polls;

    /** What {@link Slice} knows of the running fiber. */
    final Slices slices;

    /** Null if there are none. */
    final @Nullable SwitchHooks hooks;

    /**
     * The thread that runs as this cord now: the one of the loop or, on virtual threads, that of
     * the mounted stack; null before and after. Needs no fence: a thread that finds itself here was
     * entered after it was written.
     */
    @Nullable Thread current;

    @Nullable Thread loopThread;
    final boolean onVirtualThreads;

    /** Of a cord of a scheduler. */
    final @Nullable TaskQueue tasks;

    volatile Activity activity = Activity.ASLEEP;

    final Ids ids = new Ids();

    /** Fibers that have begun to run, and those of them that have ended. */
    long started;

    long ended;

    /** Fibers that were spun here and have not ended, the root among them; read by others too. */
    int alive;

    /** The limit of {@link #alive} but for the root. */
    final int maxFibers;

    private final FiberTimes times = new FiberTimes();

    /** What the cord's thread does; a hint for other threads, but for the order of stores. */
    enum Activity {
        BUSY,
        SPINNING,
        ASLEEP
    }

    CordCore(CordOptions options, Platform platform, @Nullable Scheduler scheduler) {
        this.options = options;
        this.tasks = scheduler == null ? null : new TaskQueue(scheduler, self());
        this.platform = platform;
        this.orderSeeded = platform.isOrderSeeded();
        this.inTurns = platform.isInTurns();
        this.marked = inTurns; // for ever: it never polls by itself
        this.countsCalls = platform.isVirtual();
        this.mayTurnBeOver = countsCalls;
        this.slices = new Slices(self(), options.watch().sliceLimits());
        this.hooks = SwitchHooks.of(self(), options.switchHooks());
        this.maxFibers = options.maxFibers();
        this.onVirtualThreads = options.stacks() == StackKind.VIRTUAL_THREAD;
    }

    abstract Fiber<?> root();

    abstract Cord self();

    /**
     * {@return whether the calling thread runs this cord; cheaper than comparing {@link
     * Cord#current}}
     */
    public boolean isCurrent() {
        return Thread.currentThread() == current;
    }

    /**
     * {@return a fresh reading of this cord's clock in nanoseconds; only differences mean anything}
     */
    public long nanoTime() {
        return platform.nanoTime();
    }

    /**
     * {@return a random number from 0 to {@code bound - 1}, from this cord's source}
     *
     * @param bound the bound, at least 1
     */
    public int nextInt(int bound) {
        return platform.nextInt(bound);
    }

    // ---------------------------------------------------------------- for its fibers

    void enqueue(Fiber<?> fiber, @Nullable Object value) {
        runQueue.add(fiber, value);
        if (FiberTraces.ON) {
            FiberTraces.scheduled(fiber);
        }
    }

    @Nullable Object queuedValue(Fiber<?> fiber) {
        return runQueue.valueOf(fiber);
    }

    void dequeue(Fiber<?> fiber) {
        runQueue.remove(fiber);
    }

    /** The first thing that a fiber does when it runs; only then may others be scheduled. */
    @Nullable Object takeValue() {
        Object value = runQueue.takeValue();
        if (FiberTraces.ON && running != null) {
            FiberTraces.switchedIn(running);
        }
        return value;
    }

    boolean hasRunnable() {
        return runQueue.peek() != null;
    }

    /**
     * Whether the running fiber, whose calls need not wait, has had its turn: the ticker has marked
     * the cord. On a virtual clock there is no ticker, so the calls are counted.
     */
    final boolean isTurnOver() {
        return countsCalls ? countCall() : marked;
    }

    private boolean countCall() {
        if (--callsLeft > 0) {
            return false;
        }
        callsLeft = POLL_INTERVAL;
        return true;
    }

    @Nullable Fiber<?> running() {
        return running;
    }

    /**
     * Runs the action as no fiber: what it calls cannot wait as the one that happens to run, and
     * others do not find that one here meanwhile.
     */
    final <T extends @Nullable Object> T asNoFiber(Supplier<T> action) {
        Fiber<?> interrupted = running;
        running = null;
        try {
            return action.get();
        } finally {
            running = interrupted;
        }
    }

    final void asNoFiber(Runnable action) {
        asNoFiber(
                () -> {
                    action.run();
                    return null;
                });
    }

    /** The running fiber is dead: what is called from now on runs as none. */
    void clearRunning() {
        running = null;
    }

    // ---------------------------------------------------------------- how many there may be

    /** From other threads a hint. */
    final boolean isFull() {
        return alive > maxFibers;
    }

    final TooManyFibersException tooMany(Fiber<?> refused) {
        return new TooManyFibersException(self(), alive - 1, refused);
    }

    // ---------------------------------------------------------------- timers

    Timer armTimer(Fiber<?> fiber, long number, long timeoutNanos) {
        return timers.arm(deadline(timeoutNanos), timeoutNanos, fiber, number);
    }

    Timer armScope(CancelScope scope, long limitNanos) {
        return timers.arm(deadline(limitNanos), limitNanos, scope);
    }

    private long deadline(long timeoutNanos) {
        return platform.nanoTime() + Math.min(Math.max(timeoutNanos, 0), Long.MAX_VALUE / 2);
    }

    void cancelTimer(Timer timer) {
        timers.cancel(timer);
    }

    /** The earliest timer that is armed. */
    final @Nullable Timer earliestTimer() {
        return timers.earliest();
    }

    // ---------------------------------------------------------------- what is counted, when that
    // is on

    final void switchedIn(Fiber<?> fiber) {
        if (FiberTimes.ON) {
            times.switchIn(fiber, platform.nanoTime());
        }
    }

    final void switchedOut(@Nullable Fiber<?> fiber) {
        if (FiberTimes.ON) {
            times.switchOut(platform.nanoTime());
        }
        if (FiberTraces.ON && fiber != null) {
            FiberTraces.switchedOut(fiber);
        }
    }

    final FiberTimes times() {
        return times;
    }

    // ---------------------------------------------------------------- the ticker and other threads

    boolean isBusy() {
        return activity != Activity.ASLEEP;
    }

    /** It polls for work, and may have given its CPU up meanwhile. */
    boolean isSpinning() {
        return activity == Activity.SPINNING;
    }

    Activity activity() {
        return activity;
    }

    /**
     * By the ticker: asks for a poll at the next switch. True if the mark that it set before is
     * still there, so that there has been no switch since.
     */
    boolean mark() {
        mayTurnBeOver = true; // each time: a poll between the two stores clears this alone
        if (marked) {
            return true;
        }
        markedNs = nanoTime();
        VarHandle.storeStoreFence();
        marked = true;
        return false;
    }

    /**
     * For how long the running fiber has had its turn, too short by a tick at most; 0 if the ticker
     * has not come since. The first switch after a mark takes it away, so the turn is older than a
     * mark that is there, and began within the tick before.
     */
    long turnNs() {
        if (!marked) {
            return 0;
        }
        VarHandle.loadLoadFence();
        return nanoTime() - markedNs;
    }

    /** A number that each turn of a fiber has for itself. */
    long turnNumber() {
        return polls * (2 * POLL_INTERVAL) - untilPoll;
    }

    /** The thread that the loop runs on; from any thread, null at first. */
    @Nullable Thread loopThread() {
        return loopThread;
    }

    /** The thread that runs as this cord; from other threads a hint. */
    @Nullable Thread currentThread() {
        return current;
    }

    boolean isVirtual() {
        return platform.isVirtual();
    }
}
