package dev.ropewalk.fibers.sync;

/**
 * Tells a caller of {@link Once#get} that the block failed. Each caller gets a fresh one; the cause
 * is the exception of the block.
 */
public final class OnceFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OnceFailedException(Once<?> once, Exception cause) {
        super(once + " failed: " + cause + "; the next call runs its block again", cause);
    }
}
