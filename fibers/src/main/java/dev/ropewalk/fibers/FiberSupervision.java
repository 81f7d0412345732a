package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.time.Duration;
import java.util.Objects;

/**
 * How a {@link FiberSupervisor} works; immutable. Start from {@link #restarting} and change what
 * differs.
 *
 * @param restart which ends are followed by a restart
 * @param intensity how many restarts of all fibers together are allowed within the period
 * @param period the length of that sliding window
 * @param backOff how long to wait before a restart
 * @param stopLimit how long all fibers together may take to end when the supervisor ends
 * @param isEndless whether the supervisor goes on when no fiber is left
 * @param onResult is told each end with a result
 * @param onFailure is told each end by a failure
 */
public record FiberSupervision(
        Restart restart,
        int intensity,
        Duration period,
        BackOff backOff,
        Duration stopLimit,
        boolean isEndless,
        ResultHook onResult,
        FailureHook onFailure) {

    private static final int DEFAULT_INTENSITY = 1;
    private static final Duration DEFAULT_PERIOD = Duration.ofSeconds(5);
    private static final Duration DEFAULT_STOP_LIMIT = Duration.ofSeconds(5);
    private static final Logger LOG = Logs.logger(FiberSupervisor.class);

    /** Which ends of a fiber are followed by a restart. */
    public enum Restart {
        /** Every end: a result, a failure, also a termination by somebody else. */
        ALWAYS,
        /** Only a failure; not a result and not a termination. */
        ON_ERROR,
        /** None. */
        NEVER
    }

    /** Is told the results of fibers. */
    @FunctionalInterface
    public interface ResultHook {
        /**
         * Called once per end with a result, in the supervising fiber, before a restart. It must
         * not wait; what it throws goes to the cord's uncaught handler.
         *
         * @param fiber the dead fiber
         * @param result what its body returned, or what it was stopped with
         */
        void ended(Fiber<?> fiber, @Nullable Object result);
    }

    /** Is told the failures of fibers. */
    @FunctionalInterface
    public interface FailureHook {
        /**
         * Called once per failure, in the supervising fiber, before a restart; not for a
         * termination. It must not wait; what it throws goes to the cord's uncaught handler.
         *
         * @param fiber the dead fiber
         * @param failure what its body threw, or a {@link FiberAbandonedException}
         */
        void failed(Fiber<?> fiber, Throwable failure);
    }

    /** Checks the values. */
    public FiberSupervision {
        Objects.requireNonNull(restart, "restart");
        Objects.requireNonNull(backOff, "backOff");
        Objects.requireNonNull(onResult, "onResult");
        Objects.requireNonNull(onFailure, "onFailure");
        if (intensity < 0) {
            throw new IllegalArgumentException(
                    "intensity=" + intensity + " < 0; 0 lets the first failure end all");
        }
        if (Waits.nanos(period) == 0) {
            throw new IllegalArgumentException(
                    "period=" + period + ": no two restarts lie within it; make it longer");
        }
        Waits.nanos(stopLimit);
    }

    /**
     * {@return the defaults: one restart in 5 s, at once, 5 s for all to end; results are dropped
     * and failures logged; it ends with its last fiber}
     *
     * @param restart which ends are followed by a restart
     */
    public static FiberSupervision restarting(Restart restart) {
        return new FiberSupervision(
                restart,
                DEFAULT_INTENSITY,
                DEFAULT_PERIOD,
                BackOff.NONE,
                DEFAULT_STOP_LIMIT,
                false,
                (_, _) -> {},
                (fiber, failure) -> LOG.warn("{} failed under its supervisor", fiber, failure));
    }

    /**
     * {@return these rules with another intensity}
     *
     * @param restarts how many restarts are allowed
     * @param within the length of the sliding window
     */
    public FiberSupervision withIntensity(int restarts, Duration within) {
        return new FiberSupervision(
                restart, restarts, within, backOff, stopLimit, isEndless, onResult, onFailure);
    }

    /**
     * {@return these rules with a back-off}
     *
     * @param delays how long to wait before a restart
     */
    public FiberSupervision withBackOff(BackOff delays) {
        return new FiberSupervision(
                restart, intensity, period, delays, stopLimit, isEndless, onResult, onFailure);
    }

    /**
     * {@return these rules with another stop limit}
     *
     * @param limit how long all fibers together may take to end
     */
    public FiberSupervision withStopLimit(Duration limit) {
        return new FiberSupervision(
                restart, intensity, period, backOff, limit, isEndless, onResult, onFailure);
    }

    /** {@return these rules for a supervisor that goes on until it is ended or cancelled} */
    public FiberSupervision endless() {
        return new FiberSupervision(
                restart, intensity, period, backOff, stopLimit, true, onResult, onFailure);
    }

    /**
     * {@return these rules with a hook for results}
     *
     * @param hook is told each end with a result
     */
    public FiberSupervision withOnResult(ResultHook hook) {
        return new FiberSupervision(
                restart, intensity, period, backOff, stopLimit, isEndless, hook, onFailure);
    }

    /**
     * {@return these rules with a hook for failures}
     *
     * @param hook is told each end by a failure, instead of the log
     */
    public FiberSupervision withOnFailure(FailureHook hook) {
        return new FiberSupervision(
                restart, intensity, period, backOff, stopLimit, isEndless, onResult, hook);
    }
}
