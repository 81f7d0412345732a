package dev.ropewalk.channels.http;

import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Receivable;

import java.io.ByteArrayOutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The body of a request or a response: chunks of bytes that are received as from a channel, one by
 * one, in a select, or by a pipeline that begins with it.
 *
 * <p>A body from the other side holds that side up while it is not received. Once all is received,
 * a receive throws {@link ClosedException}; its cause tells whether the body was cut off. Where a
 * body comes from is also where it may be received: on the cord of its connection, or as its
 * channel allows. A body from the other side is received by one fiber at a time, and as long as its
 * exchange lasts: the body of a request until the answer is complete, the body of a response until
 * the next request is sent.
 */
public abstract sealed class HttpBody implements Receivable<byte[]>
        permits ArrayBody, StreamBody, IncomingBody {
    /** Of what the program itself has made; the other side has its own limits. */
    static final int NO_LIMIT = Integer.MAX_VALUE;

    /** {@return an empty body} */
    public static HttpBody empty() {
        return ArrayBody.EMPTY;
    }

    /**
     * {@return a body that can be received, and sent, any number of times}
     *
     * @param bytes are not copied; do not change them any more
     */
    public static HttpBody of(byte[] bytes) {
        return new ArrayBody(Objects.requireNonNull(bytes, "bytes"));
    }

    /**
     * {@return a body that can be received, and sent, any number of times}
     *
     * @param text is sent as UTF-8
     */
    public static HttpBody of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * {@return a body that is sent chunk by chunk, as they are received} It ends when the source
     * ends. A source that was closed with a cause breaks the connection off, so that the other side
     * does not take what came for the whole; one whose other side is gone is cancelled.
     *
     * @param chunks for example a channel; is received from once
     */
    public static HttpBody of(Receivable<byte[]> chunks) {
        Objects.requireNonNull(chunks, "chunks");
        return chunks instanceof HttpBody body ? body : new StreamBody(chunks);
    }

    HttpBody() {}

    /** {@return how many bytes it has in all; -1 if that is not known} */
    public abstract long length();

    /**
     * Receives all of it. A switchpoint.
     *
     * @return the bytes
     * @throws HttpException with 413, if a body that came from the other side is longer than {@link
     *     HttpOptions#maxBodyBytes}
     * @throws UncheckedIOException if it was cut off
     * @throws ClosedException if it was received, or its source was closed with a cause
     */
    public byte[] bytes() {
        return bytes(limit());
    }

    /**
     * Receives all of it, with a limit of its own. A switchpoint.
     *
     * @param maxBytes how many at most
     * @return the bytes
     * @throws HttpException with 413, if there are more
     * @throws UncheckedIOException if it was cut off
     * @throws ClosedException if it was received, or its source was closed with a cause
     */
    public byte[] bytes(int maxBytes) {
        if (length() > maxBytes) {
            throw tooLong(maxBytes);
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream((int) Math.max(length(), 0));
        try {
            for (byte[] chunk : this) {
                if (chunk.length > maxBytes - all.size()) {
                    throw tooLong(maxBytes);
                }
                all.writeBytes(chunk);
            }
        } catch (ClosedException end) {
            if (end.getCause() instanceof UncheckedIOException cutOff) {
                throw cutOff;
            }
            throw end;
        }
        return all.toByteArray();
    }

    private HttpException tooLong(int maxBytes) {
        return new HttpException(
                413,
                length() < 0
                        ? "the body has more bytes than " + maxBytes
                        : "the body has " + length() + " bytes > " + maxBytes,
                isOfResponse());
    }

    /**
     * Receives all of it as UTF-8; {@link #bytes()} gives bytes that are not. A switchpoint.
     *
     * @return the text
     * @throws HttpException with 400, if it is no UTF-8; with 413 as {@link #bytes()}
     * @throws UncheckedIOException as {@link #bytes()}
     * @throws ClosedException as {@link #bytes()}
     */
    public String text() {
        byte[] all = bytes();
        try {
            return Wire.utf8(all, all.length);
        } catch (CharacterCodingException none) {
            HttpException bad = new HttpException(400, "the body is no UTF-8", isOfResponse());
            bad.initCause(none);
            throw bad;
        }
    }

    /** Whether it came from a server. */
    boolean isOfResponse() {
        return false;
    }

    /** Whether it was received or cancelled before, so that it cannot be sent any more. */
    boolean isUsedUp() {
        return false;
    }

    /** How many bytes are to be received still; -1 if that is not known. */
    long left() {
        return length();
    }

    /** Ends it because the exchange has no use for it. */
    void withdraw(Withdrawn why) {
        cancel();
    }

    /** How many bytes {@link #bytes()} takes. */
    int limit() {
        return NO_LIMIT;
    }
}
