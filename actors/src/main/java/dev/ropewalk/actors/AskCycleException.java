package dev.ropewalk.actors;

/**
 * Tells an asker that its ask would close a circle of actors that wait for each other's replies.
 */
public final class AskCycleException extends AskException {
    private static final long serialVersionUID = 1L;

    /**
     * For the library.
     *
     * @param message names the asker and the actor
     */
    public AskCycleException(String message) {
        super(message, null);
    }
}
