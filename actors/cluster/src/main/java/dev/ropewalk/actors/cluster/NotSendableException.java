package dev.ropewalk.actors.cluster;

import org.jspecify.annotations.Nullable;

/**
 * A message cannot be sent to another node: its type, or that of something in it, is not in the
 * {@link Protocol}, it is too large, or it is too deep. Thrown at the sender, and nothing was sent.
 */
public final class NotSendableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Creates one.
     *
     * @param message which object, and what to do
     * @param cause what the codec said, or null
     */
    public NotSendableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
