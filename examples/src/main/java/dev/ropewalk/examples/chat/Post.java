package dev.ropewalk.examples.chat;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import java.util.EnumMap;
import java.util.Map;

/**
 * A message that was said. Its bytes are made once for each format, when a client of the format
 * first needs them, and all clients share them by reference.
 *
 * <p>Confined to its room; what {@link #share} gives away may go anywhere.
 */
final class Post {
    private final String line;
    private final Encoder encoder;
    private final Map<Format, ByteBuf> encoded = new EnumMap<>(Format.class);

    Post(String line, Encoder encoder) {
        this.line = line;
        this.encoder = encoder;
    }

    /** Makes the bytes, unless they are there; {@link #share} cannot fail after that. */
    void prepare(Format format) {
        if (!encoded.containsKey(format)) {
            encoded.put(format, encoder.encode(format, line));
        }
    }

    /** The same bytes for each caller, with an index of its own; to be released. */
    ByteBuf share(Format format) {
        prepare(format);
        @Nullable ByteBuf bytes = encoded.get(format);
        if (bytes == null) {
            throw new IllegalStateException(line + " has no bytes for " + format);
        }
        return bytes.retainedDuplicate();
    }

    /** Nobody will ask for it; those that have it go on. */
    void release() {
        encoded.values().forEach(ByteBuf::release);
        encoded.clear();
    }
}
