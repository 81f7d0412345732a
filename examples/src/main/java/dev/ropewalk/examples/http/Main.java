package dev.ropewalk.examples.http;

import dev.ropewalk.actors.observer.ObserverOptions;
import dev.ropewalk.channels.http.HttpMetrics;
import dev.ropewalk.channels.http.HttpOptions;
import dev.ropewalk.channels.http.HttpServer;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.server.Places;
import dev.ropewalk.examples.server.ServerOptions;
import dev.ropewalk.examples.server.ServerProgram;

import java.time.Duration;
import java.util.List;

/**
 * Serves a few pages.
 *
 * <p>Shows: a handler that is a function, bodies that are channels, and a server on each of several
 * cords. Run: {@code java @ropewalk.args -cp examples/target/wordcount.jar
 * dev.ropewalk.examples.http.Main}. Expect: {@code curl http://127.0.0.1:7080/json} shows a
 * greeting.
 */
public final class Main extends ServerProgram {
    private static final int PORT = 7_080;
    private static final String USAGE =
            """
            usage: http [option]...

            Serves /plaintext, /json, /echo and /ticks?count=10 on 127.0.0.1, until Ctrl-C.

            """;

    Main() {
        super("http", PORT, USAGE);
    }

    /**
     * Runs the server until Ctrl-C.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(new Main().run(List.of(arguments), Output.standard(), System.err));
    }

    @Override
    protected ServerOptions.More options() {
        return (_, _) -> false;
    }

    @Override
    protected Server start(ServerOptions options) {
        HttpOptions http = HttpOptions.defaults();
        HttpOptions limited =
                http.withTcp(
                        http.tcp()
                                .withMaxConnections(options.connections())
                                .withReusePort(options.cords() > 1));
        return Places.onOwnCords(
                "http",
                options.cords(),
                options.port(),
                port -> new Web(HttpServer.start("127.0.0.1", port, limited, Pages::answer)));
    }

    /** The server on one cord. */
    private record Web(HttpServer server) implements Places.Listening {
        @Override
        public int port() {
            return server.port();
        }

        @Override
        public void serve() {
            server.await();
        }

        @Override
        public void drain(Duration limit) {
            server.drain(limit);
        }

        @Override
        public ObserverOptions shownBy(ObserverOptions observer) {
            return observer.withMetrics(HttpMetrics.server("http", server));
        }
    }
}
