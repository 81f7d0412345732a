package dev.ropewalk.actors.observer;

import dev.ropewalk.channels.http.HttpOptions;
import dev.ropewalk.channels.http.HttpServer;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpOptions;
import dev.ropewalk.fibers.io.Tls;
import dev.ropewalk.fibers.metrics.Metrics;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.Objects;

/**
 * A page that shows the cords, actors and waits of this process, and changes once a second:
 *
 * {@snippet file="dev/ropewalk/actors/observer/ObserverSnippetsTest.java" region="start"}
 *
 * <p>It has a cord of its own, and is reached by its {@link #address}. Nothing is asked of the
 * process while nobody looks. While somebody looks, cords and systems are asked once a second, and
 * the actors of the rows that he sees; contents of messages are not shown. At most eight look at
 * once.
 *
 * <p>{@code /api/v1/now} has the same as JSON, and {@code /metrics} has sums for Prometheus; both
 * want the token in the header {@code Authorization: Bearer}.
 */
public final class Observer implements AutoCloseable {
    /** A browser opens some for each viewer. */
    private static final int MAX_CONNECTIONS = 8 * Viewers.MAX;

    /** Those that have sent no token may not keep the connections of the others. */
    private static final Duration HEAD_LIMIT = Duration.ofSeconds(5);

    private final Cord cord;
    private final Gate gate;

    private Observer(Cord cord, Gate gate) {
        this.cord = cord;
        this.gate = gate;
    }

    /**
     * Starts an observer, and tells its address on {@code System.err}, once. From any thread; a
     * switchpoint.
     *
     * @param options where it listens, and what viewers may do
     * @return the observer, to be closed
     * @throws ConnectionException if the port is in use, or the system refuses
     */
    public static Observer start(ObserverOptions options) {
        Objects.requireNonNull(options, "options");
        Cord cord = Cord.start("observer");
        WaitCell started = new WaitCell();
        Object told = null;
        try {
            cord.spin("observer", () -> serve(options, started));
            told = started.await("the start of an observer", Long.MAX_VALUE);
        } finally {
            if (!(told instanceof Gate)) { // or its caller was cancelled
                cord.close();
            }
        }
        return switch (told) {
            case Gate gate -> {
                Announcement.tell(gate.address());
                yield new Observer(cord, gate);
            }
            case RuntimeException refused -> throw refused;
            case null, default ->
                    throw new IllegalStateException("an observer cannot start: " + told);
        };
    }

    private static void serve(ObserverOptions options, WaitCell started) {
        HttpServer server;
        Gate gate;
        try {
            Metrics metrics = options.metrics();
            ObjectIds ids = new ObjectIds();
            Viewers viewers = new Viewers(new Sampler(ids, options.sources()), metrics);
            Answers answers = new Answers(ids, viewers, metrics, options.hasControl());
            gate = new Gate(options, Token.of(options.token()), answers);
            server = HttpServer.start(options.host(), options.port(), http(options), gate);
        } catch (Throwable refused) {
            started.give(refused); // of whatever kind: its caller waits for that
            Waits.throwIfSignal(refused);
            return;
        }
        gate.opened(server.port());
        started.give(gate);
        server.await();
    }

    private static HttpOptions http(ObserverOptions options) {
        HttpOptions http = HttpOptions.defaults().withHeadLimit(HEAD_LIMIT);
        TcpOptions tcp = http.tcp().withMaxConnections(MAX_CONNECTIONS);
        Tls tls = options.tls();
        return http.withTcp(tls == null ? tcp : tcp.withTls(tls));
    }

    /**
     * {@return the address for a browser, with the token} The token stands behind a {@code #}, so
     * the browser sends it in no address and in no Referer.
     */
    public String address() {
        return gate.address();
    }

    /** {@return the port} */
    public int port() {
        return gate.port();
    }

    /**
     * Ends it, with the streams of those that look, and waits for that. Harmless the second time.
     *
     * @throws IllegalStateException if it is called on the observer's own cord, by a source
     */
    @Override
    public void close() {
        cord.close();
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "an observer at " + gate.publicAddress();
    }
}
