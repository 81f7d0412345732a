package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.testing.MemoryNetwork;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.LineBasedFrameDecoder;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.slf4j.event.Level;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Rules F3 and I2: a connection that is served by messages has a stack in its turns alone. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class MessageTurnsTest {
    private static final Codec<String> LINES = Codec.lines(100);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Messages that no single turn handles. */
    private static final int MANY = 2_000;

    /** Reference-counted frames, which end with a line. */
    private static final Codec<ByteBuf> BUFFERS =
            Codec.of(ByteBuf.class, () -> new LineBasedFrameDecoder(100));

    /** What the handlers of a test were told. */
    private final List<String> told = new ArrayList<>();

    private final List<@Nullable Throwable> ends = new ArrayList<>();

    /** How many messages were handled when another fiber had its turn. */
    private final List<Integer> between = new ArrayList<>();

    /** A handler whose messages are a test's, and whose end is noted. */
    private class Noting implements ClientHandler<String> {
        private final MessageConnection<String> connection;
        private final ClientHandler<String> each;

        Noting(MessageConnection<String> connection, ClientHandler<String> each) {
            this.connection = connection;
            this.each = each;
        }

        @Override
        public void handle(String message) throws Exception {
            told.add(message);
            each.handle(message);
        }

        @Override
        public void end(@Nullable Throwable why) {
            ends.add(why);
            assertEquals(Fiber.current().cord(), connection.connection().cord());
        }
    }

    /** Ends when the client has, and the server is drained. */
    private void serve(Net net, MessageService<String> service, Net.Side client) throws Exception {
        serve(net, TcpOptions.defaults(), service, client);
    }

    private void serve(Net net, TcpOptions options, MessageService<String> service, Net.Side client)
            throws Exception {
        told.clear();
        ends.clear();
        try (TcpListener listener = net.listen(options)) {
            Fiber<?> server = serving(listener, service);
            try (TcpConnection connected = net.connect(listener)) {
                client.run(connected);
            }
            assertTrue(listener.drain(MINUTE));
            server.await();
        }
    }

    private static Fiber<?> serving(TcpListener listener, MessageService<String> service) {
        return Fiber.spin("server", () -> listener.serveMessages("client", LINES, service));
    }

    private static void awaitReset(TcpConnection client) {
        assertThrows(ConnectionResetException.class, () -> client.read(new byte[1]));
    }

    // ---------------------------------------------------------------- in order

    @Test
    void I2_messagesAreHandledInTheirOrder() {
        List<String> sent = IntStream.range(0, 500).mapToObj(Integer::toString).toList();
        Net.anywhere(
                net -> {
                    serve(
                            net,
                            c -> new Noting(c, c::write),
                            client -> {
                                client.write(String.join("\n", sent)); // the end completes the last
                                client.shutdownOutput();
                                for (String each : sent) {
                                    assertEquals(each, client.readLine());
                                }
                                assertNull(client.readLine());
                            });
                    assertEquals(sent, told);
                    assertEquals(1, ends.size());
                    assertNull(ends.getFirst());
                });
    }

    @Test
    void I2_noMessageIsHandledBeforeTheTurnOfTheLastOneHasEnded() {
        Net.anywhere(
                net -> {
                    serve(
                            net,
                            c ->
                                    new Noting(
                                            c,
                                            line -> {
                                                Fiber.snooze();
                                                Fiber.sleep(Duration.ofMillis(1));
                                                c.write(line);
                                            }),
                            client -> {
                                client.write("a\nb\n");
                                assertEquals("a", client.readLine());
                                client.write("c\n");
                                assertEquals("b", client.readLine());
                                assertEquals("c", client.readLine());
                            });
                    assertEquals(List.of("a", "b", "c"), told);
                });
    }

    @Test
    void I2_aTurnReceivesFurtherMessagesByItself() {
        Net.anywhere(
                net -> {
                    serve(
                            net,
                            c -> new Noting(c, head -> c.write(head + c.receive() + c.receive())),
                            client -> {
                                client.write("head \nbody \n");
                                net.settle();
                                client.write("end\nnext \nx\ny\n");
                                assertEquals("head body end", client.readLine());
                                assertEquals("next xy", client.readLine());
                            });
                    assertEquals(List.of("head ", "next "), told);
                });
    }

    /** Whether it has one: nothing in the API tells. */
    private static boolean hasStack(Fiber<?> fiber) throws ReflectiveOperationException {
        Method stack = fiber.getClass().getDeclaredMethod("stack");
        stack.setAccessible(true);
        return stack.invoke(fiber) != null;
    }

    @Test
    void F3_aConnectionKeepsAStackOnlyWhileItsTurnWaits() {
        Net.once(
                net -> {
                    List<Fiber<?>> fibers = new ArrayList<>();
                    serve(
                            net,
                            c -> {
                                fibers.add(Fiber.current());
                                return line -> {
                                    if (line.equals("wait")) {
                                        Fiber.sleep(MINUTE.multipliedBy(10));
                                    }
                                    c.write(line);
                                };
                            },
                            client -> {
                                net.settle();
                                assertFalse(hasStack(fibers.getFirst()), "before any message");
                                client.write("quick\n");
                                assertEquals("quick", client.readLine());
                                assertFalse(hasStack(fibers.getFirst()), "after a quick message");
                                client.write("wait\n");
                                net.settle();
                                assertTrue(hasStack(fibers.getFirst()), "while it waits");
                                assertEquals("wait", client.readLine());
                                assertFalse(hasStack(fibers.getFirst()), "after it waited");
                            });
                });
    }

    // ---------------------------------------------------------------- the end, early

    @Test
    void I2_aHandlerThatFailsResetsItsConnectionAlone() {
        Net.anywhere(
                net -> {
                    IllegalStateException failure = new IllegalStateException("by the test");
                    try (TcpListener listener = net.listen()) {
                        Fiber<?> server = serving(listener, c -> failsAt(c, failure));
                        try (TcpConnection other = net.connect(listener);
                                TcpConnection client = net.connect(listener)) {
                            client.write("fail\nnever\n");
                            awaitReset(client);
                            other.write("hello\n");
                            assertEquals("hello", other.readLine());
                        }
                        assertTrue(listener.drain(MINUTE));
                        server.await();
                    }
                    assertEquals(List.of("fail", "hello"), told);
                    assertEquals(2, ends.size());
                    assertSame(failure, ends.getFirst());
                    assertNull(ends.getLast());
                    told.clear();
                    ends.clear();
                });
    }

    private Noting failsAt(MessageConnection<String> c, RuntimeException failure) {
        return new Noting(
                c,
                line -> {
                    if (line.equals("fail")) {
                        throw failure;
                    }
                    c.write(line);
                });
    }

    @Test
    void I2_whatCannotBeDecodedIsAnsweredInTheEnd() {
        Net.anywhere(
                net ->
                        serve(
                                net,
                                c ->
                                        new Noting(c, c::write) {
                                            @Override
                                            public void end(@Nullable Throwable why) {
                                                super.end(why);
                                                c.write("bad line");
                                                c.close();
                                            }
                                        },
                                client -> {
                                    client.write("good\n" + "x".repeat(200) + "\nnever\n");
                                    assertEquals("good", client.readLine());
                                    assertEquals("bad line", client.readLine());
                                    assertNull(client.readLine());
                                    assertEquals(List.of("good"), told);
                                    assertInstanceOf(
                                            CodecException.class,
                                            Objects.requireNonNull(ends.getFirst()).getCause());
                                }));
    }

    @Test
    void I2_whatCannotBeDecodedIsAResetOtherwise() {
        Net.anywhere(
                net ->
                        serve(
                                net,
                                c -> new Noting(c, c::write),
                                client -> {
                                    client.write("x".repeat(200) + "\n");
                                    awaitReset(client);
                                }));
    }

    @Test
    void I2_aClientThatBreaksOffIsTheCauseOfTheEnd() {
        Net.anywhere(
                net -> {
                    serve(
                            net,
                            c -> new Noting(c, c::write),
                            client -> {
                                client.write("x\n");
                                assertEquals("x", client.readLine());
                                client.reset();
                            });
                    assertInstanceOf(
                            ConnectionResetException.class,
                            Objects.requireNonNull(ends.getFirst()).getCause());
                });
    }

    @Test
    void I2_aHandlerClosesAndNoFurtherMessageIsHandled() {
        Net.anywhere(
                net -> {
                    serve(
                            net,
                            c ->
                                    new Noting(
                                            c,
                                            line -> {
                                                c.write("bye");
                                                c.close();
                                            }),
                            client -> {
                                client.write("quit\nnever\n");
                                assertEquals("bye", client.readLine());
                                assertNull(client.readLine());
                            });
                    assertEquals(List.of("quit"), told);
                    assertEquals(1, ends.size());
                    assertNull(ends.getFirst());
                });
    }

    @Test
    void I2_anotherFiberClosesAnIdleConnection() {
        Net.anywhere(net -> endedByAnother(net, MessageConnection::close));
    }

    /** The client does not end by itself. */
    @Test
    void I2_anotherFiberCancelsAnIdleConnection() {
        Net.inMemory(net -> endedByAnother(net, MessageConnection::cancel));
    }

    private void endedByAnother(Net net, Consumer<MessageConnection<String>> end) throws Exception {
        List<MessageConnection<String>> open = new ArrayList<>();
        serve(
                net,
                c -> {
                    open.add(c);
                    return new Noting(c, c::write);
                },
                client -> {
                    client.write("x\n");
                    assertEquals("x", client.readLine());
                    end.accept(open.getFirst());
                    assertNull(client.readLine());
                });
        assertEquals(1, ends.size());
        assertNull(ends.getFirst());
    }

    @Test
    void I2_silenceIsCountedBetweenMessagesAlone() {
        Duration limit = Duration.ofSeconds(1);
        TcpOptions options = TcpOptions.defaults().withReadLimit(limit);
        Net.once(
                net -> {
                    serve(
                            net,
                            options,
                            c ->
                                    new Noting(
                                            c,
                                            line -> {
                                                Fiber.sleep(limit.multipliedBy(3));
                                                c.write(line);
                                            }),
                            client -> {
                                client.write("a\n");
                                assertEquals("a", client.readLine());
                                Fiber.sleep(limit.dividedBy(2));
                                client.write("b\n");
                                assertEquals("b", client.readLine());
                                Fiber.sleep(limit.multipliedBy(9).dividedBy(10));
                                assertTrue(ends.isEmpty(), "within the limit");
                                awaitReset(client);
                            });
                    assertEquals(List.of("a", "b"), told);
                    assertInstanceOf(ConnectionTimeoutException.class, ends.getFirst());
                });
    }

    @Test
    void I2_silenceFromTheBeginning() {
        TcpOptions options = TcpOptions.defaults().withReadLimit(Duration.ofMillis(20));
        Net.anywhere(
                net -> {
                    serve(
                            net,
                            options,
                            c -> new Noting(c, c::write),
                            client -> {
                                client.write("no end of the line");
                                awaitReset(client);
                            });
                    assertInstanceOf(ConnectionTimeoutException.class, ends.getFirst());
                    assertEquals(List.of(), told);
                });
    }

    @Test
    void I2_aTerminatedServerEndsTurnsAndIdleConnections() {
        Net.anywhere(
                net -> {
                    try (TcpListener listener = net.listen()) {
                        Fiber<?> server =
                                serving(listener, c -> new Noting(c, _ -> Fiber.sleep(Net.LONG)));
                        try (TcpConnection idle = net.connect(listener);
                                TcpConnection busy = net.connect(listener)) {
                            busy.write("wait\nnever\n");
                            net.until(() -> told.size() == 1);
                            server.terminate();
                            awaitReset(idle);
                            awaitReset(busy);
                        }
                        server.awaitEnd(MINUTE);
                    }
                    assertEquals(List.of("wait"), told);
                    assertEquals(2, ends.size());
                    for (Throwable each : ends) {
                        assertInstanceOf(FiberTerminatedException.class, each);
                    }
                    told.clear();
                    ends.clear();
                });
    }

    @Test
    void I2_aServiceThatFailsOrReturnsNull() {
        Net.anywhere(
                net -> {
                    serve(
                            net,
                            _ -> {
                                throw new IllegalStateException("by the test");
                            },
                            MessageTurnsTest::awaitReset);
                    serve(net, _ -> nothing(), MessageTurnsTest::awaitReset);
                });
    }

    @SuppressWarnings("NullAway") // a user's mistake
    private static ClientHandler<String> nothing() {
        return null;
    }

    @Test
    void I2_anEndThatFailsIsAReset() {
        Net.anywhere(
                net ->
                        serve(
                                net,
                                c ->
                                        new ClientHandler<>() {
                                            @Override
                                            public void handle(String message) {
                                                c.write(message);
                                            }

                                            @Override
                                            public void end(@Nullable Throwable why) {
                                                throw new IllegalStateException("by the test");
                                            }
                                        },
                                client -> {
                                    client.write("x\n");
                                    assertEquals("x", client.readLine());
                                    client.shutdownOutput();
                                    awaitReset(client);
                                }));
    }

    /** A fault of the program is told as one, also behind an end that the client has caused. */
    @Test
    void I2_anEndThatFailsBesideAResetIsLoggedByItself() {
        Net.inMemory(
                net -> {
                    List<Logs.Line> lines = new ArrayList<>();
                    Logs.during(
                            lines::add,
                            () -> {
                                try {
                                    resetWhereTheEndFails(net);
                                } catch (Exception failed) {
                                    throw new AssertionError(failed);
                                }
                            });
                    assertEquals(1, lines.size(), lines::toString);
                    assertEquals(Level.ERROR, lines.getFirst().level());
                    Errors.assertMentions(
                            Objects.requireNonNull(lines.getFirst().failure()), "a bug");
                });
    }

    private void resetWhereTheEndFails(Net net) throws Exception {
        serve(
                net,
                c ->
                        new Noting(c, c::write) {
                            @Override
                            public void end(@Nullable Throwable why) {
                                throw new IllegalStateException("a bug");
                            }
                        },
                client -> {
                    client.write("x\n");
                    assertEquals("x", client.readLine());
                    client.reset();
                });
    }

    /** The other side must not take what it has for all. */
    @Test
    void I2_aStoppedFiberIsAReset() {
        Net.anywhere(
                net -> {
                    List<Fiber<?>> fibers = new ArrayList<>();
                    serve(
                            net,
                            c -> {
                                fibers.add(Fiber.current());
                                return new Noting(c, c::write);
                            },
                            client -> {
                                client.write("x\n");
                                assertEquals("x", client.readLine());
                                stop(fibers.getFirst());
                                awaitReset(client);
                            });
                    assertEquals(1, ends.size());
                });
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // the fiber of a handler has no result
    private static void stop(Fiber<?> fiber) {
        ((Fiber<@Nullable Object>) fiber).stop(null);
    }

    /** Its failure is the client's, and no error of the program. */
    @Test
    void F7_aClientThatHasFailedIsEndedTogetherWithTheServer() {
        Net.once(
                net -> {
                    try (TcpListener listener = net.listen()) {
                        Fiber<?> server =
                                serving(
                                        listener,
                                        _ ->
                                                new ClientHandler<>() {
                                                    @Override
                                                    public void handle(String message) {}

                                                    @Override
                                                    public void end(@Nullable Throwable why) {
                                                        Fiber.sleep(SECOND.multipliedBy(2));
                                                    }
                                                });
                        TcpConnection client = net.connect(listener);
                        client.write("one\n");
                        net.settle();
                        client.reset();
                        Fiber.sleep(SECOND);
                        List<Logs.Line> lines = new ArrayList<>();
                        Logs.during(
                                lines::add,
                                () -> {
                                    server.terminate();
                                    server.awaitEnd(Net.LONG);
                                });
                        assertEquals(
                                List.of(),
                                lines.stream().filter(it -> it.level() == Level.ERROR).toList());
                        assertInstanceOf(FiberTerminatedException.class, server.failure());
                    }
                });
    }

    @Test
    void I2_whatAnAbandonedTurnHasLeftIsReleased() {
        Net.once(
                net -> {
                    releasesAbandoned(net, _ -> {}); // breaks the connection off
                    releasesAbandoned(net, TcpConnection::reset); // finds it broken off
                });
    }

    private static void releasesAbandoned(Net net, Net.Side before) throws Exception {
        TestCord.expectUncaught(FiberAbandonedException.class);
        AtomicReference<Fiber<?>> turn = new AtomicReference<>();
        List<MessageConnection<ByteBuf>> opened = new ArrayList<>();
        MessageService<ByteBuf> service =
                client -> {
                    opened.add(client);
                    turn.set(Fiber.current());
                    return message -> {
                        message.release();
                        Fiber.sleep(Net.LONG);
                    };
                };
        try (TcpListener listener = net.listen()) {
            Fiber<?> server =
                    Fiber.spin("server", () -> listener.serveMessages("client", BUFFERS, service));
            try (TcpConnection client = net.connect(listener)) {
                client.write("a\nb\nc\n");
                net.settle();
                assertEquals(2, opened.getFirst().in.unread());
                before.run(client);
                net.settle();
                Waits.abandon(Objects.requireNonNull(turn.get()), "a test wants it");
                net.settle();
            }
            listener.drain(Net.LONG);
            server.awaitEnd(Net.LONG);
        }
        assertEquals(0, opened.getFirst().in.unread());
    }

    @Test
    void I2_aTurnThatDoesNotEndIsAbandonedAndItsConnectionReset() {
        Net.once(
                net -> {
                    try (TcpListener listener = net.listen()) {
                        Fiber<?> server = serving(listener, _ -> this::neverEnds);
                        try (TcpConnection client = net.connect(listener)) {
                            client.write("x\n");
                            net.settle();
                            server.terminate();
                            awaitReset(client);
                        }
                        server.awaitEnd(MINUTE);
                    }
                    assertEquals(List.of("x"), told);
                });
    }

    private void neverEnds(String message) {
        told.add(message);
        while (true) {
            try {
                Fiber.sleep(Net.LONG);
            } catch (FiberTerminatedException ignored) {
                // a user's mistake
            }
        }
    }

    // ---------------------------------------------------------------- turns that give way

    private static List<String> many() {
        return IntStream.range(0, MANY).mapToObj(Integer::toString).toList();
    }

    /** All messages are here behind the first; another fiber acts when a later turn gives way. */
    private void serveMany(Net net, BiConsumer<TcpListener, Fiber<?>> act) throws Exception {
        told.clear();
        ends.clear();
        between.clear();
        TcpOptions options = TcpOptions.defaults().withMaxMessages(MANY);
        try (TcpListener listener = net.listen(options)) {
            List<Fiber<?>> servers = new ArrayList<>();
            servers.add(
                    serving(
                            listener,
                            c ->
                                    new Noting(
                                            c,
                                            line -> {
                                                if (line.equals("0")) {
                                                    Fiber.sleep(MINUTE);
                                                    Fiber.spin(
                                                            "between",
                                                            () -> {
                                                                between.add(told.size());
                                                                act.accept(
                                                                        listener,
                                                                        servers.getFirst());
                                                            });
                                                }
                                            })));
            try (TcpConnection client = net.connect(listener)) {
                client.write(String.join("\n", many()) + "\n");
                client.shutdownOutput();
                net.settle();
                net.until(() -> !ends.isEmpty());
                assertTrue(listener.drain(MINUTE));
                assertEquals(0, listener.open());
            }
            servers.getFirst().awaitEnd(MINUTE);
        }
        assertEquals(1, between.size());
        assertTrue(between.getFirst() < MANY, "the turns gave way: " + between);
        assertEquals(1, ends.size());
    }

    @Test
    void F3_turnsOfQuickMessagesGiveWay() {
        Net.inMemory(
                net -> {
                    serveMany(net, (listener, server) -> {});
                    assertEquals(many(), told);
                    assertNull(ends.getFirst());
                });
    }

    @Test
    void F3_aListenerThatIsClosedWhileATurnGivesWayLosesNoMessage() {
        Net.inMemory(
                net -> {
                    serveMany(net, (listener, server) -> listener.close());
                    assertEquals(many(), told);
                    assertNull(ends.getFirst());
                });
    }

    @Test
    void F3_aServerThatIsTerminatedWhileATurnGivesWayHandlesNoMoreMessages() {
        Net.inMemory(
                net -> {
                    serveMany(net, (listener, server) -> server.terminate());
                    assertEquals(many().subList(0, told.size()), told);
                    assertTrue(told.size() < MANY, "told=" + told.size());
                    assertInstanceOf(FiberTerminatedException.class, ends.getFirst());
                });
    }

    /** Each has its own order, whatever the other does. */
    @Test
    void I2_twoClientsAtOnceEachInOrder() {
        Net.anywhere(
                net -> {
                    told.clear();
                    ends.clear();
                    try (TcpListener listener = net.listen()) {
                        Fiber<?> server =
                                serving(
                                        listener,
                                        c ->
                                                new Noting(
                                                        c,
                                                        line -> {
                                                            Fiber.snooze();
                                                            c.write(line);
                                                        }));
                        try (TcpConnection a = net.connect(listener);
                                TcpConnection b = net.connect(listener)) {
                            for (int i = 0; i < 100; i++) {
                                a.write("a" + i + "\n");
                                b.write("b" + i + "\n");
                            }
                            a.shutdownOutput();
                            b.shutdownOutput();
                            for (int i = 0; i < 100; i++) {
                                assertEquals("a" + i, a.readLine());
                                assertEquals("b" + i, b.readLine());
                            }
                            assertNull(a.readLine());
                            assertNull(b.readLine());
                        }
                        assertTrue(listener.drain(MINUTE));
                        server.await();
                    }
                    assertEquals(200, told.size());
                    for (String of : List.of("a", "b")) {
                        assertEquals(
                                IntStream.range(0, 100).mapToObj(i -> of + i).toList(),
                                told.stream().filter(each -> each.startsWith(of)).toList());
                    }
                    assertEquals(2, ends.size());
                });
    }

    @Test
    void I2_aHandlerThatFailsInTheMiddleEndsOnceAndReleasesTheRest() {
        Net.anywhere(
                net -> {
                    IllegalStateException failure = new IllegalStateException("by the test");
                    told.clear();
                    ends.clear();
                    try (TcpListener listener = net.listen()) {
                        Fiber<?> server =
                                Fiber.spin(
                                        "server",
                                        () ->
                                                listener.serveMessages(
                                                        "client",
                                                        BUFFERS,
                                                        _ -> new Buffers(failure)));
                        try (TcpConnection client = net.connect(listener)) {
                            client.write("a\nb\nfail\nc\nd\n");
                            awaitReset(client);
                        }
                        assertTrue(listener.drain(MINUTE));
                        server.await();
                    }
                    assertEquals(List.of("a", "b", "fail"), told);
                    assertEquals(1, ends.size());
                    assertSame(failure, ends.getFirst());
                }); // Leaks looks for the buffers
    }

    /** Releases what it is given, and throws at the message {@code fail}. */
    private final class Buffers implements ClientHandler<ByteBuf> {
        private final RuntimeException failure;

        Buffers(RuntimeException failure) {
            this.failure = failure;
        }

        @Override
        public void handle(ByteBuf message) {
            String line = message.toString(UTF_8);
            message.release();
            told.add(line);
            if (line.equals("fail")) {
                throw failure;
            }
        }

        @Override
        public void end(@Nullable Throwable why) {
            ends.add(why);
        }
    }

    /** What came before the reset is handled. */
    @Test
    void I2_aClientThatResetsInTheMiddleOfATurn() {
        Net.once(
                net -> {
                    serve(
                            net,
                            c -> new Noting(c, _ -> Fiber.sleep(MINUTE.multipliedBy(3))),
                            client -> {
                                client.write("a\nb\n");
                                net.settle();
                                assertEquals(List.of("a"), told);
                                client.reset();
                                net.settle();
                                assertEquals(List.of(), ends, "the turn has not ended");
                                net.until(() -> ends.size() == 1);
                            });
                    assertEquals(List.of("a", "b"), told);
                    assertEquals(1, ends.size());
                    assertInstanceOf(
                            ConnectionResetException.class,
                            Objects.requireNonNull(ends.getFirst()).getCause());
                });
    }

    // ---------------------------------------------------------------- ends that meet

    /** The limit has passed, and a message has come, before the fiber has its turn. */
    @Test
    void I2_aMessageThatComesWithTheLimitBeginsItAnew() {
        Duration limit = Duration.ofSeconds(1);
        Duration way = Duration.ofMillis(1);
        TcpOptions options = TcpOptions.defaults().withReadLimit(limit);
        AtomicInteger handled = new AtomicInteger();
        Net.inMemory(
                net -> {
                    MemoryNetwork.current().delay(way, way);
                    AtomicLong idleNs = new AtomicLong();
                    AtomicLong endNs = new AtomicLong();
                    Cord cord = Cord.current();
                    serve(
                            net,
                            options,
                            c ->
                                    new Noting(c, _ -> idleNs.set(cord.nanoTime())) {
                                        @Override
                                        public void end(@Nullable Throwable why) {
                                            super.end(why);
                                            endNs.set(cord.nanoTime());
                                        }
                                    },
                            client -> {
                                client.write("a\n");
                                net.until(() -> idleNs.get() != 0);
                                long leftNs = idleNs.get() + limit.toNanos() - cord.nanoTime();
                                Fiber.sleep(Duration.ofNanos(leftNs).minus(way));
                                client.write("b\n");
                                awaitReset(client);
                            });
                    handled.addAndGet(told.size() - 1);
                    assertInstanceOf(ConnectionTimeoutException.class, ends.getFirst());
                    assertEquals(limit.toNanos(), endNs.get() - idleNs.get());
                });
        assertTrue(handled.get() > 0, "the message has never come in time");
    }

    /** What the client has got must not be taken for all. */
    @Test
    void I2_aHandlerThatFailsBehindItsCloseIsAReset() {
        Net.once(
                net ->
                        serve(
                                net,
                                c ->
                                        new Noting(
                                                c,
                                                _ -> {
                                                    c.write("half");
                                                    c.close();
                                                    throw new IllegalStateException("by the test");
                                                }),
                                client -> {
                                    client.write("x\n");
                                    awaitReset(client);
                                }));
    }

    /** A turn that has only heard of the end is no fault of the program. */
    @Test
    void I2_aTurnThatHearsOfACloseByAnotherFiberIsNoError() {
        Net.inMemory(
                net -> {
                    List<Logs.Line> lines = new ArrayList<>();
                    Logs.during(lines::add, () -> closesUnderATurn(net));
                    assertEquals(List.of(), lines);
                });
    }

    private void closesUnderATurn(Net net) {
        List<MessageConnection<String>> open = new ArrayList<>();
        try {
            serve(
                    net,
                    c -> {
                        open.add(c);
                        return new Noting(c, _ -> c.receive());
                    },
                    client -> {
                        client.write("x\n");
                        net.settle();
                        open.getFirst().close();
                        net.until(() -> !ends.isEmpty());
                    });
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
        assertInstanceOf(ClosedException.class, ends.getFirst());
    }

    /** It stands first again, and the idle connection is told. */
    @Test
    void I2_aMessageOfAReceiverThatIsAbandonedGoesToATurn() {
        Net.inMemory(
                net -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    List<MessageConnection<String>> open = new ArrayList<>();
                    serve(
                            net,
                            c -> {
                                open.add(c);
                                return new Noting(c, c::write);
                            },
                            client -> {
                                net.until(() -> !open.isEmpty());
                                MessageQueue<String> in = open.getFirst().in;
                                Fiber<?> other = receiver(net, in);
                                in.received("given"); // as by the codec
                                Waits.abandon(other, "a test wants it");
                                assertEquals("given", client.readLine());
                            });
                    assertEquals(List.of("given"), told);
                });
    }

    @Test
    void I2_aMessageOfAReceiverThatIsAbandonedComesBeforeTheNext() {
        Net.once(
                net -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    List<MessageConnection<String>> open = new ArrayList<>();
                    serve(
                            net,
                            c -> {
                                open.add(c);
                                return new Noting(c, c::write);
                            },
                            client -> {
                                net.until(() -> !open.isEmpty());
                                MessageQueue<String> in = open.getFirst().in;
                                Fiber<?> other = receiver(net, in);
                                in.received("given");
                                in.received("next");
                                Waits.abandon(other, "a test wants it");
                                assertEquals("given", client.readLine());
                                assertEquals("next", client.readLine());
                            });
                    assertEquals(List.of("given", "next"), told);
                });
    }

    @Test
    void I2_aMessageOfAReceiverThatIsAbandonedBehindTheCloseIsReleased() {
        Net.once(
                net -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    ByteBuf given = Unpooled.buffer(1);
                    net.talk(
                            accepted -> {
                                MessageQueue<ByteBuf> in = accepted.messages(BUFFERS).in;
                                Fiber<?> other = receiver(net, in);
                                in.received(given);
                                accepted.close();
                                Waits.abandon(other, "a test wants it");
                            },
                            client -> assertNull(client.readLine()));
                    assertEquals(0, given.refCnt());
                });
    }

    /** Waits for a message; its failure is taken care of. */
    private static Fiber<?> receiver(Net net, MessageQueue<?> in) {
        Fiber<?> made = Fiber.spin("other", () -> in.receive());
        Fiber.spin("awaits", () -> assertThrows(FiberAbandonedException.class, made::await));
        net.settle();
        return made;
    }

    /** What a connection's own fibers could not end is a failure of the connection. */
    @Test
    void I2_aFiberBelowThatFailsBehindTheEndIsAReset() {
        Net.once(
                net ->
                        serve(
                                net,
                                c -> {
                                    Fiber.spin("below", MessageTurnsTest::failsInItsEnd);
                                    return new Noting(c, c::write);
                                },
                                client -> {
                                    client.write("x\n");
                                    assertEquals("x", client.readLine());
                                    client.shutdownOutput();
                                    awaitReset(client);
                                }));
    }

    private static void failsInItsEnd() {
        try {
            Fiber.sleep(Net.LONG);
        } finally {
            throwsAnother();
        }
    }

    private static void throwsAnother() {
        throw new IllegalStateException("by the test");
    }

    /** Neither the end that the client has caused, nor the word that it gets no more. */
    @Test
    void I2_anEndThatWritesToAClientThatIsGoneIsNoError() {
        Net.inMemory(
                net -> {
                    List<Logs.Line> lines = new ArrayList<>();
                    Logs.during(lines::add, () -> writesToNobody(net));
                    assertEquals(List.of(), lines);
                });
    }

    private void writesToNobody(Net net) {
        try {
            serve(
                    net,
                    c ->
                            new Noting(c, c::write) {
                                @Override
                                public void end(@Nullable Throwable why) {
                                    super.end(why);
                                    c.write("bye");
                                }
                            },
                    client -> {
                        client.write("x\n");
                        assertEquals("x", client.readLine());
                        client.reset();
                        net.until(() -> !ends.isEmpty());
                    });
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
        assertInstanceOf(ClosedException.class, ends.getFirst());
    }

    @Test
    void I2_aClientThatTheOpeningDeclinesIsClosed() {
        Net.anywhere(
                net -> {
                    try (TcpListener listener = net.listen()) {
                        Fiber<?> server =
                                Fiber.spin(
                                        "server",
                                        () ->
                                                listener.<String>serveMessages(
                                                        "client", _ -> null, _ -> nothing()));
                        try (TcpConnection client = net.connect(listener)) {
                            assertNull(client.readLine());
                        }
                        assertTrue(listener.drain(MINUTE));
                        server.await();
                    }
                });
    }

    // ---------------------------------------------------------------- limits

    @Test
    void I2_messagesThatAreNotHandledAreReleased() {
        Net.anywhere(
                net -> {
                    try (TcpListener listener = net.listen()) {
                        Fiber<?> server =
                                Fiber.spin(
                                        "server",
                                        () ->
                                                listener.serveMessages(
                                                        "client",
                                                        BUFFERS,
                                                        c ->
                                                                message -> {
                                                                    message.release();
                                                                    c.close();
                                                                }));
                        try (TcpConnection client = net.connect(listener)) {
                            client.write("a\nb\nc\n");
                            assertNull(client.readLine());
                        }
                        assertTrue(listener.drain(MINUTE));
                        server.await();
                    }
                }); // Leaks looks for the buffers
    }

    @Test
    void I3_aSlowHandlerHoldsUpItsClient() {
        TcpOptions options = TcpOptions.defaults().withMaxMessages(4);
        Net.once(
                net -> {
                    List<MessageConnection<String>> open = new ArrayList<>();
                    serve(
                            net,
                            options,
                            c -> {
                                open.add(c);
                                return new Noting(c, _ -> Fiber.sleep(MINUTE));
                            },
                            client -> {
                                for (int i = 0; i < 100; i++) {
                                    client.write(i + "\n");
                                    client.flush();
                                    net.pause();
                                }
                                assertTrue(
                                        open.getFirst().in.unread() < 10, "the bound, and a read");
                                client.shutdownOutput();
                                assertNull(client.readLine());
                            });
                    assertEquals(100, told.size());
                });
    }

    @Test
    void F3_aFloodLeavesTheOthersTheirTurns() {
        Net.once(
                net -> {
                    List<String> order = new ArrayList<>();
                    try (TcpListener listener = net.listen()) {
                        Fiber<?> server =
                                serving(
                                        listener,
                                        _ ->
                                                line -> {
                                                    order.add(line);
                                                    Fiber.sleep(Duration.ZERO);
                                                });
                        try (TcpConnection a = net.connect(listener);
                                TcpConnection b = net.connect(listener)) {
                            a.write("a\n".repeat(50));
                            b.write("b\n".repeat(50));
                            a.shutdownOutput();
                            b.shutdownOutput();
                            assertNull(a.readLine());
                            assertNull(b.readLine());
                        }
                        assertTrue(listener.drain(MINUTE));
                        server.await();
                    }
                    assertEquals(100, order.size());
                    assertTrue(order.indexOf("b") < 90, "b waited for all of a: " + order);
                });
    }

    // ---------------------------------------------------------------- on other cords

    @Test
    void I2_connectionsAreServedOnTheCordsOfTheOptions() {
        TestCords.run(
                3,
                cords -> {
                    Net net = new Net(true);
                    TcpOptions options = TcpOptions.defaults().withCords(cords.subList(1, 3));
                    serve(
                            net,
                            options,
                            c -> line -> c.write(line + " " + Cord.current().name()),
                            client -> {
                                try (TcpConnection other =
                                        TcpConnection.connect(
                                                Objects.requireNonNull(client.remoteAddress()),
                                                TcpOptions.defaults())) {
                                    client.write("x\n");
                                    other.write("x\n");
                                    assertEquals(
                                            Set.of(
                                                    "x " + cords.get(1).name(),
                                                    "x " + cords.get(2).name()),
                                            Set.of(client.readLine(), other.readLine()));
                                }
                            });
                });
    }
}
