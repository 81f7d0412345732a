package dev.ropewalk.fibers.io;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.UnixOperatingSystemMXBean;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule I2: a server in a process of its own, and what that may have. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class ProcessLimitTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir private Path folder;

    @BeforeEach
    void onLinux() {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "no /proc");
    }

    /** It accepts as many as it can, logs once, serves those, and goes on when some have left. */
    @Test
    void I2_noDescriptorIsLeft() throws IOException {
        int count = 200;
        try (EchoProcess server = new EchoProcess("ulimit -n 100", folder)) {
            // Its own first connections may be going still.
            int idle = server.sockets();
            Net.onSockets(
                    StackKind.LIGHT,
                    net -> {
                        List<TcpConnection> clients = new ArrayList<>();
                        for (int i = 0; i < count; i++) {
                            clients.add(TcpConnection.connect("127.0.0.1", server.port()));
                            clients.getLast().write("here\n");
                        }
                        net.until(() -> !server.logged("cannot accept").isEmpty());
                        int served = 0;
                        long endNs = Cord.current().nanoTime() + Duration.ofSeconds(1).toNanos();
                        do { // while it tries again, ten times a second
                            served = 0;
                            for (TcpConnection each : clients) {
                                served += each.unread() > 0 ? 1 : 0;
                            }
                            clients.getFirst().write("again\n");
                            clients.getFirst().readLine();
                        } while (Cord.current().nanoTime() < endNs);
                        assertTrue(0 < served && served < 100, "served=" + served);
                        // Not ten times a second; its own first connections may let one more in.
                        assertTrue(server.logged("cannot accept").size() <= 3, server::errors);
                        for (int i = 0; i < count; i++) { // the last ones wait for the first
                            try (TcpConnection each = clients.get(i)) {
                                assertEquals(i == 0 ? "again" : "here", each.readLine());
                            }
                        }
                    });
            await().atMost(LIMIT).until(() -> server.sockets() <= idle);
            Errors.assertMentions(
                    new IOException(server.logged("cannot accept").getFirst()),
                    "listener on 127.0.0.1:",
                    "open connections; it tries again",
                    "Too many open files");
        }
    }

    @Test
    void I2_tenThousandConnections() throws IOException {
        long most =
                ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                        .getMaxFileDescriptorCount();
        int count = (int) Math.min(10_000, most - 1_000);
        try (EchoProcess server = new EchoProcess(":", folder)) {
            // Its own first connections may be going still.
            int idle = server.sockets();
            Net.onSockets(
                    StackKind.LIGHT,
                    net -> {
                        List<Fiber<TcpConnection>> clients = new ArrayList<>();
                        for (int i = 0; i < count; i++) {
                            int number = i;
                            clients.add(
                                    Fiber.spin(
                                            "client",
                                            () -> {
                                                TcpConnection made =
                                                        TcpConnection.connect(
                                                                "127.0.0.1", server.port());
                                                made.write(number + "\n");
                                                assertEquals("" + number, made.readLine());
                                                return made;
                                            }));
                        }
                        List<TcpConnection> open = new ArrayList<>();
                        for (Fiber<TcpConnection> each : clients) {
                            open.add(each.await());
                        }
                        int sockets = server.sockets();
                        assertTrue(
                                count < sockets && sockets <= idle + count,
                                () -> "sockets=" + sockets + " idle=" + idle);
                        for (TcpConnection each : open) {
                            each.close();
                            Fiber.snooze();
                        }
                    });
            await().atMost(LIMIT).until(() -> server.sockets() <= idle);
            assertEquals(List.of(), server.logged("cannot accept"));
        }
    }

    /** Netty unpacks it there; sockets are those of NIO then, and a line says so. */
    @Test
    void I1_theNativeLibraryCannotBeUnpacked() throws IOException {
        try (EchoProcess server = new EchoProcess(":", folder, "-Djava.io.tmpdir=/proc")) {
            Net.onSockets(
                    StackKind.LIGHT,
                    net -> {
                        try (TcpConnection c = TcpConnection.connect("127.0.0.1", server.port())) {
                            c.write("hello\n");
                            assertEquals("hello", c.readLine());
                        }
                    });
            assertEquals(1, server.logged("sockets run on NIO").size(), server::errors);
        }
    }
}
