package dev.ropewalk.fibers;

/**
 * A {@link CancelScope} was cancelled before its block was done. Thrown by the call that owns the
 * scope, and by no other.
 */
public final class CancelledException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message what happened, to which object, and the remedy
     */
    public CancelledException(String message) {
        super(message);
    }
}
