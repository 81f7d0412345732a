package dev.ropewalk.actors.internal;

/** What an actor fails with if what it piped to itself failed. */
final class PipedFailureException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private PipedFailureException(Throwable cause) {
        super("what was piped failed: " + cause, cause);
    }

    /** Stands where a message would be made; never returns. */
    static Object rethrow(Throwable failure) {
        throw new PipedFailureException(failure);
    }
}
