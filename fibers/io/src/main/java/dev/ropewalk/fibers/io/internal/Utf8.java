package dev.ropewalk.fibers.io.internal;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Finds the bytes that a text does not tell (rule I2). */
public final class Utf8 {
    /** What Java puts in the place of bytes that are no UTF-8; it may have been sent, too. */
    private static final char REPLACEMENT = '\uFFFD';

    private Utf8() {}

    /**
     * {@return what is wrong with a part of these bytes; null if they are UTF-8}
     *
     * @param text as which that part was decoded: most texts need no second look
     */
    public static @Nullable String fault(ByteBuf bytes, int from, int length, String text) {
        if (text.indexOf(REPLACEMENT) < 0) {
            return null;
        }
        ByteBuffer part = bytes.nioBuffer(from, length);
        int start = part.position();
        CharBuffer ignored = CharBuffer.allocate(length);
        if (!StandardCharsets.UTF_8.newDecoder().decode(part, ignored, true).isError()) {
            return null;
        }
        int offset = part.position() - start;
        return String.format(
                Locale.ROOT,
                "byte 0x%02X at offset %d is no UTF-8",
                bytes.getUnsignedByte(from + offset),
                offset);
    }
}
