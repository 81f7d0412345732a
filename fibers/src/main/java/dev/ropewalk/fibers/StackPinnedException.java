package dev.ropewalk.fibers;

/**
 * Tells that a fiber cannot wait where it is, because its stack holds something that cannot be
 * suspended: a native frame or a class initialiser, and in the debug mode of the JVM a monitor. The
 * message says which of them, as far as that is known, and what to do.
 */
public final class StackPinnedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message says why, and the remedy
     */
    public StackPinnedException(String message) {
        super(message);
    }
}
