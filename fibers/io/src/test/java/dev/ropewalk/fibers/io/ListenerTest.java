package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** Rule I2: listeners. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ListenerTest {
    private static void echo(TcpListener listener) {
        for (TcpConnection each : listener) {
            Fiber.spin(
                    "echo",
                    () -> {
                        try (each) {
                            for (String line = each.readLine();
                                    line != null;
                                    line = each.readLine()) {
                                each.write(line + "\n");
                            }
                        }
                    });
        }
    }

    @Test
    void I2_manyClientsAtOnce() {
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen();
                    Fiber<?> server = Fiber.spin("server", () -> echo(listener));
                    List<Fiber<?>> clients = new ArrayList<>();
                    for (int i = 0; i < 100; i++) {
                        int number = i;
                        clients.add(
                                Fiber.spin(
                                        "client",
                                        () -> {
                                            try (TcpConnection mine = net.connect(listener)) {
                                                for (int n = 0; n < 5; n++) {
                                                    String line = number + " " + n;
                                                    mine.write(line + "\n");
                                                    assertEquals(line, mine.readLine());
                                                }
                                            }
                                        }));
                    }
                    for (Fiber<?> each : clients) {
                        each.await();
                    }
                    assertTrue(listener.drain(Net.LONG));
                    assertEquals(0, listener.open());
                    server.await();
                });
    }

    @Test
    void I2_closeEndsTheLoopAndResetsWhatNobodyTook() {
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen();
                    TcpConnection client = net.connect(listener);
                    net.until(() -> listener.open() == 1);
                    listener.close();
                    listener.close();
                    assertThrows(ConnectionResetException.class, client::readLine);
                    client.close();
                    Iterator<TcpConnection> all = listener.iterator();
                    assertFalse(all.hasNext());
                    Errors.assertMentions(
                            assertThrows(NoSuchElementException.class, all::next), "is closed");
                    Errors.assertMentions(
                            assertThrows(ConnectionClosedException.class, listener::accept),
                            "accepts nobody");
                    Fiber<?> waiting =
                            Fiber.spin(
                                    "waiting",
                                    () -> {
                                        try (TcpListener other = net.listen()) {
                                            Fiber.spin("closer", other::close);
                                            assertFalse(other.iterator().hasNext());
                                        }
                                    });
                    waiting.await();
                });
    }

    /** Whatever becomes of one of them, the others are served. */
    @Test
    void I2_serve() {
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen();
                    Fiber<?> server =
                            Fiber.spin("server", () -> listener.serve("echo", ListenerTest::serve));
                    try (TcpConnection stays = net.connect(listener);
                            TcpConnection asks = net.connect(listener);
                            TcpConnection leaves = net.connect(listener)) {
                        asks.write("fail\n");
                        assertThrows(ConnectionResetException.class, asks::readLine);
                        leaves.write("quit\n");
                        assertNull(leaves.readLine(), "closed in order");
                        stays.write("still there\n");
                        assertEquals("still there", stays.readLine());
                        net.until(() -> listener.open() == 1);
                        listener.close();
                        stays.write("and now\n");
                        assertEquals("and now", stays.readLine());
                        assertFalse(
                                server.state() == FiberState.DEAD, "it waits for the last client");
                    }
                    server.await();
                    net.until(() -> listener.open() == 0);
                });
    }

    private static void serve(TcpConnection client) {
        for (String line = client.readLine(); line != null; line = client.readLine()) {
            switch (line) {
                case "quit" -> {
                    return;
                }
                case "fail" -> throw new IllegalArgumentException("told to");
                default -> client.write(line + "\n");
            }
        }
    }

    /** A service that fails is heard of; a client that has gone is not. */
    @Test
    void I2_serveLogs() {
        Net.inMemory(
                net -> {
                    List<String> lines = new ArrayList<>();
                    Logs.during(
                            line -> lines.add(line.message() + ": " + line.failure()),
                            () -> serveTwo(net));
                    assertEquals(1, lines.size(), lines::toString);
                    String line = lines.getFirst();
                    assertTrue(line.contains("is broken off, because its fiber failed"), line);
                    assertTrue(line.contains("told to"), line);
                });
    }

    private static void serveTwo(Net net) {
        TcpListener listener = net.listen();
        Fiber<?> server = Fiber.spin("server", () -> listener.serve("echo", ListenerTest::serve));
        TcpConnection fails = net.connect(listener);
        fails.write("fail\n");
        assertThrows(ConnectionResetException.class, fails::readLine);
        fails.close();
        TcpConnection gone = net.connect(listener);
        net.until(() -> listener.open() == 1);
        gone.reset();
        listener.close();
        server.await();
    }

    /** To send too little is the client's doing, and no failure of the service. */
    @Test
    void I2_serveLogsNoClientThatEndsWithinAValue() {
        Net.inMemory(
                net -> {
                    List<String> lines = new ArrayList<>();
                    Logs.during(
                            line -> lines.add(line.message() + ": " + line.failure()),
                            () -> {
                                TcpListener listener = net.listen();
                                Fiber<?> server =
                                        Fiber.spin(
                                                "server",
                                                () -> listener.serve("value", c -> c.readFully(8)));
                                try (TcpConnection client = net.connect(listener)) {
                                    client.write("four");
                                    client.shutdownOutput();
                                    assertThrows(
                                            ConnectionResetException.class,
                                            () -> client.read(new byte[1]));
                                }
                                listener.close();
                                server.await();
                            });
                    assertEquals(List.of(), lines);
                });
    }

    /** Terminated, it takes its clients along, and they are reset. */
    @Test
    void I2_serveIsTerminated() {
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen();
                    Fiber<?> server =
                            Fiber.spin("server", () -> listener.serve("echo", ListenerTest::serve));
                    try (TcpConnection client = net.connect(listener)) {
                        client.write("x\n");
                        assertEquals("x", client.readLine());
                        server.terminate();
                        assertTrue(server.awaitEnd(Net.LONG));
                        assertThrows(ConnectionResetException.class, client::readLine);
                    }
                    listener.close();
                });
    }

    /** A client for whom there is no fiber is reset; the next one is served. */
    @Test
    void I2_serveWithoutPlaceForAFiber() {
        List<String> lines = new ArrayList<>();
        Cord.run(
                CordOptions.named("small").withMaxFibers(2),
                () -> Logs.during(l -> lines.add(l.message()), ListenerTest::serveTooMany));
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.getFirst().contains("cord small has no place"), lines::toString);
    }

    private static void serveTooMany() {
        TcpListener listener = TcpListener.bind("127.0.0.1", 0);
        Fiber<?> server = Fiber.spin("server", () -> listener.serve("echo", ListenerTest::serve));
        TcpConnection first = TcpConnection.connect("127.0.0.1", listener.port());
        first.write("x\n");
        assertEquals("x", first.readLine());
        for (int i = 0; i < 3; i++) { // one line tells of all of them
            TcpConnection second = TcpConnection.connect("127.0.0.1", listener.port());
            assertThrows(ConnectionResetException.class, second::readLine);
            second.close();
        }
        first.close();
        while (listener.open() > 0) {
            Fiber.snooze();
        }
        TcpConnection third = TcpConnection.connect("127.0.0.1", listener.port());
        third.write("y\n");
        assertEquals("y", third.readLine());
        third.close();
        listener.close();
        server.await();
    }

    /** The others are served when one of the first is closed. */
    @Test
    void I2_maxConnections() {
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen(TcpOptions.defaults().withMaxConnections(2));
                    Fiber<?> server = Fiber.spin("server", () -> echo(listener));
                    int[] most = {0};
                    List<Fiber<?>> clients = new ArrayList<>();
                    for (int i = 0; i < 10; i++) {
                        clients.add(
                                Fiber.spin(
                                        "client",
                                        () -> {
                                            try (TcpConnection mine = net.connect(listener)) {
                                                mine.write("x\n");
                                                assertEquals("x", mine.readLine());
                                                most[0] = Math.max(most[0], listener.open());
                                                net.pause();
                                            }
                                        }));
                    }
                    for (Fiber<?> each : clients) {
                        each.await();
                    }
                    assertEquals(2, most[0]);
                    assertTrue(listener.drain(Net.LONG));
                    server.await();
                });
    }

    @Test
    void I2_drain() {
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen();
                    TcpConnection client = net.connect(listener);
                    TcpConnection taken = listener.accept();
                    assertFalse(listener.drain(Duration.ofMillis(5)));
                    assertEquals(1, listener.open());
                    Fiber.spin("closer", taken::close);
                    assertTrue(listener.drain(Net.LONG));
                    client.close();
                });
    }

    @Test
    void I2_portInUse() {
        Net.anywhere(
                net -> {
                    try (TcpListener first = net.listen()) {
                        ConnectionException taken =
                                assertThrows(
                                        ConnectionException.class,
                                        () -> TcpListener.bind("127.0.0.1", first.port()));
                        Errors.assertMentions(
                                taken, "127.0.0.1:" + first.port(), "in use", "Port 0");
                    }
                });
    }

    /** Two listeners on one port: each of the clients comes to one of them. */
    @Test
    void I2_sharedPort() {
        Net.onSockets(
                net -> {
                    TcpOptions shared = TcpOptions.defaults().withReusePort(true);
                    TcpListener one = net.listen(shared);
                    TcpListener two = TcpListener.bind("127.0.0.1", one.port(), shared);
                    List<TcpConnection> clients = new ArrayList<>();
                    for (int i = 0; i < 20; i++) {
                        clients.add(net.connect(one));
                    }
                    net.until(() -> one.open() + two.open() == 20);
                    clients.forEach(TcpConnection::close);
                    one.close();
                    two.close();
                });
        Net.inMemory(
                net ->
                        Errors.assertMentions(
                                assertThrows(
                                        IllegalArgumentException.class,
                                        () ->
                                                net.listen(
                                                        TcpOptions.defaults().withReusePort(true))),
                                "reusePort needs TCP sockets of Linux"));
    }

    @Test
    void misuse_options() {
        TcpOptions options = TcpOptions.defaults();
        for (Runnable call :
                List.<Runnable>of(
                        () -> options.withStashBytes(0),
                        () -> options.withHighWaterMark(0),
                        () -> options.withMaxLineBytes(0),
                        () -> options.withMaxConnections(0),
                        () -> options.withBacklog(0),
                        () -> options.withReadLimit(Duration.ofSeconds(-1)))) {
            assertThrows(IllegalArgumentException.class, call::run);
        }
        Errors.assertMentions(
                assertThrows(IllegalArgumentException.class, () -> options.withBacklog(0)),
                "backlog=0 < 1");
    }

    @Test
    void misuse_twoAcceptors() {
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen();
                    Fiber<?> first = Fiber.spin("first", () -> listener.iterator().hasNext());
                    net.until(() -> first.state() == FiberState.WAITING);
                    Errors.assertMentions(
                            assertThrows(IllegalStateException.class, listener::accept),
                            "acceptor already",
                            "fiber first");
                    listener.close();
                    first.await();
                });
    }

    /** In memory as the system does it: the port is free again, and clients are refused. */
    @Test
    void I2_theEndOfTheCordClosesIt() {
        TestCords.run(
                2,
                cords -> {
                    int port =
                            cords.get(1)
                                    .spin("leaver", () -> TcpListener.bind("127.0.0.1", 0).port())
                                    .await();
                    TcpConnection client = TcpConnection.connect("127.0.0.1", port);
                    assertThrows(
                            ConnectionException.class, () -> TcpListener.bind("127.0.0.1", port));
                    cords.get(1).close();
                    assertNull(client.readLine());
                    assertThrows(
                            ConnectionException.class,
                            () -> TcpConnection.connect("127.0.0.1", port));
                    TcpListener.bind("127.0.0.1", port).close();
                });
    }

    @Test
    void I3_theLowestHighWaterMark() {
        TcpOptions lowest = TcpOptions.defaults().withHighWaterMark(1);
        Net.anywhere(
                net ->
                        net.talk(
                                lowest,
                                server -> {
                                    for (int i = 0; i < 100; i++) {
                                        assertEquals("line " + i, server.readLine());
                                    }
                                },
                                client -> {
                                    for (int i = 0; i < 100; i++) {
                                        client.write("line " + i + "\n");
                                    }
                                    client.flush();
                                }));
    }
}
