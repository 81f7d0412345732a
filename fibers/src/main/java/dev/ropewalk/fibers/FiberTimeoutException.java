package dev.ropewalk.fibers;

/**
 * A time limit passed: that of a {@link CancelScope} before its block was done, or that of a
 * waiting call that has a result to return and none to say that there is none. Thrown by the call
 * that owns the limit, and by no other.
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
