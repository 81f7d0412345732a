package dev.ropewalk.fibers.scheduler;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Spinner;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.LivingCords;
import dev.ropewalk.fibers.internal.cord.TaskSource;
import dev.ropewalk.fibers.internal.task.SchedulerImpl;
import dev.ropewalk.fibers.internal.task.TaskQueue;
import dev.ropewalk.fibers.observe.CordDump;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * A group of cords over which tasks are spread (rule F15).
 *
 * {@snippet file="dev/ropewalk/fibers/scheduler/SchedulerSnippetsTest.java" region="scheduler"}
 *
 * <p>A task is a fiber that has not started: it has no stack and no cord, so any cord of the group
 * may take it. From its start on it is a fiber of that cord and never moves. A task is placed on a
 * cord that polls for work, otherwise on the next one in turn, and a cord without work steals from
 * the others. Tasks of one cord start in the order in which they were placed there; between cords
 * there is no order. Fibers of different cords run at the same time: share data as threads do, by
 * shared channels, by {@code fibers.sync} in its shared form, or not at all.
 *
 * <p>A task that a fiber spins is its child, whatever cord either runs on. A task that a plain
 * thread spins has no parent: its {@link Fiber#parent} is null, and its failure goes to the
 * uncaught handler if it is not awaited.
 *
 * <p>A cord whose initialiser fails ends; its failure goes to the uncaught handler and into the
 * {@link ShutdownReport}, and the other cords take its tasks. When the last cord has ended like
 * that, the tasks that wait and those spun later get a {@link CordClosedException} with the first
 * such failure as its cause. A cord ends otherwise with its scheduler only: its root fiber cannot
 * be terminated.
 *
 * <p>A thread of the user takes part while it is bound, see {@link #bind}. All methods work from
 * any thread, except where their comments say otherwise; the caller's actions before the call
 * happen before the task runs.
 */
public abstract sealed class Scheduler implements Spinner, Executor, AutoCloseable
        permits SchedulerImpl {
    /** For the one class of the library that implements it. */
    protected Scheduler() {}

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
     * Starts a scheduler. Does not wait for the initialisers of its cords, which may wait for the
     * caller; tasks can be spun at once, and start as soon as a cord is ready.
     *
     * @param options how it is made
     * @return the scheduler
     * @throws IllegalArgumentException as {@link Cord#start(CordOptions)}
     * @throws UnsupportedOperationException if CPUs are given, and the system is not Linux
     * @throws IllegalStateException if the JVM was started without the flags
     */
    public static Scheduler start(SchedulerOptions options) {
        return SchedulerImpl.startWith(options);
    }

    /**
     * Makes the calling thread a cord of this scheduler and runs the body there as the root fiber;
     * whenever the body waits, tasks run on this thread. When the body is over, the thread takes no
     * more tasks, hands those that wait to the other cords, waits for those that run here, and
     * returns; with no other cord it runs them all first. After the drain limit the rest is
     * terminated, and fibers that do not end within the stop limit are abandoned and reported.
     *
     * @param <T> the type of the result
     * @param body what this thread runs
     * @return what the body returned
     * @throws FiberFailedException if the body threw, or a child of it failed that no other awaited
     * @throws FiberTerminatedException if the body was terminated
     * @throws CordClosedException if the scheduler is closed
     * @throws IllegalStateException if the thread is a cord already, is virtual, holds a monitor,
     *     or the JVM was started without the flags; if the clock is virtual and a thread is bound
     */
    public abstract <T extends @Nullable Object> T bind(Callable<? extends T> body);

    /**
     * Like {@link #bind(Callable)}, without a result.
     *
     * @param body what this thread runs
     */
    public abstract void bind(Action body);

    // ---------------------------------------------------------------- looking

    /**
     * {@return the schedulers of this process that have a cord now, by their names} One that was
     * made without cords is among them while a thread is bound. From any thread.
     */
    public static List<Scheduler> all() {
        Set<Scheduler> found = new LinkedHashSet<>();
        for (CordImpl each : LivingCords.all()) { // so that none has to be entered anywhere
            TaskSource from = each.tasks;
            if (from != null && from.scheduler() instanceof Scheduler scheduler) {
                found.add(scheduler);
            }
        }
        return found.stream().sorted(Comparator.comparing(Scheduler::name)).toList();
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
     * @throws CordClosedException if the scheduler is closed, or its last cord has ended
     * @throws TaskRejectedException if as many wait as may wait
     * @throws IllegalStateException if it has no cord: it was made without cords, and no thread is
     *     bound
     */
    @Override
    public abstract <T extends @Nullable Object> Fiber<T> spin(
            String name, Callable<? extends T> body);

    /**
     * Spins a task without a name.
     *
     * @param <T> the type of the result
     * @param body what the task runs
     * @return the task
     * @throws CordClosedException if the scheduler is closed
     * @throws TaskRejectedException if as many wait as may wait
     * @throws IllegalStateException if it has no cord
     */
    public abstract <T extends @Nullable Object> Fiber<T> spin(Callable<? extends T> body);

    /**
     * Spins a task without a result.
     *
     * @param name shown in reports; need not be unique
     * @param body what the task runs
     * @return the task
     * @throws CordClosedException if the scheduler is closed
     * @throws TaskRejectedException if as many wait as may wait
     * @throws IllegalStateException if it has no cord
     */
    @Override
    public abstract Fiber<@Nullable Void> spin(String name, Action body);

    /**
     * Spins a task without a name and without a result.
     *
     * @param body what the task runs
     * @return the task
     * @throws CordClosedException if the scheduler is closed
     * @throws TaskRejectedException if as many wait as may wait
     * @throws IllegalStateException if it has no cord
     */
    public abstract Fiber<@Nullable Void> spin(Action body);

    /**
     * Spins a fiber on the calling cord, which no other cord steals.
     *
     * @param <T> the type of the result
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber, a child of the calling one
     * @throws IllegalStateException if the thread is no cord of this scheduler
     */
    public abstract <T extends @Nullable Object> Fiber<T> onThisCord(
            String name, Callable<? extends T> body);

    /**
     * Runs the task as a fiber without a parent, even when a fiber calls this: it does not end with
     * its caller, and its exceptions go to the uncaught handler.
     *
     * @param task what is run; it may wait like any fiber
     * @throws RejectedExecutionException if the scheduler is closed, or has no cord, or as many
     *     tasks wait as may wait
     */
    @Override
    public abstract void execute(Runnable task);

    /** {@return what has happened so far; a snapshot for people, whose numbers race} */
    public abstract SchedulerStats stats();

    /**
     * Like {@link #dump(Duration)}, with a limit of one second.
     *
     * @return the dump of each cord, bound threads included
     */
    public abstract List<CordDump> dump();

    /**
     * {@link Cord#dump(Duration)} of each cord. All are asked at once, and each answers for itself:
     * the dumps are not from the same moment.
     *
     * @param limit how long to wait for all answers together
     * @return the dump of each cord, bound threads included
     * @throws IllegalArgumentException as there, like the others
     * @throws IllegalStateException if this thread is a cord, and no fiber runs there now
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public abstract List<CordDump> dump(Duration limit);

    /** {@return the cords that have threads of their own; those of bound threads are not here} */
    public abstract List<Cord> cords();

    /** {@return the scheduler that the calling thread is a cord of, or null} */
    public static @Nullable Scheduler currentOrNull() {
        CordImpl here = CordImpl.currentOrNull();
        TaskQueue tasks = here == null ? null : TaskQueue.of(here);
        return tasks == null ? null : tasks.scheduler;
    }

    // ---------------------------------------------------------------- its end

    /**
     * Like {@link #shutdown}, with the drain limit of the options; fibers and cords that did not
     * stop are logged. Closing twice is harmless.
     *
     * @throws IllegalStateException if called on one of its cords
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited; the tasks
     *     are being terminated then
     */
    @Override
    public abstract void close();

    /**
     * Takes no more tasks from outside, waits until all have ended and no thread is bound, and ends
     * the cords. After the limit the tasks that are left are terminated; fibers that do not end
     * within the stop limit of the cords then are abandoned. A cord that does not even do that is
     * left behind. A thread that is still bound goes on, without tasks. Fibers that neither are
     * tasks nor belong to a task, because they were spun by {@code Fiber.spin} and detached,
     * respawned, or spun on a cord itself, are terminated without being waited for. A second call
     * waits like the first and returns the same; if its limit passes earlier, that limit counts.
     * From a fiber of another cord this is a switchpoint, and a shielded one; if that fiber is
     * abandoned meanwhile, the end goes on without it.
     *
     * @param limit how long tasks may go on
     * @return the tasks and cords that did not stop in time; also logged if there are any
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if called on one of its cords
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited; the tasks
     *     are being terminated then
     */
    public abstract ShutdownReport shutdown(Duration limit);

    /** {@return the name} */
    public abstract String name();
}
