package dev.ropewalk.fibers.spi;

import org.jspecify.annotations.Nullable;

/**
 * Tells that a {@link Receivable} is closed and has nothing more to receive, or that the target of
 * a send is closed. Fresh for each caller.
 */
public class ClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /**
     * Made with a message.
     *
     * @param message names what is closed
     * @param cause why it was closed; null if that is no failure
     */
    public ClosedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
