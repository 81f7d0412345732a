package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;

/**
 * A group of cords over which tasks are spread (rule F15).
 *
 * {@snippet file="dev/ropewalk/fibers/SchedulerSnippetsTest.java" region="scheduler"}
 *
 * <p>A task is a fiber that has not started: it has no stack and no cord, so any cord of the group
 * may take it. From its start on it is a fiber of that cord and never moves. A task is placed on a
 * cord that looks for work, else on the next one in turn, and a cord without work steals from the
 * others. Tasks of one cord start in the order in which they were placed there; between cords there
 * is no order. What runs on different cords runs at the same time: share data as threads do, by
 * shared channels, by {@code fibers.sync} in its shared form, or not at all.
 *
 * <p>A task that a fiber spins is its child, whatever cord either runs on. One that a plain thread
 * spins belongs to nobody: what it throws and nobody awaits goes to the uncaught handler.
 *
 * <p>A thread of the user takes part while it is bound, see {@link #bind}. All methods work from
 * any thread but for what says otherwise; what the caller did before happens before the task runs.
 */
public final class Scheduler implements Executor, AutoCloseable {
    /*
     * Life: OPEN -> DRAINING -> STOPPING -> OVER, see state(from, to).
     *
     *   OPEN       anybody may spin
     *   DRAINING   its own fibers may still spin, so that what is being drained can finish
     *   STOPPING   the limit has passed: what is left is being terminated
     *   OVER       its cords have ended, or were left behind as stuck
     *
     * All is quiet when as many tasks have ended as were placed. Both are counted in stripes; a sum
     * of either only grows, and "ended" is summed first: if the sums are equal, then at the moment
     * between them every task that had been placed had ended.
     *
     * Rejected: one queue for all, on which every cord would write for every task; and the last in,
     * first out order of fork-join pools, in which old tasks may starve.
     */
    enum State {
        OPEN,
        DRAINING,
        STOPPING,
        OVER
    }

    private final SchedulerOptions options;

    /** Those it has started. Replaced as a whole, under the lock of this. */
    private volatile List<Cord> cords = List.of();

    final Crew crew = new Crew();
    private final LongAdder placed = new LongAdder();
    private final LongAdder ended = new LongAdder();
    private final LongAdder stolen = new LongAdder();

    private final SchedulerShutdown shutdown = new SchedulerShutdown(this);
    private volatile State state = State.OPEN;

    /** Threads that are bound, to the end of their cords; under the lock of this. */
    private final Set<Cord> bound = new LinkedHashSet<>();

    /** Under the lock of this. */
    private int boundSoFar;

    /** Calls of bind that have not returned; under the lock of this. */
    private int binding;

    private Scheduler(SchedulerOptions options) {
        this.options = options;
    }

    // ---------------------------------------------------------------- making and binding

    /**
     * Starts a scheduler with a cord for each processor.
     *
     * @param name the scheduler's name
     * @return the scheduler
     * @throws IllegalStateException if the JVM was started without the flags
     */
    public static Scheduler start(String name) {
        return start(SchedulerOptions.named(name));
    }

    /**
     * Starts a scheduler.
     *
     * @param options how it is made
     * @return the scheduler
     * @throws IllegalArgumentException as {@link Cord#start(CordOptions)}
     * @throws UnsupportedOperationException if CPUs are given, and the system is not Linux
     * @throws IllegalStateException if the JVM was started without the flags
     */
    public static Scheduler start(SchedulerOptions options) {
        Scheduler scheduler = new Scheduler(options);
        JvmFlags.check();
        try {
            for (int i = 0; i < options.cords(); i++) {
                scheduler.startCord(i);
            }
        } catch (Throwable failed) {
            scheduler.shutdown.beginAtOnce();
            throw failed;
        }
        return scheduler;
    }

    private void startCord(int index) {
        CordStarter.start(options.cord(index), null, this);
    }

    /** Before the cord's thread starts, so that it finds everything when it leaves at once. */
    synchronized void enter(Cord cord) {
        List<Cord> more = new ArrayList<>(cords);
        more.add(cord);
        cords = List.copyOf(more);
        crew.join(Objects.requireNonNull(cord.tasks, "tasks"));
    }

    /** Its thread could not be started. */
    synchronized void forget(Cord cord) {
        cords = cords.stream().filter(each -> each != cord).toList();
        crew.remove(Objects.requireNonNull(cord.tasks, "tasks"));
    }

    /**
     * Makes the calling thread a cord of this scheduler and runs the body there as the root fiber;
     * whenever the body waits, tasks run on this thread. When the body is over, the thread takes no
     * more tasks, hands those that wait to the other cords, waits for those that run here, and
     * returns; with no other cord it runs them all first. After the drain limit the rest is
     * terminated, and what does not end within the stop limit is abandoned and reported.
     *
     * @param <T> the type of the result
     * @param body what this thread runs
     * @return what the body returned
     * @throws FiberFailedException if the body threw, or a child of it that nobody awaited
     * @throws FiberTerminatedException if the body was terminated
     * @throws CordClosedException if the scheduler is closed
     * @throws IllegalStateException if the thread is a cord already, is virtual, holds a monitor,
     *     or the JVM was started without the flags; if the clock is virtual and a thread is bound
     */
    public <T extends @Nullable Object> T bind(Callable<? extends T> body) {
        Objects.requireNonNull(body, "body");
        JvmFlags.check();
        CallerCheck.check();
        int number;
        synchronized (this) {
            checkOpen("bind a thread to it");
            boolean isVirtual = options.cord().clock() instanceof CordOptions.VirtualClock;
            if (isVirtual && binding > 0) {
                throw new IllegalStateException(
                        this + " has a virtual clock, which is one thread's; bound=" + bound);
            }
            number = boundSoFar++;
            binding++;
        }
        CordOptions cord =
                options.cord()
                        .withName(options.name() + "-bound-" + number)
                        .onCallersThread()
                        .withLateUnmount(false); // who bound the thread may hold what it likes
        try {
            return CordStarter.run(cord, () -> runBound(body), this);
        } finally {
            synchronized (this) {
                binding--;
            }
        }
    }

    /**
     * Like {@link #bind(Callable)}, without a result.
     *
     * @param body what this thread runs
     */
    public void bind(Action body) {
        bind(Fiber.callable(body));
    }

    private <T extends @Nullable Object> T runBound(Callable<? extends T> body) throws Exception {
        TaskQueue here = Objects.requireNonNull(Cord.current().tasks, "tasks");
        synchronized (this) {
            checkOpen("bind a thread to it");
            bound.add(here.cord);
            here.reopen(); // the body may be restarted
            crew.join(here);
        }
        try {
            return body.call();
        } finally {
            Fiber.current().shielded(() -> unbind(here));
        }
    }

    private boolean unbind(TaskQueue here) {
        if (!crew.isLastOrRemove(here)) {
            here.close(); // the others take what waits
        }
        boolean inTime = here.drain(drainLimitNs());
        crew.remove(here);
        here.close();
        return inTime;
    }

    // ---------------------------------------------------------------- spinning

    /**
     * Spins a task.
     *
     * @param <T> the type of the result
     * @param name shown in reports; need not be unique
     * @param body what the task runs
     * @return the task, to be awaited or ended like any fiber; {@link Fiber#cord} works once it has
     *     started
     * @throws CordClosedException if the scheduler is closed
     * @throws IllegalStateException if it has no cord: it was made with none, and no thread is
     *     bound
     */
    public <T extends @Nullable Object> Fiber<T> spin(String name, Callable<? extends T> body) {
        return spinTask(Objects.requireNonNull(name, "name"), body);
    }

    /**
     * Spins a task without a name.
     *
     * @param <T> the type of the result
     * @param body what the task runs
     * @return the task
     * @throws CordClosedException if the scheduler is closed
     * @throws IllegalStateException if it has no cord
     */
    public <T extends @Nullable Object> Fiber<T> spin(Callable<? extends T> body) {
        return spinTask(null, body);
    }

    /**
     * Spins a task without a result.
     *
     * @param name shown in reports; need not be unique
     * @param body what the task runs
     * @return the task
     * @throws CordClosedException if the scheduler is closed
     * @throws IllegalStateException if it has no cord
     */
    public Fiber<@Nullable Void> spin(String name, Action body) {
        return spinTask(Objects.requireNonNull(name, "name"), Fiber.callable(body));
    }

    /**
     * Spins a task without a name and without a result.
     *
     * @param body what the task runs
     * @return the task
     * @throws CordClosedException if the scheduler is closed
     * @throws IllegalStateException if it has no cord
     */
    public Fiber<@Nullable Void> spin(Action body) {
        return spinTask(null, Fiber.callable(body));
    }

    /**
     * Spins a fiber on the calling cord, which no other cord steals.
     *
     * @param <T> the type of the result
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber, a child of the calling one
     * @throws IllegalStateException if the thread is no cord of this scheduler
     */
    public <T extends @Nullable Object> Fiber<T> onThisCord(
            String name, Callable<? extends T> body) {
        Cord here = Cord.currentOrNull();
        if (here == null || !isMine(here)) {
            throw new IllegalStateException(
                    Thread.currentThread()
                            + " is no cord of "
                            + this
                            + "; call this in one of its tasks, or bind the thread");
        }
        return here.spin(name, body);
    }

    /**
     * Runs the task as a fiber that belongs to nobody, also when a fiber calls this: it does not
     * end with its caller, and what it throws goes to the uncaught handler.
     *
     * @param task what is run; it may wait like any fiber
     * @throws RejectedExecutionException if the scheduler is closed, or has no cord
     */
    @Override
    public void execute(Runnable task) {
        Objects.requireNonNull(task, "task");
        try {
            checkCanPlace();
            place(new Fiber<>(new Placement(this, true), null, null, Fiber.callable(task::run)));
        } catch (IllegalStateException refused) {
            throw new RejectedExecutionException(refused.getMessage(), refused);
        }
    }

    private <T extends @Nullable Object> Fiber<T> spinTask(
            @Nullable String name, Callable<? extends T> body) {
        Objects.requireNonNull(body, "body");
        Fiber<?> spinner = Fiber.currentOrNull();
        Fiber<T> task = new Fiber<>(new Placement(this, spinner == null), spinner, name, body);
        spinBelow(spinner, task);
        return task;
    }

    /** Called by its parent, or with null by a plain thread. */
    void spinBelow(@Nullable Fiber<?> spinner, Fiber<?> task) {
        checkCanPlace();
        if (spinner == null) {
            place(task);
            return;
        }
        spinner.children().add(task); // before it can end
        boolean isPlaced = false;
        try {
            place(task);
            isPlaced = true;
        } finally {
            if (!isPlaced) {
                spinner.children().remove(task);
            }
        }
    }

    private void checkCanPlace() {
        Cord here = Cord.currentOrNull();
        if (state != State.OPEN) {
            if (state != State.DRAINING || here == null || !isMine(here)) {
                checkOpen("spin on it");
            }
        }
        if (here != null && isMine(here) && !here.isInitialised()) {
            throw new IllegalStateException(
                    here
                            + " runs its initialiser, before which no task can start there; spin"
                            + " tasks when it is done");
        }
        if (crew.queues().length == 0 && (here == null || !isMine(here))) {
            throw new IllegalStateException(
                    this + " has no cord: cords=" + options.cords() + " and no thread is bound");
        }
    }

    private void checkOpen(String operation) {
        if (state != State.OPEN) {
            throw new CordClosedException(
                    this + " is " + state + "; " + operation + " before it is closed");
        }
    }

    // ---------------------------------------------------------------- placing

    private void place(Fiber<?> task) {
        placed.increment();
        if (!placeAgain(task) && !startHere(task)) {
            ended.increment();
            shutdown.tellIfQuiet();
            throw new CordClosedException(
                    this + " has no cord any more: it was closed, or the last thread unbound");
        }
    }

    /** What a cord runs that is leaving may still spin, with no cord left to place it on. */
    private boolean startHere(Fiber<?> task) {
        Cord here = Cord.currentOrNull();
        TaskQueue own = here != null && isMine(here) ? here.tasks : null;
        return own != null
                && !own.cord.root().isEnding()
                && (own.start(task) || task.outcome() != null); // refused is answered too
    }

    /** False if there is no cord, or none that may start anything more. */
    boolean placeAgain(Fiber<?> task) {
        return state.compareTo(State.STOPPING) < 0 && crew.place(task);
    }

    /** A task that somebody wants something of does not wait for its turn. */
    void claimSoon(Fiber<?> task) {
        Cord here = Cord.currentOrNull();
        if (here != null && here.tasks != null && isMine(here) && here.tasks.canTake()) {
            here.tasks.start(task);
        } else {
            crew.claimSoon(task);
        }
    }

    void countStolen() {
        stolen.increment();
    }

    // ---------------------------------------------------------------- its cords

    /** The cord has ended. */
    void leave(TaskQueue queue) {
        crew.remove(queue);
        queue.close();
        synchronized (this) {
            bound.remove(queue.cord);
        }
        shutdown.tellIfQuiet();
    }

    synchronized List<Cord> bound() {
        return List.copyOf(bound);
    }

    /** On the task's cord, or wherever it was refused. */
    void ended(Fiber<?> task, Placement placement) {
        ended.increment();
        TaskQueue here = task.cord.tasks;
        if (placement.isCounted && here != null) {
            placement.isCounted = false;
            here.ended();
        }
        if (state != State.OPEN) {
            shutdown.tellIfQuiet();
        }
    }

    void noteAbandoned(Fiber<?> fiber) {
        shutdown.noteAbandoned(fiber);
    }

    boolean isMine(Cord cord) {
        return cord.tasks != null && cord.tasks.scheduler == this;
    }

    /** And no thread is bound. */
    boolean isQuiet() {
        return hasNoTasks() && bound().isEmpty();
    }

    /** Every task that was placed has ended. */
    boolean hasNoTasks() {
        long sumOfEnded = ended.sum(); // first, see above
        return sumOfEnded == placed.sum();
    }

    /** {@return what has happened so far; a snapshot for people, whose numbers race} */
    public SchedulerStats stats() {
        long sumOfEnded = ended.sum();
        return new SchedulerStats(placed.sum(), sumOfEnded, stolen.sum(), crew.queues().length);
    }

    /**
     * Like {@link #dump(Duration)}, with a limit of one second.
     *
     * @return the dump of each cord, bound threads included
     */
    public List<CordDump> dump() {
        return dump(CordDumps.LIMIT);
    }

    /**
     * Tells what each cord and its fibers are doing, as {@link Cord#dump(Duration)}. All are asked
     * at once, and each answers for itself: the dumps are not from the same moment.
     *
     * @param limit how long to wait for all answers together
     * @return the dump of each cord, bound threads included
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if this thread is a cord, and no fiber runs there now
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public List<CordDump> dump(Duration limit) {
        List<Cord> all = new ArrayList<>(cords);
        all.addAll(bound());
        return CordDumps.of(all, limit);
    }

    /** {@return the cords that have threads of their own; those of bound threads are not here} */
    public List<Cord> cords() {
        return cords;
    }

    /** {@return the scheduler that the calling thread is a cord of; null if there is none} */
    public static @Nullable Scheduler currentOrNull() {
        Cord here = Cord.currentOrNull();
        return here == null || here.tasks == null ? null : here.tasks.scheduler;
    }

    // ---------------------------------------------------------------- its end

    /**
     * Like {@link #shutdown}, with the drain limit of the options; what did not stop is logged.
     * Closing twice is harmless.
     *
     * @throws IllegalStateException if called on one of its cords
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited; the tasks
     *     are being terminated then
     */
    @Override
    public void close() {
        shutdown(options.drainLimit());
    }

    /**
     * Takes no more tasks from outside, waits until all have ended and no thread is bound, and ends
     * the cords. After the limit the tasks that are left are terminated; what does not end within
     * the stop limit of the cords then is abandoned, or left to its thread if that is bound, and a
     * cord that does not even do that is left behind. Fibers that are no tasks and belong to none,
     * because they were spun by {@code Fiber.spin} and detached, respawned, or spun on a cord
     * itself, are terminated without being waited for. A second call waits like the first and
     * returns the same; if its limit passes earlier, that limit counts. From a fiber of another
     * cord this is a switchpoint, and a shielded one; if that fiber is abandoned meanwhile, the end
     * goes on without it.
     *
     * @param limit how long tasks may go on
     * @return who did not stop in time; also logged if there is somebody
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if called on one of its cords
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited; the tasks
     *     are being terminated then
     */
    public ShutdownReport shutdown(Duration limit) {
        long limitNs = Waits.nanos(limit);
        Cord here = Cord.currentOrNull();
        if (here != null && isMine(here)) {
            throw new IllegalStateException(
                    this + " cannot wait for its own end; close it from another thread or cord");
        }
        return shutdown.run(limitNs);
    }

    /** {@return the name} */
    public String name() {
        return options.name();
    }

    State state() {
        return state;
    }

    /** True for the first caller. */
    synchronized boolean beginDraining() {
        boolean isFirst = state == State.OPEN;
        if (isFirst) {
            state(State.OPEN, State.DRAINING);
        }
        return isFirst;
    }

    void state(State from, State to) {
        if (Checks.ON && state != from) {
            throw new IllegalStateException("state=" + state + " != from=" + from + " in " + this);
        }
        state = to;
    }

    /** From wherever it is: the end has failed. */
    void giveUp() {
        state = State.OVER;
    }

    long drainLimitNs() {
        return Waits.nanos(options.drainLimit());
    }

    long stopLimitNs() {
        return Waits.nanos(options.cord().stopLimit());
    }

    @Override
    public String toString() {
        return "scheduler " + options.name();
    }
}
