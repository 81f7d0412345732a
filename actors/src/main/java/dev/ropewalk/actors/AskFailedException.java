package dev.ropewalk.actors;

import org.jspecify.annotations.Nullable;

/** Tells an asker, at once, that no reply can come: the actor ended or gave the message up. */
public final class AskFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * For the library.
     *
     * @param message names the asker, the actor and the reason
     * @param cause what the actor failed with, or failed the ask with; null if there is none
     */
    public AskFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
