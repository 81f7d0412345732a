package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.io.testing.MemoryNetwork;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCords;

import io.netty.handler.ssl.SslProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** Rule I2: who closes while the other side sends takes nothing back of what was written. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class LingerTest {
    private static final TcpOptions DEFAULTS = TcpOptions.defaults();

    /** As good as none: what ends before that has not waited for it. */
    private static final TcpOptions PATIENT = DEFAULTS.withLingerLimit(Waits.FOREVER);

    @TempDir private static Path folder;

    /** The server's part: reads a line with a number, writes as many bytes, and closes. */
    private static void answerOneLine(TcpConnection client) {
        client.write(new byte[Integer.parseInt(client.readLine())]);
    }

    /** Asks for so many bytes, sends so many more, which nobody reads, and takes what comes. */
    private static void ask(Net net, TcpConnection server, int bytes, int more) {
        server.write(bytes + "\n");
        Fiber<?> sender =
                Fiber.spin(
                        "sender",
                        () -> {
                            try {
                                server.write(new byte[more]).flush();
                            } catch (ConnectionException over) {
                                // The other side takes no more than its bound.
                            }
                        });
        net.settle(); // the answer is there, and so is what was sent
        byte[] piece = new byte[10_000];
        int got = 0;
        for (int count = 0; count >= 0; count = server.read(piece)) {
            got += count;
            net.pause();
        }
        assertEquals(bytes, got, () -> "of an answer, with more=" + more);
        sender.await();
    }

    private static void askAll(Net net, TcpOptions serving, TcpOptions asking) {
        try (TcpListener listener = net.listen(serving)) {
            Fiber<?> server =
                    Fiber.spin("server", () -> listener.serve("client", LingerTest::answerOneLine));
            int most = net.isVirtual ? 200_000 : 1_000_000;
            for (int bytes : new int[] {0, 100, most}) {
                for (int more : new int[] {0, 10, 70_000, most}) {
                    try (TcpConnection client = net.connect(listener, asking)) {
                        ask(net, client, bytes, more);
                    }
                }
            }
            assertTrue(listener.drain(Net.LONG));
            server.await();
        }
    }

    @Test
    void I2_closeTakesNothingBackWhateverIsUnread() {
        Net.anywhere(net -> askAll(net, PATIENT, PATIENT));
    }

    @ParameterizedTest
    @EnumSource(names = {"JDK", "OPENSSL"})
    void I2_closeTakesNothingBackOverTls(SslProvider engine) throws Exception {
        Certificates.Files3 local = new Certificates(folder).make("local");
        Tls server = Tls.server(local.certificates(), local.key()).withEngine(engine);
        Tls client = Tls.client().withTrust(local.trust()).withEngine(engine);
        Net.anywhere(net -> askAll(net, PATIENT.withTls(server), PATIENT.withTls(client)));
    }

    /** There the end of one half is that of both. */
    @ParameterizedTest
    @EnumSource(names = {"JDK", "OPENSSL"})
    void I2_closeTakesNothingBackOverOldTls(SslProvider engine) throws Exception {
        Certificates.Files3 local = new Certificates(folder).make("local");
        Tls tls = Tls.server(local.certificates(), local.key()).withEngine(engine);
        SSLSocketFactory clients = local.clientsOfTheJdk();
        Net.onSockets(
                net -> {
                    TcpListener listener = net.listen(PATIENT.withTls(tls));
                    int port = listener.port();
                    Fiber<?> asking =
                            Fiber.spin("client", () -> Blocking.run(() -> askOld(clients, port)));
                    try (TcpConnection accepted = listener.accept()) {
                        assertEquals("TLSv1.2", accepted.tlsSession().getProtocol());
                        answerOneLine(accepted);
                    }
                    asking.await();
                    assertTrue(listener.drain(Net.LONG));
                });
    }

    private static void askOld(SSLSocketFactory clients, int port) throws IOException {
        try (SSLSocket socket = (SSLSocket) clients.createSocket("127.0.0.1", port)) {
            socket.setSoTimeout(30_000);
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            socket.getOutputStream().write("1000000\n".getBytes(US_ASCII));
            socket.getOutputStream().write(new byte[3_000_000]);
            assertEquals(1_000_000, socket.getInputStream().readAllBytes().length);
        }
    }

    /** Tell, then close: of a codec too, which has refused what came. */
    @Test
    void I2_closeBehindWordsToOneThatSendsFramesAboveTheLimit() {
        Net.anywhere(
                net ->
                        net.talk(
                                PATIENT,
                                server -> {
                                    try (MessageConnection<byte[]> frames =
                                            server.messages(Codec.lengthPrefixed(4, 100))) {
                                        ClosedException end =
                                                assertThrows(
                                                        ClosedException.class, frames::receive);
                                        assertInstanceOf(CodecException.class, end.getCause());
                                        frames.write(new byte[90]);
                                    }
                                },
                                client -> {
                                    byte[] more = new byte[net.isVirtual ? 200_000 : 2_000_000];
                                    more[0] = 1; // a length of 2^24
                                    client.write(more);
                                    assertEquals(94, client.readFully(94).length);
                                    assertNull(client.readLine());
                                }));
    }

    /** A writer that waits is told; what it had handed over goes, and the end behind it. */
    @Test
    void I2_closeDuringAWrite() {
        TcpOptions small = PATIENT.withHighWaterMark(1_000);
        Net.anywhere(
                net ->
                        net.talk(
                                small,
                                PATIENT,
                                server -> {
                                    Fiber<?> writer =
                                            Fiber.spin(
                                                    "writer",
                                                    () ->
                                                            assertThrows(
                                                                    ConnectionClosedException.class,
                                                                    () -> writeForEver(server)));
                                    for (int i = 0; i < 1_000; i++) {
                                        net.pause();
                                    }
                                    server.close();
                                    writer.await();
                                },
                                client -> {
                                    client.write(new byte[60_000]);
                                    for (int i = 0; i < 2_000; i++) {
                                        net.pause();
                                    }
                                    byte[] piece = new byte[10_000];
                                    while (client.read(piece) >= 0) {
                                        client.write(new byte[100]);
                                    }
                                }));
    }

    private static void writeForEver(TcpConnection to) {
        byte[] block = new byte[64 * 1024];
        for (; ; ) {
            to.write(block);
        }
    }

    // ---------------------------------------------------------------- bounds

    private static TcpConnection closedHere(TcpListener listener) {
        TcpConnection accepted = listener.accept();
        accepted.write("bye\n");
        accepted.close();
        return accepted;
    }

    /** It counts until then, and is closed by the cord's clock. */
    @Test
    void I2_lingerLimit() {
        TcpOptions serving = DEFAULTS.withLingerLimit(Duration.ofSeconds(7)).withMaxConnections(1);
        Net.inMemory(
                net -> {
                    MemoryNetwork.current().delay(Duration.ZERO, Duration.ofMillis(1));
                    TcpListener listener = net.listen(serving);
                    TcpConnection client = net.connect(listener);
                    long beganNs = Cord.current().nanoTime();
                    TcpConnection accepted = closedHere(listener);
                    assertFalse(accepted.isOpen());
                    assertEquals("bye", client.readLine());
                    assertNull(client.readLine());
                    assertFalse(
                            listener.drain(Duration.ofSeconds(6)), "it still listens for the end");
                    assertEquals(1, listener.open());
                    assertTrue(listener.drain(Net.LONG));
                    long tookNs = Cord.current().nanoTime() - beganNs;
                    assertEquals(7, Duration.ofNanos(tookNs).toSeconds());
                    client.write("late\n"); // to nobody
                    net.settle();
                    assertThrows(ConnectionResetException.class, () -> client.write("more\n"));
                    client.close();
                });
    }

    @Test
    void I2_lingerLimitOnSockets() {
        TcpOptions serving = DEFAULTS.withLingerLimit(Duration.ofMillis(50));
        Net.onSockets(
                net -> {
                    TcpListener listener = net.listen(serving);
                    try (TcpConnection client = net.connect(listener)) {
                        closedHere(listener);
                        assertTrue(listener.drain(Net.LONG));
                        assertEquals("bye", client.readLine());
                        assertNull(client.readLine());
                    }
                });
    }

    /** One that sends without an end, and reads nothing. */
    @Test
    void I2_maxLingerBytes() {
        TcpOptions serving = PATIENT.withMaxLingerBytes(300_000);
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen(serving);
                    TcpConnection client = net.connect(listener, PATIENT);
                    closedHere(listener);
                    assertThrows(ConnectionResetException.class, () -> writeForEver(client));
                    assertTrue(listener.drain(Net.LONG));
                    client.close();
                });
    }

    /** What comes behind a failure of TLS counts as well, and nobody need take the connection. */
    @Test
    void I2_maxLingerBytesBehindAFailedTls() throws Exception {
        Certificates.Files3 local = new Certificates(folder).make("local");
        TcpOptions serving =
                PATIENT.withMaxLingerBytes(300_000)
                        .withTls(Tls.server(local.certificates(), local.key()));
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen(serving);
                    TcpConnection client = net.connect(listener, PATIENT);
                    TcpConnection accepted = listener.accept();
                    assertThrows(ConnectionResetException.class, () -> writeForEver(client));
                    assertTrue(listener.drain(Net.LONG));
                    assertFalse(accepted.isOpen());
                    client.close();
                });
    }

    /** The bound is reached before all is sent: what is written goes on, and nothing is read. */
    @Test
    void I2_maxLingerBytesWhileItSends() {
        TcpOptions serving =
                DEFAULTS.withMaxLingerBytes(1_000)
                        .withHighWaterMark(10_000_000)
                        .withCloseLimit(Duration.ofMillis(100));
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen(serving);
                    TcpConnection client = net.connect(listener, PATIENT);
                    TcpConnection accepted = listener.accept();
                    accepted.write(new byte[9_000_000]);
                    accepted.close();
                    assertThrows(ConnectionResetException.class, () -> writeForEver(client));
                    assertTrue(listener.drain(Net.LONG));
                    client.close();
                });
    }

    /** With zero it is as if it did not linger: who knows that nothing comes may say so. */
    @Test
    void I2_noLingerLimit() {
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen(DEFAULTS.withLingerLimit(Duration.ZERO));
                    try (TcpConnection client = net.connect(listener)) {
                        closedHere(listener);
                        assertTrue(listener.drain(Net.LONG));
                        assertEquals("bye", client.readLine());
                        assertNull(client.readLine());
                    }
                });
    }

    /** The kernel would not take back what is sent; a reset would. */
    @Test
    void I2_idleLimitDoesNotBreakOffWhatLingers() {
        TcpOptions serving =
                DEFAULTS.withIdleLimit(Duration.ofMillis(50))
                        .withLingerLimit(Duration.ofMillis(200));
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen(serving);
                    try (TcpConnection client = net.connect(listener)) {
                        closedHere(listener);
                        assertTrue(listener.drain(Net.LONG));
                        assertEquals("bye", client.readLine());
                        assertNull(client.readLine());
                    }
                });
    }

    // ---------------------------------------------------------------- ends

    /** Nothing can come any more, so nothing is waited for. */
    @Test
    void I2_closeBehindTheOtherSidesEndIsTheEnd() {
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen(PATIENT);
                    try (TcpConnection client = net.connect(listener)) {
                        client.write("last\n").shutdownOutput();
                        TcpConnection accepted = listener.accept();
                        assertEquals("last", accepted.readLine());
                        assertNull(accepted.readLine());
                        accepted.write("bye\n");
                        accepted.close();
                        assertTrue(listener.drain(Net.LONG));
                        assertEquals("bye", client.readLine());
                        assertNull(client.readLine());
                    }
                });
    }

    @Test
    void I2_closeBehindItsOwnEndOfOutput() {
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen(PATIENT);
                    try (TcpConnection client = net.connect(listener)) {
                        TcpConnection accepted = listener.accept();
                        accepted.write("bye\n").shutdownOutput();
                        assertEquals("bye", client.readLine());
                        accepted.close();
                        client.write(new byte[10_000]);
                        assertNull(client.readLine());
                    }
                    assertTrue(listener.drain(Net.LONG));
                });
    }

    @Test
    void I2_resetEndsWhatLingers() {
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen(PATIENT);
                    try (TcpConnection client = net.connect(listener)) {
                        TcpConnection accepted = closedHere(listener);
                        assertEquals("bye", client.readLine());
                        assertNull(client.readLine());
                        accepted.reset();
                        assertEquals(0, listener.open());
                        assertThrows(ConnectionResetException.class, () -> writeForEver(client));
                    }
                });
    }

    /** It breaks off while the end is waited for. */
    @Test
    void I2_otherSideResetsWhatLingers() {
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen(PATIENT);
                    TcpConnection client = net.connect(listener);
                    closedHere(listener);
                    assertEquals("bye", client.readLine());
                    client.reset();
                    assertTrue(listener.drain(Net.LONG));
                });
    }

    /** Lingering is no work of the cord: it ends, and so does what lingers. */
    @Test
    void I1_endOfTheCordDoesNotWaitForWhatLingers() {
        Net.onSockets(
                net -> {
                    try (TcpListener listener = net.listen()) {
                        Cord other = Cord.start("other");
                        other.spin(
                                        "leaver",
                                        () -> {
                                            TcpConnection made = net.connect(listener, PATIENT);
                                            made.write("left\n");
                                            made.close();
                                        })
                                .await();
                        try (TcpConnection accepted = listener.accept()) {
                            assertEquals("left", accepted.readLine());
                            assertNull(accepted.readLine());
                            Fiber<?> closer = Fiber.spin("closer", other::close);
                            closer.await();
                            assertThrows(
                                    ConnectionResetException.class, () -> writeForEver(accepted));
                        }
                    }
                });
    }

    /**
     * Many at once, of clients that do not end: each goes at its limit, and the rest are served.
     */
    @Test
    void I2_manyLingerAtOnce() {
        TcpOptions serving = DEFAULTS.withMaxConnections(10);
        Net.once(
                net -> {
                    TcpListener listener = net.listen(serving);
                    Fiber<?> server =
                            Fiber.spin("server", () -> listener.serve("c", c -> c.write("bye\n")));
                    List<TcpConnection> clients = new ArrayList<>();
                    int[] most = {0};
                    for (int i = 0; i < 100; i++) {
                        TcpConnection client = net.connect(listener);
                        clients.add(client);
                        assertEquals("bye", client.readLine());
                        assertNull(client.readLine());
                        most[0] = Math.max(most[0], listener.open());
                    }
                    assertEquals(10, most[0]);
                    assertTrue(listener.drain(Net.LONG));
                    server.await();
                    clients.forEach(TcpConnection::close);
                });
    }

    /** On another cord than the listener's, which counts it until it is closed there. */
    @Test
    void I2_drainWaitsForWhatLingersOnOtherCords() {
        TestCords.run(
                2,
                cords -> {
                    TcpOptions serving = DEFAULTS.withCords(List.of(cords.get(1)));
                    TcpListener listener = TcpListener.bind("127.0.0.1", 7, serving);
                    Fiber<?> server =
                            Fiber.spin("server", () -> listener.serve("c", c -> c.write("bye\n")));
                    TcpConnection client = TcpConnection.connect("127.0.0.1", 7);
                    assertEquals("bye", client.readLine());
                    assertNull(client.readLine());
                    listener.close();
                    server.await();
                    assertFalse(listener.drain(Duration.ofMillis(100)));
                    client.write(new byte[100_000]);
                    client.close();
                    assertTrue(listener.drain(Net.LONG));
                });
    }
}
