package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.blocking.Processes;
import dev.ropewalk.fibers.blocking.Signals;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.testing.MemoryNetwork;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The code of the Javadoc and of the guide's page on sockets. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class IoSnippetsTest {
    // @start region="echo"
    static void serve(TcpListener listener) {
        listener.serve(
                "client",
                client -> {
                    for (String line; (line = client.readLine()) != null; ) {
                        client.write(line + "\n");
                    }
                });
    }

    // @end

    // @start region="cords"
    static void serveOn(List<Cord> cords) {
        TcpOptions options = TcpOptions.defaults().withCords(cords);
        try (TcpListener listener = TcpListener.bind("127.0.0.1", 7, options)) {
            serve(listener); // as before; this fiber's cord only accepts
        }
    }

    // @end

    @Test
    void cords() {
        TestCords.run(
                3,
                cords -> {
                    Fiber<?> server = Fiber.spin("server", () -> serveOn(cords.subList(1, 3)));
                    Fiber.snooze();
                    try (TcpConnection c = TcpConnection.connect("127.0.0.1", 7)) {
                        c.write("hello\n");
                        assertEquals("hello", c.readLine());
                    }
                    server.terminate();
                    server.awaitEnd(Duration.ofMinutes(1));
                });
    }

    // @start region="serveMessages"
    static void sumOf(TcpListener listener) {
        listener.serveMessages(
                "sum",
                Codec.lines(8_192),
                client -> {
                    int[] sum = {0}; // of this client
                    return line -> {
                        sum[0] += Integer.parseInt(line);
                        client.write(String.valueOf(sum[0]));
                    };
                });
    }

    // @end

    @Test
    void serveMessages() {
        TestCord.run(
                () -> {
                    TcpListener listener = TcpListener.bind("127.0.0.1", 7);
                    Fiber.spin("server", () -> sumOf(listener));
                    try (TcpConnection c = TcpConnection.connect("127.0.0.1", 7)) {
                        c.write("1\n2\n");
                        assertEquals("1", c.readLine());
                        assertEquals("3", c.readLine());
                    }
                    assertTrue(listener.drain(Duration.ofMinutes(1)));
                });
    }

    // @start region="loop"
    static void serveOneByOne(TcpListener listener) {
        for (TcpConnection client : listener) {
            try (client) {
                client.write("your turn\n");
                client.readLine();
            } catch (ConnectionException gone) {
                // the next one, please
            }
        }
    }

    // @end

    // @start region="blame"
    static int number(TcpConnection client) {
        String line = client.readLine();
        try {
            return Integer.parseInt(line);
        } catch (NumberFormatException bad) {
            throw client.blame(new CodecException("no number: " + line, new IOException(bad)));
        }
    }

    // @end

    // @start region="tell"
    static void serveNumbers(TcpConnection client) {
        try {
            client.write(number(client) + 1 + "\n");
        } catch (CodecException bad) {
            client.write("that is no number\n"); // and the end behind it
        }
    }

    // @end

    @Test
    void tell() {
        TestCord.run(
                () -> {
                    TcpListener listener = TcpListener.bind("127.0.0.1", 7);
                    Fiber.spin("server", () -> listener.serve("c", IoSnippetsTest::serveNumbers));
                    try (TcpConnection c = TcpConnection.connect("127.0.0.1", 7)) {
                        c.write("one\n").write("x".repeat(50_000));
                        assertEquals("that is no number", c.readLine());
                        assertNull(c.readLine());
                    }
                    listener.drain(Duration.ofMinutes(1));
                });
    }

    @Test
    void blame() {
        List<String> lines = new ArrayList<>();
        Logs.during(
                line -> lines.add(line.message()),
                () ->
                        TestCord.run(
                                () -> {
                                    TcpListener listener = TcpListener.bind("127.0.0.1", 7);
                                    Fiber.spin("server", () -> listener.serve("c", c -> number(c)));
                                    try (TcpConnection c = TcpConnection.connect("127.0.0.1", 7)) {
                                        c.write("one\n");
                                        assertThrows(ConnectionException.class, c::readLine);
                                    }
                                    listener.drain(Duration.ofMinutes(1));
                                }));
        assertEquals(List.of(), lines);
    }

    @Test
    void oneByOne() {
        TestCord.run(
                () -> {
                    TcpListener listener = TcpListener.bind("127.0.0.1", 7);
                    Fiber<?> server = Fiber.spin("server", () -> serveOneByOne(listener));
                    for (int i = 0; i < 3; i++) {
                        try (TcpConnection c = TcpConnection.connect("127.0.0.1", 7)) {
                            assertEquals("your turn", c.readLine());
                            if (i == 1) {
                                c.reset();
                            }
                        }
                    }
                    listener.close();
                    server.await();
                });
    }

    @Test
    void client() throws InterruptedException, ExecutionException {
        CompletableFuture<Integer> bound = new CompletableFuture<>();
        try (Cord server = Cord.start("server")) {
            server.spin(
                    "listener",
                    () -> {
                        try (TcpListener listener = TcpListener.bind("127.0.0.1", 0)) {
                            bound.complete(listener.port());
                            serve(listener);
                        }
                    });
            int port = bound.get();
            // @start region="client"
            Cord.run(
                    () -> {
                        try (TcpConnection c = TcpConnection.connect("127.0.0.1", port)) {
                            c.write("hello\n");
                            assertEquals("hello", c.readLine());
                        }
                    });
            // @end
        }
    }

    @Test
    void memory() {
        // @start region="memory"
        TestCord.run(
                () -> {
                    MemoryNetwork.current()
                            .maxPiece(1) // each byte arrives alone
                            .delay(Duration.ofMillis(1), Duration.ofSeconds(1));
                    try (TcpListener listener = TcpListener.bind("127.0.0.1", 7)) {
                        Fiber<?> server = Fiber.spin("server", () -> serve(listener));
                        try (TcpConnection c = TcpConnection.connect("127.0.0.1", 7)) {
                            c.write("hello\n");
                            assertEquals("hello", c.readLine());
                            c.shutdownOutput();
                            assertNull(c.readLine());
                        }
                        listener.drain(Duration.ofMinutes(1));
                        server.await();
                    }
                });
        // @end
    }

    @Test
    void hosts() {
        // @start region="hosts"
        TestCords.run(
                2,
                cords -> {
                    MemoryNetwork net = MemoryNetwork.current().host("10.0.0.1");
                    net.name("a", "10.0.0.1").name("b", "10.0.0.2");
                    Cord b = cords.get(1);
                    b.spin("moves in", () -> net.host("10.0.0.2")).await();
                    TcpListener listener = b.spin("b", () -> TcpListener.bind("b", 7)).await();
                    Fiber<?> server = b.spin("server", () -> serve(listener));
                    try (TcpConnection c = TcpConnection.connect("b", 7)) {
                        net.cut("a", "b");
                        c.write("hello\n").flush();
                        Fiber.sleep(Duration.ofSeconds(20));
                        net.heal("a", "b"); // nothing is lost
                        assertEquals("hello", c.readLine());
                    }
                    b.spin("ends", listener::close).await();
                    server.await();
                });
        // @end
    }

    @Test
    void messages() {
        TestCord.run(
                () -> {
                    TcpListener listener = TcpListener.bind("127.0.0.1", 7);
                    Fiber.spin("adder", () -> add(listener));
                    try (MessageConnection<String> c =
                            TcpConnection.connect("127.0.0.1", 7).messages(Codec.lines(100))) {
                        c.write("1").write("2").shutdownOutput();
                        assertEquals("3", c.receive());
                    }
                    listener.close();
                });
    }

    private static void add(TcpListener listener) {
        // @start region="messages"
        for (TcpConnection c : listener) {
            Fiber.spin(
                    "sum",
                    () -> {
                        try (MessageConnection<String> lines = c.messages(Codec.lines(8_192))) {
                            int sum = 0;
                            for (String line : lines) {
                                sum += Integer.parseInt(line);
                            }
                            lines.write(String.valueOf(sum));
                        }
                    });
        }
        // @end
    }

    @Test
    void tls(@TempDir Path folder) throws Exception {
        Certificates.Files3 made = new Certificates(folder).make("server");
        Path chain = made.certificates();
        Path key = made.key();
        Path authority = made.trust();
        TestCord.run(
                () -> {
                    // @start region="tls"
                    Tls server = Tls.server(chain, key);
                    TcpListener listener =
                            TcpListener.bind(
                                    "127.0.0.1", 443, TcpOptions.defaults().withTls(server));
                    // @end
                    Fiber<?> serving = Fiber.spin("server", () -> serve(listener));
                    // @start region="tls-client"
                    Tls tls = Tls.client().withTrust(authority);
                    try (TcpConnection c =
                            TcpConnection.connect(
                                    "127.0.0.1", 443, TcpOptions.defaults().withTls(tls))) {
                        c.write("hello\n");
                        assertEquals("hello", c.readLine());
                    }
                    // @end
                    listener.close();
                    serving.await();
                });
    }

    // @start region="proxy"
    static void relay(TcpConnection client, TcpConnection server) {
        Fiber<?> back =
                Fiber.spin(
                        "back",
                        () -> {
                            server.transferTo(client);
                            client.shutdownOutput();
                        });
        client.transferTo(server);
        server.shutdownOutput();
        back.await();
    }

    // @end

    // @start region="term"
    static void serveUntil(Signals signals, TcpListener listener) {
        Fiber<?> server = Fiber.spin("server", () -> serve(listener));
        signals.await(); // TERM, say
        listener.drain(Duration.ofSeconds(8)); // at most
        server.terminate();
        server.awaitEnd(Duration.ofSeconds(1));
    }

    // @end

    /** A client that has sent its last line is served to its end; the next one is refused. */
    @Test
    void anEndInOrder() {
        Cord.run(
                () -> {
                    try (Signals signals = Signals.open("WINCH");
                            TcpListener listener = TcpListener.bind("127.0.0.1", 0)) {
                        int port = listener.port();
                        Fiber<?> all = Fiber.spin("all", () -> serveUntil(signals, listener));
                        TcpConnection c = TcpConnection.connect("127.0.0.1", port);
                        c.write("hello\n");
                        assertEquals("hello", c.readLine());
                        Processes.run(
                                new ProcessBuilder(
                                        "kill", "-WINCH", "" + ProcessHandle.current().pid()));
                        while (connects(port)) {
                            Fiber.snooze();
                        }
                        c.write("still there?\n");
                        assertEquals("still there?", c.readLine());
                        c.close();
                        all.await();
                    }
                });
    }

    private static boolean connects(int port) {
        try {
            TcpConnection.connect("127.0.0.1", port).close();
            return true;
        } catch (ConnectionException refused) {
            return false;
        }
    }

    @Test
    void aProxy() {
        TestCord.run(
                () -> {
                    TcpListener echo = TcpListener.bind("127.0.0.1", 7);
                    TcpListener proxy = TcpListener.bind("127.0.0.1", 8);
                    Fiber.spin("echo", () -> serve(echo));
                    Fiber.spin(
                            "proxy",
                            () ->
                                    proxy.serve(
                                            "client",
                                            client -> {
                                                try (TcpConnection server =
                                                        TcpConnection.connect("127.0.0.1", 7)) {
                                                    relay(client, server);
                                                }
                                            }));
                    try (TcpConnection c = TcpConnection.connect("127.0.0.1", 8)) {
                        c.write("hello\n");
                        assertEquals("hello", c.readLine());
                        c.shutdownOutput();
                        assertNull(c.readLine());
                    }
                    assertTrue(proxy.drain(Duration.ofMinutes(1)));
                    assertTrue(echo.drain(Duration.ofMinutes(1)));
                });
    }

    @Test
    void aPath(@TempDir Path folder) {
        TestCord.run(
                () -> {
                    Path file = folder.resolve("echo.socket");
                    // @start region="unix"
                    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(file);
                    try (TcpListener listener = TcpListener.bind(address, TcpOptions.defaults())) {
                        Fiber.spin("server", () -> serve(listener));
                        try (TcpConnection c =
                                TcpConnection.connect(address, TcpOptions.defaults())) {
                            c.write("hello\n");
                            assertEquals("hello", c.readLine());
                        }
                    }
                    // @end
                });
    }

    @Test
    void udp() {
        TestCord.run(
                () -> {
                    // @start region="udp"
                    try (UdpSocket server = UdpSocket.bind("127.0.0.1", 7)) {
                        Fiber.spin(
                                "server",
                                () -> {
                                    for (Datagram d : server) {
                                        server.send(d.answer(d.text()));
                                    }
                                });
                        try (UdpSocket client = UdpSocket.connect("127.0.0.1", 7)) {
                            client.send("hello");
                            assertEquals("hello", client.receive().text());
                        }
                    }
                    // @end
                });
    }
}
