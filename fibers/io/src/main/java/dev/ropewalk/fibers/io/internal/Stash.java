package dev.ropewalk.fibers.io.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/**
 * The bytes that have come and are unread. They lie in one buffer, the one in which they came if it
 * was empty before; it is released as soon as it is read to its end. Confined to its cord.
 */
public final class Stash {
    private static final byte LF = '\n';
    private static final byte CR = '\r';

    private @Nullable ByteBuf bytes;

    /** So many unread bytes are no end of a line. */
    private int searched;

    public int size() {
        return bytes == null ? 0 : bytes.readableBytes();
    }

    /** Takes the buffer over. */
    public void add(ByteBuf more) {
        ByteBuf have = bytes;
        if (have == null) {
            bytes = more;
            return;
        }
        try {
            if (have.writableBytes() < more.readableBytes()) {
                have.discardReadBytes();
            }
            have.writeBytes(more); // grows if it must
        } finally {
            more.release();
        }
    }

    /** Moves up to so many bytes there. */
    public int read(byte[] into, int offset, int length) {
        ByteBuf have = bytes;
        if (have == null) {
            return 0;
        }
        int count = Math.min(length, have.readableBytes());
        have.readBytes(into, offset, count);
        taken(have, count);
        return count;
    }

    /** Where the next line ends: the count of bytes before its LF; -1 if that has not come. */
    public int lineEnd() {
        ByteBuf have = bytes;
        if (have == null) {
            return -1;
        }
        int from = have.readerIndex() + searched;
        int at = have.indexOf(from, have.writerIndex(), LF);
        if (at < 0) {
            searched = have.readableBytes();
            return -1;
        }
        return at - have.readerIndex();
    }

    /** How long the line is without a CR before its LF. */
    public int lineLength(int end) {
        ByteBuf have = bytes;
        boolean hasReturn =
                have != null && end > 0 && have.getByte(have.readerIndex() + end - 1) == CR;
        return hasReturn ? end - 1 : end;
    }

    /** So many bytes as text; they stay. */
    public String text(int length) {
        ByteBuf have = bytes;
        return have == null
                ? ""
                : have.toString(have.readerIndex(), length, StandardCharsets.UTF_8);
    }

    /** The fault in the bytes of that text; null if they are UTF-8. */
    public @Nullable String fault(String text, int length) {
        ByteBuf have = bytes;
        return have == null ? null : Utf8.fault(have, have.readerIndex(), length, text);
    }

    /** Drops up to so many bytes, and says how many. */
    public int skip(int most) {
        ByteBuf have = bytes;
        if (have == null) {
            return 0;
        }
        int count = Math.min(most, have.readableBytes());
        have.skipBytes(count);
        taken(have, count);
        return count;
    }

    /** Gives back memory if much was there, and fewer than so many bytes are left by now. */
    public void shrink(int most) {
        ByteBuf have = bytes;
        if (have != null && have.readableBytes() <= most && have.capacity() > 2L * most) {
            bytes = have.alloc().buffer(have.readableBytes()).writeBytes(have);
            have.release();
        }
    }

    /** Moves unread bytes to memory that the garbage collector frees. */
    public void moveToHeap() {
        ByteBuf have = bytes;
        if (have != null) {
            byte[] left = new byte[have.readableBytes()];
            have.readBytes(left);
            bytes = Unpooled.wrappedBuffer(left);
            have.release();
        }
    }

    private void taken(ByteBuf have, int count) {
        searched = Math.max(0, searched - count);
        if (!have.isReadable()) {
            release();
        }
    }

    /** The buffer, which belongs to the caller; or null. */
    public @Nullable ByteBuf takeAll() {
        ByteBuf have = bytes;
        bytes = null;
        searched = 0;
        return have;
    }

    public void release() {
        ByteBuf have = takeAll();
        if (have != null) {
            have.release();
        }
    }
}
