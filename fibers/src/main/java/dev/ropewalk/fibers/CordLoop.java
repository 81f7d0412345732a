package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The part of a cord that runs fibers: its run queue, timers, inbox, stacks, and the loop over
 * them.
 *
 * <p>Confined to the cord's thread, but for what says otherwise.
 */
abstract sealed class CordLoop permits Cord {
    /*
     * The loop (rules F1 to F3).
     *
     * The root frame takes entries off the run queue. An entry whose fiber has a stack of its own is
     * entered there. Any other fiber is run inline by a worker: a stack whose frame is work(). A
     * worker goes on with the next entry as long as that needs no other stack, so what never waits
     * costs no switch; else it parks itself among the idle ones and leaves to the root frame. A
     * fiber that waits in the middle keeps its worker, and the root frame takes another.
     *
     * Who may run: root frame -> enter -> one stack -> leave -> root frame. Stacks never nest, and
     * "mounted" is the one that is entered.
     *
     * Tasks of a scheduler (rule F15) come when the run queue is empty, and one with each look, so
     * that fibers that wake each other for ever do not keep them out; others' only before the thread
     * sleeps. A task that was taken is an entry of the run queue like any new fiber.
     *
     * A look (inbox, timers) comes after LOOK_EVERY switches or at the first switch after the
     * ticker's mark, whatever wakes whom; see the constants. Rejected: looking only when the run
     * queue is empty, which starves timers beside two fibers that wake each other. On virtual
     * threads only the root frame looks: a message or a log line may block there, and a worker that
     * is blocked between two fibers would be nobody's.
     */

    /** Switches between two looks: bounds how late a timer is, and makes a look's cost small. */
    static final int LOOK_EVERY = 128;

    /** Messages taken from the inbox in one look, so that a flood of them cannot starve fibers. */
    private static final int INBOX_BATCH = 1_024;

    /** Idle workers kept for reuse. */
    private static final int MOST_IDLE_STACKS = 256;

    /** Looks at the inbox before the thread sleeps; about as long as a sleep and wake-up take. */
    private static final int IDLE_SPINS = 200;

    /** Of these looks, every how many one tries to steal: it reads what other cords write. */
    private static final int STEAL_EVERY = 8;

    /** Read by other threads to post and to wake. */
    final Inbox inbox = new Inbox();

    final Seam seam;
    private final RunQueue runQueue = new RunQueue();
    private final Timers timers = new Timers();
    private final ArrayDeque<Stack> idleStacks = new ArrayDeque<>();

    /** The body of every stack. */
    private final Runnable worker = this::work;

    private final boolean orderSeeded;
    private @Nullable Stack mounted;
    private @Nullable Fiber<?> running;
    private @Nullable Fiber<?> handedOver;
    private int looksAfter = LOOK_EVERY;

    /**
     * Set by the ticker by a plain store; seen late at worst, never never: the loop makes calls.
     */
    private boolean marked;

    /**
     * The thread that runs as this cord now: the one of the loop or, on virtual threads, that of
     * the mounted stack; null before and after. Needs no fence: a thread that finds itself here was
     * entered after it was written.
     */
    private @Nullable Thread current;

    private @Nullable Thread loopThread;
    private final boolean onVirtualThreads;

    /** Stacks of no fiber that were blocked in the JDK, in what reports or tells the end of one. */
    private final ArrayDeque<VirtualStack> readyStacks = new ArrayDeque<>();

    /** How many more of those are still blocked; the cord does not end before they are done. */
    private int nobodysBlocked;

    private boolean closingStacks;

    /** Of a cord of a scheduler. */
    final @Nullable TaskQueue tasks;

    /** It had nothing to do, and has not taken a task since. */
    private boolean wasIdle;

    private volatile Activity activity = Activity.ASLEEP;

    /** Up to the last look: what came since is LOOK_EVERY - looksAfter, so no switch is counted. */
    private long switches;

    private long looks;
    private long messages;
    private long sleeps;
    private long sleptNs;
    private int mostRunnable;

    /** Fibers that have begun to run, and those of them that have ended. */
    long started;

    long ended;

    private final FiberTimes times = new FiberTimes();

    /** What the cord's thread does; a hint for other threads, but for the order of stores. */
    enum Activity {
        BUSY,
        SPINNING,
        ASLEEP
    }

    CordLoop(CordOptions options, Thread thread, @Nullable Scheduler scheduler) {
        this.tasks = scheduler == null ? null : new TaskQueue(scheduler, self());
        this.seam =
                switch (options.clock()) {
                    case CordOptions.RealClock() -> new RealSeam(thread);
                    case CordOptions.VirtualClock(long seed, boolean seededOrder) ->
                            new VirtualSeam(seed, seededOrder);
                };
        this.orderSeeded = seam.isOrderSeeded();
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
        return seam.nanoTime();
    }

    /**
     * {@return a random number from 0 to {@code bound - 1}, from this cord's source}
     *
     * @param bound the bound, at least 1
     */
    public int nextInt(int bound) {
        return seam.nextInt(bound);
    }

    // ---------------------------------------------------------------- the loop

    /** The root frame: returns when the root fiber has ended. */
    final void runFibers() {
        CurrentCord.set(self());
        loopThread = Thread.currentThread();
        current = loopThread;
        if (!seam.isVirtual()) {
            activity = Activity.BUSY;
            Ticker.INSTANCE.add(self());
            Ticker.INSTANCE.cordBecameBusy();
        }
        enqueue(root(), Handler.START);
        for (Fiber<?> fiber = next(); fiber != null; fiber = next()) {
            enter(fiber);
        }
    }

    /** No fiber runs any more; this thread is no cord from now on. */
    final void stopRunning() {
        if (!seam.isVirtual()) {
            Ticker.INSTANCE.remove(self());
        }
        endIdleStacks();
        CurrentCord.remove();
        current = null;
    }

    /** The loop broke while this fiber ran. */
    final @Nullable Fiber<?> takeRunning() {
        Fiber<?> ran = running;
        running = null;
        return ran;
    }

    private void enter(Fiber<?> fiber) {
        Stack stack = fiber.stack();
        if (stack == null) {
            stack = idleStacks.poll();
            if (stack == null) {
                stack =
                        onVirtualThreads
                                ? new VirtualStack(self(), worker)
                                : new LightStack(worker);
            }
            handedOver = fiber;
        } else {
            fiber.beforeEnter();
            running = fiber;
            switchedIn(fiber);
        }
        mounted = stack;
        if (onVirtualThreads) {
            enterVirtual((VirtualStack) stack);
        } else {
            stack.enter();
        }
        Fiber<?> left = running; // null if the worker's frame gave way, between two fibers
        mounted = null;
        running = null;
        switchedOut(left);
    }

    private void enterVirtual(VirtualStack stack) {
        if (stack.isReady() && running != null) {
            takeValue(); // it comes back from the JDK, and takes none
        }
        current = stack.thread();
        try {
            stack.enter();
        } finally {
            current = loopThread;
        }
        if (stack.isBlocked()) {
            Fiber<?> blocked = running;
            stack.blockedBy(blocked);
            if (blocked == null) {
                nobodysBlocked++;
            } else {
                blocked.blockForeign(stack);
            }
        }
    }

    /** By message: a stack that was blocked in the JDK can go on. */
    void stackReady(VirtualStack stack, @Nullable Fiber<?> fiber) {
        if (fiber == null) {
            nobodysBlocked--;
            readyStacks.add(stack);
        } else {
            fiber.unblockForeign();
        }
    }

    /** Their threads end, for the JDK keeps a list of those that have not. */
    private void endIdleStacks() {
        if (onVirtualThreads) {
            closingStacks = true;
            for (Stack stack = idleStacks.poll(); stack != null; stack = idleStacks.poll()) {
                enterNobody((VirtualStack) stack);
            }
        }
    }

    private void enterNobody(VirtualStack stack) {
        mounted = stack;
        enterVirtual(stack);
        mounted = null;
        running = null;
    }

    /** The frame at the bottom of every stack. */
    private void work() {
        Stack own = mountedStack();
        for (; ; ) {
            Fiber<?> fiber = handedOver;
            handedOver = null;
            while (fiber != null) {
                running = fiber;
                switchedIn(fiber);
                fiber.turn();
                switchedOut(fiber);
                if (own instanceof VirtualStack virtual) {
                    virtual.forgetFiber();
                }
                fiber = nextInline();
            }
            looksAfter++; // the root frame counts the switch that this frame could not do
            running = null;
            if (closingStacks || idleStacks.size() == MOST_IDLE_STACKS) {
                return;
            }
            idleStacks.push(own);
            own.leave();
        }
    }

    /**
     * The next entry if a worker can run it on its own stack; null means: back to the root frame.
     */
    private @Nullable Fiber<?> nextInline() {
        if (isLookDueAfterSwitch() || orderSeeded) {
            return null;
        }
        Fiber<?> head = runQueue.peek();
        if (head == null) {
            // On virtual threads what was sent to the task may block.
            return tasks == null || onVirtualThreads ? null : nextTask(tasks);
        }
        return head.stack() != null ? null : runQueue.take();
    }

    private @Nullable Fiber<?> nextTask(TaskQueue from) {
        running = null; // what was sent to the task is done as no fiber
        if (!from.startNext()) {
            return null;
        }
        wakeAnother(from);
        return runQueue.take();
    }

    /**
     * A cord that looked for work has found some: if there is more, another one is woken for it,
     * and so on. Who places a task on a cord that spins wakes nobody, and there may be several.
     */
    private void wakeAnother(TaskQueue from) {
        if (wasIdle) {
            wasIdle = false;
            from.scheduler.wakeSleeperIfWaiting();
        }
    }

    /** The next entry, waiting for one if need be; null when the root fiber has ended. */
    private @Nullable Fiber<?> next() {
        for (; ; ) {
            if (--looksAfter <= 0 || marked) {
                lookInTurn();
            }
            for (VirtualStack stack = readyStacks.poll();
                    stack != null;
                    stack = readyStacks.poll()) {
                enterNobody(stack);
            }
            if (orderSeeded && runQueue.size() > 1) {
                runQueue.swapToHead(seam.nextInt(runQueue.size()));
            }
            Fiber<?> fiber = runQueue.take();
            if (fiber == null && tasks != null) {
                fiber = nextTask(tasks);
            }
            if (fiber != null) {
                return fiber;
            }
            if (root().outcome() != null && nobodysBlocked == 0 && readyStacks.isEmpty()) {
                return null;
            }
            idle();
        }
    }

    /**
     * Counts a switch that needed no other stack, and looks if it is time; true if it is time but
     * the caller has to give way to the root frame for it, because a look runs what may block.
     */
    boolean isLookDueAfterSwitch() {
        if (--looksAfter <= 0 || marked) {
            if (onVirtualThreads) {
                return true;
            }
            lookInTurn();
        }
        return false;
    }

    /** So that fibers which wake each other for ever do not keep tasks out. */
    private void lookInTurn() {
        look();
        if (tasks != null && hasRunnable()) {
            Fiber<?> interrupted = running;
            running = null;
            tasks.startNext();
            running = interrupted;
        }
    }

    /** No fiber is current meanwhile, so a message cannot wait as the one that happened to run. */
    private void look() {
        switches += LOOK_EVERY - looksAfter;
        looks++;
        looksAfter = LOOK_EVERY;
        marked = false;
        Fiber<?> interrupted = running;
        running = null;
        messages += inbox.drain(INBOX_BATCH);
        if (!timers.isEmpty()) {
            timers.fireDue(seam.nanoTime());
        }
        mostRunnable = Math.max(mostRunnable, runQueue.size());
        running = interrupted;
    }

    private void idle() {
        looksAfter++; // it was counted as a switch, and there was nobody
        look();
        if (hasRunnable() || !readyStacks.isEmpty()) {
            return;
        }
        wasIdle = true;
        if (tasks != null && tasks.steal()) {
            wakeAnother(tasks);
            return;
        }
        Timer next = timers.earliest();
        if (seam.isVirtual()) {
            if (next == null && inbox.isEmpty()) {
                reportDeadlock();
                return;
            }
        } else if (spinForWork()) {
            look();
            return;
        }
        long sinceNs = seam.nanoTime();
        setAsleep(true);
        try {
            seam.park(next != null, next == null ? 0 : next.deadlineNs, this::hasWork);
        } finally {
            setAsleep(false);
        }
        sleeps++;
        sleptNs += seam.nanoTime() - sinceNs;
        if (!seam.isVirtual()) {
            Ticker.INSTANCE.cordBecameBusy();
        }
        look();
    }

    private void setAsleep(boolean on) {
        activity = on ? Activity.ASLEEP : Activity.BUSY;
        if (tasks != null) {
            tasks.scheduler.countSleeper(on);
        }
    }

    /** Read after the cord has been marked as asleep: who gives it work does so before it looks. */
    private boolean hasWork() {
        return !inbox.isEmpty() || (tasks != null && tasks.isAnyWaiting());
    }

    private void reportDeadlock() {
        DeadlockException deadlock = new DeadlockException(DeadlockReport.of(self(), root()));
        if (root().isEnding()) {
            throw deadlock; // nobody is left to tell but the caller of run
        }
        root().raiseHere(deadlock);
    }

    private boolean spinForWork() {
        if (tasks != null) {
            return spinForTasks(tasks);
        }
        for (int i = 0; i < IDLE_SPINS; i++) {
            if (!inbox.isEmpty()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** Who places a task prefers a cord that spins, for it costs no wake-up. */
    private boolean spinForTasks(TaskQueue own) {
        activity = Activity.SPINNING;
        boolean found = false;
        for (int i = 0; i < IDLE_SPINS && !found; i++) {
            found = !inbox.isEmpty() || own.isWaiting() || (i % STEAL_EVERY == 0 && own.steal());
            Thread.onSpinWait();
        }
        activity = Activity.BUSY;
        if (hasRunnable()) {
            wakeAnother(own);
        }
        return found;
    }

    // ---------------------------------------------------------------- for fibers of this cord

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

    Stack mountedStack() {
        return Objects.requireNonNull(mounted, "no stack is mounted");
    }

    @Nullable Fiber<?> running() {
        return running;
    }

    /** The running fiber is dead: what is called from now on runs as none. */
    void clearRunning() {
        running = null;
    }

    // ---------------------------------------------------------------- timers

    Timer armTimer(Fiber<?> fiber, long number, long timeoutNanos) {
        return timers.arm(deadline(timeoutNanos), fiber, number);
    }

    Timer armScope(CancelScope scope, long limitNanos) {
        return timers.arm(deadline(limitNanos), scope);
    }

    private long deadline(long timeoutNanos) {
        return seam.nanoTime() + Math.min(Math.max(timeoutNanos, 0), Long.MAX_VALUE / 2);
    }

    void cancelTimer(Timer timer) {
        timers.cancel(timer);
    }

    // ---------------------------------------------------------------- for dumps and counters

    /** What is counted with a switch, when that is switched on. */
    private void switchedIn(Fiber<?> fiber) {
        if (FiberTimes.ON) {
            times.switchIn(fiber, seam.nanoTime());
        }
    }

    private void switchedOut(@Nullable Fiber<?> fiber) {
        if (FiberTimes.ON) {
            times.switchOut(seam.nanoTime());
        }
        if (FiberTraces.ON && fiber != null) {
            FiberTraces.switchedOut(fiber);
        }
    }

    final FiberTimes times() {
        return times;
    }

    /** On any thread; on another than the cord's each number is a hint. */
    final CordStats readStats() {
        int length = runQueue.size();
        return new CordStats(
                switches + (LOOK_EVERY - looksAfter),
                looks,
                messages,
                started,
                ended,
                sleeps,
                Duration.ofNanos(sleptNs),
                length,
                Math.max(length, mostRunnable),
                timers.size(),
                inbox.size(),
                idleStacks.size(),
                tasks == null ? 0 : tasks.size());
    }

    final void forgetMostRunnable() {
        mostRunnable = 0;
    }

    /** Null without a timer. */
    final @Nullable Duration untilNextTimer() {
        Timer next = timers.earliest();
        return next == null ? null : Duration.ofNanos(next.deadlineNs - seam.nanoTime());
    }

    /** On the cord: what is called here cannot wait, for no fiber is current. */
    final <T> T asNoFiber(Supplier<T> action) {
        Fiber<?> interrupted = running;
        running = null;
        try {
            return action.get();
        } finally {
            running = interrupted;
        }
    }

    /** What the cord's thread does, or the virtual one that it runs; from outside, so a hint. */
    final StackTraceElement[] stackFromOutside() {
        Thread runs = current;
        return runs == null ? new StackTraceElement[0] : runs.getStackTrace();
    }

    // ---------------------------------------------------------------- the ticker and the rest

    boolean isBusy() {
        return activity != Activity.ASLEEP;
    }

    Activity activity() {
        return activity;
    }

    /** By the ticker. */
    void mark() {
        marked = true;
    }

    boolean isVirtual() {
        return seam.isVirtual();
    }

    final void checkLoop() {
        runQueue.checkInvariants();
        timers.checkInvariants();
    }
}
