package dev.ropewalk.fibers;

/**
 * A {@link CancelScope} was cancelled before its block was done. Thrown by the call that owns the
 * scope, and by no other.
 */
public final class CancelledException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CancelledException(String message) {
        super(message);
    }
}
