package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
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

    private static final Turn[] TURNS = Turn.values();

    /** Read by other threads to post and to wake. */
    final Inbox inbox = new Inbox();

    final Seam seam;
    private final RunQueue runQueue = new RunQueue();
    private final Timers timers = new Timers();
    private final ArrayDeque<Stack> idleStacks = new ArrayDeque<>();

    /** The body of every stack. */
    private final Runnable worker = this::work;

    private final boolean orderSeeded;

    /** It shares its thread with other cords, and gives way to them after each switch. */
    private final boolean inTurns;

    private @Nullable Stack mounted;
    private @Nullable Fiber<?> running;
    private @Nullable Fiber<?> handedOver;
    private int looksAfter = LOOK_EVERY;

    /**
     * Set by the ticker by a plain store; seen late at worst, never never: the loop makes calls.
     */
    private boolean marked;

    /** When the ticker set the mark that is there now; by the ticker. */
    private volatile long markedNs;

    /** How often it has looked; with the switches since, a number for each turn of a fiber. */
    private long looks;

    /** What {@link Slice} knows of the running fiber. */
    final Slices slices;

    private final WatchOptions watch;
    private final List<SwitchHook<?>> switchHooks;

    /** Null if there are none. */
    final @Nullable SwitchHooks hooks;

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

    private final boolean lateUnmount;

    /** Stacks that are mounted on top of another one. */
    private int mountedOnTop;

    /** What a worker threw that was not entered by the root frame. */
    private @Nullable Throwable brokeOnTop;

    /** Of a cord of a scheduler. */
    final @Nullable TaskQueue tasks;

    /** It had nothing to do, and has not taken a task since. */
    private boolean wasIdle;

    private volatile Activity activity = Activity.ASLEEP;

    /** Up to the last look: what came since is LOOK_EVERY - looksAfter, so no switch is counted. */
    private long switches;

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

    CordLoop(CordOptions options, Seam seam, @Nullable Scheduler scheduler) {
        this.tasks = scheduler == null ? null : new TaskQueue(scheduler, self());
        this.seam = seam;
        this.orderSeeded = seam.isOrderSeeded();
        this.inTurns = seam.isInTurns();
        this.marked = inTurns; // for ever: it never looks by itself
        this.watch = options.watch();
        this.slices = new Slices(self(), watch.sliceLimits());
        this.switchHooks = options.switchHooks();
        this.hooks = SwitchHooks.of(self(), switchHooks);
        this.onVirtualThreads = options.stacks() == StackKind.VIRTUAL_THREAD;
        this.lateUnmount =
                options.lateUnmount()
                        && !orderSeeded
                        && !onVirtualThreads
                        && !inTurns
                        && hooks == null
                        && !FiberTimes.ON
                        && !FiberTraces.ON;
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
            Ticker.INSTANCE.add(self(), watch);
            Ticker.INSTANCE.cordBecameBusy();
        }
        if (hooks != null) {
            hooks.begin(switchHooks, root());
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
        if (hooks != null) {
            hooks.showThreadsOwn();
        }
        CurrentCord.remove();
        current = null;
    }

    /** What runs from now on runs as no fiber; returns the one that ran. */
    final @Nullable Fiber<?> takeRunning() {
        Fiber<?> ran = running;
        running = null;
        return ran;
    }

    final void setRunning(@Nullable Fiber<?> fiber) {
        running = fiber;
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
        if (brokeOnTop != null) {
            throw FiberAwait.<RuntimeException>sneaky(brokeOnTop);
        }
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

    // ---------------------------------------------------------------- late unmount

    /*
     * Late unmount (rule F18). A fiber that gives way leaves its stack mounted as long as the head of
     * the run queue can be entered on top of it; when that gives way in turn, control is back here:
     *
     *   the head is this fiber      it takes its entry and goes on: it never left its stack
     *   the head is not mounted     it is entered on top; one that has no stack gets a new worker,
     *                               which ends with it rather than being kept: to end costs less
     *                               than to leave
     *   the head is mounted below, too many are mounted, or nothing is runnable
     *                               this fiber leaves its stack, and the frame below looks again
     *
     * Entries are taken in the order of the queue, so nothing changes but the cost: two fibers that
     * wake each other pay one half of a switch for each. What a fiber holds that belongs to a stack
     * (a monitor) is lost when something below it leaves; hence it is an option.
     *
     * A stack that turns out to be pinned when it has to be left late cannot let others go first: a
     * fiber that has its value goes on with it out of turn; one that has none gets the pinned error.
     */

    /** Stacks mounted on each other; more would only be unmounted again, in a ring for one. */
    private static final int MOST_MOUNTED = 4;

    /** A fiber that waits, or is in the run queue, gives way; returns when it is to go on. */
    final void giveWay(Stack own, Fiber<?> fiber) {
        if (lateUnmount) {
            giveWayLate(own, fiber);
        } else {
            own.leave();
        }
    }

    boolean leavesLate() {
        return lateUnmount;
    }

    private void giveWayLate(Stack own, Fiber<?> fiber) {
        boolean wasBelow = false;
        for (Fiber<?> head = headOnTopOf(own); head != null; head = headOnTopOf(own)) {
            if (head == fiber) {
                goOn(own, fiber);
                return;
            }
            wasBelow = true;
            enterOnTop(own, head);
        }
        try {
            own.leave();
        } catch (Throwable pinned) { // or too large to be copied
            if (!wasBelow || !fiber.isQueued()) {
                mounted = own;
                running = fiber;
                throw pinned;
            }
            runQueue.bringToHead(fiber);
            goOn(own, fiber);
        }
    }

    private void goOn(Stack own, Fiber<?> fiber) {
        runQueue.take();
        fiber.beforeEnter();
        mounted = own;
        running = fiber;
    }

    /** The head, if it can go on without this stack being left. */
    private @Nullable Fiber<?> headOnTopOf(Stack own) {
        running = null;
        if (--looksAfter <= 0 || marked) {
            lookInTurn();
        }
        Fiber<?> head = runQueue.peek();
        if (head == null || brokeOnTop != null) {
            return null;
        }
        Stack stack = head.stack();
        boolean canEnter = mountedOnTop < MOST_MOUNTED - 1 && (stack == null || !stack.isMounted());
        return stack == own || canEnter ? head : null;
    }

    private void enterOnTop(Stack own, Fiber<?> head) {
        runQueue.take();
        Stack stack = head.stack();
        if (stack == null) {
            stack = new LightStack(worker);
            handedOver = head;
        } else {
            head.beforeEnter();
            running = head;
        }
        mounted = stack;
        mountedOnTop++;
        try {
            stack.enter();
        } catch (Throwable broken) {
            brokeOnTop = broken; // the root frame's, not this fiber's
        }
        mountedOnTop--;
        mounted = own;
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
            if (closingStacks || mountedOnTop > 0 || idleStacks.size() == MOST_IDLE_STACKS) {
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
            from.scheduler.crew.wakeSleeperIfWaiting();
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
            Fiber<?> fiber = takeEntry();
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

    private @Nullable Fiber<?> takeEntry() {
        if (orderSeeded && runQueue.size() > 1) {
            runQueue.swapToHead(seam.nextInt(runQueue.size()));
        }
        return runQueue.take();
    }

    /**
     * Counts a switch that needed no other stack, and looks if it is time; true if it is time but
     * the caller has to give way to the root frame for it, because a look runs what may block.
     */
    boolean isLookDueAfterSwitch() {
        if (--looksAfter <= 0 || marked) {
            if (onVirtualThreads || inTurns) {
                return true;
            }
            lookInTurn();
        }
        return false;
    }

    /** So that fibers which wake each other for ever do not keep tasks out. */
    private void lookInTurn() {
        look();
        Fiber<?> interrupted = running;
        if (tasks != null && (interrupted != null || hasRunnable())) {
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
        if (hooks == null) {
            messages += inbox.drain(INBOX_BATCH);
        } else if (!inbox.isEmpty()) {
            drainWithout(hooks, interrupted);
        }
        if (!timers.isEmpty()) {
            timers.fireDue(seam.nanoTime());
        }
        mostRunnable = Math.max(mostRunnable, runQueue.size());
        running = interrupted;
    }

    /** Messages are no fiber's, and see no fiber's context. */
    private void drainWithout(SwitchHooks context, @Nullable Fiber<?> interrupted) {
        if (interrupted != null) {
            context.keep(interrupted);
        }
        context.showThreadsOwn();
        messages += inbox.drain(INBOX_BATCH);
        if (interrupted != null) {
            context.show(interrupted);
        }
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
            wakeForRest();
            return;
        }
        if (hooks != null) {
            hooks.showThreadsOwn();
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
        wakeForRest();
    }

    /** It may run fibers for long before it takes the task that was placed here meanwhile. */
    private void wakeForRest() {
        if (tasks != null && hasRunnable() && tasks.isWaiting()) {
            wakeAnother(tasks);
        }
    }

    private void setAsleep(boolean on) {
        activity = on ? Activity.ASLEEP : Activity.BUSY;
        if (tasks != null) {
            tasks.scheduler.crew.countSleeper(on);
        }
    }

    /** Read after the cord has been marked as asleep: who gives it work does so before it looks. */
    private boolean hasWork() {
        return !inbox.isEmpty() || (tasks != null && tasks.isAnyWaiting());
    }

    private void reportDeadlock() {
        DeadlockException deadlock = new DeadlockException(DeadlockReport.of(List.of(self())));
        if (root().isEnding()) {
            throw deadlock; // nobody is left to tell but the caller of run
        }
        root().raiseHere(deadlock);
        if (!hasRunnable()) {
            throw deadlock; // a shield holds it off, for ever
        }
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

    // ---------------------------------------------------------------- in turns with other cords

    /** What a cord could do next if it had a thread for itself. */
    private enum Turn {
        FIBER,
        MESSAGE,
        TIMERS,
        END
    }

    private boolean can(Turn turn) {
        return switch (turn) {
            case FIBER -> hasRunnable();
            case MESSAGE -> !inbox.isEmpty();
            case TIMERS -> isTimerDue();
            case END -> root().outcome() != null && !hasRunnable();
        };
    }

    private boolean isTimerDue() {
        Timer next = timers.earliest();
        return next != null && next.deadlineNs - seam.nanoTime() <= 0;
    }

    /** Whether there is anything to do before time passes or somebody sends a message. */
    final boolean hasTurn() {
        return hasRunnable() || !inbox.isEmpty() || isTimerDue() || can(Turn.END);
    }

    /**
     * Does one thing of those that there are to do; which one is drawn from the seed. One message
     * at a time, for a thread that looks may see the first and not yet the second.
     *
     * @return false if it has come to its end, which is its driver's to carry out
     */
    final boolean takeTurn() {
        Turn turn = drawTurn();
        switch (turn) {
            case FIBER ->
                    asCurrent(() -> enter(Objects.requireNonNull(takeEntry(), "runnable fiber")));
            case MESSAGE -> asCurrent(() -> inbox.drain(1));
            case TIMERS -> asCurrent(() -> timers.fireDue(seam.nanoTime()));
            case END -> {}
        }
        return turn != Turn.END;
    }

    private Turn drawTurn() {
        Turn drawn = null;
        int seen = 0;
        for (Turn each : TURNS) {
            if (can(each) && seam.nextInt(++seen) == 0) {
                drawn = each;
            }
        }
        return Objects.requireNonNull(drawn, "no turn");
    }

    /** The calling thread is this cord meanwhile, and no fiber runs there. */
    final void asCurrent(Runnable code) {
        CurrentCord.set(self());
        loopThread = Thread.currentThread();
        current = loopThread;
        try {
            code.run();
        } finally {
            current = null;
            CurrentCord.remove();
        }
    }

    /** The earliest timer that is armed. */
    final @Nullable Timer earliestTimer() {
        return timers.earliest();
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

    /** What is told to the users of a cord that has ended must not wait as the fiber that tells. */
    final void asNoFiber(Runnable telling) {
        Fiber<?> interrupted = running;
        running = null;
        try {
            telling.run();
        } finally {
            running = interrupted;
        }
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

    /**
     * By the ticker: asks for a look at the next switch. True if the mark that it set before is
     * still there, so that there has been no switch since.
     */
    boolean mark() {
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
        return looks * (2 * LOOK_EVERY) - looksAfter;
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
        return seam.isVirtual();
    }

    final void checkLoop() {
        runQueue.checkInvariants();
        timers.checkInvariants();
    }
}
