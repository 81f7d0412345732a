package dev.ropewalk.benchmarks.system.ropewalk;

import dev.ropewalk.benchmarks.measure.EchoLoad;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;

import java.io.IOException;
import java.util.Map;

/** Servers on one cord, with a fiber for each connection. */
final class RopewalkSockets {
    private static final int BUFFER_BYTES = 1_024;

    private RopewalkSockets() {}

    static Map<String, Program> programs() {
        return Map.of(
                "echo_64", n -> echo(n, Sizes.ECHO),
                "echo_64_cpu", n -> echo(n, Sizes.ECHO),
                "echo_1024", n -> echo(n, Sizes.ECHO_MANY),
                "echo_1024_cpu", n -> echo(n, Sizes.ECHO_MANY));
    }

    private static long echo(long n, int connections) throws IOException {
        try (Cord cord = Cord.start("server")) {
            TcpListener listener =
                    cord.spin("bind", () -> TcpListener.bind("127.0.0.1", 0)).await();
            cord.spin("listener", () -> serve(listener));
            return EchoLoad.run(n, connections, listener.port());
        }
    }

    private static void serve(TcpListener listener) {
        for (TcpConnection client : listener) {
            Fiber.spin("client", () -> echo(client));
        }
    }

    private static void echo(TcpConnection client) {
        try (client) {
            byte[] bytes = new byte[BUFFER_BYTES];
            for (int count = client.read(bytes); count > 0; count = client.read(bytes)) {
                client.write(bytes, 0, count);
            }
        } catch (ConnectionException gone) {
            // The clients of a round have gone.
        }
    }
}
