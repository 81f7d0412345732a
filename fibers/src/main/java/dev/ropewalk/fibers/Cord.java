package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * A thread that owns a run queue, timers, an inbox, a reactor, and the fibers pinned to it.
 *
 * <p>{@link #run} makes the calling thread a cord until its body has ended; {@link #start} gives a
 * cord a thread of its own. Fibers of one cord never run at the same time, so they share data
 * without locks. A cord ends when its root fiber has ended, and with it all fibers below it.
 *
 * <p>{@link #spin}, {@link #execute}, {@link #post}, {@link #awaitEnd} and {@link #close} work from
 * any thread; what the caller did before happens before the fiber or message runs.
 */
public final class Cord extends CordLoop implements AutoCloseable, Executor {
    private static final Logger LOG = LoggerFactory.getLogger(Cord.class);

    private final CordOptions options;
    private final Fiber<?> root;

    private final Guests guests = new Guests();

    /**
     * Fibers that others spun before the initialiser was done: children or guests that are not in
     * the run queue yet; null once it is done.
     */
    private @Nullable Set<Fiber<?>> held;

    private volatile boolean isInitialised;

    final CordEnd end = new CordEnd();
    private volatile @Nullable Thread ownThread;

    /** Somebody has the root's outcome, so its failure is told to nobody else. */
    private volatile boolean isRootTaken;

    private Cord(
            CordOptions options,
            Seam seam,
            @Nullable Callable<?> body,
            @Nullable Scheduler scheduler) {
        super(options, seam, scheduler);
        this.options = options;
        Callable<?> work = body == null ? this::serve : body;
        Action initialiser = options.initialiser();
        this.held = initialiser == null ? null : new LinkedHashSet<>();
        this.isInitialised = initialiser == null;
        Callable<?> all = initialiser == null ? work : () -> initialiseAndCall(initialiser, work);
        this.root = new Fiber<>(this, null, "root", all, null);
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
     * @throws FiberFailedException if the initialiser or the body threw, or a fiber that nobody
     *     awaited
     * @throws IllegalStateException as {@link #run(Callable)}
     * @throws IllegalArgumentException if there is a thread factory, or this thread cannot have the
     *     CPUs
     * @throws UnsupportedOperationException if CPUs are given, and the system is not Linux
     */
    public static <T extends @Nullable Object> T run(
            CordOptions options, Callable<? extends T> body) {
        return run(options, body, null);
    }

    /** The calling thread is one of the scheduler's cords until the body has ended. */
    @SuppressWarnings("unchecked") // the root fiber runs the body
    static <T extends @Nullable Object> T run(
            CordOptions options, Callable<? extends T> body, @Nullable Scheduler scheduler) {
        Objects.requireNonNull(body, "body");
        if (options.thread().factory() != null) {
            throw new IllegalArgumentException(
                    "cord "
                            + options.name()
                            + " has a thread factory, but Cord.run makes no thread: the calling one"
                            + " becomes the cord; use Cord.start, or leave the factory out");
        }
        // Before anything of a cord is made: its fields need what the flags open.
        JvmFlags.check();
        CallerCheck.check();
        Seam seam = Seam.of(options.clock(), Thread.currentThread());
        Cord cord = new Cord(options, seam, body, scheduler);
        CordThread.onCallersCpus(options, cord::loop);
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
     * Starts a cord on a thread of its own, with options. With a thread factory or CPUs this blocks
     * the calling thread for a moment, until the new one has answered.
     *
     * @param options how the cord is made
     * @return the cord
     * @throws IllegalArgumentException if the clock is virtual: such a cord needs its caller; if
     *     the thread factory gives no proper thread; if the thread cannot have its CPUs
     * @throws UnsupportedOperationException if CPUs are given, and the system is not Linux
     * @throws IllegalStateException if the JVM was started without the flags
     */
    public static Cord start(CordOptions options) {
        return launch(options, null, null);
    }

    static Cord start(CordOptions options, Scheduler scheduler) {
        return launch(options, null, scheduler);
    }

    /**
     * Starts a cord on a thread of its own that runs the body as its root fiber and ends with it.
     *
     * <p>Who awaits the root fiber gets the body's result or failure when all fibers of the cord
     * have ended; the cord is its {@link Fiber#cord}. The root has no parent. A failure that nobody
     * has begun to await when the cord has ended goes to the uncaught handler; who awaits it later
     * gets it as well. Leaving the wait for it leaves the cord as it is: a caller that is to take
     * the cord with it, when it fails or is terminated, closes it, for which {@code try (Cord cord
     * = root.cord())} is enough.
     *
     * @param <T> the type of the result
     * @param options how the cord is made
     * @param body what the root fiber runs
     * @return the root fiber
     * @throws IllegalArgumentException as {@link #start(CordOptions)}
     * @throws UnsupportedOperationException if CPUs are given, and the system is not Linux
     * @throws IllegalStateException if the JVM was started without the flags
     */
    @SuppressWarnings("unchecked") // the root fiber runs the body
    public static <T extends @Nullable Object> Fiber<T> start(
            CordOptions options, Callable<? extends T> body) {
        return (Fiber<T>) launch(options, Objects.requireNonNull(body, "body"), null).root;
    }

    private static Cord launch(
            CordOptions options, @Nullable Callable<?> body, @Nullable Scheduler scheduler) {
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
        Seam seam = Seam.of(options.clock(), thread.thread());
        Cord cord = new Cord(options, seam, body, scheduler);
        if (body == null) {
            cord.root.isolateChildren();
        }
        cord.ownThread = thread.thread();
        if (scheduler == null) {
            thread.start(cord::loop);
        } else {
            startFor(scheduler, cord, thread);
        }
        return cord;
    }

    private static void startFor(Scheduler scheduler, Cord cord, CordThread thread) {
        scheduler.enter(cord);
        boolean isStarted = false;
        try {
            thread.start(cord::loop);
            isStarted = true;
        } finally {
            if (!isStarted) {
                scheduler.forget(cord);
            }
        }
    }

    /**
     * A cord that shares the calling thread with others. With a body it ends with it; without one
     * it is like a started cord, which serves until it is closed.
     */
    static Cord inTurns(CordOptions options, Seam seam, @Nullable Callable<?> body) {
        Cord cord = new Cord(options, seam, body, null);
        if (body == null) {
            cord.root.isolateChildren();
            cord.ownThread = Thread.currentThread();
        }
        cord.enqueue(cord.root, Handler.START);
        return cord;
    }

    /** It has come to its end, and nobody is current. */
    void endInTurns() {
        try {
            if (Checks.ON) {
                checkInvariants();
            }
        } finally {
            end();
        }
    }

    /** It broke, or nothing on it can ever run again. */
    void breakInTurns(Throwable why) {
        LOG.error("{} broke; its fibers are lost", this, why);
        try {
            asCurrent(() -> loseAll("its cord broke: " + why));
        } finally {
            end();
        }
    }

    /** The root fiber's body; the initialiser is left out when the root is restarted later. */
    private @Nullable Object initialiseAndCall(Action initialiser, Callable<?> work)
            throws Exception {
        Set<Fiber<?>> toStart = held;
        if (toStart != null) {
            initialiser.run();
            held = null;
            isInitialised = true;
            for (Fiber<?> fiber : toStart) {
                if (fiber.outcome() == null) { // else it was abandoned meanwhile
                    enqueue(fiber, Handler.START);
                }
            }
        }
        return work.call();
    }

    /** The root fiber of a started cord: waits for the end, while others spin below it. */
    private @Nullable Object serve() {
        for (; ; ) {
            Waits.park("the cord's end");
        }
    }

    /**
     * Terminates the fibers of a started cord and waits until it has ended, each fiber within the
     * stop limit; who does not end is abandoned and reported. Closing twice is harmless. From a
     * fiber of another cord this is a switchpoint, and a shielded one: also a fiber that is being
     * terminated waits for the end.
     *
     * @throws IllegalStateException if called by a fiber of this cord, or on a cord made by {@code
     *     run}, which ends with its body, or on a scheduler's, which ends with that
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
        if (tasks != null) {
            throw new IllegalStateException(
                    this + " belongs to " + tasks.scheduler + " and ends with it; close that");
        }
        root.terminate();
        Fiber<?> closer = Fiber.currentOrNull();
        if (closer == null) {
            end.await("the end of " + this, Long.MAX_VALUE);
        } else {
            // Closing is clean-up: a closer that is being terminated must not leave a thread
            // behind.
            closer.shielded(() -> end.await("the end of " + this, Long.MAX_VALUE));
        }
    }

    /**
     * Waits until this cord has ended, with all its fibers, or the limit passes. Ends nothing: that
     * is {@link #close}. Works from any thread; for a fiber of another cord it is a switchpoint,
     * and terminating or cancelling that fiber ends the wait and leaves this cord as it is.
     *
     * @param limit how long to wait; {@link Waits#FOREVER} for no limit
     * @return false if the limit passed
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws DeadlockException if called on this cord, which would wait for its own end
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public boolean awaitEnd(Duration limit) {
        long limitNanos = Waits.nanos(limit);
        if (isCurrent()) {
            throw new DeadlockException(
                    this
                            + " would wait for its own end, which comes after that of all its"
                            + " fibers; wait on another thread or cord");
        }
        return end.await("the end of " + this, limitNanos);
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

    /**
     * Spins a fiber that runs the task, from anywhere: as an {@link Executor}, a cord runs what
     * {@code CompletableFuture.supplyAsync} and others give it, and the task may wait. The fiber is
     * a child of the cord's root fiber whoever calls, so it ends with the cord, not with the
     * caller. What the task throws, and a task that the cord ended before it could start, goes to
     * the uncaught handler and cancels nobody. Tasks of one caller start in the order given.
     *
     * @param task what the fiber runs
     * @throws RejectedExecutionException if the cord has ended, or the calling fiber's own cord is
     *     about to
     */
    @Override
    public void execute(Runnable task) {
        Fiber<?> fiber = new Fiber<>(this, root, "task", new CordTask(task), null);
        boolean isHere = isCurrent();
        if (inbox.isClosed() || (isHere && root.isEnding())) {
            throw new RejectedExecutionException(
                    this
                            + (isHere ? " is ending" : " has ended")
                            + " and cannot run "
                            + FiberCore.textOf(task));
        }
        if (isHere) {
            start(fiber, true);
        } else {
            send(FiberMessages.start(fiber, true));
        }
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
            return;
        }
        if (enterIntoRoot) {
            root.children().add(fiber);
        } else {
            addGuest(fiber);
        }
        if (held == null) {
            enqueue(fiber, Handler.START);
        } else {
            held.add(fiber);
        }
    }

    /**
     * An unstarted fiber was raised into: its body never runs, so it is held no longer. Once the
     * root is ending, all that are held are refused.
     */
    void startIfHeld(Fiber<?> fiber) {
        if (held != null && !root.isEnding() && held.remove(fiber)) {
            enqueue(fiber, Handler.START);
        }
    }

    /** A task becomes a fiber of this cord. */
    void enter(Fiber<?> task) {
        Fiber<?> parent = task.parentOrNull();
        if (parent == null) {
            task.setParentOfOwnerless(root);
            root.children().add(task);
        } else if (parent.cord != this) {
            guests.add(task);
        }
        enqueue(task, Handler.START);
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

    /** {@return the cord of this thread, null if it is none} */
    public static @Nullable Cord currentOrNull() {
        Cord cord = CurrentCord.ofCarrier();
        return cord == null || cord.isCurrent() ? cord : null;
    }

    /**
     * {@return the living fiber of this cord with the given number; null if there is none}
     *
     * @param id its {@link Fiber#id}
     * @throws WrongThreadException if called on another thread than the cord's
     */
    public @Nullable Fiber<?> find(long id) {
        root.checkCord("find among the fibers of");
        for (Fiber<?> each : fibers()) {
            if (each.id() == id && each.outcome() == null) {
                return each;
            }
        }
        return null;
    }

    // ---------------------------------------------------------------- looking inside

    /**
     * Like {@link #dump(Duration)}, with a limit of one second.
     *
     * @return what this cord and its fibers are doing
     */
    public CordDump dump() {
        return dump(CordDumps.LIMIT);
    }

    /**
     * Tells what this cord and its fibers are doing: the tree of the fibers, what each waits for,
     * and stacks. Works from any thread. On this cord it is taken at once; from elsewhere the cord
     * is asked by a message, and the call waits for its answer, for a fiber at a switchpoint. A
     * cord that does not answer within the limit is shown from outside, as far as that goes. The
     * fibers stand while it is taken, and all are looked at: the more there are, the longer.
     *
     * @param limit how long to wait for the answer
     * @return the dump, see {@link CordDump#state}
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if this thread is another cord, and no fiber runs there now
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public CordDump dump(Duration limit) {
        return CordDumps.of(List.of(this), limit).getFirst();
    }

    /**
     * {@return the cord's counters} Works from any thread and never waits: on this cord the numbers
     * are exact; from elsewhere they are hints, each by itself, also while the cord is stuck.
     * Reading on this cord begins a new {@link CordStats#mostRunnable}.
     */
    public CordStats stats() {
        CordStats stats = readStats();
        if (isCurrent()) {
            forgetMostRunnable();
        }
        return stats;
    }

    /**
     * {@return the fibers that ran longest, the first one first; of a cord that has ended none}
     * Works from any thread; from elsewhere the cord is asked by a message, for at most a second.
     *
     * @param most how many at most
     * @throws IllegalStateException if the JVM was started without {@code
     *     -Dropewalk.fiberTimes=true}, or if this thread is another cord, and no fiber runs there
     *     now
     * @throws IllegalArgumentException if {@code most} is not positive
     * @throws TimeoutException if the cord does not answer: its thread is stuck in a fiber
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public List<FiberTime> top(int most) {
        return CordDumps.top(this, most, CordDumps.LIMIT);
    }

    /** {@return the cord's name} */
    public String name() {
        return options.name();
    }

    @Override
    public String toString() {
        return "cord " + options.name();
    }

    // ---------------------------------------------------------------- its life

    private void loop() {
        try {
            runFibers();
        } catch (Throwable broken) {
            LOG.error("{} broke; its fibers are lost", this, broken);
            loseAll("its cord broke: " + broken);
            throw broken;
        } finally {
            end();
        }
    }

    private void loseAll(String why) {
        Fiber<?> ran = takeRunning();
        if (ran != null) {
            ran.lose(why);
        }
        root.lose(why);
        guests.copy().forEach(guest -> guest.lose(why));
    }

    private void end() {
        try {
            stopRunning();
        } finally {
            try {
                if (tasks != null) {
                    tasks.scheduler.leave(tasks);
                }
            } finally {
                tellEnd();
            }
        }
    }

    private void tellEnd() {
        try {
            refuseHeld();
            inbox.close();
        } finally {
            try {
                seam.close();
            } finally {
                reportRoot();
                end.tell();
            }
        }
    }

    private void refuseHeld() {
        if (held == null) {
            return;
        }
        List<Fiber<?>> refused = List.copyOf(held);
        held.clear(); // not null: a restarted root runs the initialiser again
        for (Fiber<?> fiber : refused) {
            Fiber<?> parent = fiber.parentOrNull();
            if (fiber.outcome() == null) { // else it was abandoned meanwhile
                fiber.refuseStart(fiber + " was not started: " + this + " has ended");
            }
            if (parent != null && parent.cord == this) {
                parent.childEnded(fiber, null); // what it failed with is told already
            }
        }
    }

    /** The last moment at which somebody could have begun to await a root that no fiber spun. */
    private void reportRoot() {
        Outcome<?> outcome = root.outcome();
        if (ownThread != null && outcome != null && !isRootTaken) {
            FiberFailedException untaken = outcome.untaken(root);
            if (untaken != null) {
                reportUntaken(root, untaken);
            }
        }
    }

    /** Somebody has the outcome of the fiber; from any thread. */
    void noteTaken(Fiber<?> fiber) {
        if (fiber == root) {
            isRootTaken = true;
        }
    }

    @Override
    Cord self() {
        return this;
    }

    // ---------------------------------------------------------------- guests

    boolean hasGuestsOf(Fiber<?> fiber) {
        return fiber == root && !guests.isEmpty();
    }

    void terminateGuestsOf(Fiber<?> fiber) {
        if (fiber == root) {
            refuseHeld(); // they are below it, and never run
            guests.copy().forEach(Fiber::terminate);
        }
    }

    void abandonGuestsOf(Fiber<?> fiber, String why) {
        if (fiber == root) {
            guests.copy().forEach(guest -> guest.abandonGuest(why));
        }
    }

    /** From any thread. */
    boolean isInitialised() {
        return isInitialised;
    }

    /** Living fibers of this cord that came as tasks of its scheduler. */
    List<Fiber<?>> tasksHere() {
        return fibers().stream()
                .filter(each -> each.placement != null && each.outcome() == null)
                .toList();
    }

    /** All of this cord that are below its root, or guests, or below those; parents first. */
    List<Fiber<?>> fibers() {
        List<Fiber<?>> all = new ArrayList<>(guests.copy());
        all.add(root);
        for (int i = 0; i < all.size(); i++) {
            Fiber<?> child = all.get(i).firstChild();
            for (; child != null; child = child.nextSibling) {
                if (child.cord == this) {
                    all.add(child);
                }
            }
        }
        return all;
    }

    /** Those that are below no other fiber of this cord. */
    List<Fiber<?>> topFibers() {
        List<Fiber<?>> tops = new ArrayList<>();
        tops.add(root);
        tops.addAll(guests.copy());
        return tops;
    }

    @Nullable Thread ownThread() {
        return ownThread;
    }

    void addGuest(Fiber<?> guest) {
        guests.add(guest);
    }

    void removeGuest(Fiber<?> guest) {
        guests.remove(guest);
        root.wakeIfAlone();
    }

    @Override
    Fiber<?> root() {
        return root;
    }

    // ---------------------------------------------------------------- reports

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
        if (tasks != null && failure instanceof FiberAbandonedException) {
            tasks.scheduler.noteAbandoned(fiber);
        }
        try {
            options.uncaught().uncaught(fiber, failure);
        } catch (Throwable broken) {
            LOG.error("the uncaught handler of {} failed for {}", this, fiber, broken);
        }
    }

    void checkInvariants() {
        checkLoop();
        guests.checkInvariants();
        root.checkInvariants();
    }
}
