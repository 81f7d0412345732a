package dev.ropewalk.benchmarks.system.ropewalk;

import dev.ropewalk.benchmarks.measure.EchoLoad;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.Codec;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelInboundHandlerAdapter;

import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Servers on one cord, with a fiber for each connection: in blocking style, or by messages, without
 * a stack between two of them.
 */
final class RopewalkSockets {
    private static final int BUFFER_BYTES = 1_024;

    private RopewalkSockets() {}

    static Map<String, Program> programs() {
        return echoes(RopewalkSockets::serve);
    }

    static Map<String, Program> byMessages() {
        return echoes(RopewalkSockets::serveMessages);
    }

    private static Map<String, Program> echoes(Consumer<TcpListener> server) {
        return Map.of(
                "echo_64", n -> echo(n, Sizes.ECHO, server),
                "echo_64_cpu", n -> echo(n, Sizes.ECHO, server),
                "echo_1024", n -> echo(n, Sizes.ECHO_MANY, server),
                "echo_1024_cpu", n -> echo(n, Sizes.ECHO_MANY, server));
    }

    private static long echo(long n, int connections, Consumer<TcpListener> server)
            throws IOException {
        try (Cord cord = Cord.start("server")) {
            TcpListener listener =
                    cord.spin("bind", () -> TcpListener.bind("127.0.0.1", 0)).await();
            cord.spin("listener", () -> server.accept(listener));
            return EchoLoad.run(n, connections, listener.port());
        }
    }

    private static void serve(TcpListener listener) {
        for (TcpConnection client : listener) {
            Fiber.spin("client", () -> echo(client));
        }
    }

    /** What comes is a message, as Netty hands it on: no codec cuts it into frames. */
    private static void serveMessages(TcpListener listener) {
        listener.serveMessages(
                "client",
                Codec.of(ByteBuf.class, ChannelInboundHandlerAdapter::new),
                client -> client::write);
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
