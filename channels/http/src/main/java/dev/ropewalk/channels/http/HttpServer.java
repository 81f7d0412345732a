package dev.ropewalk.channels.http;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.ClientHandler;
import dev.ropewalk.fibers.io.Codec;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.MessageConnection;
import dev.ropewalk.fibers.io.TcpListener;
import dev.ropewalk.fibers.io.TcpOptions;
import dev.ropewalk.fibers.spi.Waits;

import io.netty.handler.codec.http.HttpObject;

import org.jspecify.annotations.Nullable;

import java.net.SocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An HTTP/1.1 server: a fiber for each client, which hands its requests to the handler one after
 * the other, and answers in the same order. A client without a request under way has no stack.
 *
 * {@snippet file="dev/ropewalk/channels/http/HttpSnippetsTest.java" region="server"}
 *
 * <p>It belongs to the cord that started it, and to the fiber: both are children of it, the one
 * that accepts and those of the clients, and end with it. To use several cores, name cords by
 * {@link TcpOptions#withCords}: the handler is called on the cord of the client then.
 *
 * <p>A client whose fiber fails, for example because of a child, is broken off, and the failure is
 * logged: the other clients go on.
 *
 * <p>Requests that are malformed, or that two programs may read in two ways, are answered with 400
 * and the like, and the connection is closed ({@link HttpOptions} has the limits).
 */
public final class HttpServer implements AutoCloseable {
    private final TcpListener listener;
    private final HttpOptions options;
    private final HttpHandler handler;
    private final Dates dates = new Dates(InstantSource.system());

    /** Entered and left by the cords of the clients. */
    private final Set<ServerConnection> connections = ConcurrentHashMap.newKeySet();

    /** Written before the connections are told, and read by each after it has entered. */
    private volatile boolean isDraining;

    /** Accepts, and is the parent of the clients' fibers. */
    private final Fiber<@Nullable Void> serving;

    private HttpServer(TcpListener listener, HttpOptions options, HttpHandler handler) {
        this.listener = listener;
        this.options = options;
        this.handler = handler;
        this.serving = Fiber.spin("http " + listener.port(), this::acceptAll);
    }

    // ---------------------------------------------------------------- starting

    /**
     * Listens with the default options, and answers from now on. A switchpoint.
     *
     * @param host an address of this machine; {@code 0.0.0.0} for all
     * @param port the port; 0 takes a free one
     * @param handler answers
     * @return the server, a child of the current fiber
     * @throws ConnectionException if the port is in use, or the system refuses
     * @throws IllegalStateException if no fiber runs here
     */
    public static HttpServer start(String host, int port, HttpHandler handler) {
        return start(host, port, HttpOptions.defaults(), handler);
    }

    /**
     * Listens, and answers from now on. A switchpoint.
     *
     * @param host an address of this machine; {@code 0.0.0.0} for all
     * @param port the port; 0 takes a free one
     * @param options how it speaks
     * @param handler answers
     * @return the server, a child of the current fiber
     * @throws ConnectionException if the port is in use, or the system refuses
     * @throws IllegalStateException if no fiber runs here
     */
    public static HttpServer start(
            String host, int port, HttpOptions options, HttpHandler handler) {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(handler, "handler");
        // Between two requests there is the limit of a head alone.
        TcpOptions tcp = options.tcp().withReadLimit(options.headLimit());
        return new HttpServer(TcpListener.bind(host, port, tcp), options, handler);
    }

    private void acceptAll() {
        try (listener) {
            listener.serveMessages("http client", codec(), this::open);
            listener.drain(Waits.FOREVER); // the last answers are on their way: each has a limit
        }
    }

    private Codec<HttpObject> codec() {
        return Codec.of(HttpObject.class, () -> new RequestDecoder(options), ResponseEncoder::new);
    }

    private ClientHandler<HttpObject> open(MessageConnection<HttpObject> client) {
        ServerConnection opened =
                new ServerConnection(client, options, handler, dates, connections);
        connections.add(opened);
        if (isDraining) {
            client.cancel();
        }
        return opened;
    }

    // ---------------------------------------------------------------- looking

    /** {@return the port} */
    public int port() {
        return listener.port();
    }

    /** {@return where it listens} */
    public SocketAddress localAddress() {
        return listener.localAddress();
    }

    /** {@return the cord that it belongs to} */
    public Cord cord() {
        return serving.cord();
    }

    // ---------------------------------------------------------------- the end

    /** Serves until another fiber drains or closes it. A switchpoint. */
    public void await() {
        serving.awaitEnd(Duration.ofDays(10_000));
    }

    /** {@return how many clients are connected; it can change at once} From any thread. */
    public int connections() {
        return connections.size();
    }

    /**
     * Ends it in order: it accepts no client any more, connections without a request are closed,
     * and the others when their request is answered. Connections that are left when the limit has
     * passed are broken off. A switchpoint, on its cord.
     *
     * @param limit how long to wait
     * @return whether all were answered
     * @throws WrongThreadException if this is not its cord
     */
    public boolean drain(Duration limit) {
        listener.close();
        isDraining = true;
        connections.forEach(ServerConnection::drainFromAnywhere);
        boolean isInTime = serving.awaitEnd(limit);
        close();
        return isInTime;
    }

    /**
     * Ends it at once: clients whose request is under way are not answered. Never waits; to close
     * it twice is harmless.
     *
     * @throws WrongThreadException if this is not its cord
     */
    @Override
    public void close() {
        listener.close();
        serving.terminate();
    }

    @Override
    public String toString() {
        return "http server on " + listener.localAddress();
    }
}
