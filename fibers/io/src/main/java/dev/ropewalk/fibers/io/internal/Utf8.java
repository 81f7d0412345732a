package dev.ropewalk.fibers.io.internal;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Finds what one of the two, bytes and a text, does not tell of the other (rule I2). */
public final class Utf8 {
    /**
     * The character that Java puts in the place of bytes that are no UTF-8; it may have been sent,
     * too.
     */
    private static final char REPLACEMENT = '\uFFFD';

    private Utf8() {}

    /**
     * {@return the fault of a text that is to be written; null if it can be} Java would put a
     * question mark in the place of characters that cannot.
     */
    public static @Nullable String fault(CharSequence text) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                int character = Character.codePointAt(text, i);
                if (character <= Character.MAX_VALUE) {
                    return String.format(
                            Locale.ROOT,
                            "U+%04X at index %d is one half of a character",
                            character,
                            i);
                }
                i++;
            }
        }
        return null;
    }

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
