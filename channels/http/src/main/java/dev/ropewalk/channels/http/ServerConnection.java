package dev.ropewalk.channels.http;

import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.Codec;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.MessageConnection;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Waits;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;

/**
 * One client: its requests, one after the other, and the answers in the same order.
 *
 * <p>The connection is used again unless either side wants to close it, the request was malformed,
 * or more of its body is left than is worth reading. Then its caller closes it, and what still
 * comes is dropped ({@link TcpConnection#close}).
 *
 * <p>Confined to the fiber of the connection, but for {@link #drain}, which is of its cord.
 */
final class ServerConnection {
    private static final Log LOG = Logs.logger(HttpServer.class);

    /** So much of a body that nobody read is read for the sake of the next request. */
    private static final int MAX_DROPPED = 64 * 1_024;

    /** Forbidden in a host: it would be read as something else. */
    private static final String NO_HOST = "/?#@\\ \t,";

    private static final DefaultFullHttpResponse CONTINUE =
            new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER);

    private final TcpConnection connection;
    private final MessageConnection<HttpObject> messages;
    private final HttpOptions options;
    private final HttpHandler handler;
    private final Dates dates;

    /** It waits for the head of a request. */
    private boolean isIdle;

    private boolean isDraining;

    ServerConnection(
            TcpConnection connection, HttpOptions options, HttpHandler handler, Dates dates) {
        this.connection = connection;
        this.options = options;
        this.handler = handler;
        this.dates = dates;
        this.messages =
                connection.messages(
                        Codec.of(
                                HttpObject.class,
                                () -> new RequestDecoder(options),
                                ResponseEncoder::new));
    }

    /** Until the connection has ended, which is its caller's to close. */
    void run() {
        try {
            boolean isUsedAgain = true;
            while (isUsedAgain && !isDraining) {
                HttpObject next = next();
                if (next == null) {
                    return;
                }
                isUsedAgain = serve((io.netty.handler.codec.http.HttpRequest) next);
            }
        } catch (ConnectionException | ClosedException gone) {
            LOG.debug("{} has ended", connection, gone);
            connection.reset(); // what was answered may not be whole
        }
    }

    /** Ends it when the request that is under way is answered. On its cord; never waits. */
    void drain() {
        isDraining = true;
        if (isIdle) {
            messages.cancel();
        }
    }

    /** From any cord. */
    void drainFromAnywhere() {
        if (connection.cord().isCurrent()) {
            drain();
            return;
        }
        connection
                .cord()
                .post(
                        new CordMessage() {
                            @Override
                            public void onCord() {
                                drain();
                            }

                            @Override
                            public void onClosed() {
                                // It has ended with its cord.
                            }
                        });
    }

    /** Null if none comes in time, or none at all. */
    private @Nullable HttpObject next() {
        isIdle = true;
        try {
            return messages.receive(options.headLimit());
        } catch (ClosedException none) {
            LOG.debug("{} has no further request", connection, none);
            return null;
        } finally {
            isIdle = false;
        }
    }

    // ---------------------------------------------------------------- one request

    /** Whether the connection can be used again. */
    private boolean serve(io.netty.handler.codec.http.HttpRequest head) {
        HttpException malformed = malformed(head);
        if (malformed != null) {
            answer(head, null, error(malformed));
            return false;
        }
        IncomingBody incoming = incoming(head);
        HttpRequest request =
                new HttpRequest(
                        head.method().name(),
                        head.uri(),
                        new HttpHeaders(head.headers()),
                        incoming == null ? HttpBody.empty() : incoming,
                        connection.remoteAddress());
        boolean isUsedAgain = answer(head, incoming, handle(request, incoming));
        return isUsedAgain && (incoming == null || incoming.isOver(MAX_DROPPED));
    }

    private HttpResponse handle(HttpRequest request, @Nullable IncomingBody incoming) {
        try {
            return handler.handle(request);
        } catch (Throwable failure) {
            Waits.throwIfSignal(failure);
            if (failure instanceof OutOfMemoryError full) {
                throw full;
            }
            HttpException told = told(failure);
            if (told != null) {
                LOG.debug("{} from {} is refused", request, connection, failure);
                return error(told);
            }
            if (failure instanceof ConnectionException gone && !connection.isOpen()) {
                throw gone; // nobody is left to be told
            }
            HttpException fault = incoming == null ? null : incoming.fault();
            if (fault == null && connection.hasCaused(failure)) {
                fault = new HttpException(400, "the request did not come whole");
            }
            if (fault != null) {
                LOG.debug("{} from {} is refused", request, connection, failure);
                return error(fault);
            }
            LOG.error("the handler failed for {} from {}", request, connection, failure);
            return error(new HttpException(500, "the server failed"));
        }
    }

    /** Also by a fiber of the handler, which has awaited it; null if it says something else. */
    private static @Nullable HttpException told(Throwable failure) {
        Throwable said = failure;
        while (said instanceof FiberFailedException && said.getCause() != null) {
            said = said.getCause();
        }
        return said instanceof HttpException told ? told : null;
    }

    private static HttpResponse error(HttpException failure) {
        return HttpResponse.text(failure.getMessage() + "\n").withStatus(failure.status());
    }

    /** Null if there is none; its last chunk is here as a rule, and is taken then. */
    private @Nullable IncomingBody incoming(io.netty.handler.codec.http.HttpRequest head) {
        long length = Wire.length(head);
        boolean isChunked = HttpUtil.isTransferEncodingChunked(head);
        Runnable invitation = HttpUtil.is100ContinueExpected(head) ? this::invite : null;
        IncomingBody body =
                new IncomingBody(
                        messages,
                        head.method() + " " + head.uri(),
                        isChunked ? -1 : Math.max(length, 0),
                        options.maxBodyBytes(),
                        invitation);
        return !isChunked && length <= 0 && body.dropHere() ? null : body;
    }

    private void invite() {
        messages.write(CONTINUE.retainedDuplicate());
    }

    // ---------------------------------------------------------------- what is refused

    /** Null if it is none. */
    private @Nullable HttpException malformed(io.netty.handler.codec.http.HttpRequest head) {
        if (head.decoderResult().isFailure()) {
            Throwable why = head.decoderResult().cause();
            return switch (why) {
                case TooLongHttpLineException _ -> new HttpException(414, "the first line is long");
                case TooLongHttpHeaderException _ -> new HttpException(431, "the head is long");
                default -> new HttpException(400, "malformed: " + visible(why.getMessage()));
            };
        }
        HttpVersion version = head.protocolVersion();
        if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
            return new HttpException(505, "only HTTP/1.1 and HTTP/1.0");
        }
        HttpException badHost = badHost(head);
        HttpException badLength = badHost == null ? badLength(head) : badHost;
        if (badLength == null && head.headers().contains(HttpHeaderNames.EXPECT)) {
            return HttpUtil.is100ContinueExpected(head)
                    ? null
                    : new HttpException(417, "only Expect: 100-continue");
        }
        return badLength;
    }

    /** What a client has sent is not sent back as it is. */
    private static String visible(@Nullable String text) {
        return text == null ? "" : text.replaceAll("[^ -~]", "?");
    }

    private static @Nullable HttpException badHost(io.netty.handler.codec.http.HttpRequest head) {
        List<String> hosts = head.headers().getAll(HttpHeaderNames.HOST);
        boolean isNeeded = head.protocolVersion().equals(HttpVersion.HTTP_1_1);
        if (hosts.size() > 1 || (isNeeded && hosts.isEmpty())) {
            return new HttpException(400, "Host: " + hosts.size() + " of them");
        }
        return !hosts.isEmpty() && hosts.getFirst().chars().anyMatch(c -> NO_HOST.indexOf(c) >= 0)
                ? new HttpException(400, "Host: no host")
                : null;
    }

    /** Where a body ends must not be open to doubt. */
    private static @Nullable HttpException badLength(io.netty.handler.codec.http.HttpRequest head) {
        List<String> encodings = head.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (encodings.isEmpty()) {
            return null;
        }
        if (head.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
            return new HttpException(400, "Transfer-Encoding in HTTP/1.0");
        }
        if (head.headers().contains(HttpHeaderNames.CONTENT_LENGTH)) {
            return new HttpException(400, "Content-Length and Transfer-Encoding");
        }
        String all = String.join(",", encodings).strip().toLowerCase(Locale.ROOT);
        if (all.equals("chunked")) {
            return null;
        }
        return all.endsWith("chunked")
                ? new HttpException(501, "Transfer-Encoding: only chunked")
                : new HttpException(400, "Transfer-Encoding: the last is not chunked");
    }

    // ---------------------------------------------------------------- the answer

    /** Whether the connection can be used again. */
    private boolean answer(
            io.netty.handler.codec.http.HttpRequest head,
            @Nullable IncomingBody incoming,
            HttpResponse response) {
        HttpResponseStatus status = HttpResponseStatus.valueOf(response.status());
        HttpBody body = response.body();
        io.netty.handler.codec.http.HttpHeaders fields = response.headers().copy();
        boolean isOld = head.protocolVersion().equals(HttpVersion.HTTP_1_0);
        boolean isEndedByClose = body.length() < 0 && isOld;
        boolean isUsedAgain =
                !isEndedByClose
                        && !isDraining
                        && head.decoderResult().isSuccess()
                        && HttpUtil.isKeepAlive(head)
                        && isWorthReading(incoming)
                        && !response.headers().has("Connection", "close");
        if (!isUsedAgain) {
            fields.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        } else if (isOld) {
            fields.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
        }
        if (!fields.contains(HttpHeaderNames.DATE)) {
            fields.set(HttpHeaderNames.DATE, dates.now());
        }
        if (body.length() < 0 && !isOld) {
            Wire.chunked(fields);
        } else {
            Wire.length(fields, body.length());
        }
        write(head, status, fields, body);
        return isUsedAgain;
    }

    private void write(
            io.netty.handler.codec.http.HttpRequest head,
            HttpResponseStatus status,
            io.netty.handler.codec.http.HttpHeaders fields,
            HttpBody body) {
        boolean isEmpty = status.code() == 204 || status.code() == 304;
        if (head.method().equals(io.netty.handler.codec.http.HttpMethod.HEAD) || isEmpty) {
            body.cancel();
            if (isEmpty) {
                Wire.length(fields, -1);
            }
            messages.write(new ResponseEncoder.Head(status, fields));
            messages.write(LastHttpContent.EMPTY_LAST_CONTENT);
        } else if (body instanceof ArrayBody all) {
            messages.write(
                    new DefaultFullHttpResponse(
                            HttpVersion.HTTP_1_1,
                            status,
                            Unpooled.wrappedBuffer(all.array()),
                            fields,
                            EmptyHttpHeaders.INSTANCE));
        } else {
            messages.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, status, fields));
            stream(head, body);
        }
    }

    private void stream(io.netty.handler.codec.http.HttpRequest head, HttpBody body) {
        try {
            Wire.writeChunks(messages, body);
        } catch (ClosedException cutOff) {
            if (connection.hasCaused(cutOff)) {
                LOG.debug("{} of {} {} failed", body, head.method(), head.uri(), cutOff);
            } else {
                LOG.error("{} of {} {} failed", body, head.method(), head.uri(), cutOff);
            }
            connection.reset(); // a whole end would make the client believe it has all
            throw cutOff;
        }
    }

    private static boolean isWorthReading(@Nullable IncomingBody body) {
        if (body == null) {
            return true;
        }
        if (body.isEnded() || body.isBroken()) {
            return !body.isBroken();
        }
        return !body.isUninvited()
                && (body.length() < 0 ? body.dropHere() : body.length() <= MAX_DROPPED);
    }
}
