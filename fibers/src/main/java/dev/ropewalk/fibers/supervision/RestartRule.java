package dev.ropewalk.fibers.supervision;

import dev.ropewalk.fibers.FiberTerminatedException;

import org.jspecify.annotations.Nullable;

/** Decides which ends of a supervised fiber or actor are followed by a restart, as in OTP. */
public enum RestartRule {
    /** Every end: a result, a failure, or a termination from outside. */
    PERMANENT,
    /** Only a failure; not a result, a stop or a termination. */
    TRANSIENT,
    /** None. */
    TEMPORARY;

    /**
     * {@return whether this end is followed by a restart}
     *
     * @param end the exception it ended by, null if it ended normally
     */
    public boolean restartsAfter(@Nullable Throwable end) {
        return switch (this) {
            case PERMANENT -> true;
            case TRANSIENT -> isFailure(end);
            case TEMPORARY -> false;
        };
    }

    /**
     * {@return whether this end is a failure; a termination is not}
     *
     * @param end the exception a fiber or actor ended by, null if it ended normally
     */
    public static boolean isFailure(@Nullable Throwable end) {
        return end != null && !(end instanceof FiberTerminatedException);
    }
}
