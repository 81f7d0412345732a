package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/**
 * Tells an awaiter, a parent or a scope that a fiber failed. Each awaiter gets a fresh one; the
 * cause is what the fiber's body threw.
 */
public class FiberFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FiberFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
