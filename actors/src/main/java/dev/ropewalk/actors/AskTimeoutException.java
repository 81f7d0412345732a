package dev.ropewalk.actors;

/** Tells an asker that no reply came within its limit. */
public final class AskTimeoutException extends AskException {
    private static final long serialVersionUID = 1L;

    /**
     * For the library.
     *
     * @param message names the asker and the actor
     */
    public AskTimeoutException(String message) {
        super(message, null);
    }
}
