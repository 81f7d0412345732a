package dev.ropewalk.fibers;

/** Tells an awaiter that the fiber was terminated before its body could return a result. */
public final class FiberTerminatedException extends FiberFailedException {
    private static final long serialVersionUID = 1L;

    FiberTerminatedException(Fiber<?> fiber, String message, Throwable cause) {
        super(fiber, message, cause);
    }
}
