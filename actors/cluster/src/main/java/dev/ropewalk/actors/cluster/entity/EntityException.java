package dev.ropewalk.actors.cluster.entity;

import org.jspecify.annotations.Nullable;

/**
 * An entity cannot go on: its state was not written, or cannot be read, or it did not start. The
 * cause of a failed ask, and of the end of an incarnation; the next one reads the state again.
 */
public final class EntityException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception without another one behind it.
     *
     * @param message which entity, and why
     */
    public EntityException(String message) {
        super(message);
    }

    /**
     * An exception.
     *
     * @param message which entity, and why
     * @param cause the failure behind it; null for none
     */
    public EntityException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
