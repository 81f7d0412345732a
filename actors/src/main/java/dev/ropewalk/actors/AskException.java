package dev.ropewalk.actors;

import org.jspecify.annotations.Nullable;

/**
 * Tells an asker that there is no reply, and why: all forms of an ask throw it, or fail their stage
 * with it, when the ask was a proper one.
 */
public abstract sealed class AskException extends RuntimeException
        permits AskCycleException, AskFailedException, AskTimeoutException {
    private static final long serialVersionUID = 1L;

    AskException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
