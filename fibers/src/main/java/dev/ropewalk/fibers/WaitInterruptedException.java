package dev.ropewalk.fibers;

/**
 * Tells a plain thread that it was interrupted in a wait. The wait took and gave nothing, and the
 * thread's interrupt flag is set again.
 */
public final class WaitInterruptedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message what happened, to which object, and the remedy
     */
    public WaitInterruptedException(String message) {
        super(message);
    }
}
