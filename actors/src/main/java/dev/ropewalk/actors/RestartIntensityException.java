package dev.ropewalk.actors;

/** Fails a supervisor whose children failed too often; the cause is the last child's failure. */
public final class RestartIntensityException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RestartIntensityException(String message, Throwable cause) {
        super(message, cause);
    }
}
