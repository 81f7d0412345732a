package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.Certificates.Files3;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

/** Rule I2: bytes that go from a file, or from a connection, to a connection. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TransferTest {
    /** More than the kernel takes at once. */
    private static final int MUCH = 20_000_000;

    @TempDir private static Path folder;

    private static byte[] bytes(int count) {
        byte[] made = new byte[count];
        new Random(count).nextBytes(made);
        return made;
    }

    private static FileChannel file(byte[] content) throws IOException {
        Path made = Files.createTempFile(folder, "file", "");
        Files.write(made, content);
        return FileChannel.open(made, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static byte[] readAll(TcpConnection from) {
        byte[] all = new byte[MUCH];
        int length = 0;
        for (int n = from.read(all); n >= 0; n = from.read(all, length, all.length - length)) {
            length += n;
        }
        return Arrays.copyOf(all, length);
    }

    // ---------------------------------------------------------------- from a file

    private static void send(Net net, TcpOptions serving, TcpOptions asking, int size)
            throws Exception {
        byte[] content = bytes(size);
        net.talk(
                serving,
                asking,
                server -> {
                    assertArrayEquals(content, server.readFully(size));
                    assertEquals("a line", server.readLine());
                    assertArrayEquals(
                            Arrays.copyOfRange(content, size / 3, size / 2), readAll(server));
                },
                client -> {
                    try (FileChannel file = file(content)) {
                        client.write(file, 0, size);
                        client.write("a line\n");
                        client.write(file, size / 3, size / 2 - size / 3);
                        client.write(file, size, 0);
                        assertTrue(file.isOpen());
                        assertEquals(0, file.position());
                        client.shutdownOutput();
                        assertNull(client.readLine());
                    }
                });
    }

    @Test
    void I2_aFileBetweenLines() {
        Net.anywhere(
                net -> {
                    for (int size :
                            new int[] {0, 1, 100_000, net.isVirtual ? 200_000 : 3_000_000}) {
                        send(net, TcpOptions.defaults(), TcpOptions.defaults(), size);
                    }
                });
    }

    @Test
    void I2_aFileOverTls() throws Exception {
        Files3 made = new Certificates(folder).make("server");
        TcpOptions server =
                TcpOptions.defaults().withTls(Tls.server(made.certificates(), made.key()));
        TcpOptions client = TcpOptions.defaults().withTls(Tls.client().withTrust(made.trust()));
        Net.onSockets(net -> send(net, server, client, 1_000_000));
    }

    @Test
    void I2_thereIsNoSuchPart() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> assertNull(server.readLine()),
                                client -> {
                                    try (FileChannel file = file(new byte[10])) {
                                        Errors.assertMentions(
                                                assertThrows(
                                                        IllegalArgumentException.class,
                                                        () -> client.write(file, 3, 8)),
                                                "position=3",
                                                "count=8",
                                                "size=10");
                                        assertThrows(
                                                IllegalArgumentException.class,
                                                () -> client.write(file, -1, 1));
                                        assertThrows(
                                                IllegalArgumentException.class,
                                                () -> client.write(file, 0, -1));
                                        assertThrows(
                                                IllegalArgumentException.class,
                                                () -> client.write(file, Long.MAX_VALUE, 1));
                                    }
                                }));
    }

    @Test
    void I2_theFileIsClosed() throws IOException {
        FileChannel file = file(new byte[10]);
        file.close();
        Net.anywhere(
                net ->
                        net.talk(
                                server -> assertNull(server.readLine()),
                                client ->
                                        Errors.assertMentions(
                                                assertThrows(
                                                        UncheckedIOException.class,
                                                        () -> client.write(file, 0, 1)),
                                                "cannot write a file to connection")));
    }

    /** The other side does not take the part for the whole. */
    @Test
    void I2_aFileThatBecomesShorter() {
        Net.anywhere(
                net -> {
                    AtomicBoolean isShorter = new AtomicBoolean();
                    net.talk(
                            server -> {
                                net.until(isShorter::get);
                                assertThrows(ConnectionResetException.class, () -> readAll(server));
                            },
                            client -> {
                                try (FileChannel file = file(new byte[MUCH])) {
                                    Fiber<?> writing =
                                            Fiber.spin(
                                                    "writer",
                                                    () ->
                                                            assertThrows(
                                                                    ConnectionResetException.class,
                                                                    () ->
                                                                            client.write(
                                                                                    file, 0,
                                                                                    MUCH)));
                                    Fiber.snooze();
                                    net.settle();
                                    file.truncate(1_000);
                                    isShorter.set(true);
                                    writing.await();
                                }
                            });
                });
    }

    private static void readsNothingUntil(Net net, AtomicBoolean isReset, TcpConnection server) {
        net.until(isReset::get);
        assertThrows(ConnectionResetException.class, () -> server.readFully(MUCH));
    }

    @Test
    void I4_aWriteLimit() {
        TcpOptions hasty = TcpOptions.defaults().withWriteLimit(Duration.ofMillis(50));
        Net.anywhere(
                net -> {
                    AtomicBoolean isReset = new AtomicBoolean();
                    net.talk(
                            TcpOptions.defaults(),
                            hasty,
                            server -> readsNothingUntil(net, isReset, server),
                            client -> {
                                try (FileChannel file = file(new byte[MUCH])) {
                                    ConnectionTimeoutException late =
                                            assertThrows(
                                                    ConnectionTimeoutException.class,
                                                    () -> client.write(file, 0, MUCH));
                                    Errors.assertMentions(late, "50 ms", "writeLimit");
                                    client.reset();
                                    isReset.set(true);
                                }
                            });
                });
    }

    @Test
    void I4_theWriterIsTerminated() {
        Net.anywhere(
                net -> {
                    AtomicBoolean isReset = new AtomicBoolean();
                    net.talk(
                            server -> readsNothingUntil(net, isReset, server),
                            client -> {
                                try (FileChannel file = file(new byte[MUCH])) {
                                    Fiber<?> writing =
                                            Fiber.spin("writer", () -> client.write(file, 0, MUCH));
                                    Fiber.snooze();
                                    net.settle();
                                    writing.terminate();
                                    writing.awaitEnd(Net.LONG);
                                    client.reset();
                                    isReset.set(true);
                                }
                            });
                });
    }

    // ---------------------------------------------------------------- from a connection

    /** What a proxy does with a client. */
    private static void relay(TcpConnection client, TcpConnection server) {
        Fiber<Long> back =
                Fiber.spin(
                        "back",
                        () -> {
                            long count = server.transferTo(client);
                            client.shutdownOutput();
                            return count;
                        });
        long there = client.transferTo(server);
        server.shutdownOutput();
        assertEquals(there, back.await());
    }

    private static Fiber<?> proxy(Net net, TcpListener listener, TcpListener behind) {
        return Fiber.spin(
                "proxy",
                () -> {
                    try (TcpConnection client = listener.accept();
                            TcpConnection server = net.connect(behind)) {
                        relay(client, server);
                    }
                });
    }

    @Test
    void I2_aProxy() {
        Net.anywhere(
                net -> {
                    byte[] content = bytes(net.isVirtual ? 100_000 : 5_000_000);
                    try (TcpListener behind = net.listen();
                            TcpListener before = net.listen()) {
                        Fiber<?> proxy = proxy(net, before, behind);
                        Fiber<?> server =
                                Fiber.spin(
                                        "server",
                                        () -> {
                                            try (TcpConnection each = behind.accept()) {
                                                each.transferTo(each); // an echo
                                            }
                                        });
                        try (TcpConnection client = net.connect(before)) {
                            Fiber<?> writing =
                                    Fiber.spin(
                                            "writer",
                                            () -> {
                                                client.write(content);
                                                client.shutdownOutput();
                                            });
                            assertArrayEquals(content, readAll(client));
                            writing.await();
                        }
                        proxy.await();
                        server.await();
                    }
                });
    }

    /** What there is no room for stays to be read; the one that sends is held up. */
    @Test
    void I4_aTransferThatEndsLosesNoByte() {
        TcpOptions hasty =
                TcpOptions.defaults()
                        .withReadLimit(Duration.ofMillis(2))
                        .withWriteLimit(Duration.ofMillis(2));
        Net.anywhere(
                net -> {
                    byte[] content = bytes(net.isVirtual ? 200_000 : 5_000_000);
                    byte[] all = new byte[content.length];
                    try (TcpListener listener = net.listen()) {
                        TcpConnection in = net.connect(listener, hasty);
                        TcpConnection sending = listener.accept();
                        TcpConnection out = net.connect(listener, hasty);
                        TcpConnection taking = listener.accept();
                        Fiber<?> sender = Fiber.spin("sender", () -> sending.write(content));
                        for (int taken = 0; taken < all.length; ) {
                            assertThrows(
                                    ConnectionTimeoutException.class, () -> in.transferTo(out));
                            if (taking.unread() == 0) {
                                net.pause(); // on a busy machine the limit may come before a byte
                            } else {
                                taken += taking.read(all, taken, all.length - taken);
                            }
                        }
                        assertArrayEquals(content, all);
                        sender.await();
                        sending.close();
                        net.until(in::isInputEnded);
                        assertEquals(0, in.transferTo(out));
                        in.close();
                        out.close();
                        taking.close();
                    }
                });
    }

    @Test
    void I2_theOtherSideIsGone() {
        Net.anywhere(
                net -> {
                    try (TcpListener listener = net.listen()) {
                        TcpConnection in = net.connect(listener);
                        TcpConnection sending = listener.accept();
                        TcpConnection out = net.connect(listener);
                        TcpConnection taking = listener.accept();
                        sending.write("some").flush();
                        net.until(() -> in.unread() == 4);
                        taking.reset();
                        net.until(() -> !out.isOpen());
                        assertThrows(ConnectionResetException.class, () -> in.transferTo(out));
                        assertEquals(4, in.unread());
                        out.close();
                        assertThrows(ConnectionClosedException.class, () -> in.transferTo(out));
                        assertThrows(IllegalStateException.class, () -> transferOfMessages(in));
                        sending.reset();
                    }
                });
    }

    private static void transferOfMessages(TcpConnection in) {
        MessageConnection<String> lines = in.messages(Codec.lines(100));
        try {
            in.transferTo(in);
        } finally {
            lines.close();
        }
    }
}
