package dev.ropewalk.actors.cluster;

/** Another node did not answer: there is no session with it, it has ended, or a limit passed. */
public final class UnreachableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Creates one.
     *
     * @param message which node, and what it was asked
     */
    public UnreachableException(String message) {
        super(message);
    }
}
