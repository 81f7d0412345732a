package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/** Tells that a cord has ended and takes no more fibers or messages. */
public final class CordClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message says which cord, and what was refused
     */
    public CordClosedException(String message) {
        super(message);
    }

    /**
     * Made by the library.
     *
     * @param message says which cord, and what was refused
     * @param cause why the cord ended, if that is known
     */
    public CordClosedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
