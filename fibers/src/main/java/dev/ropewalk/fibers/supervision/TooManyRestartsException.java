package dev.ropewalk.fibers.supervision;

import org.jspecify.annotations.Nullable;

/**
 * A supervisor of fibers or of actors gave up: they ended more often than its intensity allows. The
 * cause is the last failure; it is null if the last end was normal.
 */
public final class TooManyRestartsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * A supervisor that gives up.
     *
     * @param message names the supervisor, the fiber or actor that ended, and the restarts
     * @param cause the exception that it ended by, null if it ended normally
     */
    public TooManyRestartsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
