package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;

/**
 * A light thread of control, pinned to one cord for life.
 *
 * <p>A fiber runs until it reaches a switchpoint ({@link #suspend}, {@link #snooze}, {@link
 * #sleep}, {@link #await} and every waiting call built on them) and then gives way to the other
 * fibers of its cord. It has a parent, the fiber that spun it: when a fiber ends, however it ends,
 * its children are terminated and awaited first; when a child fails and nobody awaits it, its
 * parent's body is cancelled where it waits and the parent fails with the child's failure.
 *
 * <p>{@link #schedule}, {@link #raise}, {@link #terminate} and {@link #await} work from any thread.
 * What another thread does before such a call happens before the fiber sees its effect.
 *
 * @param <T> the type of the result
 */
public final class Fiber<T extends @Nullable Object> extends FiberLife<T> {
    private final long id = Ids.next();
    private final @Nullable String name;

    Fiber(
            Cord cord,
            @Nullable Fiber<?> parent,
            @Nullable String name,
            @Nullable Callable<? extends T> body,
            @Nullable Handler handler) {
        super(cord, parent, body, handler);
        this.name = name;
    }

    @Override
    Fiber<?> self() {
        return this;
    }

    // ---------------------------------------------------------------- spinning

    /**
     * Spins a child of the current fiber on the current cord. It goes to the tail of the run queue;
     * the caller goes on.
     *
     * @param <T> the type of the result
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T extends @Nullable Object> Fiber<T> spin(Callable<? extends T> body) {
        return spinOn(current(), null, body);
    }

    /**
     * Spins a named child of the current fiber on the current cord.
     *
     * @param <T> the type of the result
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T extends @Nullable Object> Fiber<T> spin(
            String name, Callable<? extends T> body) {
        return spinOn(current(), Objects.requireNonNull(name, "name"), body);
    }

    /**
     * Spins a child without a result.
     *
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static Fiber<@Nullable Void> spin(Action body) {
        return spinOn(current(), null, callable(body));
    }

    /**
     * Spins a named child without a result.
     *
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static Fiber<@Nullable Void> spin(String name, Action body) {
        return spinOn(current(), Objects.requireNonNull(name, "name"), callable(body));
    }

    private static <T extends @Nullable Object> Fiber<T> spinOn(
            Fiber<?> parent, @Nullable String name, Callable<? extends T> body) {
        Objects.requireNonNull(body, "body");
        return parent.adopt(new Fiber<T>(parent.cord, parent, name, body, null));
    }

    static Callable<@Nullable Void> callable(Action body) {
        Objects.requireNonNull(body, "body");
        return () -> {
            body.run();
            return null;
        };
    }

    // ---------------------------------------------------------------- switchpoints

    /**
     * Waits until somebody calls {@link #schedule} on this fiber. If that happened since its last
     * suspend, returns at once.
     *
     * @return the value given to schedule
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static @Nullable Object suspend() {
        return current().suspendHere();
    }

    /**
     * Gives way to the fibers that are runnable now and goes on after them.
     *
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static void snooze() {
        current().snoozeHere();
    }

    /**
     * Waits for the given time; never less, and more by at most one look of the cord.
     *
     * @param time how long; 0 or negative is a {@link #snooze}
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static void sleep(Duration time) {
        long nanos = Waits.nanos(time);
        if (nanos <= 0) {
            snooze();
        } else {
            current().parkFor(WaitKind.LIBRARY, "sleep", nanos);
        }
    }

    /**
     * Waits until the fiber has ended and takes its result. Works from any thread, after the
     * fiber's death, and as often as wanted. Terminating the awaiting fiber ends the wait and
     * leaves the awaited one as it is.
     *
     * @return what the body returned
     * @throws FiberFailedException if the body threw; fresh for each caller, with the cause
     * @throws FiberTerminatedException if the fiber was terminated before its body returned
     * @throws DeadlockException if the fiber awaits itself, or a cycle of awaits would close
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public T await() {
        return FiberAwait.outcome(this).take(this);
    }

    /**
     * Waits until the fiber has ended, however it ended, or the limit passes. Takes no outcome and
     * throws none. Works from any thread.
     *
     * @param limit how long to wait
     * @return false if the limit passed
     * @throws DeadlockException if the fiber awaits itself, or a cycle of awaits would close
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public boolean awaitEnd(Duration limit) {
        return outcome() != null || FiberAwait.end(this, Waits.nanos(limit), false);
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
    public boolean schedule(@Nullable Object value) {
        if (cord.isCurrent()) {
            return scheduleHere(value);
        }
        cord.send(FiberMessages.schedule(this, value));
        return true;
    }

    /**
     * Throws the given exception in the fiber: at once where it waits, else at its next
     * switchpoint. A value that the fiber was already given is not overwritten. Of several pending
     * exceptions a termination beats a failure; else the first stands and the others become its
     * suppressed. A fiber that has not started never runs its body. No effect on a dead fiber.
     *
     * @param failure what is thrown
     */
    public void raise(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        if (cord.isCurrent()) {
            raiseHere(failure);
        } else {
            cord.send(FiberMessages.raise(this, failure));
        }
    }

    /**
     * Ends the fiber: every switchpoint raises from now on, until the fiber has ended. Its {@code
     * finally} blocks run; {@code catch (Exception e)} does not see it. A fiber that has not
     * started never runs its body. Does not wait; no effect on a dead fiber.
     */
    public void terminate() {
        raise(new Signal.Terminate("terminate was called on " + this));
    }

    // ---------------------------------------------------------------- what it is

    /**
     * {@return the fiber that runs on this thread}
     *
     * @throws IllegalStateException if there is none
     */
    public static Fiber<?> current() {
        Fiber<?> fiber = currentOrNull();
        if (fiber == null) {
            throw new IllegalStateException(
                    "no fiber runs on "
                            + Thread.currentThread()
                            + ": call this inside Cord.run(...), or in a fiber spun on a cord");
        }
        return fiber;
    }

    /** {@return the fiber that runs on this thread, null if there is none} */
    public static @Nullable Fiber<?> currentOrNull() {
        Cord here = Cord.currentOrNull();
        return here == null ? null : here.running();
    }

    /** {@return the cord that the fiber is pinned to} */
    public Cord cord() {
        return cord;
    }

    /** {@return the fiber's number, unique in this process} */
    public long id() {
        return id;
    }

    /** {@return the fiber's name; {@code fiber-<id>} if it was given none} */
    public String name() {
        return name == null ? "fiber-" + id : name;
    }

    /** {@return the fiber that ends this one when it ends itself; null for a cord's root fiber} */
    public @Nullable Fiber<?> parent() {
        return parent;
    }

    /** {@return where the fiber is in its life; from another cord only a hint} */
    public FiberState state() {
        return switch (rawState()) {
            case UNSTARTED, RUNNABLE -> FiberState.RUNNABLE;
            case RUNNING -> FiberState.RUNNING;
            case WAITING -> FiberState.WAITING;
            default -> FiberState.DEAD;
        };
    }

    @Override
    public String toString() {
        return "fiber " + name() + " on " + cord;
    }
}
