package dev.ropewalk.fibers.sync;

import org.jspecify.annotations.Nullable;

/**
 * Tells a party of a {@link Barrier} that the others will not all come: one left, the action
 * failed, or the barrier was reset. The message says why.
 */
public final class BarrierBrokenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BarrierBrokenException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
