package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/**
 * A {@link FiberSupervisor} gave up: its fibers ended more often than its intensity allows. The
 * cause is the last failure; there is none if the last fiber ended with a result.
 */
public final class TooManyRestartsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooManyRestartsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
