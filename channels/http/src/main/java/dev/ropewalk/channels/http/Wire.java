package dev.ropewalk.channels.http;

import dev.ropewalk.fibers.io.MessageConnection;
import dev.ropewalk.fibers.spi.ClosedException;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Common code of the server and the client: how bodies are announced, and written. */
final class Wire {
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

    private Wire() {}

    static HttpDecoderConfig decoding(HttpOptions options) {
        return new HttpDecoderConfig()
                .setMaxInitialLineLength(options.maxLineBytes())
                .setMaxHeaderSize(options.maxHeaderBytes())
                .setStrictLineParsing(true)
                .setAllowDuplicateContentLengths(false)
                .setUseRfc9112TransferEncoding(true);
    }

    /** Whether a body is in chunks alone. */
    static boolean isChunkedAlone(List<String> encodings) {
        return String.join(",", encodings).strip().equalsIgnoreCase("chunked");
    }

    /** Whether it is in chunks, which may hold another encoding. */
    static boolean endsChunked(List<String> encodings) {
        return String.join(",", encodings).strip().toLowerCase(Locale.ROOT).endsWith("chunked");
    }

    /** The length of a body is the library's affair. */
    static void length(io.netty.handler.codec.http.HttpHeaders fields, long length) {
        fields.remove(HttpHeaderNames.TRANSFER_ENCODING);
        if (length < 0) {
            fields.remove(HttpHeaderNames.CONTENT_LENGTH);
        } else {
            fields.set(HttpHeaderNames.CONTENT_LENGTH, Long.toString(length));
        }
    }

    /** Of a head whose body the program did not make: the length that it tells, or none. */
    static void toldLength(io.netty.handler.codec.http.HttpHeaders fields) {
        List<String> told = fields.getAll(HttpHeaderNames.CONTENT_LENGTH);
        boolean isOne = told.size() == 1 && LENGTH.matcher(told.getFirst()).matches();
        length(fields, isOne ? Long.parseLong(told.getFirst()) : -1);
    }

    static void chunked(io.netty.handler.codec.http.HttpHeaders fields) {
        length(fields, -1);
        fields.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }

    /** -1 if it is not known. */
    static long length(io.netty.handler.codec.http.HttpMessage head) {
        return HttpUtil.isTransferEncodingChunked(head) ? -1 : HttpUtil.getContentLength(head, -1L);
    }

    /**
     * Bytes that are no UTF-8 are not replaced, because two different texts must not become one.
     */
    static String utf8(byte[] bytes, int count) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes, 0, count))
                .toString();
    }

    /**
     * Writes the chunks of a body, and its end.
     *
     * @throws ClosedException with a cause if the body failed, or has not the length that was told:
     *     the written body is not whole, and must not be taken for it
     */
    static void writeChunks(MessageConnection<HttpObject> to, HttpBody body) {
        boolean isWhole = false;
        try {
            long left = body.left();
            boolean isCounted = left >= 0;
            for (byte[] chunk : body) {
                left -= chunk.length;
                if (isCounted && left < 0) {
                    throw wrongLength(body, "more");
                }
                if (chunk.length > 0) {
                    to.write(new DefaultHttpContent(Unpooled.wrappedBuffer(chunk)));
                }
            }
            if (isCounted && left > 0) {
                throw wrongLength(body, "less");
            }
            isWhole = true;
        } finally {
            if (!isWhole) {
                body.cancel();
            }
        }
        to.write(LastHttpContent.EMPTY_LAST_CONTENT);
    }

    private static ClosedException wrongLength(HttpBody body, String what) {
        String message = body + " has " + what + " than its length=" + body.length();
        return new ClosedException(message, new IllegalStateException(message));
    }
}
