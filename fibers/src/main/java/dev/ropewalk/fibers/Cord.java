package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A thread that owns a run queue, timers, an inbox, a reactor, and the fibers pinned to it.
 *
 * <p>{@link #run} makes the calling thread a cord until its body has ended; {@link #start} gives a
 * cord a thread of its own. Fibers of one cord never run at the same time, so they share data
 * without locks. A cord ends when its root fiber has ended, and with it all fibers below it.
 *
 * <p>{@link #spin}, {@link #post} and {@link #close} work from any thread; what the caller did
 * before happens before the fiber or message runs.
 */
public final class Cord implements AutoCloseable {
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
     * A look (inbox, timers) comes after LOOK_EVERY switches or at the first switch after the
     * ticker's mark, whatever wakes whom; see the constants. Rejected: looking only when the run
     * queue is empty, which starves timers beside two fibers that wake each other.
     */

    /** Switches between two looks: bounds how late a timer is, and makes a look's cost small. */
    static final int LOOK_EVERY = 128;

    /** Messages taken from the inbox in one look, so that a flood of them cannot starve fibers. */
    private static final int INBOX_BATCH = 1_024;

    /** Idle workers kept for reuse. */
    private static final int MOST_IDLE_STACKS = 256;

    /** Looks at the inbox before the thread sleeps; about as long as a sleep and wake-up take. */
    private static final int IDLE_SPINS = 200;

    private static final Logger LOG = LoggerFactory.getLogger(Cord.class);

    private final CordOptions options;
    private final Seam seam;
    private final RunQueue runQueue = new RunQueue();
    private final Timers timers = new Timers();
    private final Inbox inbox = new Inbox();
    private final Fiber<?> root;
    private final ArrayDeque<Stack> idleStacks = new ArrayDeque<>();

    /** Fibers here whose parents are on other cords: they end with this cord too. */
    private final Set<Fiber<?>> guests = new LinkedHashSet<>();

    private final Queue<Waiter> endWaiters = new ConcurrentLinkedQueue<>();
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

    private boolean closingStacks;

    private volatile boolean busy;
    private volatile boolean over;
    private volatile @Nullable Thread ownThread;

    private Cord(CordOptions options, Thread thread, @Nullable Callable<?> body) {
        this.options = options;
        this.seam =
                switch (options.clock()) {
                    case CordOptions.RealClock() -> new RealSeam(thread);
                    case CordOptions.VirtualClock(long seed, boolean seededOrder) ->
                            new VirtualSeam(seed, seededOrder);
                };
        this.orderSeeded = seam.isOrderSeeded();
        this.onVirtualThreads = options.stacks() == StackKind.VIRTUAL_THREAD;
        this.root = new Fiber<>(this, null, "root", body == null ? this::serve : body, null);
    }

    // ---------------------------------------------------------------- making and ending

    /**
     * Makes the calling thread a cord, runs the body as its root fiber, and returns when the body
     * and all fibers below it have ended.
     *
     * @param <T> the type of the result
     * @param body what the root fiber runs
     * @return what the body returned
     * @throws FiberFailedException if the body threw, or a fiber that nobody awaited
     * @throws IllegalStateException if the thread is a cord already, is virtual, holds a monitor,
     *     or the JVM was started without the flags
     */
    public static <T extends @Nullable Object> T run(Callable<? extends T> body) {
        return run(CordOptions.named(Thread.currentThread().getName()), body);
    }

    /**
     * Like {@link #run(Callable)}, without a result.
     *
     * @param body what the root fiber runs
     */
    public static void run(Action body) {
        run(Fiber.callable(body));
    }

    /**
     * Like {@link #run(Callable)}, with options.
     *
     * @param <T> the type of the result
     * @param options how the cord is made; the stack size is the calling thread's
     * @param body what the root fiber runs
     * @return what the body returned
     */
    @SuppressWarnings("unchecked") // the root fiber runs the body
    public static <T extends @Nullable Object> T run(
            CordOptions options, Callable<? extends T> body) {
        Objects.requireNonNull(body, "body");
        // Before anything of a cord is made: its fields need what the flags open.
        JvmFlags.check();
        CallerCheck.check();
        Cord cord = new Cord(options, Thread.currentThread(), body);
        cord.loop();
        return (T) cord.root.await();
    }

    /**
     * Starts a cord on a thread of its own. It runs what is spun on it until it is closed.
     *
     * @param name the cord's and its thread's name
     * @return the cord
     * @throws IllegalStateException if the JVM was started without the flags
     */
    public static Cord start(String name) {
        return start(CordOptions.named(name));
    }

    /**
     * Starts a cord on a thread of its own, with options.
     *
     * @param options how the cord is made
     * @return the cord
     * @throws IllegalArgumentException if the clock is virtual: such a cord needs its caller
     * @throws IllegalStateException if the JVM was started without the flags
     */
    public static Cord start(CordOptions options) {
        if (options.clock() instanceof CordOptions.VirtualClock) {
            throw new IllegalArgumentException(
                    "cord "
                            + options.name()
                            + ": clock="
                            + options.clock()
                            + " needs Cord.run; a cord with a thread of its own keeps real time");
        }
        JvmFlags.check();
        CordThread thread = new CordThread(options);
        Cord cord = new Cord(options, thread, null);
        cord.root.isolateChildren();
        cord.ownThread = thread;
        thread.cord = cord;
        thread.start();
        return cord;
    }

    /** The root fiber of a started cord: waits for the end, while others spin below it. */
    private @Nullable Object serve() {
        for (; ; ) {
            Waits.park("the cord's end");
        }
    }

    private static final class CordThread extends Thread {
        private @Nullable Cord cord;

        CordThread(CordOptions options) {
            super(null, null, options.name(), options.stackSize());
        }

        @Override
        public void run() {
            Objects.requireNonNull(cord, "cord").loop();
        }
    }

    /**
     * Terminates the fibers of a started cord and waits until it has ended, each fiber within the
     * stop limit; who does not end is abandoned and reported. Closing twice is harmless. From a
     * fiber of another cord this is a switchpoint, and a shielded one: also a fiber that is being
     * terminated waits for the end.
     *
     * @throws IllegalStateException if called by a fiber of this cord, or on a cord made by {@code
     *     run}, which ends with its body
     */
    @Override
    public void close() {
        if (isCurrent()) {
            throw new IllegalStateException(
                    this + " cannot wait for its own end; close it from another thread or cord");
        }
        Thread thread = ownThread;
        if (thread == null) {
            throw new IllegalStateException(
                    this + " was made by Cord.run and ends when its body ends; end the body");
        }
        root.terminate();
        Waiter end = new Waiter();
        endWaiters.add(end);
        if (over) {
            return;
        }
        Fiber<?> closer = Fiber.currentOrNull();
        if (closer == null) {
            end.await("the end of " + this);
        } else {
            // Closing is clean-up: a closer that is being terminated must not leave a thread
            // behind.
            closer.shielded(() -> end.await("the end of " + this) == null);
        }
    }

    // ---------------------------------------------------------------- spinning and messages

    /**
     * Spins a fiber on this cord, from anywhere. Its parent is the calling fiber, whatever cord
     * that is on; from a plain thread it is the cord's root fiber.
     *
     * @param <T> the type of the result
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     * @throws CordClosedException if the cord has ended; if it ends before the fiber starts, the
     *     fiber's await throws it
     */
    public <T extends @Nullable Object> Fiber<T> spin(String name, Callable<? extends T> body) {
        Objects.requireNonNull(body, "body");
        return spinHere(name, body, null);
    }

    /**
     * Like {@link #spin(String, Callable)}, without a result.
     *
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     */
    public Fiber<@Nullable Void> spin(String name, Action body) {
        return spinHere(name, Fiber.callable(body), null);
    }

    /**
     * Spins a fiber that keeps no stack between its turns. Its first turn gets {@link
     * Handler#START}; the others are given by {@link Waits#resumeHandler}.
     *
     * @param name shown in reports; need not be unique
     * @param handler is called once per turn
     * @return the new fiber
     * @throws CordClosedException if the cord has ended
     */
    public Fiber<@Nullable Void> spinHandler(String name, Handler handler) {
        Objects.requireNonNull(handler, "handler");
        return spinHere(name, null, handler);
    }

    private <T extends @Nullable Object> Fiber<T> spinHere(
            String name, @Nullable Callable<? extends T> body, @Nullable Handler handler) {
        Objects.requireNonNull(name, "name");
        Fiber<?> spinner = Fiber.currentOrNull();
        Fiber<T> fiber = new Fiber<>(this, spinner == null ? root : spinner, name, body, handler);
        spinBelow(spinner, fiber);
        return fiber;
    }

    /** Starts a new fiber of this cord; called by its parent, or with null by a plain thread. */
    void spinBelow(@Nullable Fiber<?> spinner, Fiber<?> fiber) {
        if (spinner != null && spinner.cord == this) {
            spinner.adopt(fiber);
            return;
        }
        if (inbox.isClosed()) {
            throw new CordClosedException(this + " has ended and cannot run " + fiber);
        }
        if (spinner != null) {
            spinner.children().add(fiber);
        }
        send(FiberMessages.start(fiber, spinner == null));
    }

    /** A start message arrived. */
    void start(Fiber<?> fiber, boolean enterIntoRoot) {
        if (root.isEnding()) {
            fiber.refuseStart(fiber + " was not started: " + this + " is ending");
        } else if (enterIntoRoot) {
            root.adopt(fiber);
        } else {
            addGuest(fiber);
            enqueue(fiber, Handler.START);
        }
    }

    /**
     * Sends a message to this cord, from any thread. The cord is woken only if it sleeps.
     *
     * @param message runs on the cord, or is told that the cord has ended
     */
    public void post(CordMessage message) {
        send(message);
    }

    void send(CordMessage message) {
        inbox.add(message);
        seam.wakeUp();
    }

    /**
     * {@return the cord of this thread}
     *
     * @throws IllegalStateException if the thread is no cord
     */
    public static Cord current() {
        Cord cord = currentOrNull();
        if (cord == null) {
            throw new IllegalStateException(
                    Thread.currentThread() + " is no cord: call this inside Cord.run(...)");
        }
        return cord;
    }

    /**
     * {@return whether the calling thread runs this cord; cheaper than comparing {@link #current}}
     */
    public boolean isCurrent() {
        return Thread.currentThread() == current;
    }

    /** {@return the cord of this thread, null if it is none} */
    public static @Nullable Cord currentOrNull() {
        Cord cord = CurrentCord.ofCarrier();
        return cord == null || cord.isCurrent() ? cord : null;
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

    /**
     * {@return the living fiber of this cord with the given number; null if there is none}
     *
     * @param id its {@link Fiber#id}
     * @throws WrongThreadException if called on another thread than the cord's
     */
    public @Nullable Fiber<?> find(long id) {
        root.checkCord("find among the fibers of");
        ArrayDeque<Fiber<?>> toSee = new ArrayDeque<>(guests);
        toSee.add(root);
        for (Fiber<?> each = toSee.poll(); each != null; each = toSee.poll()) {
            if (each.id() == id && each.outcome() == null) {
                return each;
            }
            Fiber<?> child = each.firstChild();
            for (; child != null; child = child.nextSibling) {
                if (child.cord == this) {
                    toSee.add(child);
                }
            }
        }
        return null;
    }

    /** {@return the cord's name} */
    public String name() {
        return options.name();
    }

    @Override
    public String toString() {
        return "cord " + options.name();
    }

    // ---------------------------------------------------------------- the loop

    private void loop() {
        CurrentCord.set(this);
        loopThread = Thread.currentThread();
        current = loopThread;
        if (!seam.isVirtual()) {
            busy = true;
            Ticker.INSTANCE.add(this);
            Ticker.INSTANCE.cordBecameBusy();
        }
        try {
            enqueue(root, Handler.START);
            for (Fiber<?> fiber = next(); fiber != null; fiber = next()) {
                enter(fiber);
            }
        } catch (Throwable broken) {
            LOG.error("{} broke; its fibers are lost", this, broken);
            loseAll("its cord broke: " + broken);
            throw broken;
        } finally {
            end();
        }
    }

    private void loseAll(String why) {
        Fiber<?> ran = running;
        running = null;
        if (ran != null) {
            ran.lose(why);
        }
        root.lose(why);
        List.copyOf(guests).forEach(guest -> guest.lose(why));
    }

    private void end() {
        if (!seam.isVirtual()) {
            busy = false;
            Ticker.INSTANCE.remove(this);
        }
        endIdleStacks();
        CurrentCord.remove();
        current = null;
        try {
            inbox.close();
        } finally {
            seam.close();
            over = true;
            for (Waiter waiter = endWaiters.poll(); waiter != null; waiter = endWaiters.poll()) {
                waiter.give(null);
            }
        }
    }

    private void enter(Fiber<?> fiber) {
        Stack stack = fiber.stack();
        if (stack == null) {
            stack = idleStacks.poll();
            if (stack == null) {
                stack =
                        onVirtualThreads
                                ? new VirtualStack(this, this::work)
                                : new LightStack(this::work);
            }
            handedOver = fiber;
        } else {
            fiber.beforeEnter();
            running = fiber;
        }
        mounted = stack;
        if (onVirtualThreads) {
            enterVirtual((VirtualStack) stack);
        } else {
            stack.enter();
        }
        mounted = null;
        running = null;
    }

    private void enterVirtual(VirtualStack stack) {
        if (stack.isReady() && running != null) {
            runQueue.takeValue(); // it comes back from the JDK, and takes none
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
            if (blocked != null) {
                blocked.blockForeign(stack);
            }
        }
    }

    /** By message: a stack that was blocked in the JDK can go on. */
    void stackReady(VirtualStack stack, @Nullable Fiber<?> fiber) {
        if (fiber == null) {
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
                fiber.turn();
                if (own instanceof VirtualStack virtual) {
                    virtual.forgetFiber();
                }
                fiber = nextInline();
            }
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
        return head == null || head.stack() != null ? null : runQueue.take();
    }

    /** The next entry, waiting for one if need be; null when the root fiber has ended. */
    private @Nullable Fiber<?> next() {
        for (; ; ) {
            if (--looksAfter <= 0 || marked) {
                look();
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
            if (fiber != null) {
                return fiber;
            }
            if (root.outcome() != null) {
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
            look();
        }
        return false;
    }

    /** No fiber is current meanwhile, so a message cannot wait as the one that happened to run. */
    private void look() {
        looksAfter = LOOK_EVERY;
        marked = false;
        Fiber<?> interrupted = running;
        running = null;
        inbox.drain(INBOX_BATCH);
        if (!timers.isEmpty()) {
            timers.fireDue(seam.nanoTime());
        }
        running = interrupted;
    }

    private void idle() {
        look();
        if (hasRunnable() || !readyStacks.isEmpty()) {
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
        busy = false;
        seam.park(next != null, next == null ? 0 : next.deadlineNs, this::hasMessages);
        if (!seam.isVirtual()) {
            busy = true;
            Ticker.INSTANCE.cordBecameBusy();
        }
        look();
    }

    private boolean hasMessages() {
        return !inbox.isEmpty();
    }

    private void reportDeadlock() {
        DeadlockException deadlock = new DeadlockException(DeadlockReport.of(this, root));
        if (root.isEnding()) {
            throw deadlock; // nobody is left to tell but the caller of run
        }
        root.raiseHere(deadlock);
    }

    private boolean spinForWork() {
        for (int i = 0; i < IDLE_SPINS; i++) {
            if (!inbox.isEmpty()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    // ---------------------------------------------------------------- for fibers of this cord

    void enqueue(Fiber<?> fiber, @Nullable Object value) {
        runQueue.add(fiber, value);
    }

    void dequeue(Fiber<?> fiber) {
        runQueue.remove(fiber);
    }

    @Nullable Object takeValue() {
        return runQueue.takeValue();
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

    // ---------------------------------------------------------------- guests

    boolean hasGuestsOf(Fiber<?> fiber) {
        return fiber == root && !guests.isEmpty();
    }

    void terminateGuestsOf(Fiber<?> fiber) {
        if (fiber == root) {
            guests.forEach(Fiber::terminate);
        }
    }

    void abandonGuestsOf(Fiber<?> fiber, String why) {
        if (fiber == root) {
            List.copyOf(guests).forEach(guest -> guest.abandon(why));
        }
    }

    void addGuest(Fiber<?> guest) {
        guests.add(guest);
        guest.isGuest = true;
    }

    void removeGuest(Fiber<?> guest) {
        guest.isGuest = false;
        guests.remove(guest);
        root.wakeIfAlone();
    }

    Fiber<?> root() {
        return root;
    }

    // ---------------------------------------------------------------- timers and reports

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

    long stopLimitNs() {
        return Waits.nanos(options.stopLimit());
    }

    /** What neither awaiter nor parent takes; that a fiber was abandoned has been reported then. */
    void reportUntaken(Fiber<?> fiber, FiberFailedException untaken) {
        if (!(untaken instanceof FiberAbandonedException)) {
            reportUncaught(fiber, untaken);
        }
    }

    void reportUncaught(Fiber<?> fiber, Throwable failure) {
        try {
            options.uncaught().uncaught(fiber, failure);
        } catch (Throwable broken) {
            LOG.error("the uncaught handler of {} failed for {}", this, fiber, broken);
        }
    }

    boolean isBusy() {
        return busy;
    }

    /** By the ticker. */
    void mark() {
        marked = true;
    }

    boolean isVirtual() {
        return seam.isVirtual();
    }

    void checkInvariants() {
        runQueue.checkInvariants();
        timers.checkInvariants();
        root.checkInvariants();
    }
}
