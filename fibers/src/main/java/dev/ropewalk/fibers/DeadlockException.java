package dev.ropewalk.fibers;

/** Tells that a wait can never end: a fiber awaits itself, a cycle, or nothing is left to run. */
public final class DeadlockException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    DeadlockException(String message) {
        super(message);
    }
}
