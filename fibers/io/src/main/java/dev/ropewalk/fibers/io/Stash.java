package dev.ropewalk.fibers.io;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/**
 * The bytes that have come and that nobody has read. They lie in one buffer, the one in which they
 * came if there were none before; it is released as soon as it is read to its end. Confined to its
 * cord.
 */
final class Stash {
    private static final byte LF = '\n';
    private static final byte CR = '\r';

    private @Nullable ByteBuf bytes;

    /** So many unread bytes are no end of a line. */
    private int searched;

    int size() {
        return bytes == null ? 0 : bytes.readableBytes();
    }

    /** Takes the buffer over. */
    void add(ByteBuf more) {
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
    int read(byte[] into, int offset, int length) {
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
    int lineEnd() {
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
    int lineLength(int end) {
        ByteBuf have = bytes;
        boolean hasReturn =
                have != null && end > 0 && have.getByte(have.readerIndex() + end - 1) == CR;
        return hasReturn ? end - 1 : end;
    }

    /** Takes so many bytes, and makes text of the first ones. */
    String take(int count, int length) {
        ByteBuf have = bytes;
        if (have == null) {
            return "";
        }
        String line = have.toString(have.readerIndex(), length, StandardCharsets.UTF_8);
        have.skipBytes(count);
        taken(have, count);
        return line;
    }

    private void taken(ByteBuf have, int count) {
        searched = Math.max(0, searched - count);
        if (!have.isReadable()) {
            release();
        }
    }

    /** The buffer, which belongs to the caller; null if there is none. */
    @Nullable ByteBuf takeAll() {
        ByteBuf have = bytes;
        bytes = null;
        searched = 0;
        return have;
    }

    void release() {
        ByteBuf have = takeAll();
        if (have != null) {
            have.release();
        }
    }
}
