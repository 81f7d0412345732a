package dev.ropewalk.actors.testing;

/** The exception with which {@link Faults} fail an actor. */
public final class InjectedCrashException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InjectedCrashException(String message) {
        super(message);
    }
}
