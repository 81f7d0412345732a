package dev.ropewalk.actors;

import org.jspecify.annotations.Nullable;

/**
 * Tells the one who started an actor and waited for it that the actor did not start: its factory
 * threw, or took longer than the start limit, or its supervisor has ended.
 */
public final class StartFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * For the library.
     *
     * @param message names the actor
     * @param cause what the factory threw; null if it threw nothing
     */
    public StartFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
