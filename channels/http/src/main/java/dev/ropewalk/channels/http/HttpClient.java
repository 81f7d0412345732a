package dev.ropewalk.channels.http;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.Codec;
import dev.ropewalk.fibers.io.CodecException;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.ConnectionResetException;
import dev.ropewalk.fibers.io.ConnectionTimeoutException;
import dev.ropewalk.fibers.io.MessageConnection;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.spi.ClosedException;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * An HTTP/1.1 client of one server: sends one request at a time, over one connection as long as
 * that lasts.
 *
 * {@snippet file="dev/ropewalk/channels/http/HttpSnippetsTest.java" region="client"}
 *
 * <p>It belongs to the cord that made it. Fibers take turns with a {@code Mutex}, or have one each
 * from a {@code ResourcePool}. A limit for an exchange is a {@code CancelScope} around it; if the
 * fiber is terminated or cancelled within an exchange, its connection cannot be used again, and the
 * next request makes a new one.
 *
 * <p>It follows no redirects, keeps no cookies, and sends nothing twice: if the server closes the
 * connection at the moment at which it is used again, that is a {@link ConnectionResetException}.
 */
public final class HttpClient implements AutoCloseable {
    /** So much of an unreceived response is read for the sake of the next request. */
    private static final int MAX_DROPPED = 64 * 1_024;

    /** And for so long. */
    private static final Duration DROP_LIMIT = Duration.ofSeconds(5);

    /** So many heads may come before the one that answers. */
    private static final int MAX_INTERIM = 32;

    private final String host;
    private final int port;
    private final HttpOptions options;

    /** Null if the next request makes one. */
    private @Nullable TcpConnection connection;

    private @Nullable MessageConnection<HttpObject> messages;

    /** The body of the last response, or null. */
    private @Nullable IncomingBody body;

    /** The fiber that sends, or null. */
    private @Nullable Fiber<?> sender;

    private boolean isClosed;

    private HttpClient(String host, int port, HttpOptions options) {
        this.host = host;
        this.port = port;
        this.options = options;
    }

    /**
     * Connects with the default options. A switchpoint.
     *
     * @param host an address, or a name
     * @param port the port
     * @return the client
     * @throws ConnectionException if it cannot connect
     */
    public static HttpClient connect(String host, int port) {
        return connect(host, port, HttpOptions.defaults());
    }

    /**
     * Connects. A switchpoint.
     *
     * @param host an address, or a name
     * @param port the port
     * @param options how
     * @return the client
     * @throws ConnectionException if it cannot connect
     */
    public static HttpClient connect(String host, int port, HttpOptions options) {
        Objects.requireNonNull(options, "options");
        HttpClient client = new HttpClient(host, port, options);
        boolean isConnected = false;
        try {
            client.connect();
            isConnected = true;
        } finally {
            if (!isConnected) {
                client.close(); // a fiber that is ended meanwhile leaves no connection behind
            }
        }
        return client;
    }

    private MessageConnection<HttpObject> connect() {
        checkOpen();
        TcpConnection made = TcpConnection.connect(host, port, options.tcp());
        if (isClosed) {
            made.close();
        }
        checkOpen();
        connection = made;
        MessageConnection<HttpObject> with =
                made.messages(
                        Codec.of(
                                HttpObject.class,
                                () -> new HttpClientCodec(Wire.decoding(options), false, false)));
        messages = with;
        return with;
    }

    // ---------------------------------------------------------------- an exchange

    /**
     * Sends a request with its body, and then waits for the head of the response, so a server that
     * sends back as much as comes holds it up; the body of the response is received from the
     * response, before the next request is sent: the unreceived rest is dropped then. A
     * switchpoint.
     *
     * @param request what to ask; {@code Host} is added if it is missing
     * @return the answer, of any status
     * @throws ConnectionException if the server cannot be reached any more, or breaks the
     *     connection off
     * @throws ConnectionTimeoutException if nothing came for the {@code readLimit} of the TCP
     *     options
     * @throws CodecException if the answer is no HTTP/1.x, or is a 101 or grants a CONNECT, or is
     *     in another {@code Transfer-Encoding} than {@code chunked}
     * @throws ClosedException if the body of the request failed, or was received before
     * @throws IllegalStateException if another fiber sends, or it is closed
     * @throws WrongThreadException if this is not its cord
     */
    public HttpResponse send(HttpRequest request) {
        Objects.requireNonNull(request, "request");
        Fiber<?> other = sender;
        if (other != null) {
            throw new IllegalStateException(
                    this
                            + " is used by "
                            + other
                            + "; take turns with a Mutex, or have a client for each fiber");
        }
        checkOpen();
        sender = Fiber.current();
        boolean isWhole = false;
        try {
            HttpResponse response = exchange(usable(), request);
            isWhole = true;
            return response;
        } finally {
            sender = null;
            if (!isWhole) {
                forget();
            }
        }
    }

    /** Another fiber may close it while this one waits. */
    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException(this + " was closed; connect another one");
        }
    }

    /** The connection, if the last exchange has ended and the server has not closed it. */
    private MessageConnection<HttpObject> usable() {
        MessageConnection<HttpObject> kept = messages;
        if (kept != null && isUsable(kept)) {
            return kept;
        }
        forget();
        return connect();
    }

    private boolean isUsable(MessageConnection<HttpObject> kept) {
        IncomingBody last = body;
        try {
            if (last != null && !isOver(last)) {
                return false;
            }
            HttpObject unasked = kept.tryReceive();
            ReferenceCountUtil.release(unasked);
            return unasked == null && kept.connection().isOpen();
        } catch (ClosedException | ConnectionException gone) {
            return false;
        }
    }

    private boolean isOver(IncomingBody last) {
        if (!last.isOver()) {
            last.withdraw(Withdrawn.over(this + " sent the next request"));
        }
        return last.drop(MAX_DROPPED, DROP_LIMIT);
    }

    private HttpResponse exchange(MessageConnection<HttpObject> with, HttpRequest request) {
        ConnectionException unsent = null;
        try {
            write(with, request);
        } catch (ConnectionException refused) {
            unsent = refused; // the server may have answered, and closed, before all was there
        }
        io.netty.handler.codec.http.HttpResponse head;
        try {
            head = head(with, request);
        } catch (ClosedException | ConnectionException gone) {
            if (unsent != null) {
                unsent.addSuppressed(gone);
                throw unsent;
            }
            throw gone(request, gone);
        }
        return response(with, request, head, unsent == null);
    }

    private ConnectionException gone(HttpRequest request, RuntimeException gone) {
        if (gone instanceof ConnectionException told) {
            return told;
        }
        return gone.getCause() instanceof ConnectionException told
                ? told
                : new ConnectionResetException(
                        this + " closed the connection, and did not answer " + request,
                        new EOFException());
    }

    /** The final one. */
    private io.netty.handler.codec.http.HttpResponse head(
            MessageConnection<HttpObject> with, HttpRequest request) {
        int interim = 0;
        while (interim <= MAX_INTERIM) {
            HttpObject next = with.receive();
            if (next.decoderResult().isFailure()) {
                ReferenceCountUtil.release(next);
                throw noHttp(next.decoderResult().cause());
            }
            if (next instanceof io.netty.handler.codec.http.HttpResponse head) {
                String unfit = unfit(head, request);
                if (unfit != null) {
                    ReferenceCountUtil.release(next);
                    throw noHttp(new ProtocolException(unfit));
                }
                if (head.status().code() >= 200) {
                    return head;
                }
                interim++;
            }
            ReferenceCountUtil.release(next); // of a 100, or the end of it
        }
        throw noHttp(new ProtocolException("more than " + MAX_INTERIM + " heads of status 1xx"));
    }

    private CodecException noHttp(Throwable why) {
        return new CodecException(
                this + " answers with what is no HTTP/1.1: " + why.getMessage(),
                why instanceof IOException io ? io : new IOException(why));
    }

    /** The part of the answer that this client cannot go on with, or null. */
    private static @Nullable String unfit(
            io.netty.handler.codec.http.HttpResponse head, HttpRequest request) {
        HttpVersion version = head.protocolVersion();
        if (!version.protocolName().equals("HTTP") || version.majorVersion() != 1) {
            return "version " + version;
        }
        int status = head.status().code();
        if (status < 100 || status > 999) {
            return "status " + status;
        }
        if (status == 101) {
            return "101, another protocol, for which it was not asked";
        }
        if (request.method().equals("CONNECT")
                && HttpStatusClass.SUCCESS.contains(head.status().code())) {
            return head.status().code() + " to CONNECT, a tunnel, which this client has no use for";
        }
        List<String> encodings = head.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        return encodings.isEmpty() || Wire.isChunkedAlone(encodings)
                ? null
                : "Transfer-Encoding: "
                        + String.join(", ", encodings)
                        + ", where only chunked is known";
    }

    private HttpResponse response(
            MessageConnection<HttpObject> with,
            HttpRequest request,
            io.netty.handler.codec.http.HttpResponse head,
            boolean isSent) {
        int status = head.status().code();
        boolean isHeadOnly = request.method().equals("HEAD") || status == 204 || status == 304;
        IncomingBody incoming =
                new IncomingBody(
                        with,
                        request,
                        isHeadOnly ? 0 : Wire.length(head),
                        options,
                        new Pace(options.tcp().readLimit(), 0),
                        null);
        body = incoming;
        if (!isSent || !HttpUtil.isKeepAlive(head)) {
            messages = null; // the next request makes a new one, and closes this first
        }
        boolean isEmpty = incoming.length() == 0 && incoming.dropHere();
        return new HttpResponse(
                status, new HttpHeaders(head.headers()), isEmpty ? HttpBody.empty() : incoming);
    }

    // ---------------------------------------------------------------- writing

    private void write(MessageConnection<HttpObject> with, HttpRequest request) {
        HttpBody sent = request.body();
        if (sent.isUsedUp()) {
            throw new ClosedException(
                    sent
                            + " was received or cancelled before, so it cannot be sent; send"
                            + " HttpBody.of(bytes)",
                    null);
        }
        HttpMethod method = HttpMethod.valueOf(request.method());
        io.netty.handler.codec.http.HttpHeaders fields = request.headers().copy();
        if (!fields.contains(HttpHeaderNames.HOST)) {
            fields.set(HttpHeaderNames.HOST, hostField());
        }
        if (sent instanceof ArrayBody all) {
            boolean hasBody = all.length() > 0 || mayHaveBody(request);
            Wire.length(fields, hasBody ? all.length() : -1);
            with.write(
                    new DefaultFullHttpRequest(
                            HttpVersion.HTTP_1_1,
                            method,
                            request.target(),
                            Unpooled.wrappedBuffer(all.array()),
                            fields,
                            EmptyHttpHeaders.INSTANCE));
            return;
        }
        if (sent.left() < 0) {
            Wire.chunked(fields);
        } else {
            Wire.length(fields, sent.left());
        }
        with.write(new DefaultHttpRequest(HttpVersion.HTTP_1_1, method, request.target(), fields));
        Wire.writeChunks(with, sent);
    }

    /** Of these an empty one is told. */
    private static boolean mayHaveBody(HttpRequest request) {
        return switch (request.method()) {
            case "POST", "PUT", "PATCH" -> true;
            default -> false;
        };
    }

    private String hostField() {
        boolean isUsual = port == (options.tcp().tls().isPresent() ? 443 : 80);
        String name = host.contains(":") ? "[" + host + "]" : host;
        return isUsual ? name : name + ":" + port;
    }

    // ---------------------------------------------------------------- the end

    private void forget() {
        TcpConnection kept = connection;
        connection = null;
        messages = null;
        body = null;
        if (kept != null) {
            kept.close();
        }
    }

    /**
     * Closes the connection; the body of the last response ends with that. Never waits; to close it
     * twice is harmless.
     *
     * @throws WrongThreadException if this is not its cord
     */
    @Override
    public void close() {
        isClosed = true;
        forget();
    }

    @Override
    public String toString() {
        return "http client of " + host + ":" + port;
    }
}
