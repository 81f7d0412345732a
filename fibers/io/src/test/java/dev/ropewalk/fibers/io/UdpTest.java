package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.io.internal.IoLoop;
import dev.ropewalk.fibers.io.testing.MemoryNetwork;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Rules I2 to I4: datagrams. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class UdpTest {
    /** The stop limit of a test cord: a fiber that has not ended by then is abandoned. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

    /** What one receive from the system may hold. */
    private static final int ONE_RECEIVE = 16;

    private static final UdpOptions DEFAULTS = UdpOptions.defaults();

    private static UdpSocket bind() {
        return UdpSocket.bind("127.0.0.1", 0);
    }

    private static UdpSocket bind(UdpOptions options) {
        return UdpSocket.bind("127.0.0.1", 0, options);
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static UdpSocket connect(UdpSocket to) {
        return UdpSocket.connect(to.localAddress(), DEFAULTS);
    }

    // ---------------------------------------------------------------- sending and receiving

    @Test
    void I2_questionAndAnswer() {
        Net.anywhere(
                net -> {
                    UdpSocket server = bind();
                    try (UdpSocket client = bind()) {
                        Fiber<?> answering =
                                Fiber.spin(
                                        "server",
                                        () -> {
                                            for (Datagram each : server) {
                                                assertEquals(client.localAddress(), each.address());
                                                server.send(each.answer("no " + each.text()));
                                            }
                                        });
                        for (String text : List.of("one", "größe", "x".repeat(60_000))) {
                            client.send(text, server.localAddress());
                            Datagram answer = client.receive();
                            assertEquals("no " + text, answer.text());
                            assertEquals(server.localAddress(), answer.address());
                        }
                        server.close();
                        answering.await();
                    }
                });
    }

    @Test
    void I2_addressesAndPorts() {
        Net.anywhere(
                net -> {
                    try (UdpSocket first = bind();
                            UdpSocket second = UdpSocket.bind("127.0.0.1", 0);
                            UdpSocket third = UdpSocket.connect("127.0.0.1", first.port())) {
                        assertTrue(first.port() > 0);
                        assertNotEquals(first.port(), second.port());
                        assertEquals(first.port(), first.localAddress().getPort());
                        assertNull(first.remoteAddress());
                        assertEquals(first.localAddress(), third.remoteAddress());
                        assertTrue(third.port() > 0);
                        assertEquals("UDP socket on 127.0.0.1:" + first.port(), first.toString());
                        assertEquals(Cord.current(), first.cord());
                        assertTrue(first.isOpen());
                    }
                });
    }

    @Test
    void I2_portInUse() {
        Net.anywhere(
                net -> {
                    UdpSocket first = bind();
                    ConnectionException refused =
                            assertThrows(
                                    ConnectionException.class,
                                    () -> UdpSocket.bind("127.0.0.1", first.port()));
                    Errors.assertMentions(
                            refused,
                            "cannot bind a UDP socket to 127.0.0.1:" + first.port(),
                            "in use",
                            "Port 0");
                    first.close();
                    net.until(() -> canBind(first.port()));
                });
    }

    /** In memory, where nobody else may have that port. */
    @Test
    void I2_portsOfTcpAreOthers() {
        Net.inMemory(
                net -> {
                    try (UdpSocket socket = bind();
                            TcpListener listener = TcpListener.bind("127.0.0.1", socket.port())) {
                        assertEquals(socket.port(), listener.port());
                    }
                });
    }

    private static boolean canBind(int port) {
        try (UdpSocket again = UdpSocket.bind("127.0.0.1", port)) {
            return again.isOpen();
        } catch (ConnectionException stillThere) {
            return false;
        }
    }

    @Test
    void I2_connectedSocketHearsOneSideOnly() {
        Net.anywhere(
                net -> {
                    try (UdpSocket server = bind();
                            UdpSocket stranger = bind();
                            UdpSocket client = connect(server)) {
                        InetSocketAddress here = loopback(client.port());
                        stranger.send("psst", here);
                        net.settle();
                        client.send("question");
                        Datagram question = server.receive();
                        assertEquals("question", question.text());
                        server.send(question.answer("answer"));
                        Datagram answer = client.receive();
                        assertEquals("answer", answer.text());
                        assertEquals(server.localAddress(), answer.address());
                        client.send(Datagram.of("again", server.localAddress()));
                        assertEquals("again", server.receive().text());
                        Errors.assertMentions(
                                assertThrows(
                                        IllegalArgumentException.class,
                                        () -> client.send("x", stranger.localAddress())),
                                "127.0.0.1:" + stranger.port(),
                                "another side",
                                "bind");
                        Errors.assertMentions(
                                assertThrows(IllegalStateException.class, () -> stranger.send("x")),
                                "no other side",
                                "connect");
                        net.settle();
                        assertNull(client.tryReceive());
                    }
                });
    }

    /** What the system says of a port that nobody has is told once, and the socket works on. */
    @Test
    void I2_portThatNobodyHas() {
        Net.anywhere(
                net -> {
                    UdpSocket gone = bind();
                    try (UdpSocket client = connect(gone)) {
                        client.send("there?");
                        assertEquals("there?", gone.receive().text());
                        gone.close();
                        ConnectionException unreachable =
                                assertThrows(
                                        ConnectionException.class,
                                        () -> {
                                            for (; ; ) { // it is closed at the end of a turn
                                                client.send("still there?");
                                                client.receive(Duration.ofMillis(10));
                                            }
                                        });
                        Errors.assertMentions(
                                unreachable,
                                "cannot receive from UDP socket on",
                                "to 127.0.0.1:" + gone.port(),
                                "nobody has the port");
                        assertInstanceOf(PortUnreachableException.class, unreachable.getCause());
                        assertTrue(client.isOpen());
                        assertNull(client.tryReceive());
                        try (UdpSocket next = UdpSocket.bind("127.0.0.1", gone.port())) {
                            client.send("and now?");
                            next.send(next.receive().answer("yes"));
                            assertEquals("yes", client.receive().text());
                        }
                    }
                });
    }

    /** Nobody waits when it is told: the next receive or send gets it, and one only. */
    @Test
    void I2_portThatNobodyHasIsToldToOne() {
        Net.inMemory(
                net -> {
                    UdpSocket gone = bind();
                    gone.close();
                    UdpSocket client = connect(gone);
                    client.send("a").send("b");
                    net.settle();
                    assertThrows(ConnectionException.class, client::tryReceive);
                    assertNull(client.tryReceive());
                    client.send("c");
                    List<Clause<String>> clauses = List.of(client.onReceive(Datagram::text));
                    assertThrows(ConnectionException.class, () -> select(Net.LONG, clauses));
                    assertNull(select(Duration.ZERO, clauses));
                    client.send("d");
                    net.settle();
                    client.close();
                    assertNull(assertThrows(ClosedException.class, client::receive).getCause());
                });
    }

    @Test
    void I2_sendThatTheSystemRefuses() {
        Net.anywhere(
                net -> {
                    InetSocketAddress all = new InetSocketAddress("255.255.255.255", 9);
                    try (UdpSocket server = bind();
                            UdpSocket client = bind()) {
                        ConnectionException refused =
                                assertThrows(
                                        ConnectionException.class, () -> client.send("x", all));
                        Errors.assertMentions(
                                refused,
                                "refused bytes=1 to 255.255.255.255:9 from UDP socket on",
                                "ermission denied",
                                "this datagram was not sent");
                        client.send("y", server.localAddress());
                        assertEquals("y", server.receive().text());
                    }
                });
    }

    @Test
    void I2_broadcast() {
        Net.inMemory(
                net -> {
                    try (UdpSocket server = bind();
                            UdpSocket client = bind(DEFAULTS.withBroadcast(true))) {
                        client.send("all", new InetSocketAddress("255.255.255.255", server.port()));
                        assertEquals("all", server.receive().text());
                    }
                });
        Net.onSockets(net -> bind(DEFAULTS.withBroadcast(true)).close());
    }

    // ---------------------------------------------------------------- lengths

    @Test
    void I2_longestDatagramAndOneThatIsTooLong() {
        byte[] longest = new byte[UdpSocket.MAX_BYTES_IPV4];
        for (int i = 0; i < longest.length; i++) {
            longest[i] = (byte) (i * 31 + i / 256);
        }
        Net.anywhere(
                net -> {
                    try (UdpSocket server = bind();
                            UdpSocket client = bind()) {
                        InetSocketAddress to = server.localAddress();
                        Errors.assertMentions(
                                assertThrows(
                                        IllegalArgumentException.class,
                                        () -> client.send(new byte[longest.length + 1], to)),
                                "bytes=65508 > 65507",
                                "127.0.0.1:" + server.port(),
                                "send several");
                        Errors.assertMentions(
                                assertThrows(
                                        IllegalArgumentException.class,
                                        () -> client.send(new byte[0], to)),
                                "bytes=0",
                                "one byte at least");
                        client.send(longest, to);
                        assertArrayEquals(longest, server.receive().bytes());
                    }
                });
    }

    /** Half a datagram is none. */
    @Test
    void I2_datagramAboveTheLimitOfTheReceiver() {
        Net.anywhere(
                net -> {
                    try (UdpSocket server = bind(DEFAULTS.withMaxDatagramBytes(4));
                            UdpSocket client = bind()) {
                        InetSocketAddress to = server.localAddress();
                        for (String text : List.of("12345", "1234567890", "1234")) {
                            client.send(text, to);
                            net.settle();
                        }
                        assertEquals("1234", server.receive().text());
                        assertEquals(2, server.dropped());
                        assertNull(server.tryReceive());
                    }
                });
    }

    // ---------------------------------------------------------------- receives that end early

    @Test
    void I4_receiveLimit() {
        Net.anywhere(
                net -> {
                    try (UdpSocket server = bind(DEFAULTS.withReceiveLimit(Duration.ofMillis(20)));
                            UdpSocket client = bind()) {
                        ConnectionTimeoutException late =
                                assertThrows(ConnectionTimeoutException.class, server::receive);
                        Errors.assertMentions(
                                late,
                                "UDP socket on 127.0.0.1:" + server.port(),
                                "20 ms",
                                "receiveLimit");
                        assertNull(server.receive(Duration.ofMillis(1)));
                        assertNull(server.tryReceive());
                        client.send("late", server.localAddress());
                        Datagram datagram = server.receive(Net.LONG);
                        assertEquals("late", datagram == null ? null : datagram.text());
                    }
                });
    }

    /** Each receive is given up after a while; each datagram comes nevertheless. */
    @Test
    void I4_receivesThatEndByALimitLoseNoDatagram() {
        int count = 20;
        Net.anywhere(
                net -> {
                    try (UdpSocket server = bind();
                            UdpSocket client = bind()) {
                        Fiber.spin(
                                "client",
                                () -> {
                                    for (int i = 0; i < count; i++) {
                                        client.send("" + i, server.localAddress());
                                        Fiber.sleep(Duration.ofMillis(1));
                                    }
                                });
                        Set<String> taken = new HashSet<>();
                        int given = 0;
                        while (taken.size() < count) {
                            Datagram got =
                                    CancelScope.moveOnAfter(
                                            Duration.ofNanos(300_000), null, server::receive);
                            if (got == null) {
                                given++;
                            } else {
                                assertTrue(taken.add(got.text()), got.text());
                            }
                        }
                        assertTrue(given > 0, "none was given up");
                    }
                });
    }

    /** It comes at the moment at which the receiver is ended: one of the two gets it. */
    @Test
    void I4_terminatedReceiverLeavesTheDatagram() {
        Net.anywhere(
                net -> {
                    try (UdpSocket server = bind();
                            UdpSocket client = bind()) {
                        List<String> taken = new ArrayList<>();
                        Fiber<?> first =
                                Fiber.spin("first", () -> taken.add(server.receive().text()));
                        net.until(() -> first.state() == FiberState.WAITING);
                        client.send("x", server.localAddress());
                        first.terminate();
                        first.awaitEnd(Net.LONG);
                        if (taken.isEmpty()) {
                            taken.add(server.receive().text());
                        }
                        assertEquals(List.of("x"), taken);
                    }
                });
    }

    /** It is given to a fiber in the turn in which that is abandoned, and comes back. */
    @Test
    void I4_whatAnAbandonedReceiverWasGivenIsTheNextOnes() {
        Net.once(
                net -> {
                    try (UdpSocket server = bind()) {
                        Datagram given = Datagram.of("x", server.localAddress());
                        abandonWhenGiven(server, () -> server.in.received(given));
                        assertEquals(given, server.receive());
                        IOException why = new IOException("why");
                        abandonWhenGiven(server, () -> server.in.tell(why));
                        Errors.assertMentions(
                                assertThrows(ConnectionException.class, server::receive), "why");
                    }
                });
    }

    private static void abandonWhenGiven(UdpSocket from, Runnable give) {
        TestCord.expectUncaught(FiberAbandonedException.class);
        Fiber<?> parent =
                Fiber.spin(
                        "parent",
                        () -> {
                            Fiber.spin(
                                    "child",
                                    () -> CancelScope.shielded(Net.LONG, () -> from.receive()));
                            Fiber.suspend();
                        });
        Fiber.sleep(Duration.ofNanos(1));
        Fiber.spin("ender", parent::terminate);
        Fiber.sleep(STOP_LIMIT);
        give.run();
        parent.awaitEnd(Net.LONG);
    }

    @Test
    void I2_severalFibersReceiveEachItsDatagrams() {
        int count = 100;
        Net.anywhere(
                net -> {
                    UdpSocket server = bind();
                    try (UdpSocket client = bind()) {
                        List<String> taken = new ArrayList<>();
                        List<Fiber<?>> receivers = new ArrayList<>();
                        for (int i = 0; i < 3; i++) {
                            receivers.add(
                                    Fiber.spin(
                                            "receiver",
                                            () -> server.forEach(each -> taken.add(each.text()))));
                        }
                        for (int i = 0; i < count; i++) {
                            client.send("" + i, server.localAddress());
                        }
                        net.until(() -> taken.size() == count);
                        server.close();
                        Fiber.awaitAll(receivers);
                        assertEquals(count, new HashSet<>(taken).size());
                    }
                });
    }

    private static <R> @Nullable R select(Duration limit, List<Clause<R>> clauses) {
        Selection<R> selection = new Selection<>(clauses, true);
        return selection.await(limit.toNanos()) ? selection.result() : null;
    }

    @Test
    void C4_datagramsStandInASelect() {
        Net.anywhere(
                net -> {
                    UdpSocket first = bind();
                    try (UdpSocket second = bind();
                            UdpSocket client = bind()) {
                        List<Clause<String>> clauses =
                                List.of(
                                        first.onReceive(each -> "first " + each.text()),
                                        second.onReceive(each -> "second " + each.text()));
                        assertNull(select(Duration.ZERO, clauses));
                        client.send("a", second.localAddress());
                        assertEquals("second a", select(Net.LONG, clauses));
                        client.send("b", first.localAddress());
                        assertEquals("first b", select(Net.LONG, clauses));
                        first.close();
                        assertThrows(ClosedException.class, () -> select(Net.LONG, clauses));
                    }
                });
    }

    // ---------------------------------------------------------------- back-pressure

    /** What nobody receives stays in the system, which drops what it has no room for. */
    @Test
    void I3_datagramsThatNobodyReceivesAreBounded() {
        int bound = 4;
        byte[] block = new byte[1_000];
        Net.anywhere(
                net -> {
                    int sent = net.isVirtual ? 500 : 5_000;
                    UdpOptions small = DEFAULTS.withMaxDatagrams(bound);
                    if (net.isVirtual) {
                        small = small.withReceiveBufferBytes(100_000);
                    }
                    try (UdpSocket server = bind(small);
                            UdpSocket client = bind()) {
                        int max = 0;
                        for (int i = 0; i < sent; i++) {
                            client.send(block, server.localAddress());
                            if (i % 100 == 0) {
                                net.pause();
                            }
                            max = Math.max(max, server.unread());
                        }
                        net.settle();
                        net.until(() -> server.unread() >= bound);
                        max = Math.max(max, server.unread());
                        assertTrue(max < bound + ONE_RECEIVE, "unread=" + max);
                        int received = 0;
                        while (server.receive(Duration.ofMillis(10)) != null) {
                            received++;
                            max = Math.max(max, server.unread());
                        }
                        assertTrue(max < bound + ONE_RECEIVE, "unread=" + max);
                        assertTrue(received > bound && received < sent, "received=" + received);
                        assertEquals(0, server.dropped());
                        client.send("last", server.localAddress());
                        assertEquals("last", server.receive().text());
                    }
                });
    }

    /** Nothing is lost between a sender and a receiver that keep step. */
    @Test
    void I3_manyDatagrams() {
        Net.anywhere(
                net -> {
                    int count = net.isVirtual ? 1_000 : 20_000;
                    int window = 50;
                    UdpSocket server = bind(DEFAULTS.withMaxDatagrams(8));
                    try (UdpSocket client = bind()) {
                        int[] taken = {0};
                        Set<String> all = new HashSet<>();
                        Fiber<?> receiver =
                                Fiber.spin(
                                        "receiver",
                                        () -> {
                                            for (Datagram each : server) {
                                                all.add(each.text());
                                                taken[0]++;
                                            }
                                        });
                        for (int i = 0; i < count; i++) {
                            int sent = i;
                            net.until(() -> sent - taken[0] < window);
                            client.send("" + i, server.localAddress());
                        }
                        net.until(() -> taken[0] == count);
                        server.close();
                        receiver.await();
                        assertEquals(count, all.size());
                    }
                });
    }

    @Test
    void I3_lowestHighWaterMark() {
        Net.inMemory(
                net -> {
                    UdpOptions lowest = DEFAULTS.withSendBufferBytes(1).withHighWaterMark(1);
                    try (UdpSocket client = bind(lowest)) {
                        for (int i = 0; i < 5; i++) {
                            Fiber.spin("sender", () -> client.send("x", client.localAddress()));
                        }
                        for (int i = 0; i < 5; i++) {
                            assertEquals("x", client.receive().text());
                        }
                    }
                });
    }

    /** Each of several senders waits for room, and none of them is refused. */
    @Test
    void I3_sendersWaitWhileTheSystemHasNoRoom() {
        int count = 20;
        Net.inMemory(
                net -> {
                    MemoryNetwork.current().delay(Duration.ofMillis(1), Duration.ofMillis(1));
                    UdpOptions narrow =
                            DEFAULTS.withSendBufferBytes(1_000).withHighWaterMark(2_000);
                    try (UdpSocket server = bind();
                            UdpSocket client = bind(narrow)) {
                        long beganNs = Cord.current().nanoTime();
                        List<Fiber<?>> senders = new ArrayList<>();
                        for (int i = 0; i < count; i++) {
                            senders.add(
                                    Fiber.spin(
                                            "sender",
                                            () ->
                                                    client.send(
                                                            new byte[1_000],
                                                            server.localAddress())));
                        }
                        net.until(
                                () ->
                                        senders.stream()
                                                .anyMatch(each -> each.state() == FiberState.DEAD));
                        assertTrue(
                                senders.stream().anyMatch(each -> each.state() != FiberState.DEAD));
                        Fiber.awaitAll(senders);
                        long tookNs = Cord.current().nanoTime() - beganNs;
                        assertTrue(tookNs >= (count - 1) * 1_000_000L, "tookNs=" + tookNs);
                        for (int i = 0; i < count; i++) {
                            assertEquals(1_000, server.receive().length());
                        }
                    }
                });
    }

    /** The cord ends while the system has the datagram of one that has ended already. */
    @Test
    void I4_terminatedSenderAndTheEndOfItsCord() {
        Net.inMemory(
                net -> {
                    MemoryNetwork.current().delay(Duration.ofSeconds(1), Duration.ofSeconds(1));
                    UdpSocket client = bind(DEFAULTS.withSendBufferBytes(1));
                    client.send("x", client.localAddress());
                    Fiber<?> second =
                            Fiber.spin("second", () -> client.send("y", client.localAddress()));
                    net.until(() -> second.state() == FiberState.WAITING);
                    second.terminate();
                    second.awaitEnd(Net.LONG);
                });
    }

    /** Counts who would be told when it is done. */
    private static final class Counting extends DefaultPromise<Void> {
        private int listeners;

        Counting() {
            super(ImmediateEventExecutor.INSTANCE);
        }

        @Override
        public Promise<Void> addListener(
                GenericFutureListener<? extends Future<? super Void>> listener) {
            listeners++;
            return super.addListener(listener);
        }

        @Override
        public Promise<Void> removeListener(
                GenericFutureListener<? extends Future<? super Void>> listener) {
            listeners--;
            return super.removeListener(listener);
        }
    }

    /** What is done later wakes no fiber that has ended. */
    @Test
    void I1_waitForNettyThatIsEndedLeavesNoListener() {
        Net.once(
                net -> {
                    Counting never = new Counting();
                    Fiber<?> waiting =
                            Fiber.spin("waiting", () -> IoLoop.await(never, "what never comes"));
                    net.until(() -> never.listeners == 1);
                    waiting.terminate();
                    waiting.awaitEnd(Net.LONG);
                    assertEquals(0, never.listeners);
                });
    }

    /** Those that waited for room were not sent; the one that waited for the system was. */
    @Test
    void I4_terminatedSenders() {
        Net.inMemory(
                net -> {
                    MemoryNetwork.current().delay(Duration.ofMillis(9), Duration.ofMillis(9));
                    UdpOptions narrow = DEFAULTS.withSendBufferBytes(1_000).withHighWaterMark(100);
                    try (UdpSocket server = bind();
                            UdpSocket client = bind(narrow)) {
                        InetSocketAddress to = server.localAddress();
                        byte[] block = new byte[1_000];
                        client.send(block, to);
                        Fiber<?> second = Fiber.spin("second", () -> client.send(block, to));
                        net.until(() -> second.state() == FiberState.WAITING);
                        Fiber<?> third = Fiber.spin("third", () -> client.send(block, to));
                        net.until(() -> third.state() == FiberState.WAITING);
                        second.terminate();
                        third.terminate();
                        second.awaitEnd(Net.LONG);
                        third.awaitEnd(Net.LONG);
                        net.settle();
                        assertEquals(2, server.unread());
                        client.send("works", to);
                        net.settle();
                        assertEquals(3, server.unread());
                    }
                });
    }

    // ---------------------------------------------------------------- the end

    @Test
    void I4_closeEndsReceiversAndSenders() {
        Net.anywhere(
                net -> {
                    UdpSocket server = bind();
                    try (UdpSocket client = bind()) {
                        client.send("never received", server.localAddress());
                        net.until(() -> server.unread() == 1);
                        server.receive();
                        Fiber<?> receiver =
                                Fiber.spin(
                                        "receiver",
                                        () -> {
                                            ClosedException closed =
                                                    assertThrows(
                                                            ClosedException.class, server::receive);
                                            assertNull(closed.getCause());
                                            Errors.assertMentions(
                                                    closed, server.toString(), "was closed here");
                                        });
                        Fiber<?> looping =
                                Fiber.spin("loop", () -> server.forEach(Datagram::bytes));
                        net.until(() -> looping.state() == FiberState.WAITING);
                        server.close();
                        server.close();
                        receiver.await();
                        looping.await();
                        assertFalse(server.isOpen());
                        assertThrows(ClosedException.class, server::tryReceive);
                        Errors.assertMentions(
                                assertThrows(
                                        ConnectionClosedException.class,
                                        () -> server.send("x", client.localAddress())),
                                "cannot send",
                                server.toString(),
                                "is closed");
                    }
                });
    }

    @Test
    void I4_closeEndsSendersThatWait() {
        Net.inMemory(
                net -> {
                    MemoryNetwork.current().delay(Duration.ofSeconds(1), Duration.ofSeconds(1));
                    UdpOptions narrow = DEFAULTS.withSendBufferBytes(1_000).withHighWaterMark(100);
                    try (UdpSocket server = bind()) {
                        UdpSocket client = bind(narrow);
                        client.send(new byte[1_000], server.localAddress());
                        List<Fiber<?>> senders = new ArrayList<>();
                        for (int i = 0; i < 3; i++) {
                            senders.add(
                                    Fiber.spin(
                                            "sender",
                                            () ->
                                                    assertThrows(
                                                            ConnectionClosedException.class,
                                                            () ->
                                                                    client.send(
                                                                            new byte[1_000],
                                                                            server
                                                                                    .localAddress()))));
                        }
                        for (Fiber<?> each : senders) {
                            net.until(
                                    () ->
                                            each.state() == FiberState.DEAD
                                                    || each.state() == FiberState.WAITING);
                        }
                        client.close();
                        Fiber.awaitAll(senders);
                        net.settle();
                        assertEquals(1, server.unread());
                    }
                });
    }

    @Test
    void I2_cancelledSocketSendsStill() {
        Net.anywhere(
                net -> {
                    try (UdpSocket server = bind(DEFAULTS.withMaxDatagrams(1));
                            UdpSocket client = bind()) {
                        client.send("one", server.localAddress());
                        net.until(() -> server.unread() == 1);
                        server.cancel();
                        server.cancel();
                        assertEquals(0, server.unread());
                        client.send("two", server.localAddress());
                        assertThrows(ClosedException.class, server::receive);
                        server.send("still here", client.localAddress());
                        assertEquals("still here", client.receive().text());
                        net.settle();
                        assertEquals(0, server.unread());
                    }
                });
    }

    @Test
    void I2_endOfTheCordClosesItsSockets() {
        Net.onSockets(
                net -> {
                    try (UdpSocket here = bind()) {
                        Cord other = Cord.start("other");
                        Fiber<UdpSocket> leaver =
                                other.spin(
                                        "leaver", () -> bind().send("left", here.localAddress()));
                        UdpSocket left = leaver.await();
                        assertEquals("left", here.receive().text());
                        assertFalse(canBind(left.port()));
                        other.close();
                        assertTrue(canBind(left.port()));
                        assertFalse(left.isOpen());
                    }
                });
    }

    @Test
    void I2_endOfACordInMemoryClosesItsSockets() {
        TestCords.run(
                2,
                cords -> {
                    int[] port = {0};
                    cords.get(1)
                            .spin(
                                    "leaver",
                                    () -> {
                                        port[0] = bind().port();
                                    })
                            .await();
                    assertFalse(canBind(port[0]));
                    cords.get(1).close();
                    assertTrue(canBind(port[0]));
                });
    }

    // ---------------------------------------------------------------- in memory

    /** What arrives of 0 to 99, in that order. */
    private static List<String> arrivals(long seed, int loss, int duplication) {
        List<String> arrived = new ArrayList<>();
        TestCord.run(
                seed,
                true,
                () -> {
                    MemoryNetwork.current().loss(loss).duplication(duplication);
                    try (UdpSocket server = bind();
                            UdpSocket client = bind()) {
                        for (int i = 0; i < 100; i++) {
                            client.send("" + i, server.localAddress());
                        }
                        for (; ; ) {
                            Datagram next = server.receive(Duration.ofSeconds(10));
                            if (next == null) {
                                break;
                            }
                            arrived.add(next.text());
                        }
                    }
                });
        return arrived;
    }

    @Test
    void I2_lossAndDuplicationAndOrderComeFromTheSeed() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add("" + i);
        }
        List<String> sound = arrivals(1, 0, 0);
        assertNotEquals(all, sound, "none has overtaken another");
        assertEquals(100, sound.size());
        assertEquals(new HashSet<>(all), new HashSet<>(sound));
        assertNotEquals(sound, arrivals(2, 0, 0));
        assertEquals(List.of(), arrivals(1, 100, 0));
        assertEquals(200, arrivals(1, 0, 100).size());
        List<String> bad = arrivals(1, 30, 30);
        assertEquals(bad, arrivals(1, 30, 30));
        Set<String> distinct = new HashSet<>(bad);
        assertTrue(distinct.size() > 50 && distinct.size() < 90, "arrived=" + distinct.size());
        assertTrue(bad.size() > distinct.size(), "none was doubled");
    }

    @Test
    void misuse_percentages() {
        Net.once(
                net -> {
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> MemoryNetwork.current().duplication(101)),
                            "duplication=101 is not from 0 to 100");
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> MemoryNetwork.current().loss(-1)),
                            "loss=-1 is not from 0 to 100");
                });
    }

    // ---------------------------------------------------------------- misuse

    @Test
    void misuse_anotherCord() {
        Net.onSockets(
                net -> {
                    try (UdpSocket mine = bind();
                            Cord other = Cord.start("other")) {
                        for (Runnable call :
                                List.<Runnable>of(
                                        mine::receive,
                                        mine::tryReceive,
                                        () -> mine.send("x", mine.localAddress()),
                                        mine::cancel,
                                        mine::close)) {
                            other.spin(
                                            "wrong",
                                            () ->
                                                    Errors.assertMentions(
                                                            assertThrows(
                                                                    WrongThreadException.class,
                                                                    call::run),
                                                            mine.toString(),
                                                            "cord net"))
                                    .await();
                        }
                        assertTrue(mine.isOpen());
                    }
                });
    }

    @Test
    void misuse_addresses() {
        InetSocketAddress unknown = InetSocketAddress.createUnresolved("x", 1);
        Net.anywhere(
                net -> {
                    try (UdpSocket mine = bind()) {
                        for (Runnable call :
                                List.<Runnable>of(
                                        () -> mine.send("x", unknown),
                                        () -> Datagram.of("x", unknown),
                                        () -> UdpSocket.connect(unknown, DEFAULTS),
                                        () -> UdpSocket.bind(unknown, DEFAULTS))) {
                            Errors.assertMentions(
                                    assertThrows(IllegalArgumentException.class, call::run),
                                    "x/<unresolved>:1",
                                    "was not looked up");
                        }
                    }
                });
    }

    @Test
    void misuse_options() {
        for (Runnable call :
                List.<Runnable>of(
                        () -> DEFAULTS.withMaxDatagrams(0),
                        () -> DEFAULTS.withMaxDatagramBytes(0),
                        () -> DEFAULTS.withHighWaterMark(0),
                        () -> DEFAULTS.withReceiveBufferBytes(0),
                        () -> DEFAULTS.withSendBufferBytes(0))) {
            Errors.assertMentions(
                    assertThrows(IllegalArgumentException.class, call::run), "=0 < 1");
        }
        Errors.assertMentions(
                assertThrows(
                        IllegalArgumentException.class,
                        () -> DEFAULTS.withMaxDatagramBytes(65_528)),
                "maxDatagramBytes=65528 > 65527");
        Net.inMemory(
                net -> {
                    UdpOptions shared = DEFAULTS.withReusePort(true);
                    Errors.assertMentions(
                            assertThrows(IllegalArgumentException.class, () -> bind(shared)),
                            "reusePort");
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> UdpSocket.connect(loopback(9), shared)),
                            "reusePort");
                });
    }

    @Test
    void I2_sharedPort() {
        UdpOptions shared =
                DEFAULTS.withReusePort(true)
                        .withReceiveBufferBytes(50_000)
                        .withSendBufferBytes(50_000);
        assertEquals(50_000, shared.receiveBufferBytes().orElseThrow());
        Net.onSockets(
                net -> {
                    try (UdpSocket first = bind(shared);
                            UdpSocket second = UdpSocket.bind(first.localAddress(), shared);
                            UdpSocket client = bind()) {
                        client.send("x", first.localAddress());
                        assertEquals(
                                "x",
                                select(
                                        Net.LONG,
                                        List.of(
                                                first.onReceive(Datagram::text),
                                                second.onReceive(Datagram::text))));
                    }
                });
    }

    @Test
    void I2_datagramsAreValues() {
        InetSocketAddress to = loopback(7);
        byte[] bytes = {'a', 'b'};
        Datagram datagram = Datagram.of(bytes, to);
        bytes[0] = 'x';
        datagram.bytes()[1] = 'x';
        assertEquals("ab", new String(datagram.bytes(), UTF_8));
        assertEquals(Datagram.of("ab", to), datagram);
        assertEquals(Datagram.of("ab", to).hashCode(), datagram.hashCode());
        assertNotEquals(Datagram.of("ac", to), datagram);
        assertNotEquals(Datagram.of("ab", loopback(8)), datagram);
        assertEquals("datagram of 2 bytes, other side 127.0.0.1:7", datagram.toString());
        assertEquals(Datagram.of("c", to), datagram.answer("c"));
        assertEquals(2, datagram.length());
    }

    @Test
    void I2_textThatHasNoBytesIsNoDatagram() {
        InetSocketAddress to = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7);
        Errors.assertMentions(
                assertThrows(CodecException.class, () -> Datagram.of("a\uD83D", to)),
                "at index 1",
                "127.0.0.1:7");
        Net.inMemory(
                net -> {
                    try (UdpSocket socket = UdpSocket.connect("127.0.0.1", 7)) {
                        assertThrows(CodecException.class, () -> socket.send("\uDE00"));
                        assertThrows(CodecException.class, () -> socket.send("\uDE00", to));
                    }
                });
    }

    @Test
    void I2_datagramThatIsNoText() {
        Datagram d =
                Datagram.of(
                        new byte[] {'a', (byte) 0xFF},
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 7));
        Errors.assertMentions(
                assertThrows(CodecException.class, d::text),
                "byte 0xFF at offset 1",
                "bytes()",
                "127.0.0.1:7");
    }
}
