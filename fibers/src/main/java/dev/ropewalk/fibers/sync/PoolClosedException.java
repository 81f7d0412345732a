package dev.ropewalk.fibers.sync;

/** Tells that a {@link ResourcePool} is closed and lends nothing any more. */
public final class PoolClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    PoolClosedException(String message) {
        super(message);
    }
}
