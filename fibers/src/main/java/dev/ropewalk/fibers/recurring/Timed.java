package dev.ropewalk.fibers.recurring;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.VoidBlock;
import dev.ropewalk.fibers.internal.platform.Callables;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;

/**
 * Code that runs at a time: again and again at multiples of a period, once after a while, or no
 * more often than a {@link Throttle} allows.
 *
 * {@snippet file="dev/ropewalk/fibers/recurring/TimedSnippetsTest.java" region="every"}
 *
 * <p>There is no timer thread: a loop waits in its fiber as {@link Fiber#sleep} does, by the clock
 * of its cord, never early and late by at most one poll or 50 µs. It ends when its action throws or
 * calls {@link Repeat#stop}, when its fiber is ended, or when a {@link CancelScope} around it is
 * left; each round is a switchpoint.
 */
public final class Timed {
    private Timed() {}

    // ---------------------------------------------------------------- every period

    /**
     * Runs the action at each multiple of the period from now on, in this fiber; first after one
     * period. Ticks that go by while the action runs, or while the cord is busy, are skipped: there
     * is no burst afterwards and no drift. Returns when the action has called {@link Repeat#stop}.
     * A switchpoint.
     *
     * @param <X> what the action throws
     * @param period the time from one tick to the next, more than zero
     * @param action runs at the ticks; {@link Repeat#number} and {@link Repeat#skipped} tell which
     * @throws X what the action threw; it ends the loop
     * @throws IllegalArgumentException if the period is zero, negative, or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <X extends Exception> void every(Duration period, RepeatAction<X> action)
            throws X {
        Objects.requireNonNull(action, "action");
        long periodNs = positiveNanos("period", period);
        Repeat repeat = new Repeat(period);
        repeat.atTicks(Cord.current().nanoTime(), periodNs, action);
    }

    /**
     * Like {@link #every(Duration, RepeatAction)}, for an action that needs to know nothing: it
     * runs until it throws, or until its fiber is ended or cancelled.
     *
     * @param <X> what the action throws
     * @param period the time from one tick to the next, more than zero
     * @param action runs at the ticks
     * @throws X what the action threw; it ends the loop
     * @throws IllegalArgumentException if the period is zero, negative, or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <X extends Exception> void every(Duration period, VoidBlock<X> action) throws X {
        Objects.requireNonNull(action, "action");
        Timed.<X>every(period, _ -> action.run());
    }

    /**
     * Spins a child of this fiber that runs the action at each multiple of the period from now on,
     * as {@link #every(Duration, RepeatAction)} does. The fiber ends without a failure when the
     * action has called {@link Repeat#stop}; {@link Fiber#terminate} ends it at any time. A restart
     * begins a new loop: its ticks are counted from then on.
     *
     * @param name shown in reports; need not be unique
     * @param period the time from one tick to the next, more than zero
     * @param action runs at the ticks; an exception is the fiber's failure
     * @return the new fiber
     * @throws IllegalArgumentException if the period is zero, negative, or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static Fiber<@Nullable Void> spinEvery(
            String name, Duration period, RepeatAction<?> action) {
        Objects.requireNonNull(action, "action");
        long periodNs = positiveNanos("period", period);
        return Fiber.spin(name, new Ticks(period, periodNs, action));
    }

    /** The body of a loop in a fiber of its own. */
    private static final class Ticks implements Action {
        private final Duration period;
        private final long periodNs;
        private final RepeatAction<?> action;
        private long startNs = Fiber.current().cord().nanoTime();
        private boolean isAgain;

        Ticks(Duration period, long periodNs, RepeatAction<?> action) {
            this.period = period;
            this.periodNs = periodNs;
            this.action = action;
        }

        @Override
        public void run() throws Exception {
            if (isAgain) {
                startNs = Waits.nanoTime(); // otherwise it skips all ticks since the spin
            }
            isAgain = true;
            new Repeat(period).atTicks(startNs, periodNs, action);
        }
    }

    /**
     * Like {@link #spinEvery(String, Duration, RepeatAction)}, for an action that needs to know
     * nothing.
     *
     * @param name shown in reports; need not be unique
     * @param period the time from one tick to the next, more than zero
     * @param action runs at the ticks; an exception is the fiber's failure
     * @return the new fiber
     * @throws IllegalArgumentException if the period is zero, negative, or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static Fiber<@Nullable Void> spinEvery(String name, Duration period, Action action) {
        Objects.requireNonNull(action, "action");
        RepeatAction<Exception> repeated = _ -> action.run();
        return spinEvery(name, period, repeated);
    }

    // ---------------------------------------------------------------- once, later

    /**
     * Spins a child of this fiber that runs the action once, when the time has passed from now on.
     * {@link Fiber#terminate} cancels it, and so does the end of this fiber.
     *
     * @param time how long from now; 0 lets it run at its next turn
     * @param action what runs then
     * @return the new fiber; it is alive until the action is done
     * @throws IllegalArgumentException if the time is negative or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static Fiber<@Nullable Void> after(Duration time, Action action) {
        return after(time, Callables.of(action));
    }

    /**
     * Like {@link #after(Duration, Action)}, with a result, which {@link Fiber#await} returns.
     *
     * @param <T> the type of the result
     * @param time how long from now; 0 lets it run at its next turn
     * @param action what runs then
     * @return the new fiber; it is alive until the action is done
     * @throws IllegalArgumentException if the time is negative or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T extends @Nullable Object> Fiber<T> after(
            Duration time, Callable<? extends T> action) {
        Objects.requireNonNull(action, "action");
        long timeNs = Waits.nanos(time);
        long startNs = Fiber.current().cord().nanoTime();
        Callable<T> body =
                () -> {
                    if (timeNs > 0) {
                        Repeat.sleepUntil(startNs, timeNs, "sleep");
                    }
                    return action.call();
                };
        return Fiber.<T>spin(body);
    }

    // ---------------------------------------------------------------- as often as allowed

    /**
     * Runs the action again and again in this fiber, whenever the throttle allows it. Returns when
     * the action has called {@link Repeat#stop}. A switchpoint, in each round.
     *
     * @param <X> what the action throws
     * @param throttle how often; others may share it
     * @param action what runs; {@link Repeat#number} counts its runs
     * @throws X what the action threw; it ends the loop
     * @throws WrongThreadException if the throttle is another cord's
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <X extends Exception> void throttled(Throttle throttle, RepeatAction<X> action)
            throws X {
        throttled(throttle, Long.MAX_VALUE, action);
    }

    /**
     * Like {@link #throttled(Throttle, RepeatAction)}, with a number of runs after which it
     * returns.
     *
     * @param <X> what the action throws
     * @param throttle how often; others may share it
     * @param runs how many at most, 0 or more
     * @param action what runs; {@link Repeat#number} counts its runs
     * @throws X what the action threw; it ends the loop
     * @throws IllegalArgumentException if the number of runs is negative
     * @throws WrongThreadException if the throttle is another cord's
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <X extends Exception> void throttled(
            Throttle throttle, long runs, RepeatAction<X> action) throws X {
        Objects.requireNonNull(throttle, "throttle");
        Objects.requireNonNull(action, "action");
        if (runs < 0) {
            throw new IllegalArgumentException(
                    "runs=" + runs + " is negative; it is how often the action runs at most");
        }
        new Repeat(throttle).throttled(throttle, runs, action);
    }

    // ---------------------------------------------------------------- inside

    /** The time in nanoseconds, of something that cannot be repeated in no time. */
    static long positiveNanos(String what, Duration time) {
        long nanos = Waits.nanos(time);
        if (nanos == 0) {
            throw new IllegalArgumentException(what + "=" + time + " must be more than zero");
        }
        return nanos;
    }

    /** The sum of two times that are not negative; {@code Long.MAX_VALUE} if it is more. */
    static long plus(long timeNs, long moreNs) {
        long sum = timeNs + moreNs;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }
}
