package dev.ropewalk.fibers;

/**
 * Tells that a fiber would not end: it swallowed its termination too often, or its parent's limit
 * for it ran out. It will never run again, and its {@code finally} blocks do not run.
 */
public final class FiberAbandonedException extends FiberFailedException {
    private static final long serialVersionUID = 1L;

    FiberAbandonedException(String message) {
        super(message, null);
    }

    /** A fresh one for an awaiter or parent. */
    FiberAbandonedException(FiberAbandonedException reported) {
        super(String.valueOf(reported.getMessage()), reported);
    }
}
