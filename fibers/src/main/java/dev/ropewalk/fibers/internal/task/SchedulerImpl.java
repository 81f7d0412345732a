package dev.ropewalk.fibers.internal.task;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.internal.boot.CallerCheck;
import dev.ropewalk.fibers.internal.boot.CordStarter;
import dev.ropewalk.fibers.internal.cord.CordGroup;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.StackChoice;
import dev.ropewalk.fibers.internal.cord.TaskSource;
import dev.ropewalk.fibers.internal.fiber.Cancellation;
import dev.ropewalk.fibers.internal.fiber.ChildPlace;
import dev.ropewalk.fibers.internal.fiber.Family;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.platform.Callables;
import dev.ropewalk.fibers.internal.platform.Checks;
import dev.ropewalk.fibers.internal.platform.SafeText;
import dev.ropewalk.fibers.internal.report.CordDumps;
import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.scheduler.SchedulerStats;
import dev.ropewalk.fibers.scheduler.ShutdownReport;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;

/**
 * A scheduler: its cords, where tasks are placed, and its life (rule F15). For any thread.
 *
 * <p>Life:
 *
 * <pre>
 *   OPEN     -> DRAINING   beginDraining: it is closed
 *   DRAINING -> STOPPING   all is quiet, or the limit has passed: the rest is being terminated
 *   STOPPING -> OVER       its cords have ended, or were left behind as stuck
 * </pre>
 *
 * While it is DRAINING its own fibers may still spin, so that their work can finish.
 *
 * <p>Rejected: one queue for all, on which every cord would write for every task; and the last in,
 * first out order of fork-join pools, in which old tasks may starve.
 */
public final class SchedulerImpl extends Scheduler implements CordGroup, ChildPlace {
    enum State {
        OPEN,
        DRAINING,
        STOPPING,
        OVER
    }

    final SchedulerOptions options;

    /** The cords that it has started. Replaced as a whole, under the lock of this object. */
    private volatile List<CordImpl> cords = List.of();

    final Workers workers = new Workers();
    final TaskCounts counts;

    final SchedulerShutdown shutdown = new SchedulerShutdown(this);
    private volatile State state = State.OPEN;

    private record Failed(CordImpl cord, Throwable why) {}

    /** The first of its cords that ended by itself. Written under the lock of this. */
    private volatile @Nullable Failed firstFailed;

    /** Threads that are bound, to the end of their cords; under the lock of this. */
    private final Set<CordImpl> bound = new LinkedHashSet<>();

    /** Under the lock of this. */
    private int boundSoFar;

    /** Calls of bind that have not returned; under the lock of this. */
    private int binding;

    SchedulerImpl(SchedulerOptions options) {
        this.options = options;
        this.counts = new TaskCounts(options.maxPending());
    }

    /** {@return the machine behind what the user holds} */
    static SchedulerImpl of(Scheduler scheduler) {
        return (SchedulerImpl) scheduler;
    }

    // ---------------------------------------------------------------- its cords

    @Override
    public TaskSource newSource(CordImpl cord) {
        return new TaskQueue(this, cord);
    }

    @Override
    public synchronized void enter(CordImpl cord) {
        List<CordImpl> more = new ArrayList<>(cords);
        more.add(cord);
        cords = List.copyOf(more);
        workers.join(Objects.requireNonNull(TaskQueue.of(cord), "tasks"));
    }

    @Override
    public synchronized void forget(CordImpl cord) {
        cords = cords.stream().filter(each -> each != cord).toList();
        TaskQueue queue = Objects.requireNonNull(TaskQueue.of(cord), "tasks");
        workers.remove(queue);
        counts.close(queue.counts);
    }

    /** The cord has ended. */
    void leave(TaskQueue queue) {
        noteFailure(queue); // first: a caller that finds no cord any more reads it
        workers.remove(queue);
        queue.closeAtEnd();
        counts.close(queue.counts);
        synchronized (this) {
            bound.remove(queue.cord);
        }
        shutdown.tellIfQuiet();
    }

    /**
     * An initialiser that fails ends its cord, and so does any other failure of the cord itself.
     */
    private void noteFailure(TaskQueue queue) {
        CordImpl cord = queue.cord;
        Throwable why = cord.root().failure();
        boolean wasEnded = state.compareTo(State.STOPPING) >= 0;
        if (why == null || !queue.isOfOwnCord()) {
            return;
        }
        if (!wasEnded || !(why instanceof FiberTerminatedException)) {
            synchronized (this) {
                firstFailed = firstFailed == null ? new Failed(cord, why) : firstFailed;
            }
            shutdown.noteFailed(cord.name() + " ended by itself: " + SafeText.of(why));
        }
    }

    /** The exception for a caller that needs a cord when there is none any more. */
    final CordClosedException noCord(String task) {
        Failed first = firstFailed;
        if (first == null) {
            return new CordClosedException(
                    task
                            + this
                            + " has no cord any more: it was closed, or the last thread unbound");
        }
        return new CordClosedException(
                task
                        + this
                        + " has no cord any more: they ended by themselves, first "
                        + first.cord()
                        + ", because its initialiser or loop failed: "
                        + SafeText.of(first.why()),
                first.why());
    }

    /** The cords that have threads of their own. */
    final List<CordImpl> ownCords() {
        return cords;
    }

    final synchronized List<CordImpl> bound() {
        return List.copyOf(bound);
    }

    final boolean isMine(CordImpl cord) {
        TaskQueue queue = TaskQueue.of(cord);
        return queue != null && queue.scheduler == this;
    }

    // ---------------------------------------------------------------- bound threads

    /** The options of the cord that the calling thread is to be. */
    final CordOptions beginBinding() {
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
        return options.cord()
                .withName(options.name() + "-bound-" + number)
                .withLateUnmount(false); // the code that bound the thread may hold what it likes
    }

    final synchronized void endBinding() {
        binding--;
    }

    final <T extends @Nullable Object> T runBound(Callable<? extends T> body) throws Exception {
        TaskQueue here = Objects.requireNonNull(TaskQueue.of(CordImpl.current()), "tasks");
        synchronized (this) {
            checkOpen("bind a thread to it");
            bound.add(here.cord);
            here.reopen(); // the body may be restarted
            workers.join(here);
        }
        try {
            return body.call();
        } finally {
            Cancellation.shielded(FiberImpl.current(), () -> unbind(here));
        }
    }

    private boolean unbind(TaskQueue here) {
        if (!workers.isLastOrRemove(here)) {
            here.close(); // the others take what waits, unless they leave at the same time
        }
        long limitNs = Waits.nanos(options.drainLimit());
        long startNs = here.cord.nanoTime();
        boolean inTime = here.drain(limitNs);
        workers.remove(here);
        here.close(); // a cord that left meanwhile may have handed something on to this one
        return inTime && here.drain(limitNs - (here.cord.nanoTime() - startNs));
    }

    // ---------------------------------------------------------------- placing

    @Override
    public <T extends @Nullable Object> FiberImpl<T> newChild(
            FiberImpl<?> parent, String name, Callable<? extends T> body) {
        return new FiberImpl<>(new SchedulerSlot(this, false), parent, name, body);
    }

    /** Called by a plain thread. */
    private void spinAlone(FiberImpl<?> task) {
        TaskQueue own = TaskQueue.ofCaller(this);
        checkCanPlace(own);
        place(task, own);
    }

    /** Called by its parent. */
    @Override
    public void spinBelow(FiberImpl<?> spinner, FiberImpl<?> task) {
        TaskQueue own = TaskQueue.ofCaller(this);
        checkCanPlace(own);
        Family.childList(spinner).add(task); // before it can end
        boolean isPlaced = false;
        try {
            place(task, own);
            isPlaced = true;
        } finally {
            if (!isPlaced) {
                Family.childList(spinner).remove(task);
            }
        }
    }

    /** With the queue of the cord that calls, null if it is none of this scheduler's. */
    private void checkCanPlace(@Nullable TaskQueue own) {
        if (state != State.OPEN && (state != State.DRAINING || own == null)) {
            checkOpen("spin on it");
        }
        if (own == null) {
            checkHasCord();
        } else if (!own.cord.roster.isInitialised()) {
            throw new IllegalStateException(
                    own.cord
                            + " runs its initialiser, before which no task can start there; spin"
                            + " tasks when it is done");
        }
    }

    private void checkHasCord() {
        if (workers.queues().length > 0) {
            return;
        }
        if (firstFailed != null) {
            throw noCord("");
        }
        throw new IllegalStateException(
                this + " has no cord: cords=" + options.cords() + " and no thread is bound");
    }

    private void checkOpen(String operation) {
        if (state != State.OPEN) {
            throw new CordClosedException(
                    this + " is " + state + "; " + operation + " before it is closed");
        }
    }

    private void place(FiberImpl<?> task, @Nullable TaskQueue own) {
        counts.placing(task, own == null ? null : own.counts);
        if (!placeAgainOrStart(task)) {
            counts.notPlaced();
            shutdown.tellIfQuiet();
            throw noCord("");
        }
    }

    /** For a task that was put where no cord takes it any more; false if no cord is left for it. */
    final boolean placeAgainOrStart(FiberImpl<?> task) {
        return placeAgain(task) || startHere(task);
    }

    /** A cord that is leaving starts what it spins, or handed on, if no cord is left to take it. */
    final boolean startHere(FiberImpl<?> task) {
        TaskQueue own = TaskQueue.ofCaller(this);
        return own != null
                && state.compareTo(State.STOPPING) < 0
                && !own.isGivenUp()
                && !own.cord.root().isEnding()
                && (own.start(task) || task.outcome() != null); // refused is answered too
    }

    /** False if there is no cord, or no cord may start tasks any more. */
    private boolean placeAgain(FiberImpl<?> task) {
        return state.compareTo(State.STOPPING) < 0 && workers.place(task);
    }

    /** A task that a call needs does not wait for its turn. */
    final void claimSoon(FiberImpl<?> task) {
        TaskQueue own = TaskQueue.ofCaller(this);
        if (own != null && own.canTake()) {
            own.start(task);
        } else {
            workers.claimSoon(task);
        }
    }

    // ---------------------------------------------------------------- ends

    /** On the task's cord, or wherever it was refused. */
    final void ended(FiberImpl<?> task, SchedulerSlot slot) {
        TaskQueue here = slot.isCounted ? TaskQueue.of(task.cord) : null;
        if (here != null) {
            slot.isCounted = false;
            here.ended();
        }
        if (state == State.STOPPING) {
            shutdown.noteEnded(task); // before it counts: the report may be made then
        }
        counts.ended(here == null ? null : here.counts);
        tellIfQuiet();
    }

    /**
     * Called when a task has ended, and again by its cord with each poll and before it sleeps,
     * because the count and the state may pass each other: what has ended is counted without a
     * fence.
     */
    final void tellIfQuiet() {
        if (state != State.OPEN) {
            VarHandle.fullFence(); // between the count and the reading of all
            shutdown.tellIfQuiet();
        }
    }

    final void noteAbandoned(FiberImpl<?> fiber) {
        shutdown.noteAbandoned(fiber);
    }

    /** And no thread is bound. */
    final boolean isQuiet() {
        return hasNoTasks() && bound().isEmpty();
    }

    /** Every task that was placed has ended. */
    final boolean hasNoTasks() {
        return counts.isAllEnded();
    }

    final SchedulerStats readStats() {
        return counts.stats(workers.queues().length);
    }

    // ---------------------------------------------------------------- its state

    final State state() {
        return state;
    }

    /** True for the first caller. */
    final synchronized boolean beginDraining() {
        boolean isFirst = state == State.OPEN;
        if (isFirst) {
            state(State.OPEN, State.DRAINING);
        }
        return isFirst;
    }

    final void state(State from, State to) {
        if (Checks.ON && state != from) {
            throw new IllegalStateException("state=" + state + " != from=" + from + " in " + this);
        }
        state = to;
    }

    /** From wherever it is: the end has failed. */
    final void giveUp() {
        state = State.OVER;
    }

    final long stopLimitNs() {
        return Waits.nanos(options.cord().stopLimit());
    }

    @Override
    public String toString() {
        return "scheduler " + options.name();
    }

    // ---------------------------------------------------------------- for programs

    /** How one of the cords is made that the scheduler starts. */
    static CordOptions cordOptions(SchedulerOptions options, int index) {
        CordOptions named = options.cord().withName(options.name() + "-" + index);
        List<Integer> cpus = named.thread().cpus().stream().sorted().toList();
        return options.isOneCpuEach() && !cpus.isEmpty()
                ? named.withCpus(cpus.get(index % cpus.size()))
                : named;
    }

    public static SchedulerImpl startWith(SchedulerOptions options) {
        SchedulerImpl scheduler = new SchedulerImpl(options);
        StackChoice.of(options.cord());
        try {
            for (int i = 0; i < options.cords(); i++) {
                CordStarter.start(cordOptions(options, i), null, scheduler);
            }
        } catch (Throwable failed) {
            scheduler.shutdown.beginAtOnce();
            throw failed;
        }
        return scheduler;
    }

    @Override
    public <T extends @Nullable Object> T bind(Callable<? extends T> body) {
        Objects.requireNonNull(body, "body");
        CallerCheck.check();
        CordOptions cord = beginBinding();
        try {
            return CordStarter.run(cord, () -> runBound(body), this);
        } finally {
            endBinding();
        }
    }

    @Override
    public void bind(Action body) {
        bind(Callables.of(body));
    }

    @Override
    public <T extends @Nullable Object> Fiber<T> spin(String name, Callable<? extends T> body) {
        return spinTask(Objects.requireNonNull(name, "name"), body);
    }

    @Override
    public <T extends @Nullable Object> Fiber<T> spin(Callable<? extends T> body) {
        return spinTask(null, body);
    }

    @Override
    public Fiber<@Nullable Void> spin(String name, Action body) {
        return spinTask(Objects.requireNonNull(name, "name"), Callables.of(body));
    }

    @Override
    public Fiber<@Nullable Void> spin(Action body) {
        return spinTask(null, Callables.of(body));
    }

    @Override
    public <T extends @Nullable Object> Fiber<T> onThisCord(
            String name, Callable<? extends T> body) {
        Cord here = Cord.currentOrNull();
        if (here == null || !isMine(CordImpl.of(here))) {
            throw new IllegalStateException(
                    Thread.currentThread()
                            + " is no cord of "
                            + this
                            + "; call this in one of its tasks, or bind the thread");
        }
        return here.spin(name, body);
    }

    @Override
    public void execute(Runnable task) {
        Objects.requireNonNull(task, "task");
        try {
            spinAlone(
                    new FiberImpl<>(
                            new SchedulerSlot(this, true), null, null, Callables.ofTask(task)));
        } catch (IllegalStateException refused) {
            throw new RejectedExecutionException(refused.getMessage(), refused);
        }
    }

    private <T extends @Nullable Object> Fiber<T> spinTask(
            @Nullable String name, Callable<? extends T> body) {
        Objects.requireNonNull(body, "body");
        FiberImpl<?> spinner = FiberImpl.currentOrNull();
        FiberImpl<T> task =
                new FiberImpl<>(new SchedulerSlot(this, spinner == null), spinner, name, body);
        if (spinner == null) {
            spinAlone(task);
        } else {
            spinBelow(spinner, task);
            Family.keepSpun(spinner, task);
        }
        return task;
    }

    @Override
    public SchedulerStats stats() {
        return readStats();
    }

    @Override
    public List<CordDump> dump() {
        return dump(CordDumps.LIMIT);
    }

    @Override
    public List<CordDump> dump(Duration limit) {
        List<Cord> all = new ArrayList<>(ownCords());
        all.addAll(bound());
        return CordDumps.of(all, limit);
    }

    @Override
    public List<Cord> cords() {
        return List.copyOf(ownCords());
    }

    @Override
    public void close() {
        shutdown(options.drainLimit());
    }

    @Override
    public ShutdownReport shutdown(Duration limit) {
        long limitNs = Waits.nanos(limit);
        Cord here = Cord.currentOrNull();
        if (here != null && isMine(CordImpl.of(here))) {
            throw new IllegalStateException(
                    this + " cannot wait for its own end; close it from another thread or cord");
        }
        return shutdown.run(limitNs);
    }

    @Override
    public String name() {
        return options.name();
    }
}
