package dev.ropewalk.fibers.blocking;

/** A {@link BlockingPool} did not take a call: too many callers wait, or it was closed. */
public final class BlockingRejectedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BlockingRejectedException(String message) {
        super(message);
    }
}
