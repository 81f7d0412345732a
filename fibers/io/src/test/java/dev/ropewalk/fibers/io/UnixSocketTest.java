package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/** Rule I2: a path in place of a port. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class UnixSocketTest {
    @TempDir private Path folder;

    private UnixDomainSocketAddress address() {
        return UnixDomainSocketAddress.of(folder.resolve("x.socket"));
    }

    /** In memory, and on sockets if those of this run can do it. */
    private void anywhere(Net.Body body) {
        Net.inMemory(body);
        if (Transport.HAS_UNIX_SOCKETS) {
            Net.onSockets(
                    net -> {
                        body.run(net);
                        net.until(() -> !Files.exists(folder.resolve("x.socket")));
                    });
        }
    }

    private TcpListener listen() {
        return TcpListener.bind(address(), TcpOptions.defaults());
    }

    private TcpConnection connect() {
        return TcpConnection.connect(address(), TcpOptions.defaults());
    }

    @Test
    void I2_linesBothWays() {
        anywhere(
                net -> {
                    try (TcpListener listener = listen()) {
                        Fiber<?> server =
                                Fiber.spin(
                                        "server",
                                        () -> {
                                            try (TcpConnection mine = listener.accept()) {
                                                assertEquals(address(), mine.localAddress());
                                                assertEquals("question", mine.readLine());
                                                mine.write("answer\n");
                                                assertNull(mine.readLine());
                                            }
                                        });
                        try (TcpConnection client = connect()) {
                            assertEquals(address(), client.remoteAddress());
                            client.write("question\n");
                            assertEquals("answer", client.readLine());
                        }
                        server.await();
                        Errors.assertMentions(
                                assertThrows(IllegalStateException.class, listener::port),
                                "x.socket",
                                "no port");
                    }
                });
    }

    @Test
    void I2_bothHalvesEndByThemselves() {
        int count = 2_000;
        anywhere(
                net -> {
                    try (TcpListener listener = listen()) {
                        Fiber<?> server =
                                Fiber.spin(
                                        "server",
                                        () -> {
                                            try (TcpConnection mine = listener.accept()) {
                                                long length = 0;
                                                byte[] some = new byte[1_000];
                                                for (int n = mine.read(some);
                                                        n >= 0;
                                                        n = mine.read(some)) {
                                                    length += n;
                                                }
                                                mine.write(length + "\n");
                                            }
                                        });
                        try (TcpConnection client = connect()) {
                            for (int i = 0; i < count; i++) {
                                client.write("twelve bytes");
                            }
                            client.shutdownOutput();
                            assertEquals("" + 12 * count, client.readLine());
                            assertNull(client.readLine());
                        }
                        server.await();
                    }
                });
    }

    @Test
    void I2_twoListenersCannotHaveThePath() {
        anywhere(
                net -> {
                    try (TcpListener first = listen()) {
                        ConnectionException refused =
                                assertThrows(ConnectionException.class, this::listen);
                        Errors.assertMentions(refused, "x.socket", "in use", "delete it");
                        try (TcpConnection client = connect();
                                TcpConnection accepted = first.accept()) {
                            assertTrue(client.isOpen() && accepted.isOpen());
                        }
                    }
                });
    }

    @Test
    void I2_noServerThere() {
        anywhere(
                net ->
                        Errors.assertMentions(
                                assertThrows(ConnectionException.class, this::connect),
                                "cannot connect",
                                "x.socket"));
    }

    /** The next process, and the next listener, find the path free. */
    @Test
    void I2_theFileGoesWithTheListener() {
        anywhere(
                net -> {
                    for (int i = 0; i < 3; i++) {
                        try (TcpListener listener = listen();
                                TcpConnection client = connect()) {
                            listener.accept().close();
                            assertNull(client.readLine());
                        }
                        if (!net.isVirtual) {
                            net.until(() -> !Files.exists(folder.resolve("x.socket")));
                        }
                        assertThrows(ConnectionException.class, this::connect);
                    }
                });
    }

    @Test
    void I2_theFileGoesWithTheCord() {
        if (Transport.HAS_UNIX_SOCKETS) {
            Cord.run(
                    () -> {
                        listen();
                        assertTrue(Files.exists(folder.resolve("x.socket")));
                    });
            assertFalse(Files.exists(folder.resolve("x.socket")));
        }
    }

    @Test
    void I2_aPortOfAPathCannotBeShared() {
        Net.inMemory(
                net ->
                        Errors.assertMentions(
                                assertThrows(
                                        IllegalArgumentException.class,
                                        () ->
                                                TcpListener.bind(
                                                        address(),
                                                        TcpOptions.defaults().withReusePort(true))),
                                "reusePort",
                                "x.socket"));
    }

    @Test
    void I2_theOthersSayThatTheyCannot() {
        if (!Transport.HAS_UNIX_SOCKETS) {
            Net.onSockets(
                    net -> {
                        Errors.assertMentions(
                                assertThrows(IllegalArgumentException.class, this::listen),
                                "x.socket",
                                "epoll");
                        assertThrows(IllegalArgumentException.class, this::connect);
                    });
        }
    }
}
