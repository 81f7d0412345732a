package dev.ropewalk.channels.http;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.ClientHandler;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.ConnectionTimeoutException;
import dev.ropewalk.fibers.io.MessageConnection;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.SpunFibers;
import dev.ropewalk.fibers.spi.Waits;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AsciiString;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * One client: its requests, one after the other, and the answers in the same order. A turn begins
 * with the head of a request, and serves all requests that are here; while no request is here, the
 * connection has no stack.
 *
 * <p>An exchange has two bodies, which may be alive together, because an answer may be made of the
 * request's body. Its order: the handler; a 100 if the client waits for one and the answer may need
 * the body; the head; the answer's body, and meanwhile the request's may be received; then the rest
 * of the request's body is dropped, within bounds.
 *
 * <p>The connection is used again unless either side wants to close it, the request was malformed,
 * or more of its body is left than is worth reading. Then it is closed, and bytes that still come
 * are dropped ({@link TcpConnection#close}).
 *
 * <p>Confined to the fiber of the connection, except {@link #drain}, which is confined to its cord.
 */
final class ServerConnection implements ClientHandler<HttpObject> {
    private static final Log LOG = Logs.logger(HttpServer.class);

    /** So much of an unread body is read for the sake of the next request. */
    private static final int MAX_DROPPED = 64 * 1_024;

    /** And for so long. */
    private static final Duration DROP_LIMIT = Duration.ofSeconds(5);

    private static final int MAX_CAUSES = 100;

    private static final DefaultFullHttpResponse CONTINUE =
            new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER);

    private final TcpConnection connection;
    private final MessageConnection<HttpObject> messages;
    private final HttpOptions options;
    private final HttpHandler handler;
    private final Dates dates;
    private final Fiber<?> fiber = Fiber.current();

    /** The connections that it leaves at its end. */
    private final Set<ServerConnection> all;

    /** Left when a fiber that a handler has spun fails; null while there can be no such fiber. */
    private @Nullable CancelScope exchanges;

    /**
     * The body of the request that is under way; null if it has no body, or its last chunk is here.
     */
    private @Nullable IncomingBody incoming;

    /** The failure of a fiber that a handler has spun, or null. */
    private @Nullable FiberFailedException spunFailure;

    /** A request is under way. */
    private boolean isServing;

    private boolean isDraining;

    /** Another request may come. */
    private boolean isKept = true;

    ServerConnection(
            MessageConnection<HttpObject> messages,
            HttpOptions options,
            HttpHandler handler,
            Dates dates,
            Set<ServerConnection> all) {
        this.connection = messages.connection();
        this.messages = messages;
        this.options = options;
        this.handler = handler;
        this.dates = dates;
        this.all = all;
    }

    @Override
    public void handle(HttpObject first) {
        isServing = true;
        try {
            serveAll(first);
        } catch (ConnectionException | ClosedException gone) {
            LOG.debug("{} has ended", connection, gone);
            connection.reset(); // the answer may not be whole
        }
        isServing = false;
        FiberFailedException failed = spunFailure;
        if (failed != null) {
            if (!isClientsFault(failed)) {
                throw failed;
            }
            LOG.debug("{} is broken off", connection, failed);
            connection.reset();
        } else if (!isKept || isDraining) {
            connection.close();
        }
        incoming = null; // an idle connection keeps nothing of it
    }

    @Override
    public void end(@Nullable Throwable why) {
        all.remove(this);
        if (why instanceof ConnectionTimeoutException || why instanceof ClosedException) {
            LOG.debug("{} has no further request", connection, why);
            connection.close();
        }
    }

    /** Serves requests until no further one is here, and no fiber of the handlers is left. */
    private void serveAll(HttpObject first) {
        CancelScope scope = CancelScope.withoutLimit();
        exchanges = scope;
        SpunFibers.runToEnd(
                this::spunFailed,
                () -> isKept = scope.runOrLeave(() -> serveEach(first)) && isKept);
        exchanges = null;
    }

    private void serveEach(HttpObject first) {
        HttpObject next = first;
        while (next != null) {
            isKept = serve((io.netty.handler.codec.http.HttpRequest) next) && !isDraining;
            next = isKept ? nextHere() : null;
        }
    }

    /**
     * A fiber that a handler has spun: its failure ends the connection, because its part of the
     * answer is missing. Not if it failed only because the exchange had no use for its body. At
     * times as no fiber.
     */
    private void spunFailed(FiberFailedException failed) {
        Withdrawn why = Withdrawn.in(failed);
        if (why == null) {
            LOG.debug("{} has failed, on {}", failed.fiber(), connection, failed);
            spunFailure = spunFailure == null ? failed : spunFailure;
            CancelScope under = exchanges;
            if (under != null) {
                under.cancel();
            }
        } else if (why.isUnexpected()) {
            LOG.warn("{} has ended early, on {}: {}", failed.fiber(), connection, why.getMessage());
        } else {
            LOG.debug("{} has ended early, on {}", failed.fiber(), connection, failed);
        }
    }

    private boolean isClientsFault(Throwable failure) {
        return connection.hasCaused(failure) || fault() != null || isRefusal(failure);
    }

    /**
     * Ends it at once if it waits for a request, otherwise when that one is answered. On its cord;
     * never waits.
     */
    void drain() {
        isDraining = true;
        if (!isServing && fiber.state() == FiberState.WAITING) {
            messages.cancel();
        } else if (!isServing && fiber.state() != FiberState.DEAD) {
            postDrain(); // it was just given a request, whose body is not to be lost, or is to wait
        }
    }

    /** From any cord. */
    void drainFromAnywhere() {
        if (connection.cord().isCurrent()) {
            drain();
        } else {
            postDrain();
        }
    }

    private void postDrain() {
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

    /** Null if no request comes in time, or ever; beside fibers that a handler has spun. */
    private @Nullable HttpObject next() {
        incoming = null;
        isServing = false;
        isKept = false;
        try {
            HttpObject next = messages.receive(options.headLimit());
            isKept = next != null;
            return next;
        } catch (ClosedException none) {
            LOG.debug("{} has no further request", connection, none);
            return null;
        } finally {
            isServing = true;
        }
    }

    /** A request that is here; waits for it only beside fibers that a handler has spun. */
    private @Nullable HttpObject nextHere() {
        if (!Fiber.current().children().isEmpty()) {
            return next();
        }
        try {
            return messages.tryReceive();
        } catch (ClosedException none) {
            return null; // as the next call finds
        }
    }

    // ---------------------------------------------------------------- one request

    /** Whether the connection can be used again. */
    private boolean serve(io.netty.handler.codec.http.HttpRequest head) {
        incoming = null;
        HttpException refusal = RequestCheck.refusal(head);
        if (refusal != null) {
            answer(head, error(refusal), false);
            return false;
        }
        String authority = RequestTarget.authority(head.uri());
        if (authority != null) {
            head.headers().set(HttpHeaderNames.HOST, authority); // which counts, beside the field
        }
        IncomingBody body = incoming(head);
        incoming = body;
        HttpRequest request =
                new HttpRequest(
                        head.method().name(),
                        head.uri(),
                        new HttpHeaders(head.headers()),
                        body == null ? HttpBody.empty() : body,
                        connection.remoteAddress());
        boolean isUsedAgain = answer(head, checked(request, handle(request)), true);
        if (body == null) {
            return isUsedAgain;
        }
        withdraw(body);
        return isUsedAgain && body.drop(MAX_DROPPED, DROP_LIMIT);
    }

    private HttpResponse handle(HttpRequest request) {
        try {
            return Objects.requireNonNull(handler.handle(request), "the handler returned null");
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
            if (failure instanceof ConnectionException gone
                    && !connection.isOpen()
                    && connection.hasCaused(gone)) {
                throw gone; // the client is gone and cannot be told
            }
            HttpException fault = fault();
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

    /**
     * The exception for the client, even if it came from a fiber that the handler awaited; null if
     * the failure is another.
     */
    private static @Nullable HttpException told(Throwable failure) {
        Throwable said = failure;
        while (said instanceof FiberFailedException && said.getCause() != null) {
            said = said.getCause();
        }
        return said instanceof HttpException told && !told.isOfResponse() ? told : null;
    }

    /** Whether what sends an answer has refused what the client sends: too late to tell it so. */
    private static boolean isRefusal(Throwable failure) {
        Throwable each = failure;
        for (int i = 0; each != null && i < MAX_CAUSES; i++, each = each.getCause()) {
            if (each instanceof HttpException told) {
                return told.status() < 500 && !told.isOfResponse();
            }
        }
        return false;
    }

    /** The fault of the client in the body, or null. */
    private @Nullable HttpException fault() {
        IncomingBody body = incoming;
        return body == null ? null : body.fault();
    }

    /** Instead of an answer that cannot be given. */
    private HttpResponse checked(HttpRequest request, HttpResponse response) {
        HttpException fault = fault();
        if (fault != null && response.body() == incoming) {
            return error(fault);
        }
        if (request.method().equals("CONNECT")
                && HttpStatusClass.SUCCESS.contains(response.status())) {
            response.body().withdraw(Withdrawn.unwanted("there are no tunnels for " + request));
            return error(new HttpException(501, "there are no tunnels"));
        }
        if (response.body().isUsedUp() && hasBody(request.method(), response.status())) {
            LOG.error(
                    "{} from {} cannot be answered with {}, which was received or cancelled"
                            + " before; answer with HttpBody.of(bytes)",
                    request,
                    connection,
                    response.body());
            return error(new HttpException(500, "the server failed"));
        }
        return response;
    }

    private static HttpResponse error(HttpException failure) {
        return HttpResponse.text(failure.getMessage() + "\n").withStatus(failure.status());
    }

    /** Null if there is no body; its last chunk is here as a rule, and is taken then. */
    private @Nullable IncomingBody incoming(io.netty.handler.codec.http.HttpRequest head) {
        long length = Wire.length(head);
        boolean isChunked = HttpUtil.isTransferEncodingChunked(head);
        boolean isEmpty = !isChunked && length <= 0;
        HttpObject first = isEmpty ? messages.tryReceive() : null;
        if (first == LastHttpContent.EMPTY_LAST_CONTENT) {
            return null; // nearly all of them: no object is made for a body that is none
        }
        boolean isExpecting = RequestCheck.expects(head);
        IncomingBody body =
                new IncomingBody(
                        messages,
                        head.method() + " " + head.uri(),
                        isChunked ? -1 : Math.max(length, 0),
                        options,
                        new Pace(options.tcp().readLimit(), options.minBodyRate()),
                        isExpecting ? () -> messages.write(CONTINUE.retainedDuplicate()) : null);
        if (isEmpty && (first == null || body.isTakenAway(first)) && body.dropHere()) {
            return null;
        }
        if (isExpecting) {
            messages.flush(); // a fiber that tells it to go on never waits for room
        }
        return body;
    }

    // ---------------------------------------------------------------- the answer

    private static boolean hasBody(String method, int status) {
        return !method.equals("HEAD") && status != 204 && status != 205 && status != 304;
    }

    /** Whether the connection can be used again. */
    private boolean answer(
            io.netty.handler.codec.http.HttpRequest head,
            HttpResponse response,
            boolean mayBeUsedAgain) {
        HttpResponseStatus status = HttpResponseStatus.valueOf(response.status());
        HttpBody body = response.body();
        boolean hasBody = hasBody(head.method().name(), status.code());
        boolean isStreamed = hasBody && !(body instanceof ArrayBody);
        prepareIncoming(isStreamed);
        long length = body.left();
        boolean isOld = RequestCheck.isOld(head);
        boolean isEndedByClose = isStreamed && length < 0 && isOld;
        boolean isUsedAgain =
                mayBeUsedAgain
                        && !isEndedByClose
                        && !isDraining
                        && head.decoderResult().isSuccess()
                        && HttpUtil.isKeepAlive(head)
                        && isWorthReading(isStreamed)
                        && !response.headers().has("Connection", "close");
        if (hasBody && body instanceof ArrayBody all && response.headers().leavesFraming()) {
            write(status, response.headers(), all, isUsedAgain, isOld);
            return isUsedAgain;
        }
        io.netty.handler.codec.http.HttpHeaders fields = response.headers().copy();
        if (!isUsedAgain) {
            fields.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        } else if (isOld) {
            fields.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
        }
        if (!fields.contains(HttpHeaderNames.DATE)) {
            fields.set(HttpHeaderNames.DATE, dates.now());
        }
        if (length < 0 && !isOld) {
            Wire.chunked(fields);
        } else if (length == 0 && head.method().equals(HttpMethod.HEAD)) {
            Wire.toldLength(fields);
        } else {
            Wire.length(fields, length);
        }
        if (hasBody) {
            write(head, status, fields, body);
        } else {
            writeHeadAlone(head, status, fields, body);
        }
        return isUsedAgain;
    }

    /** No other message may come between the head of an answer and its end. */
    private void prepareIncoming(boolean isStreamed) {
        IncomingBody body = incoming;
        if (body == null) {
            return;
        }
        if (isStreamed) {
            body.awaitInvitation();
            if (!body.isOver()) {
                body.invite(); // the answer may be made of it, and a 100 cannot follow a head
            }
        } else {
            withdraw(body);
            body.awaitInvitation();
        }
    }

    private static void withdraw(IncomingBody body) {
        if (!body.isOver()) {
            body.withdraw(
                    Withdrawn.over(
                            body
                                    + " was answered before all of it was received; receive it in"
                                    + " the handler, or in what sends the answer"));
        }
    }

    private void writeHeadAlone(
            io.netty.handler.codec.http.HttpRequest head,
            HttpResponseStatus status,
            io.netty.handler.codec.http.HttpHeaders fields,
            HttpBody body) {
        if (body != incoming) {
            body.withdraw(
                    Withdrawn.unwanted(
                            "the answer to "
                                    + head.method()
                                    + " "
                                    + head.uri()
                                    + ", "
                                    + status.code()
                                    + ", is a head alone"));
        }
        if (status.code() == 204 || status.code() == 304) {
            Wire.length(fields, -1);
        } else if (status.code() == 205) {
            Wire.length(fields, 0);
        }
        messages.write(new ResponseEncoder.Head(status, fields));
        messages.write(LastHttpContent.EMPTY_LAST_CONTENT);
    }

    /** The usual one: the encoder adds the fields of the library, so that none is copied. */
    private void write(
            HttpResponseStatus status,
            HttpHeaders fields,
            ArrayBody body,
            boolean isUsedAgain,
            boolean isOld) {
        AsciiString connectionIs = isOld ? HttpHeaderValues.KEEP_ALIVE : null;
        messages.write(
                new ResponseEncoder.Whole(
                        status,
                        fields.onWire(),
                        Unpooled.wrappedBuffer(body.array()),
                        dates.field(),
                        isUsedAgain ? connectionIs : HttpHeaderValues.CLOSE));
    }

    private void write(
            io.netty.handler.codec.http.HttpRequest head,
            HttpResponseStatus status,
            io.netty.handler.codec.http.HttpHeaders fields,
            HttpBody body) {
        if (body instanceof ArrayBody all) {
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
        } catch (ClosedException | ConnectionException cutOff) { // its own, or the client's
            if (isClientsFault(cutOff)) {
                LOG.debug("{} of {} {} was cut off", body, head.method(), head.uri(), cutOff);
            } else {
                LOG.error("{} of {} {} failed", body, head.method(), head.uri(), cutOff);
            }
            connection.reset(); // a whole end would make the client believe it has all
            throw cutOff;
        }
    }

    private boolean isWorthReading(boolean isStreamed) {
        IncomingBody body = incoming;
        if (body == null) {
            return true;
        }
        if (body.isBroken() || body.isEnded()) {
            return !body.isBroken();
        }
        boolean isRead = isStreamed && !body.isOver();
        return !body.isUninvited() && (isRead || body.left() <= MAX_DROPPED);
    }
}
