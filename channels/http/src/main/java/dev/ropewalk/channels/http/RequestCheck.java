package dev.ropewalk.channels.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;

import org.jspecify.annotations.Nullable;

import java.util.Iterator;
import java.util.List;

/**
 * Decides which heads of requests a server refuses: those that are malformed, and those that have
 * two readings.
 */
final class RequestCheck {
    private RequestCheck() {}

    /** Null if it is in order. */
    static @Nullable HttpException refusal(HttpRequest head) {
        if (head.decoderResult().isFailure()) {
            Throwable why = head.decoderResult().cause();
            return switch (why) {
                case TooLongHttpLineException _ -> new HttpException(414, "the first line is long");
                case TooLongHttpHeaderException _ -> new HttpException(431, "the head is long");
                default -> malformed(why.getMessage());
            };
        }
        HttpVersion version = head.protocolVersion();
        if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
            return new HttpException(505, "only HTTP/1.1 and HTTP/1.0");
        }
        String badTarget = RequestTarget.fault(head.method().name(), head.uri());
        if (badTarget != null) {
            return malformed("target " + head.uri() + ": " + badTarget);
        }
        HttpException badHost = badHost(head);
        if (badHost != null) {
            return badHost;
        }
        HttpException badLength = badLength(head);
        return badLength == null ? badExpectation(head) : badLength;
    }

    private static HttpException malformed(@Nullable String why) {
        return new HttpException(400, "malformed: " + visible(why));
    }

    /** The input of a client is not sent back as it is. */
    private static String visible(@Nullable String text) {
        return text == null ? "" : text.replaceAll("[^ -~]", "?");
    }

    /** Whether it is of a client that knows no chunks and no expectations. */
    static boolean isOld(HttpRequest head) {
        return head.protocolVersion().equals(HttpVersion.HTTP_1_0);
    }

    private static @Nullable HttpException badHost(HttpRequest head) {
        Iterator<String> hosts = head.headers().valueStringIterator(HttpHeaderNames.HOST);
        if (!hosts.hasNext()) {
            return isOld(head) ? null : new HttpException(400, "Host: 0 of them");
        }
        String host = hosts.next();
        if (hosts.hasNext()) {
            int count = head.headers().getAll(HttpHeaderNames.HOST).size();
            return new HttpException(400, "Host: " + count + " of them");
        }
        return RequestTarget.isHostField(host) ? null : new HttpException(400, "Host: no host");
    }

    /** Where a body ends must not be open to doubt. */
    private static @Nullable HttpException badLength(HttpRequest head) {
        if (!head.headers().contains(HttpHeaderNames.TRANSFER_ENCODING)) {
            return null;
        }
        List<String> encodings = head.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (isOld(head)) {
            return new HttpException(400, "Transfer-Encoding in HTTP/1.0");
        }
        if (head.headers().contains(HttpHeaderNames.CONTENT_LENGTH)) {
            return new HttpException(400, "Content-Length and Transfer-Encoding");
        }
        if (Wire.isChunkedAlone(encodings)) {
            return null;
        }
        return Wire.endsChunked(encodings)
                ? new HttpException(501, "Transfer-Encoding: only chunked")
                : new HttpException(400, "Transfer-Encoding: the last is not chunked");
    }

    private static @Nullable HttpException badExpectation(HttpRequest head) {
        return !expects(head)
                        || head.headers().getAll(HttpHeaderNames.EXPECT).stream()
                                .allMatch(HttpHeaderValues.CONTINUE::contentEqualsIgnoreCase)
                ? null
                : new HttpException(417, "only Expect: 100-continue");
    }

    /**
     * Whether the client waits to be told to go on; a client of HTTP/1.0 does not, whatever it
     * says.
     */
    static boolean expects(HttpRequest head) {
        return head.headers().contains(HttpHeaderNames.EXPECT) && !isOld(head);
    }
}
