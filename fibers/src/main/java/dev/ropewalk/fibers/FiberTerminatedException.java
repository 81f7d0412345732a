package dev.ropewalk.fibers;

/** Tells an awaiter that the fiber was terminated before its body could return a result. */
public final class FiberTerminatedException extends FiberFailedException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param fiber what was terminated
     * @param message by what
     * @param cause the signal
     */
    public FiberTerminatedException(Fiber<?> fiber, String message, Throwable cause) {
        super(fiber, message, cause);
    }
}
