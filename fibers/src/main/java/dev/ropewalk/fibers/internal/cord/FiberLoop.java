package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.context.SwitchHooks;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.reactor.Reactor;
import dev.ropewalk.fibers.internal.report.FiberTimes;
import dev.ropewalk.fibers.internal.report.FiberTraces;
import dev.ropewalk.fibers.internal.watch.Slices;
import dev.ropewalk.fibers.internal.watch.Ticker;
import dev.ropewalk.fibers.observe.Slice;
import dev.ropewalk.fibers.spi.ShortWay;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;

/**
 * The loop of a cord: takes the next fiber, has it entered, and polls in between (rules F1 to F3).
 *
 * <p>Confined to the cord's thread, except where a comment says otherwise.
 */
public final class FiberLoop {
    /*
     * A poll takes messages from the inbox and fires the timers that are due. It comes after
     * POLL_INTERVAL switches or at the first switch after the ticker's mark, in whatever way the
     * fibers wake each other. It polls the reactor too, if there is one, at the mark or when
     * IO_POLL_INTERVAL is over. Rejected: polling only when the run queue is empty, which starves
     * timers beside two fibers that wake each other. On virtual threads only the root frame polls:
     * a message or a log line may block there, and a worker that is blocked between two fibers
     * would belong to no fiber.
     *
     * Not known: whether POLL_INTERVAL suits fibers that run for long between two switches; the
     * ticker's mark bounds these, and the interval was measured with short ones.
     *
     * Tasks of a scheduler (rule F15) come when the run queue is empty, and one with each poll, so
     * that fibers that wake each other for ever do not keep them out; others' only before the
     * thread sleeps. A task that was taken is an entry of the run queue like any new fiber.
     */

    /** Switches between two polls: bounds how late a timer is, and makes a poll's cost small. */
    public static final int POLL_INTERVAL = 128;

    /**
     * Switches between two polls of the reactor, without a mark: one costs 0.2 to 0.9 µs with
     * epoll, as much as some ten switches.
     */
    public static final int IO_POLL_INTERVAL = 8 * POLL_INTERVAL;

    /** Messages taken from the inbox in one poll, so that a flood of them cannot starve fibers. */
    private static final int INBOX_BATCH = 1_024;

    /** So that no loop of short calls keeps what it has read. */
    private static final VarHandle MAY_BE_DUE;

    static {
        try {
            MAY_BE_DUE =
                    MethodHandles.lookup()
                            .findVarHandle(FiberLoop.class, "mayBeDue", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final CordImpl cord;

    /** Null if there are none. */
    public final @Nullable SwitchHooks hooks;

    public final RunQueue runQueue = new RunQueue();
    final RunOrder order;

    /** Null while what runs is no fiber's. */
    @Nullable FiberImpl<?> running;

    /** Switches until the next poll. */
    int untilPoll = POLL_INTERVAL;

    /**
     * Set by the ticker by a plain store: the loop may see it late, but not never, because it calls
     * methods that are not inlined.
     */
    boolean marked;

    /**
     * A switchpoint of the running fiber may have something to do: set with the mark, and if
     * something may be due to be raised there; on a virtual clock always. All that a call that need
     * not wait reads.
     */
    public boolean mayBeDue;

    /** For objects of this cord; null until one asks for it. */
    public @Nullable ShortWay shortWay;

    /** A poll may block its stack, or is a turn of its own: only the root frame polls. */
    public final boolean pollsAtRootOnly;

    /** The reactor belongs to the thread of the root frame, and fibers run on others. */
    private final boolean pollsIoAtRootOnly;

    /** On a virtual clock, see {@link #isTurnOver}. */
    private final boolean countsCalls;

    private int callsLeft = POLL_INTERVAL;

    /** When the ticker set the mark that is there now; by the ticker. */
    private volatile long markedNs;

    /** Of the polls, how many come before one of the reactor. */
    private int pollsUntilIo = IO_POLL_INTERVAL / POLL_INTERVAL;

    /** How often it has polled; with the switches since, a number for each turn of a fiber. */
    private long polls;

    /** Read for each message that is queued, so a plain field. */
    private long ticks;

    /** When the last of them was counted. */
    private long tickNs;

    /**
     * Up to the last poll: the switches since are POLL_INTERVAL - untilPoll, so no switch is
     * counted.
     */
    private long switches;

    private long messages;
    private int maxRunnable;

    /**
     * The thread that runs as this cord now: the one of the loop or, on virtual threads, that of
     * the mounted stack; null before and after. Needs no fence: a thread that finds itself here was
     * entered after it was written.
     */
    @Nullable Thread current;

    private @Nullable Thread loopThread;

    /** The record that {@link Slice} keeps of the running fiber. */
    public final Slices slices;

    private final FiberTimes times = new FiberTimes();

    FiberLoop(CordImpl cord) {
        this.cord = cord;
        this.order = new RunOrder(cord, this);
        this.hooks = SwitchHooks.of(cord, cord.options.switchHooks());
        this.marked = cord.inTurns; // for ever: it never polls by itself
        this.pollsAtRootOnly = cord.inTurns || cord.stacks == StackKind.VIRTUAL_THREAD;
        this.pollsIoAtRootOnly = cord.stacks == StackKind.PORTABLE;
        this.countsCalls = cord.platform.isVirtual();
        this.mayBeDue = countsCalls;
        this.tickNs = cord.platform.nanoTime();
        this.slices = new Slices(cord, cord.options.watch().sliceLimits());
    }

    // ---------------------------------------------------------------- the root frame

    /** Returns when the root fiber has ended. */
    public void run() {
        become();
        if (!cord.platform.isVirtual()) {
            Ticker.INSTANCE.add(cord, cord.options.watch());
            Ticker.INSTANCE.cordBecameBusy();
        }
        FiberImpl<?> root = cord.roster.root;
        if (hooks != null) {
            hooks.begin(cord.options.switchHooks(), root);
        }
        enqueue(root, Handler.START);
        for (FiberImpl<?> fiber = next(); fiber != null; fiber = next()) {
            cord.mount.enter(fiber);
        }
    }

    /** No fiber runs any more; this thread is no cord from now on. */
    void stop() {
        if (!cord.platform.isVirtual()) {
            Ticker.INSTANCE.remove(cord);
        }
        try {
            cord.mount.endIdleStacks();
            runQueue.forgetTaken();
            if (hooks != null) {
                hooks.showThreadsOwn();
            }
        } finally {
            ceaseToBe(); // otherwise the thread could be no other cord
        }
    }

    /** The calling thread is this cord from now on. */
    public void become() {
        CurrentCord.set(cord);
        loopThread = Thread.currentThread();
        current = loopThread;
    }

    public void ceaseToBe() {
        CurrentCord.remove();
        current = null;
    }

    /** The next entry, waiting for one if need be; null when the root fiber has ended. */
    private @Nullable FiberImpl<?> next() {
        for (; ; ) {
            if (--untilPoll <= 0 || marked) {
                pollInTurn();
            }
            cord.mount.enterReadyStacks();
            FiberImpl<?> fiber = takeEntry();
            if (fiber == null && cord.tasks != null) {
                startTask(cord.tasks);
                fiber = runQueue.take();
            }
            if (fiber != null) {
                return fiber;
            }
            if (cord.roster.root.outcome() != null && !cord.mount.hasNobodysStacks()) {
                return null;
            }
            cord.idle.idle();
        }
    }

    public @Nullable FiberImpl<?> takeEntry() {
        FiberImpl<?> head = runQueue.next();
        if (head != null) {
            runQueue.drop();
        }
        return head;
    }

    // ---------------------------------------------------------------- polls

    /**
     * Counts a switch that needed no other stack, and polls if it is time; true if it is time but
     * the caller has to yield to the root frame for it, because code that a poll runs may block.
     */
    boolean isPollDueAfterSwitch() {
        if (--untilPoll <= 0 || marked) {
            if (pollsAtRootOnly || (pollsIoAtRootOnly && isReactorDue())) {
                return true;
            }
            pollInTurn();
        }
        return false;
    }

    /** At the next poll. */
    private boolean isReactorDue() {
        return cord.platform.reactor() != null && (marked || pollsUntilIo <= 1);
    }

    /**
     * True if the root frame is to poll, which counts the switch then; otherwise it is counted
     * here.
     */
    public boolean isPollDue() {
        if (untilPoll <= 1 || marked) {
            return true;
        }
        untilPoll--;
        return false;
    }

    public void pollInTurn() {
        pollInTurn(running);
    }

    /**
     * As no fiber: a message cannot wait as the one that happened to run, which runs again after
     * it.
     */
    void pollInTurn(@Nullable FiberImpl<?> interrupted) {
        running = null;
        try {
            poll(interrupted);
            // So that fibers which wake each other for ever do not keep tasks out.
            if (cord.tasks != null && (interrupted != null || hasRunnable())) {
                cord.tasks.startNext();
            }
        } finally {
            running = interrupted;
        }
    }

    /** By the root frame, between two fibers. */
    void poll() {
        poll(null);
    }

    /** The same, and of the reactor whenever it was polled last. */
    void pollWithIo() {
        pollsUntilIo = 0;
        poll();
    }

    private void poll(@Nullable FiberImpl<?> interrupted) {
        order.clear();
        switches += POLL_INTERVAL - untilPoll;
        polls++;
        untilPoll = POLL_INTERVAL;
        Reactor io = null;
        if (--pollsUntilIo <= 0 || marked) {
            if (pollsIoAtRootOnly && current != loopThread) {
                pollsUntilIo = 0; // the mark came just now, so the next poll is the root frame's
            } else {
                pollsUntilIo = IO_POLL_INTERVAL / POLL_INTERVAL;
                io = cord.platform.reactor();
            }
        }
        if (marked || countsCalls) {
            tick(cord.platform.nanoTime());
        }
        marked = false;
        mayBeDue = countsCalls || (interrupted != null && interrupted.isAlerted());
        if (hooks == null) {
            take(io);
        } else if (io != null || !cord.mail.inbox.isEmpty()) {
            takeWithout(hooks, io, interrupted);
        }
        if (!cord.timers.isEmpty()) {
            cord.timers.fireDue(cord.platform.nanoTime());
        }
        maxRunnable = Math.max(maxRunnable, runQueue.size());
        runQueue.forgetTaken();
    }

    /** Takes what has come from outside: messages and, if it is time for them, I/O. */
    private void take(@Nullable Reactor io) {
        messages += cord.mail.inbox.drain(INBOX_BATCH);
        if (io != null) {
            io.poll();
        }
    }

    /** Messages and I/O are no fiber's, and see no fiber's context. */
    private void takeWithout(
            SwitchHooks context, @Nullable Reactor io, @Nullable FiberImpl<?> interrupted) {
        if (interrupted != null) {
            context.keep(interrupted);
        }
        context.showThreadsOwn();
        take(io);
        if (interrupted != null) {
            context.show(interrupted);
        }
    }

    /** Puts a task, or a fiber that snoozed behind tasks, into the empty run queue. */
    void startTask(TaskSource from) {
        running = null; // messages to the task are handled as no fiber
        if (from.startNext()) {
            cord.idle.wakeAnother(from);
        }
    }

    // ---------------------------------------------------------------- for fibers

    public void enqueue(FiberImpl<?> fiber, @Nullable Object value) {
        runQueue.add(fiber, value);
        if (FiberTraces.ON) {
            FiberTraces.scheduled(fiber);
        }
    }

    /** The first thing that a fiber does when it runs; only then may others be scheduled. */
    public @Nullable Object takeValue() {
        Object value = runQueue.takeValue();
        if (FiberTraces.ON && running != null) {
            FiberTraces.switchedIn(running);
        }
        return value;
    }

    /** Whether the calling thread runs as this cord. */
    public boolean isCurrent() {
        return Thread.currentThread() == current;
    }

    public boolean hasRunnable() {
        return runQueue.peek() != null;
    }

    /**
     * Whether the running fiber, whose calls need not wait, has had its turn: the ticker has marked
     * the cord. On a virtual clock there is no ticker, so the calls are counted.
     */
    public boolean isTurnOver() {
        return countsCalls ? countCall() : marked;
    }

    /** Whether a switchpoint of the running fiber would do nothing; if so, it counts as one. */
    public boolean isPastSwitchpoint() {
        return !(boolean) MAY_BE_DUE.getOpaque(this) || (countsCalls && isPastCountedOne());
    }

    private boolean isPastCountedOne() {
        if (callsLeft <= 1 || (running != null && running.isAlerted())) {
            return false;
        }
        callsLeft--;
        return true;
    }

    private boolean countCall() {
        if (--callsLeft > 0) {
            return false;
        }
        callsLeft = POLL_INTERVAL;
        return true;
    }

    /** The running fiber is dead: calls from now on run as no fiber. */
    public void clearRunning() {
        running = null;
    }

    /**
     * Runs the action as no fiber: the action cannot wait as the fiber that happens to run, and
     * others do not find that fiber here meanwhile.
     */
    public <T extends @Nullable Object> T asNoFiber(Supplier<T> action) {
        FiberImpl<?> interrupted = running;
        running = null;
        try {
            return action.get();
        } finally {
            running = interrupted;
            mayBeDue |= interrupted != null && interrupted.isAlerted(); // others may have run
        }
    }

    public void asNoFiber(Runnable action) {
        asNoFiber(
                () -> {
                    action.run();
                    return null;
                });
    }

    // ---------------------------------------------------------------- times, if they are kept

    void switchedIn(FiberImpl<?> fiber) {
        if (FiberTimes.ON) {
            times.switchIn(fiber, cord.platform.nanoTime());
        }
    }

    void switchedOut(@Nullable FiberImpl<?> fiber) {
        if (FiberTimes.ON) {
            times.switchOut(cord.platform.nanoTime());
        }
        if (FiberTraces.ON && fiber != null) {
            FiberTraces.switchedOut(fiber);
        }
    }

    public FiberTimes times() {
        return times;
    }

    // ---------------------------------------------------------------- the ticker

    /**
     * By the ticker: asks for a poll at the next switch. True if the mark that it set before is
     * still there, so that there has been no switch since.
     */
    public boolean mark() {
        mayBeDue = true; // each time: a poll between the two stores clears this alone
        if (marked) {
            return true;
        }
        markedNs = cord.platform.nanoTime();
        VarHandle.storeStoreFence();
        marked = true;
        return false;
    }

    /**
     * For how long the running fiber has had its turn, too short by a tick at most; 0 if the ticker
     * has not come since. The first switch after a mark takes it away, so the turn is older than a
     * mark that is there, and began within the tick before.
     */
    public long turnNs() {
        if (!marked) {
            return 0;
        }
        VarHandle.loadLoadFence();
        return cord.platform.nanoTime() - markedNs;
    }

    /** A number that each turn of a fiber has for itself. */
    public long turnNumber() {
        return polls * (2 * POLL_INTERVAL) - untilPoll;
    }

    // ---------------------------------------------------------------- from any thread, a hint

    public @Nullable FiberImpl<?> running() {
        return running;
    }

    /** The thread that the loop runs on; null at first. */
    public @Nullable Thread loopThread() {
        return loopThread;
    }

    /** The thread that runs as this cord. */
    public @Nullable Thread currentThread() {
        return current;
    }

    long switches() {
        return switches + (POLL_INTERVAL - untilPoll);
    }

    /** See {@link Waits#ticks}. */
    public long ticks() {
        return ticks;
    }

    /** Time has passed: the ticker came, the cord slept, or the clock is a virtual one. */
    public void tick(long nowNs) {
        ticks++;
        tickNs = nowNs;
    }

    /** See {@link Waits#tickTime}. */
    public long tickNs() {
        return tickNs;
    }

    long polls() {
        return polls;
    }

    long messages() {
        return messages + cord.mount.inPlace.messages();
    }

    int maxRunnable() {
        return Math.max(runQueue.size(), maxRunnable);
    }

    void forgetMaxRunnable() {
        maxRunnable = 0;
    }
}
