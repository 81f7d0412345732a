package dev.ropewalk.fibers.sync;

/** Carries the checked exception with which a resource of a pool could not be made or closed. */
public final class ResourceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ResourceException(String message, Throwable cause) {
        super(message, cause);
    }
}
