package dev.ropewalk.examples.echo;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;
import dev.ropewalk.fibers.io.TcpOptions;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The server: a listener on each cord, all of one port, over which the kernel spreads the clients.
 * For plain threads.
 */
final class Echo implements AutoCloseable {
    private static final String HOST = "127.0.0.1";
    private static final Duration DRAIN_LIMIT = Duration.ofMillis(500);

    /** A cord and what it listens with. */
    private record Place(Cord cord, TcpListener listener) {}

    private final List<Place> places = new ArrayList<>();

    Echo(Options options) {
        TcpOptions tcp =
                TcpOptions.defaults()
                        .withMaxConnections(options.connections())
                        .withReusePort(options.cords() > 1);
        boolean isUp = false;
        try {
            int port = options.port();
            for (int i = 0; i < options.cords(); i++) {
                port = listen(Cord.start("echo-" + i), port, tcp);
            }
            isUp = true;
        } finally {
            if (!isUp) {
                close();
            }
        }
    }

    /** The port, which is a free one for 0. */
    private int listen(Cord cord, int port, TcpOptions tcp) {
        boolean isUp = false;
        try {
            Fiber<TcpListener> binding = cord.spin("bind", () -> TcpListener.bind(HOST, port, tcp));
            TcpListener listener = binding.await();
            places.add(new Place(cord, listener));
            cord.spin("listener", () -> serve(listener));
            isUp = true;
            return listener.port();
        } finally {
            if (!isUp) {
                cord.close();
            }
        }
    }

    private static void serve(TcpListener listener) {
        for (TcpConnection client : listener) {
            Fiber.spin("client", () -> echo(client));
        }
    }

    private static void echo(TcpConnection client) {
        try (client) {
            for (String line = client.readLine(); line != null; line = client.readLine()) {
                client.write(line + "\n");
            }
        } catch (ConnectionException gone) {
            // That client only: it broke the connection off, or its line was too long.
        }
    }

    int port() {
        return places.getFirst().listener().port();
    }

    /** Lets clients finish for a moment. */
    @Override
    public void close() {
        for (Place each : places) {
            each.cord().spin("drain", () -> each.listener().drain(DRAIN_LIMIT)).await();
            each.cord().close();
        }
        places.clear();
    }
}
