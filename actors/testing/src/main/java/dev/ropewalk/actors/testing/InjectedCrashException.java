package dev.ropewalk.actors.testing;

/** What {@link Faults} fail an actor with. */
public final class InjectedCrashException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InjectedCrashException(String message) {
        super(message);
    }
}
