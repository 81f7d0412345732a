package dev.ropewalk.channels;

import org.jspecify.annotations.Nullable;

import java.util.Optional;

/** Tells that a channel is closed; fresh for each caller. */
public final class ChannelClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final transient @Nullable Object element;

    ChannelClosedException(String message, @Nullable Object element, @Nullable Throwable cause) {
        super(message, cause);
        this.element = element;
    }

    /** {@return the element that was to be sent and was not; empty for a receive} */
    public Optional<Object> element() {
        return Optional.ofNullable(element);
    }
}
