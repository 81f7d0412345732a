package dev.ropewalk.actors;

/** Tells an asker that no reply came within its limit. */
public final class AskTimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AskTimeoutException(String message) {
        super(message);
    }
}
