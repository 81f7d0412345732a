package dev.ropewalk.benchmarks.measure;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Clients of an echo server, the same for all systems: one thread with a selector, so many
 * connections, and one request of {@link #REQUEST_BYTES} under way on each.
 */
public final class EchoLoad {
    static final int REQUEST_BYTES = 32;

    /** So long without a reply, and the server counts as stuck. */
    private static final long MAX_WAIT_MS = 30_000;

    private static final byte[] REQUEST = new byte[REQUEST_BYTES];

    static {
        Arrays.fill(REQUEST, (byte) 'x');
        REQUEST[REQUEST_BYTES - 1] = '\n';
    }

    private EchoLoad() {}

    /** One connection. */
    private static final class Client {
        private final ByteBuffer reply = ByteBuffer.allocateDirect(REQUEST_BYTES);
        private final ByteBuffer request = ByteBuffer.allocateDirect(REQUEST_BYTES);
        private long left;

        Client(long requests) {
            left = requests;
            request.put(REQUEST);
        }

        void send(SocketChannel to) throws IOException {
            request.clear();
            if (to.write(request) != REQUEST_BYTES) {
                throw new IOException("a request of 32 bytes did not leave at once");
            }
        }

        /** True if a whole reply has come. */
        boolean receive(SocketChannel from) throws IOException {
            if (from.read(reply) < 0) {
                throw new EOFException("the server has closed the connection");
            }
            if (reply.hasRemaining()) {
                return false;
            }
            if (reply.get(REQUEST_BYTES - 1) != '\n') {
                throw new IOException("that is no echo");
            }
            reply.clear();
            return true;
        }
    }

    /**
     * Sends the requests and takes their replies.
     *
     * @param n how many requests, a multiple of the connections
     * @return how many replies came
     * @throws IOException if the server closes a connection, or replies nothing for 30 s
     */
    public static long run(long n, int connections, int port) throws IOException {
        if (n % connections != 0) {
            throw new IllegalArgumentException(
                    n + " requests are no multiple of " + connections + " connections");
        }
        InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        List<SocketChannel> sockets = new ArrayList<>();
        try (Selector selector = Selector.open()) {
            for (int i = 0; i < connections; i++) {
                SocketChannel socket = SocketChannel.open(server);
                sockets.add(socket);
                socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
                socket.configureBlocking(false);
                socket.register(selector, SelectionKey.OP_READ, new Client(n / connections));
            }
            for (SelectionKey key : selector.keys()) {
                ((Client) key.attachment()).send((SocketChannel) key.channel());
            }
            return replies(n, selector);
        } finally {
            for (SocketChannel socket : sockets) {
                socket.close();
            }
        }
    }

    private static long replies(long n, Selector selector) throws IOException {
        long[] replies = {0};
        while (replies[0] < n) {
            int ready =
                    selector.select(
                            key -> {
                                try {
                                    Client client = (Client) key.attachment();
                                    SocketChannel socket = (SocketChannel) key.channel();
                                    if (client.receive(socket)) {
                                        replies[0]++;
                                        if (--client.left > 0) {
                                            client.send(socket);
                                        }
                                    }
                                } catch (IOException failed) {
                                    throw new UncheckedIOException(failed);
                                }
                            },
                            MAX_WAIT_MS);
            if (ready == 0) {
                throw new IOException(
                        "no reply for " + MAX_WAIT_MS + " ms, after " + replies[0] + " of " + n);
            }
        }
        return replies[0];
    }
}
