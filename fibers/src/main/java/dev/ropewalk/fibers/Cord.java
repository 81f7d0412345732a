package dev.ropewalk.fibers;

import dev.ropewalk.fibers.internal.boot.CordStarter;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.LivingCords;
import dev.ropewalk.fibers.internal.platform.Callables;
import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.observe.CordStats;
import dev.ropewalk.fibers.observe.FiberTime;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
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
 * any thread; the caller's earlier actions happen before the fiber or message runs.
 */
public abstract sealed class Cord implements Spinner, Executor, AutoCloseable permits CordImpl {
    /** For the one class of the library that implements it. */
    protected Cord() {}

    // ---------------------------------------------------------------- making and ending

    /**
     * Makes the calling thread a cord, runs the body as its root fiber, and returns when the body
     * and all fibers below it have ended.
     *
     * @param <T> the type of the result
     * @param body what the root fiber runs
     * @return what the body returned
     * @throws FiberFailedException if the body threw, or a fiber failed that no other awaited
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
        run(Callables.of(body));
    }

    /**
     * Like {@link #run(Callable)}, with options.
     *
     * @param <T> the type of the result
     * @param options how the cord is made; the stack size is the calling thread's
     * @param body what the root fiber runs
     * @return what the body returned
     * @throws FiberFailedException if the initialiser or the body threw, or a fiber failed that no
     *     other awaited
     * @throws IllegalStateException as {@link #run(Callable)}
     * @throws IllegalArgumentException if there is a thread factory, or this thread cannot have the
     *     CPUs
     * @throws UnsupportedOperationException if CPUs are given, and the system is not Linux
     */
    public static <T extends @Nullable Object> T run(
            CordOptions options, Callable<? extends T> body) {
        return CordStarter.run(options, body, null);
    }

    /**
     * Like {@link #run(CordOptions, Callable)}, without a result.
     *
     * @param options how the cord is made; the stack size is the calling thread's
     * @param body what the root fiber runs
     * @throws FiberFailedException if the initialiser or the body threw, or a fiber failed that no
     *     other awaited
     * @throws IllegalStateException if the thread is a cord already, is virtual, holds a monitor,
     *     or the JVM was started without the flags
     * @throws IllegalArgumentException if there is a thread factory, or this thread cannot have the
     *     CPUs
     * @throws UnsupportedOperationException if CPUs are given, and the system is not Linux
     */
    public static void run(CordOptions options, Action body) {
        run(options, Callables.of(body));
    }

    /**
     * Starts a cord on a thread of its own. It runs the fibers that are spun on it until it is
     * closed.
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
        return CordStarter.start(options, null, null);
    }

    /**
     * Starts a cord on a thread of its own that runs the body as its root fiber and ends with it.
     *
     * <p>A waiter for the root fiber gets the body's result or failure when all fibers of the cord
     * have ended; the cord is its {@link Fiber#cord}. The root has no parent. If no await of it has
     * begun when the cord has ended, a failure goes to the uncaught handler; a later await throws
     * it as well. Leaving the wait for it leaves the cord as it is: a caller that is to take the
     * cord with it, when it fails or is terminated, closes it, for which {@code try (Cord cord =
     * root.cord())} is enough.
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
        return (Fiber<T>)
                CordImpl.of(CordStarter.start(options, Objects.requireNonNull(body, "body"), null))
                        .roster
                        .root;
    }

    /**
     * Terminates the fibers of a started cord and waits until it has ended, each fiber within the
     * stop limit; a fiber that does not end is abandoned and reported. Closing twice is harmless.
     * From a fiber of another cord this is a switchpoint, and a shielded one: also a fiber that is
     * being terminated waits for the end. So does a plain thread that is interrupted, and it is
     * interrupted again afterwards. A fiber that keeps the cord for itself has no limit: {@link
     * #closeWithin} has.
     *
     * @throws IllegalStateException if called by a fiber of this cord, or on a cord made by {@code
     *     run}, which ends with its body, or on a scheduler's, which ends with that
     */
    @Override
    public abstract void close();

    /**
     * Like {@link #close()}, and waits no longer than the limit. A cord that has not ended then
     * ends as soon as the fiber that keeps it gives way.
     *
     * @param limit how long to wait; zero only begins the end
     * @return false if the limit passed
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException as {@link #close()}
     */
    public abstract boolean closeWithin(Duration limit);

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
    public abstract boolean awaitEnd(Duration limit);

    // ---------------------------------------------------------------- what fails

    // ---------------------------------------------------------------- its clock

    /**
     * {@return whether it takes messages still} From elsewhere a hint: it may end at once, and its
     * root fiber has ended before. Messages posted after that are told {@link
     * CordMessage#onClosed}.
     */
    public abstract boolean isAlive();

    /**
     * {@return whether the calling thread runs this cord; cheaper than comparing {@link
     * Cord#current}}
     */
    public abstract boolean isCurrent();

    /**
     * {@return a fresh reading of this cord's clock in nanoseconds; only differences mean anything}
     */
    public abstract long nanoTime();

    /**
     * {@return a random number from 0 to {@code bound - 1}, from this cord's source}
     *
     * @param bound the bound, at least 1
     */
    public abstract int nextInt(int bound);

    // ---------------------------------------------------------------- spinning and messages

    /**
     * Spins a fiber on this cord, from anywhere. Its parent is the calling fiber, on whatever cord;
     * from a plain thread it is the cord's root fiber.
     *
     * @param <T> the type of the result
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     * @throws CordClosedException if the cord has ended; if it ends before the fiber starts, the
     *     fiber's await throws it
     * @throws TooManyFibersException if this is called on the cord and it has as many fibers as it
     *     may; if it is called elsewhere, the fiber's await throws it
     */
    @Override
    public abstract <T extends @Nullable Object> Fiber<T> spin(
            String name, Callable<? extends T> body);

    /**
     * Like {@link #spin(String, Callable)}, without a result.
     *
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     * @throws TooManyFibersException if the cord has as many fibers as it may
     */
    @Override
    public abstract Fiber<@Nullable Void> spin(String name, Action body);

    /**
     * Spins a fiber that keeps no stack between its turns. Its first turn gets {@link
     * Handler#START}; the others are given by {@link Waits#resumeHandler}.
     *
     * @param name shown in reports; need not be unique
     * @param handler is called once per turn
     * @return the new fiber
     * @throws CordClosedException if the cord has ended
     * @throws TooManyFibersException if the cord has as many fibers as it may
     */
    public abstract Fiber<@Nullable Void> spinHandler(String name, Handler handler);

    /**
     * Spins a fiber that runs the task, from anywhere: as an {@link Executor}, a cord runs the
     * tasks of {@code CompletableFuture.supplyAsync} and others, and the task may wait. The fiber
     * is a child of the cord's root fiber, whatever fiber or thread calls, so it ends with the
     * cord, not with the caller. Exceptions of the task, and the report of a task that the cord
     * ended before it could start, go to the uncaught handler; they cancel no other fiber. Tasks of
     * one caller start in the order given.
     *
     * @param task what the fiber runs
     * @throws RejectedExecutionException if the cord has ended, or the calling fiber's own cord is
     *     about to, or has as many fibers as it may
     */
    @Override
    public abstract void execute(Runnable task);

    /**
     * Sends a message to this cord, from any thread. The cord is woken only if it sleeps.
     *
     * @param message runs on the cord, or is told that the cord has ended
     */
    public abstract void post(CordMessage message);

    /** {@return how many fibers it may have besides its root; without a limit the largest int} */
    public abstract int maxFibers();

    /**
     * {@return the cord of this thread}
     *
     * @throws IllegalStateException if the thread is no cord
     */
    public static Cord current() {
        return CordImpl.current();
    }

    /** {@return the cord of this thread, null if the thread is no cord} */
    public static @Nullable Cord currentOrNull() {
        return CordImpl.currentOrNull();
    }

    /**
     * {@return the living fiber of this cord with the given number, or null}
     *
     * @param id its {@link Fiber#id}
     * @throws WrongThreadException if called on another thread than the cord's
     */
    public abstract @Nullable Fiber<?> find(long id);

    // ---------------------------------------------------------------- looking inside

    /** {@return the cords of this process that have not ended, by their names} From any thread. */
    public static List<Cord> all() {
        return List.copyOf(LivingCords.all());
    }

    /**
     * {@return a line for each circle of fibers of this cord that wait for each other, as far as
     * that is known; some at most} As in {@link CordDump#cycles}, but without a dump: fibers are
     * looked at in portions between which the cord works on, and of those alone that are in a
     * circle a text is made. So it may be called each second. Works from any thread; a switchpoint.
     *
     * @param limit how long to wait for the answer
     * @throws FiberTimeoutException if the cord has not answered within the limit
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if this thread is another cord, and no fiber runs there now
     */
    public abstract List<String> cycles(Duration limit);

    /**
     * Like {@link #dump(Duration)}, with a limit of one second.
     *
     * @return what this cord and its fibers are doing
     */
    public abstract CordDump dump();

    /**
     * Tells what this cord and its fibers are doing: the tree of the fibers, the reason of each
     * wait, and stacks. Works from any thread. On this cord it is taken at once; from elsewhere the
     * cord is asked by a message, and the call waits for its answer, for a fiber at a switchpoint.
     * A cord that does not answer within the limit is shown from outside, as far as that goes. The
     * fibers stand while it is taken, and all are read: the more there are, the longer.
     *
     * @param limit how long to wait for the answer
     * @return the dump, see {@link CordDump#state}
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if this thread is another cord, and no fiber runs there now
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public abstract CordDump dump(Duration limit);

    /**
     * {@return the cord's counters} Works from any thread and never waits: on this cord the numbers
     * are exact; from elsewhere they are hints, each by itself, also while the cord is stuck.
     * Reading on this cord begins a new {@link CordStats#maxRunnable}.
     */
    public abstract CordStats stats();

    /**
     * {@return the fibers that ran longest, the first one first; an empty list if the cord has
     * ended} Works from any thread; from elsewhere the cord is asked by a message, for at most a
     * second. Each call begins a new period for {@link FiberTime#share}.
     *
     * @param most how many at most
     * @throws IllegalStateException if the JVM was started without {@code
     *     -Dropewalk.fiberTimes=true}, or if this thread is another cord, and no fiber runs there
     *     now
     * @throws IllegalArgumentException if {@code most} is not positive
     * @throws FiberTimeoutException if the cord does not answer: its thread is stuck in a fiber
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public abstract List<FiberTime> top(int most);

    /**
     * {@return the kind of stack that its fibers run on} It is that of its options, but for {@link
     * StackKind#PORTABLE} in place of {@link StackKind#LIGHT} in a JVM without the flag for that.
     */
    public abstract StackKind stacks();

    /** {@return the cord's name} */
    public abstract String name();
}
