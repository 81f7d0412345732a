package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** How connections end, and what their fibers get then. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class EndTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    @Test
    void I2_halfClose() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    assertEquals("question", server.readLine());
                                    assertNull(server.readLine());
                                    server.write("answer\n");
                                },
                                client -> {
                                    client.write("question\n");
                                    client.shutdownOutput();
                                    client.shutdownOutput();
                                    ConnectionClosedException ended =
                                            assertThrows(
                                                    ConnectionClosedException.class,
                                                    () -> client.write("more"));
                                    Errors.assertMentions(ended, "shutdownOutput");
                                    assertEquals("answer", client.readLine());
                                    assertNull(client.readLine());
                                    assertTrue(client.isOpen());
                                }));
    }

    /** More than the kernel takes at once, in both halves: no event of one is lost to the other. */
    @Test
    void I2_halfCloseWithMuchBehindAndBeforeIt() {
        byte[] much = new byte[8_000_000];
        TcpOptions small = TcpOptions.defaults().withStashBytes(1_000);
        Net.anywhere(
                net -> {
                    byte[] answer = net.isVirtual ? new byte[300_000] : much;
                    net.talk(
                            small,
                            server -> {
                                Fiber.sleep(Duration.ofMillis(20)); // the end is there already
                                assertEquals(answer.length, server.readFully(answer.length).length);
                                assertNull(server.readLine());
                                server.write(answer);
                            },
                            client -> {
                                client.write(answer);
                                client.shutdownOutput();
                                Fiber.sleep(Duration.ofMillis(50));
                                assertEquals(answer.length, client.readFully(answer.length).length);
                                assertNull(client.readLine());
                            });
                });
    }

    @Test
    void I2_closeSendsWhatWasWritten() {
        byte[] much = new byte[1_000_000];
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    assertEquals(much.length, server.readFully(much.length).length);
                                    assertEquals(-1, server.read(new byte[1]));
                                },
                                client -> {
                                    client.write(much);
                                    client.close();
                                    client.close();
                                    assertFalse(client.isOpen());
                                    for (Runnable call :
                                            List.<Runnable>of(
                                                    client::readLine,
                                                    () -> client.write("x"),
                                                    client::flush)) {
                                        ConnectionClosedException closed =
                                                assertThrows(
                                                        ConnectionClosedException.class, call::run);
                                        Errors.assertMentions(closed, "was closed here");
                                    }
                                    client.shutdownOutput();
                                    net.settle();
                                }));
    }

    @Test
    void I4_closeEndsTheReaderAndTheWriter() {
        TcpOptions small = TcpOptions.defaults().withHighWaterMark(1_000);
        Net.anywhere(
                net -> {
                    boolean[] isClosed = {false};
                    net.talk(
                            small,
                            server -> {
                                List<String> log = new ArrayList<>();
                                Fiber<?> reader =
                                        Fiber.spin(
                                                "reader",
                                                () -> {
                                                    assertThrows(
                                                            ConnectionClosedException.class,
                                                            server::readLine);
                                                    log.add("reader");
                                                });
                                Fiber<?> writer =
                                        Fiber.spin(
                                                "writer",
                                                () -> {
                                                    assertThrows(
                                                            ConnectionClosedException.class,
                                                            () -> writeForEver(server));
                                                    log.add("writer");
                                                });
                                for (int i = 0; i < 1_000; i++) {
                                    net.pause();
                                }
                                server.close();
                                isClosed[0] = true;
                                reader.await();
                                writer.await();
                                assertEquals(2, log.size());
                            },
                            client -> {
                                net.until(() -> isClosed[0]);
                                client.reset();
                            });
                });
    }

    private static void writeForEver(TcpConnection to) {
        byte[] block = new byte[64 * 1024];
        for (; ; ) {
            to.write(block);
        }
    }

    /** What had come before stays readable; then the reader and the writer are told. */
    @Test
    void I4_reset() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    net.until(() -> server.unread() == 6);
                                    server.write("now\n");
                                    net.until(() -> !server.isOpen());
                                    assertEquals("before", new String(server.readFully(6), UTF_8));
                                    for (Runnable call :
                                            List.<Runnable>of(
                                                    server::readLine,
                                                    () -> server.read(new byte[1]),
                                                    () -> server.write("x"),
                                                    server::flush)) {
                                        ConnectionResetException reset =
                                                assertThrows(
                                                        ConnectionResetException.class, call::run);
                                        Errors.assertMentions(
                                                reset, "connection to 127.0.0.1:", "broken off");
                                    }
                                },
                                client -> {
                                    client.write("before");
                                    assertEquals("now", client.readLine());
                                    client.reset();
                                    client.reset();
                                }));
    }

    @Test
    void I4_idleLimit() {
        TcpOptions impatient = TcpOptions.defaults().withIdleLimit(Duration.ofMillis(250));
        Net.anywhere(
                net ->
                        net.talk(
                                impatient,
                                server -> {
                                    ConnectionException idle =
                                            assertThrows(
                                                    ConnectionException.class,
                                                    () -> {
                                                        while (server.readLine() != null) {}
                                                    });
                                    assertTrue(
                                            idle instanceof ConnectionTimeoutException
                                                    || idle instanceof ConnectionResetException,
                                            idle.toString());
                                },
                                client -> {
                                    for (int i = 0; i < 5; i++) {
                                        client.write("alive\n").flush();
                                        Fiber.sleep(Duration.ofMillis(20));
                                    }
                                    ConnectionException idle =
                                            assertThrows(
                                                    ConnectionException.class,
                                                    () -> {
                                                        while (client.readLine() != null) {}
                                                    });
                                    assertTrue(
                                            idle instanceof ConnectionTimeoutException
                                                    || idle instanceof ConnectionResetException,
                                            idle.toString());
                                }));
    }

    /** It takes what was sent by then, and not for ever. */
    @Test
    void I2_closeLimit() {
        TcpOptions hasty =
                TcpOptions.defaults()
                        .withCloseLimit(Duration.ofMillis(50))
                        .withStashBytes(100)
                        .withHighWaterMark(10_000_000);
        Net.anywhere(
                net -> {
                    boolean[] isLimitOver = {false};
                    net.talk(
                            hasty,
                            server -> {
                                net.until(() -> isLimitOver[0]);
                                assertThrows(
                                        ConnectionException.class,
                                        () -> server.readFully(20_000_000));
                            },
                            client -> {
                                client.write(new byte[9_000_000]).write(new byte[5_000_000]);
                                client.close();
                                Fiber.sleep(Duration.ofMillis(100));
                                isLimitOver[0] = true;
                            });
                });
    }

    // ---------------------------------------------------------------- connecting

    @Test
    void I2_nobodyListens() {
        Net.anywhere(
                net -> {
                    TcpListener gone = net.listen();
                    gone.close();
                    ConnectionException refused = null;
                    while (refused == null) { // what the kernel accepts in this turn is reset
                        net.pause();
                        try (TcpConnection late = net.connect(gone)) {
                            assertFalse(net.isVirtual, late::toString);
                        } catch (ConnectionException thrown) {
                            boolean isReset = thrown.toString().contains("reset");
                            refused = isReset && !net.isVirtual ? null : thrown;
                        }
                    }
                    Errors.assertMentions(
                            refused, "127.0.0.1:" + gone.port(), "refused", "does a server listen");
                });
    }

    @Test
    void I2_connectLimit() {
        Net.inMemory(
                net -> {
                    dev.ropewalk.fibers.io.testing.MemoryNetwork.current()
                            .delay(Duration.ofSeconds(2), Duration.ofSeconds(2));
                    try (TcpListener listener = net.listen()) {
                        TcpOptions hasty =
                                TcpOptions.defaults().withConnectLimit(Duration.ofSeconds(1));
                        long beganNs = Cord.current().nanoTime();
                        ConnectionTimeoutException late =
                                assertThrows(
                                        ConnectionTimeoutException.class,
                                        () -> net.connect(listener, hasty));
                        assertEquals(
                                Duration.ofSeconds(1).toNanos(),
                                Cord.current().nanoTime() - beganNs);
                        Errors.assertMentions(late, "connectLimit=PT1S");
                        net.settle();
                        assertEquals(0, listener.open());
                    }
                });
    }

    /** A fiber that is ended while it connects leaves no connection behind. */
    @Test
    void I4_terminatedWhileItConnects() {
        Net.inMemory(
                net -> {
                    try (TcpListener listener = net.listen()) {
                        for (int turns = 0; turns < 5; turns++) {
                            Fiber<?> fiber = Fiber.spin("client", () -> net.connect(listener));
                            for (int i = 0; i < turns; i++) {
                                Fiber.snooze();
                            }
                            fiber.terminate();
                            fiber.awaitEnd(Net.LONG);
                        }
                        Fiber<?> acceptor =
                                Fiber.spin(
                                        "acceptor",
                                        () -> {
                                            for (TcpConnection each : listener) {
                                                assertThrows(
                                                        ConnectionException.class, each::readLine);
                                                each.close();
                                            }
                                        });
                        net.settle();
                        assertEquals(0, listener.open());
                        assertTrue(listener.drain(Net.LONG));
                        acceptor.await();
                    }
                });
    }

    @Test
    void misuse_addresses() {
        Net.onSockets(
                net -> {
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> TcpConnection.connect("127.0.0.1", 65_536)),
                            "port=65536");
                    Errors.assertMentions(
                            assertThrows(
                                    ConnectionException.class,
                                    () -> TcpConnection.connect("no.such.host.invalid", 1)),
                            "no.such.host.invalid is unknown");
                    Errors.assertMentions(
                            assertThrows(
                                    ConnectionException.class,
                                    () ->
                                            TcpConnection.connect(
                                                    InetSocketAddress.createUnresolved("x", 1),
                                                    TcpOptions.defaults())),
                            "cannot connect to");
                });
    }

    @Test
    void misuse_anotherCord() {
        Net.onSockets(
                net ->
                        net.talk(
                                server -> assertNull(server.readLine()),
                                client -> {
                                    try (Cord other = Cord.start("other")) {
                                        for (Runnable call :
                                                List.<Runnable>of(
                                                        client::readLine,
                                                        () -> client.write("x"),
                                                        client::flush,
                                                        client::close,
                                                        client::reset,
                                                        client::shutdownOutput)) {
                                            Fiber<?> wrong =
                                                    other.spin(
                                                            "wrong",
                                                            () ->
                                                                    Errors.assertMentions(
                                                                            assertThrows(
                                                                                    WrongThreadException
                                                                                            .class,
                                                                                    call::run),
                                                                            "which belongs to cord"
                                                                                    + " net"));
                                            wrong.await();
                                        }
                                    }
                                    assertTrue(client.isOpen());
                                }));
    }

    /** What a fiber leaves open is closed with its cord: the other side reads the end. */
    @Test
    void I1_endOfTheCordClosesItsConnections() {
        Net.onSockets(
                net -> {
                    try (TcpListener listener = net.listen()) {
                        Cord other = Cord.start("other");
                        other.spin("leaver", () -> net.connect(listener).write("left\n").flush())
                                .await();
                        try (TcpConnection accepted = listener.accept()) {
                            assertEquals("left", accepted.readLine());
                            Fiber<?> closer = Fiber.spin("closer", other::close);
                            assertNull(accepted.readLine());
                            closer.await();
                        }
                    }
                });
    }

    /** The end of its cord does not come to a connection that is closed by then. */
    @Test
    void I1_unreadBytesOfAConnectionThatNobodyClosesAreNotLeaked() {
        for (int i = 0; i < 20; i++) {
            Net.onSockets(
                    net -> {
                        try (TcpListener listener = net.listen()) {
                            TcpConnection forgotten = net.connect(listener);
                            TcpConnection accepted = listener.accept();
                            accepted.write("never read\n");
                            net.until(() -> forgotten.unread() == 11);
                            accepted.reset();
                            net.until(() -> !forgotten.isOpen());
                            assertEquals(11, forgotten.unread());
                        }
                    });
        }
        Leaks.check();
    }

    /** Of a fiber on another thread, the loop closes the channel after it has looked once more. */
    @Test
    void I1_bytesThatComeBehindTheEndAreNotLeaked() {
        Net.onSockets(
                net -> {
                    try (ServerSocket raw = new ServerSocket(0, 1, LOOPBACK)) {
                        for (int i = 0; i < 20; i++) {
                            TcpConnection broken =
                                    TcpConnection.connect(
                                            raw.getLocalSocketAddress(), TcpOptions.defaults());
                            try (Socket other = raw.accept()) {
                                other.getOutputStream().write("late\n".getBytes(UTF_8));
                                broken.breakOff();
                                net.until(broken::isInputEnded);
                                for (int turns = 0; turns < 3; turns++) {
                                    net.pause();
                                }
                                assertEquals(0, broken.unread());
                            }
                        }
                    }
                });
        Leaks.check();
    }
}
