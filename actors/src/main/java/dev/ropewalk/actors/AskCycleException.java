package dev.ropewalk.actors;

/**
 * Tells an asker that its ask would close a circle of actors that wait for each other's replies.
 */
public final class AskCycleException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    AskCycleException(String message) {
        super(message);
    }
}
