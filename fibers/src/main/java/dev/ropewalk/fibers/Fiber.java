package dev.ropewalk.fibers;

import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.internal.fiber.EndClause;
import dev.ropewalk.fibers.internal.fiber.FiberAwait;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.WaitKind;
import dev.ropewalk.fibers.internal.platform.Callables;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A light thread of control, pinned to one cord for life.
 *
 * <p>A fiber runs until it reaches a switchpoint ({@link #suspend}, {@link #snooze}, {@link
 * #sleep}, {@link #await} and every waiting call built on them) and then yields to the other fibers
 * of its cord. It has a parent, the fiber that spun it: when its body is over, however that comes
 * and after its {@code finally} blocks, its children are terminated and awaited, and then the fiber
 * has ended; when a child fails and no fiber awaits it, its parent's body is cancelled where it
 * waits and the parent fails with the child's failure.
 *
 * <p>{@link #schedule}, {@link #raise}, {@link #terminate} and {@link #await} work from any thread.
 * The actions of another thread before such a call happen before the fiber sees its effect.
 *
 * @param <T> the type of the result
 */
public abstract sealed class Fiber<T extends @Nullable Object> permits FiberImpl {
    /** For the one class of the library that implements it. */
    protected Fiber() {}

    // ---------------------------------------------------------------- spinning

    /**
     * Spins a child of the current fiber on the current cord. It goes to the tail of the run queue;
     * the caller goes on.
     *
     * @param <T> the type of the result
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if no fiber runs on this thread
     * @throws TooManyFibersException if the cord has as many fibers as it may
     */
    public static <T extends @Nullable Object> Fiber<T> spin(Callable<? extends T> body) {
        return FiberImpl.spinOn(FiberImpl.current(), null, body);
    }

    /**
     * Spins a named child of the current fiber on the current cord.
     *
     * @param <T> the type of the result
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if no fiber runs on this thread
     * @throws TooManyFibersException if the cord has as many fibers as it may
     */
    public static <T extends @Nullable Object> Fiber<T> spin(
            String name, Callable<? extends T> body) {
        return FiberImpl.spinOn(FiberImpl.current(), Objects.requireNonNull(name, "name"), body);
    }

    /**
     * Spins a child without a result.
     *
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if no fiber runs on this thread
     * @throws TooManyFibersException if the cord has as many fibers as it may
     */
    public static Fiber<@Nullable Void> spin(Action body) {
        return FiberImpl.spinOn(FiberImpl.current(), null, Callables.of(body));
    }

    /**
     * Spins a named child without a result.
     *
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if no fiber runs on this thread
     * @throws TooManyFibersException if the cord has as many fibers as it may
     */
    public static Fiber<@Nullable Void> spin(String name, Action body) {
        return FiberImpl.spinOn(
                FiberImpl.current(), Objects.requireNonNull(name, "name"), Callables.of(body));
    }

    // ---------------------------------------------------------------- switchpoints

    /**
     * Waits until {@link #schedule} is called on this fiber. If that happened since its last
     * suspend it need not wait, but is a switchpoint all the same.
     *
     * @return the value given to schedule
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static @Nullable Object suspend() {
        return FiberImpl.current().suspendHere();
    }

    /**
     * Yields to the fibers that are runnable now and goes on after them. On a cord of a {@link
     * Scheduler} it yields to the tasks that wait on that cord too: it resumes when all tasks
     * placed there before it have been taken, by this cord or by others, so also after fibers that
     * became runnable in between.
     *
     * @throws StackPinnedException if the stack cannot be left, and another fiber could run
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static void snooze() {
        FiberImpl.current().yieldBehindTasks();
    }

    /**
     * Waits for the given time, never less. It takes longer by at most one poll of the cord; if the
     * cord is idle meanwhile, by 50 µs and the delay that the system adds to a sleep.
     *
     * @param time how long; 0 is a {@link #snooze}
     * @throws IllegalArgumentException if the time is negative or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static void sleep(Duration time) {
        long nanos = Waits.nanos(time);
        if (nanos == 0) {
            snooze();
        } else {
            FiberImpl.current().parkFor(WaitKind.LIBRARY, "sleep", nanos);
        }
    }

    /**
     * Waits until the fiber has ended and takes its result. Works from any thread, after the
     * fiber's death, and as often as wanted. A switchpoint, also if the fiber has ended.
     * Terminating the awaiting fiber ends the wait and leaves the awaited one as it is. If the
     * fiber is the caller's own child and has not begun, the caller's children that have not begun
     * are the next to run, before other runnable fibers, and then the caller.
     *
     * @return what the body returned
     * @throws FiberFailedException if the body threw; fresh for each caller, with the cause
     * @throws FiberTerminatedException if the fiber was terminated before its body returned
     * @throws DeadlockException if the fiber awaits itself, or a cycle of waits would close on its
     *     cord
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public abstract T await();

    /**
     * Waits until the fiber has ended, however it ended, or the limit passes. Neither takes nor
     * throws its outcome. Works from any thread. A switchpoint, also if the fiber has ended.
     *
     * @param limit how long to wait
     * @return false if the limit passed
     * @throws DeadlockException if the fiber awaits itself, or if there is no limit and a cycle of
     *     waits would close on its cord
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public abstract boolean awaitEnd(Duration limit);

    /**
     * Waits until all have ended and takes their results. At the first failure it waits no longer
     * and throws it; the other fibers go on, see {@link Scope} for fibers that end together. Works
     * from any thread. A switchpoint, also if all have ended.
     *
     * @param <T> the type of the results
     * @param fibers the fibers to await; may be empty
     * @return the results, in the order of the list
     * @throws FiberFailedException the first failure; fresh for each caller, with the cause
     * @throws FiberTerminatedException if the first that ended without a result was terminated
     * @throws DeadlockException if the fiber awaits itself, or a cycle of waits would close on its
     *     cord
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public static <T extends @Nullable Object> List<T> awaitAll(
            List<? extends Fiber<? extends T>> fibers) {
        List<Fiber<? extends T>> all = List.copyOf(fibers);
        if (all.isEmpty()) {
            Waits.switchpoint();
        } else {
            FiberAwait.all(FiberImpl.allOf(all));
        }
        List<T> results = new ArrayList<>(all.size());
        for (Fiber<? extends T> each : all) {
            results.add(FiberAwait.takeEnded(FiberImpl.of(each)));
        }
        return results;
    }

    /**
     * Waits until one of them has ended, however it ended; the others go on. Works from any thread.
     * A switchpoint, also if one has ended.
     *
     * @param <F> the type of the fibers
     * @param fibers the fibers to await, at least one
     * @return the first that ended; if some had ended before, the first of those in the list. Its
     *     failure is the caller's now
     * @throws IllegalArgumentException if the list is empty
     * @throws DeadlockException if the fiber awaits itself, or a cycle of waits would close on its
     *     cord
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    @SuppressWarnings("unchecked") // it is one of the list
    public static <F extends Fiber<?>> F awaitAny(List<F> fibers) {
        if (fibers.isEmpty()) {
            throw new IllegalArgumentException("fibers=[]: none of no fibers can end");
        }
        return (F) FiberAwait.any(FiberImpl.allOf(fibers));
    }

    /**
     * {@return an alternative of a select: the end of this fiber, however it ended} While a parent
     * selects on a child, a failure of the child is not raised in it; if the select takes the end,
     * the failure is the caller's, as after {@link #awaitAny}.
     *
     * @param <R> the type of the select's result
     * @param taken makes the result of this fiber, which has ended; it may await it. Runs in the
     *     caller of the select
     */
    public final <R extends @Nullable Object> Clause<R> onOutcome(
            Function<? super Fiber<T>, ? extends R> taken) {
        return new EndClause<>(FiberImpl.of(this), Objects.requireNonNull(taken, "taken"));
    }

    // ---------------------------------------------------------------- from outside

    /**
     * Ends the fiber's {@link #suspend} with the value: the fiber goes to the tail of its run
     * queue. Never switches. Called by the running fiber on itself, it makes its next suspend
     * return at once.
     *
     * @param value what suspend returns there; a Throwable is a value like any other
     * @return false if the fiber is not in suspend, or has been scheduled already: the first value
     *     stands. From another cord or thread nothing can be told yet: always true
     */
    public abstract boolean schedule(@Nullable Object value);

    /**
     * Throws the given exception in the fiber: at once where it waits, otherwise at its next
     * switchpoint. A value that the fiber was already given is not overwritten. Of several pending
     * exceptions a termination beats a failure; otherwise the first stands and the others become
     * its suppressed. A fiber that has not started never runs its body. No effect on a dead fiber.
     *
     * @param failure what is thrown
     * @throws IllegalStateException if this is the root fiber of a {@link Scheduler}'s cord, which
     *     ends with that
     */
    public abstract void raise(Throwable failure);

    /**
     * Ends the fiber: every switchpoint raises from now on, until the fiber has ended. Its {@code
     * finally} blocks run; {@code catch (Exception e)} does not see it. A fiber that has not
     * started never runs its body. Does not wait; no effect on a dead fiber.
     *
     * @throws IllegalStateException if this is the root fiber of a {@link Scheduler}'s cord, which
     *     ends with that
     */
    public abstract void terminate();

    /**
     * Ends the fiber with a result: like {@link #terminate}, but its awaiters get the result, and
     * nothing has failed. No effect on a fiber that is being terminated, or dead.
     *
     * @param result what await returns
     * @throws IllegalStateException if this is the root fiber of a {@link Scheduler}'s cord, which
     *     ends with that
     */
    public abstract void stop(T result);

    /**
     * Runs the fiber's body again, in the same fiber: the current run of the body is left as in
     * {@link #terminate}, the children are ended, and the body starts from the beginning; awaiters
     * keep waiting. A body that fails while it is being left ends the fiber. A fiber that has not
     * started yet just starts. Does not wait.
     *
     * @throws IllegalStateException if the fiber is dead, or is a {@link Handler}'s, or the root
     *     fiber of a {@link Scheduler}'s cord
     */
    public abstract void restart();

    /**
     * Spins a new fiber with the body, name, cord and parent of this dead one. If the parent has
     * not started yet, the new fiber starts after it; if the parent never does, its await throws.
     *
     * @return the new fiber
     * @throws IllegalStateException if this fiber is alive, is a {@link Handler}'s or a cord's root
     *     fiber, or its parent has ended
     * @throws WrongThreadException if called on another cord than the parent's
     * @throws CordClosedException if the cord has ended
     * @throws TooManyFibersException if the cord has as many fibers as it may
     */
    public abstract Fiber<T> respawn();

    /**
     * Makes the fiber a child of its cord's root fiber: it no longer ends with the fiber that spun
     * it. Works from any thread. A task is started for it, if it was not yet.
     */
    public abstract void detach();

    /**
     * Makes the fiber a child of another one, with which it ends from now on; if the new parent has
     * ended already, the fiber is terminated. Works from any thread and does not wait: on another
     * cord it takes effect a moment later. No effect on a dead fiber. If the new parent has become
     * a fiber below this one meanwhile, this fiber keeps its parent, and the uncaught handler is
     * told.
     *
     * @param newParent the new parent, on any cord
     * @throws IllegalArgumentException if the new parent is this fiber or a fiber below it, or this
     *     is a cord's root fiber
     */
    public abstract void attachTo(Fiber<?> newParent);

    /**
     * Has the hook called once when the fiber is over, however it ends; at once if it is over
     * already. The hook runs on the fiber's cord, or on any thread if the cord has ended, as no
     * fiber or as the caller that ends or registers it, so it must not wait or spin; its exceptions
     * go to the uncaught handler. It does not take the fiber's failure. Works from any thread.
     *
     * @param hook is given the dead fiber
     * @return the registration
     */
    public abstract EndHook onEnd(Consumer<? super Fiber<?>> hook);

    /**
     * {@return a view of the fiber as a future, which completes with its result or failure}
     *
     * <p>A failure that reaches the future is taken, as by an await. Functions attached to the
     * future run on the fiber's cord, as no fiber, so they must not wait: use the {@code Async}
     * forms for functions that wait. {@code cancel(true)} completes the future at once and
     * terminates the fiber; {@code cancel(false)}, and completing it by hand, leave the fiber
     * alone. A fiber waits for a future by {@link Futures#await}; {@code get} and {@code join}
     * would block its cord. Works from any thread.
     */
    public abstract CompletableFuture<T> toFuture();

    // ---------------------------------------------------------------- what it is

    /**
     * {@return why the fiber ended without a result; null if it is alive or ended with a result} A
     * failure is what the body threw; a termination or abandonment is an exception that says so.
     * Takes no failure, and works as often as wanted.
     */
    public abstract @Nullable Throwable failure();

    /**
     * {@return the fiber that runs on this thread}
     *
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static Fiber<?> current() {
        return FiberImpl.current();
    }

    /** {@return the fiber that runs on this thread, or null} */
    public static @Nullable Fiber<?> currentOrNull() {
        return FiberImpl.currentOrNull();
    }

    /**
     * {@return the cord that the fiber is pinned to}
     *
     * @throws IllegalStateException if it is a task of a {@link Scheduler} that no cord has started
     */
    public abstract Cord cord();

    /**
     * {@return the fiber's number, unique in this process; says nothing about which of two fibers
     * was spun first, because each cord takes its numbers in blocks}
     */
    public abstract long id();

    /** {@return the fiber's name; {@code fiber-<id>} by default} */
    public abstract String name();

    /**
     * {@return the parent, with which this fiber ends; null for a cord's root fiber, and for a task
     * without a parent} A task has no parent if a plain thread spun it on a {@link Scheduler}, if
     * it was given to {@link Scheduler#execute}, or if it was detached: whatever cord runs it, it
     * ends by itself or with its scheduler.
     */
    public abstract @Nullable Fiber<?> parent();

    /**
     * {@return the fiber's living children, in the order in which they became its children; a
     * snapshot} A child that is on its way to another parent, or from one, may be missing.
     *
     * @throws WrongThreadException if called on another thread than that of this fiber's cord, or
     *     if this is a task that no cord has started
     */
    public abstract List<Fiber<?>> children();

    /**
     * {@return the fiber and those above it up to the root fiber, as a text for reports: {@code
     * fiber child on cord main < parent < root}; of more than 16 the ones in the middle are only
     * counted} Works from any thread; while the fiber is being given another parent, either is
     * named.
     */
    public abstract String lineage();

    /** {@return where the fiber is in its life; from another cord only a hint} */
    public abstract FiberState state();
}
