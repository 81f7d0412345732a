package dev.ropewalk.fibers;

/**
 * The time limit of a {@link CancelScope} passed before its block was done. Thrown by the call that
 * owns the limit, and by no other.
 */
public final class TimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TimeoutException(String message) {
        super(message);
    }
}
