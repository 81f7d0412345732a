package dev.ropewalk.fibers;

/** Tells an awaiter that the fiber was terminated before its body could return a result. */
public final class FiberTerminatedException extends FiberFailedException {
    private static final long serialVersionUID = 1L;

    FiberTerminatedException(String message, Throwable cause) {
        super(message, cause);
    }
}
