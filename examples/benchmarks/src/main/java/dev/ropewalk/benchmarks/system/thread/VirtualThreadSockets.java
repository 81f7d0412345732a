package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.measure.EchoLoad;
import dev.ropewalk.benchmarks.scenario.Sizes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Servers on the sockets of the JDK, with a virtual thread for each connection. */
final class VirtualThreadSockets {
    private static final int BUFFER_BYTES = 1_024;
    private static final int BACKLOG = 4_096;

    private VirtualThreadSockets() {}

    static long few(long n) throws IOException {
        return echo(n, Sizes.ECHO);
    }

    static long many(long n) throws IOException {
        return echo(n, Sizes.ECHO_MANY);
    }

    private static long echo(long n, int connections) throws IOException {
        try (ServerSocket server = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(() -> serve(server));
            return EchoLoad.run(n, connections, server.getLocalPort());
        }
    }

    private static void serve(ServerSocket server) {
        try {
            while (true) {
                Socket client = server.accept();
                Thread.startVirtualThread(() -> echo(client));
            }
        } catch (IOException closed) {
            // The round is over.
        }
    }

    private static void echo(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            InputStream in = client.getInputStream();
            OutputStream out = client.getOutputStream();
            byte[] bytes = new byte[BUFFER_BYTES];
            for (int count = in.read(bytes); count > 0; count = in.read(bytes)) {
                out.write(bytes, 0, count);
            }
        } catch (IOException gone) {
            // The clients of a round have gone.
        }
    }
}
