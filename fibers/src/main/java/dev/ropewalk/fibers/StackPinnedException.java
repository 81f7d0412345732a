package dev.ropewalk.fibers;

/**
 * Tells that a fiber cannot wait where it is, because its stack holds something that cannot be
 * suspended: a native frame or a class initialiser.
 */
public final class StackPinnedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    StackPinnedException(String message) {
        super(message);
    }
}
