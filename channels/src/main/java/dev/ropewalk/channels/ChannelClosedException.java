package dev.ropewalk.channels;

import dev.ropewalk.fibers.spi.ClosedException;

import org.jspecify.annotations.Nullable;

import java.util.Optional;

/**
 * Tells that a channel is closed; fresh for each caller. Its cause is the one that the channel was
 * closed or cancelled with, if there was one.
 */
public final class ChannelClosedException extends ClosedException {
    private static final long serialVersionUID = 1L;

    private final transient @Nullable Object element;

    /**
     * Made with a message.
     *
     * @param message names the channel
     * @param element what was to be sent and was not; null for a receive
     * @param cause why the channel was closed; null if that was no failure
     */
    public ChannelClosedException(
            String message, @Nullable Object element, @Nullable Throwable cause) {
        super(message, cause);
        this.element = element;
    }

    /** {@return the element that was to be sent and was not; empty for a receive} */
    public Optional<Object> element() {
        return Optional.ofNullable(element);
    }
}
