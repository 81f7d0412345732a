package dev.ropewalk.fibers;

import dev.ropewalk.fibers.spi.Waits;

/** Tells that a wait can never end: a fiber awaits itself, a cycle, or nothing is left to run. */
public final class DeadlockException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /**
     * For builders on {@link Waits}.
     *
     * @param message which fibers would wait for each other, and what to do about it
     */
    public DeadlockException(String message) {
        super(message);
    }
}
