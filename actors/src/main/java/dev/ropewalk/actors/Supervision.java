package dev.ropewalk.actors;

import dev.ropewalk.fibers.Logs;

import org.slf4j.Logger;

import java.time.Duration;
import java.util.Objects;

/**
 * How a supervisor works; immutable. Each child is started again by itself (one for one).
 *
 * @param intensity how many restarts of all children together are allowed within the period
 * @param period the length of that sliding window
 * @param stopLimit how long a child may take to end when the supervisor is stopped
 * @param onFailure is told each failure of a child, before it is decided on
 */
public record Supervision(
        int intensity, Duration period, Duration stopLimit, FailureListener onFailure) {
    private static final Logger LOG = Logs.logger(Supervisor.class);

    /** Is told of failures. */
    @FunctionalInterface
    public interface FailureListener {
        /**
         * Called on the supervisor's cord; must not wait.
         *
         * @param actor the name of the actor that failed
         * @param failure what it failed with
         */
        void failed(String actor, Throwable failure);
    }

    /** Checks the values. */
    public Supervision {
        Objects.requireNonNull(onFailure, "onFailure");
        new RestartLog(intensity, period);
        if (stopLimit.isNegative()) {
            throw new IllegalArgumentException("stopLimit=" + stopLimit + " is negative");
        }
    }

    /**
     * {@return one restart in five seconds, five seconds for each child to stop, failures logged}
     */
    public static Supervision oneForOne() {
        return new Supervision(
                1,
                Duration.ofSeconds(5),
                Duration.ofSeconds(5),
                (actor, failure) -> LOG.warn("{} failed", actor, failure));
    }

    /**
     * {@return these rules with another intensity}
     *
     * @param restarts how many restarts are allowed
     * @param within the length of the sliding window
     */
    public Supervision intensity(int restarts, Duration within) {
        return new Supervision(restarts, within, stopLimit, onFailure);
    }

    /**
     * {@return these rules with another stop limit}
     *
     * @param limit how long a child may take to end
     */
    public Supervision stopLimit(Duration limit) {
        return new Supervision(intensity, period, limit, onFailure);
    }

    /**
     * {@return these rules with another listener}
     *
     * @param listener is told each failure instead of the log
     */
    public Supervision onFailure(FailureListener listener) {
        return new Supervision(intensity, period, stopLimit, listener);
    }
}
