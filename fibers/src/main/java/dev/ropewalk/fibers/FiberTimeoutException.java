package dev.ropewalk.fibers;

/**
 * A time limit passed: the limit of a {@link CancelScope} before its block was done, or the limit
 * of a waiting call which has no result that could say so. Thrown by the call that owns the limit,
 * and by no other.
 */
public final class FiberTimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * For builders of waiting calls with a limit.
     *
     * @param message what was waited for, the limit, and what became of it
     */
    public FiberTimeoutException(String message) {
        super(message);
    }
}
