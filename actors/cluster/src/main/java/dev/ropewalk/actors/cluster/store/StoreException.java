package dev.ropewalk.actors.cluster.store;

import org.jspecify.annotations.Nullable;

/**
 * The engine gave no answer, or has found what it keeps damaged. A read may be tried again; a
 * damaged store needs its operator.
 */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception.
     *
     * @param message names the store, and what to do
     * @param cause the reason; null if there is none
     */
    public StoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
