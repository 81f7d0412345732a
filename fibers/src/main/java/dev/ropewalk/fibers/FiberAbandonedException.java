package dev.ropewalk.fibers;

/**
 * Tells that a fiber would not end: it swallowed its termination too often, or its parent's limit
 * for it ran out. It will never run again, and its {@code finally} blocks do not run.
 */
public final class FiberAbandonedException extends FiberFailedException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param fiber what was abandoned
     * @param message why, and where it stood
     */
    public FiberAbandonedException(Fiber<?> fiber, String message) {
        super(fiber, message, null);
    }

    /**
     * A fresh one for an awaiter or parent; made by the library.
     *
     * @param reported the one that was reported
     */
    public FiberAbandonedException(FiberAbandonedException reported) {
        super(reported.fiber(), String.valueOf(reported.getMessage()), reported);
    }
}
