package dev.ropewalk.fibers.supervision;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How a {@link FiberSupervisor} works; immutable. Start from {@link #restarting} and change what
 * differs.
 */
public final class FiberSupervision {
    private static final Log LOG = Logs.logger(FiberSupervisor.class);

    /** Is told the results of fibers. */
    @FunctionalInterface
    public interface ResultHook {
        /**
         * Called once per end with a result, in the supervising fiber, before a restart. It must
         * not wait; its exceptions go to the cord's uncaught handler.
         *
         * @param fiber the dead fiber
         * @param result the value that its body returned, or that it was stopped with
         */
        void ended(Fiber<?> fiber, @Nullable Object result);
    }

    /** Is told the failures of fibers. */
    @FunctionalInterface
    public interface FailureHook {
        /**
         * Called once per failure, in the supervising fiber, before a restart; not for a
         * termination. It must not wait; its exceptions go to the cord's uncaught handler.
         *
         * @param fiber the dead fiber
         * @param failure what its body threw, or a {@link FiberAbandonedException}
         */
        void failed(Fiber<?> fiber, Throwable failure);
    }

    private final Values values;

    private FiberSupervision(Values values) {
        Objects.requireNonNull(values.restart, "restart");
        Objects.requireNonNull(values.backOff, "backOff");
        Objects.requireNonNull(values.onResult, "onResult");
        Objects.requireNonNull(values.onFailure, "onFailure");
        new RestartWindow(values.intensity, values.period); // refuses values that are out of range
        Waits.nanos(values.stopLimit);
        this.values = values;
    }

    /**
     * {@return the defaults: one restart in 5 s, at once, 5 s for all to end; results are dropped
     * and failures logged; it ends with its last fiber}
     *
     * @param restart which ends are followed by a restart
     */
    public static FiberSupervision restarting(RestartRule restart) {
        return new FiberSupervision(new Values(restart));
    }

    /** {@return which ends are followed by a restart} */
    public RestartRule restart() {
        return values.restart;
    }

    /** {@return how many restarts of all fibers together are allowed within the period} */
    public int intensity() {
        return values.intensity;
    }

    /** {@return the length of the sliding window of restarts} */
    public Duration period() {
        return values.period;
    }

    /** {@return how long to wait before a restart} */
    public BackOff backOff() {
        return values.backOff;
    }

    /** {@return how long all fibers together may take to end when the supervisor ends} */
    public Duration stopLimit() {
        return values.stopLimit;
    }

    /** {@return whether the supervisor goes on when no fiber is left} */
    public boolean isEndless() {
        return values.isEndless;
    }

    /** {@return the hook that is told each end with a result} */
    public ResultHook onResult() {
        return values.onResult;
    }

    /** {@return the hook that is told each end by a failure} */
    public FailureHook onFailure() {
        return values.onFailure;
    }

    /**
     * {@return these rules with another intensity}
     *
     * @param restarts how many restarts are allowed
     * @param within the length of the sliding window
     */
    public FiberSupervision withIntensity(int restarts, Duration within) {
        return with(
                copy -> {
                    copy.intensity = restarts;
                    copy.period = within;
                });
    }

    /**
     * {@return these rules with a back-off}
     *
     * @param delays how long to wait before a restart
     */
    public FiberSupervision withBackOff(BackOff delays) {
        return with(copy -> copy.backOff = delays);
    }

    /**
     * {@return these rules with another stop limit}
     *
     * @param limit how long all fibers together may take to end
     */
    public FiberSupervision withStopLimit(Duration limit) {
        return with(copy -> copy.stopLimit = limit);
    }

    /** {@return these rules for a supervisor that goes on until it is ended or cancelled} */
    public FiberSupervision endless() {
        return with(copy -> copy.isEndless = true);
    }

    /**
     * {@return these rules with a hook for results}
     *
     * @param hook is told each end with a result
     */
    public FiberSupervision withOnResult(ResultHook hook) {
        return with(copy -> copy.onResult = hook);
    }

    /**
     * {@return these rules with a hook for failures}
     *
     * @param hook is told each end by a failure, instead of the log
     */
    public FiberSupervision withOnFailure(FailureHook hook) {
        return with(copy -> copy.onFailure = hook);
    }

    private FiberSupervision with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new FiberSupervision(copy);
    }

    /** Changed only while it is a copy that no options have yet. */
    private static final class Values implements Cloneable {
        final RestartRule restart;
        int intensity = 1;
        Duration period = Duration.ofSeconds(5);
        BackOff backOff = BackOff.NONE;
        Duration stopLimit = Duration.ofSeconds(5);
        boolean isEndless;
        ResultHook onResult = (_, _) -> {};
        FailureHook onFailure =
                (fiber, failure) -> LOG.warn("{} failed under its supervisor", fiber, failure);

        Values(RestartRule restart) {
            this.restart = restart;
        }

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
