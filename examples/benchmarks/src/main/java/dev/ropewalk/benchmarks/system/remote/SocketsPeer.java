package dev.ropewalk.benchmarks.system.remote;

import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.benchmarks.measure.Latencies;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.system.remote.Words.Note;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;

/**
 * A socket, a plain thread at each end, a buffer of 64 KB for each direction, and the same Kryo: no
 * addresses, no room, nothing is kept or acknowledged. The floor of what goes to another node.
 */
public final class SocketsPeer implements Peer {
    private static final int BUFFER = 64 * 1024;
    private static final int HEAD = Integer.BYTES;

    /** Of a note that is answered with the sum, or with the same number. */
    private static final byte TOTAL = 1;

    private static final byte QUESTION = 2;
    private static final byte NOTE = 3;

    private @Nullable Client plain;
    private @Nullable Client encrypted;
    private @Nullable Client ofTwoProcesses;

    @Override
    public Map<String, Program> programs() {
        return Map.of(
                "processes_tell", n -> tell(n, ofTwoProcesses()),
                "processes_ask", n -> ask(n, ofTwoProcesses()),
                "remote_tell", n -> tell(n, plain()),
                "remote_tell_tls", n -> tell(n, encrypted()),
                "remote_ask", n -> ask(n, plain()),
                "remote_ask_p99", n -> ask(n, plain()));
    }

    private static long tell(long n, Client client) throws IOException {
        End end = client.end;
        for (long value = 1; value <= n; value++) {
            end.write(NOTE, Note.of(value));
        }
        end.write(TOTAL, Note.of(0));
        end.flush();
        end.next();
        return end.note.value();
    }

    private static long ask(long n, Client client) throws IOException {
        End end = client.end;
        long sum = 0;
        for (long value = 1; value <= n; value++) {
            long beganNs = Latencies.begin();
            end.write(QUESTION, Note.of(value));
            end.flush();
            end.next();
            sum += end.note.value();
            Latencies.add(beganNs);
        }
        return sum;
    }

    private static void serve(End end) throws IOException {
        long sum = 0;
        for (byte type = end.next(); type != 0; type = end.next()) {
            switch (type) {
                case NOTE -> sum += end.note.value();
                case QUESTION -> {
                    end.write(NOTE, Note.of(end.note.value()));
                    end.flush();
                }
                default -> {
                    end.write(NOTE, Note.of(sum));
                    end.flush();
                    sum = 0;
                }
            }
        }
    }

    // ---------------------------------------------------------------- the two ends

    private Client plain() throws IOException {
        if (plain == null) {
            plain = new Client(ServerSocketFactory.getDefault(), SocketFactory.getDefault());
        }
        return plain;
    }

    private Client ofTwoProcesses() throws IOException {
        if (ofTwoProcesses == null) {
            ofTwoProcesses = new Client(new OtherProcess(Other.class));
        }
        return ofTwoProcesses;
    }

    /** The process of the second end. */
    static final class Other {
        private Other() {}

        public static void main(String[] arguments) throws Exception {
            OtherProcess.serve(
                    () -> {
                        ServerSocket listener =
                                new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                        Daemon.start(() -> serveFirst(listener));
                        return Integer.toString(listener.getLocalPort());
                    });
        }
    }

    private static void serveFirst(ServerSocket listener) throws IOException {
        try (Socket own = listener.accept()) {
            serve(new End(own));
        }
    }

    private Client encrypted() throws IOException {
        if (encrypted == null) {
            Certificates.Pem pem = new Certificates().of("sockets");
            JdkSslContext server =
                    (JdkSslContext)
                            SslContextBuilder.forServer(pem.chain().toFile(), pem.key().toFile())
                                    .trustManager(pem.trust().toFile())
                                    .clientAuth(ClientAuth.REQUIRE)
                                    .sslProvider(SslProvider.JDK)
                                    .build();
            JdkSslContext client =
                    (JdkSslContext)
                            SslContextBuilder.forClient()
                                    .trustManager(pem.trust().toFile())
                                    .keyManager(pem.chain().toFile(), pem.key().toFile())
                                    .sslProvider(SslProvider.JDK)
                                    .build();
            encrypted =
                    new Client(
                            server.context().getServerSocketFactory(),
                            client.context().getSocketFactory());
        }
        return encrypted;
    }

    /** The first end, and the thread of the second one or its process. */
    private static final class Client {
        private final End end;
        private final @Nullable Thread server;
        private final @Nullable OtherProcess other;

        Client(OtherProcess other) throws IOException {
            this.other = other;
            int port = Integer.parseInt(other.address());
            end = new End(new Socket(InetAddress.getLoopbackAddress(), port));
            server = null;
        }

        Client(ServerSocketFactory servers, SocketFactory clients) throws IOException {
            other = null;
            InetAddress local = InetAddress.getLoopbackAddress();
            try (ServerSocket listener = servers.createServerSocket(0, 1, local)) {
                Socket socket = clients.createSocket(local, listener.getLocalPort());
                List<Socket> accepted = new ArrayList<>();
                accepted.add(listener.accept());
                server =
                        Daemon.start(
                                () -> {
                                    try (Socket own = accepted.getFirst()) {
                                        serve(new End(own));
                                    }
                                });
                end = new End(socket);
            }
        }
    }

    /** One end of the socket. For one thread. */
    private static final class End {
        private final Socket socket;
        private final OutputStream out;
        private final InputStream in;
        private final Kryos kryos = new Kryos();
        private final byte[] queued = new byte[BUFFER];
        private int used;
        private final byte[] read = new byte[BUFFER];
        private int begin;
        private int end;

        /** The last one that came. */
        private Note note = new Note(0, new byte[0]);

        End(Socket socket) throws IOException {
            this.socket = socket;
            socket.setTcpNoDelay(true);
            out = socket.getOutputStream();
            in = socket.getInputStream();
        }

        void write(byte type, Note message) throws IOException {
            Output bytes = kryos.write(message);
            int length = bytes.position();
            if (used + HEAD + 1 + length > BUFFER) {
                flush();
            }
            queued[used] = (byte) (length >>> 24);
            queued[used + 1] = (byte) (length >>> 16);
            queued[used + 2] = (byte) (length >>> 8);
            queued[used + 3] = (byte) length;
            queued[used + HEAD] = type;
            System.arraycopy(bytes.getBuffer(), 0, queued, used + HEAD + 1, length);
            used += HEAD + 1 + length;
        }

        void flush() throws IOException {
            out.write(queued, 0, used);
            used = 0;
        }

        /** The type of the next one; 0 at the end. */
        byte next() throws IOException {
            if (!fill(HEAD + 1)) {
                return 0;
            }
            int length =
                    (read[begin] & 0xFF) << 24
                            | (read[begin + 1] & 0xFF) << 16
                            | (read[begin + 2] & 0xFF) << 8
                            | (read[begin + 3] & 0xFF);
            byte type = read[begin + HEAD];
            begin += HEAD + 1;
            if (!fill(length)) {
                throw new EOFException("the other end has gone");
            }
            note = kryos.read(read, begin, length);
            begin += length;
            return type;
        }

        private boolean fill(int wanted) throws IOException {
            while (end - begin < wanted) {
                System.arraycopy(read, begin, read, 0, end - begin);
                end -= begin;
                begin = 0;
                int count = in.read(read, end, BUFFER - end);
                if (count < 0) {
                    return false;
                }
                end += count;
            }
            return true;
        }
    }

    @Override
    public void close() {
        for (Client each : new @Nullable Client[] {plain, encrypted, ofTwoProcesses}) {
            if (each != null) {
                try {
                    each.end.socket.close();
                    if (each.server != null) {
                        each.server.join();
                    }
                    if (each.other != null) {
                        each.other.close();
                    }
                } catch (IOException | InterruptedException leftOpen) {
                    throw new IllegalStateException("the socket does not close", leftOpen);
                }
            }
        }
    }
}
