package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.io.internal.IoLoop;
import dev.ropewalk.fibers.io.testing.MemoryNetwork;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.testing.TestCord;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipelineException;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.MessageToMessageEncoder;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Rule I2: what a codec makes of bytes is received as from a channel, and lost nowhere. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class MessagesTest {
    /** The stop limit of a test cord: a fiber that has not ended by then is abandoned. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

    private static final Codec<String> LINES = Codec.lines(100);

    /** Reference-counted frames, which end with a line. */
    private static final Codec<ByteBuf> BUFFERS =
            Codec.of(ByteBuf.class, () -> new LineBasedFrameDecoder(100));

    private static <M> List<M> all(Iterable<M> messages) {
        List<M> all = new ArrayList<>();
        messages.forEach(all::add);
        return all;
    }

    private static @Nullable Throwable causeOfEnd(MessageConnection<?> messages) {
        return assertThrows(ClosedException.class, messages::receive).getCause();
    }

    private static String text(ByteBuf message) {
        try {
            return message.toString(US_ASCII);
        } finally {
            message.release();
        }
    }

    // ---------------------------------------------------------------- framing

    @Test
    void I2_linesAreMessages() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    MessageConnection<String> lines = server.messages(LINES);
                                    assertEquals(
                                            List.of("lf", "cr lf", "", "größe", "last"),
                                            all(lines));
                                    lines.write("one").write("two");
                                },
                                client -> {
                                    client.write("lf\ncr lf\r\n\ngröße\nlast");
                                    client.shutdownOutput();
                                    assertEquals("one", client.readLine());
                                    assertEquals("two", client.readLine());
                                    assertNull(client.readLine());
                                }));
    }

    private static byte[] frame(int length) {
        byte[] frame = new byte[length];
        for (int i = 0; i < length; i++) {
            frame[i] = (byte) i;
        }
        return frame;
    }

    @Test
    void I2_framesWithALengthGoThereAndBack() {
        for (int lengthBytes : new int[] {1, 2, 3, 4, 8}) {
            Codec<byte[]> codec = Codec.lengthPrefixed(lengthBytes, 255);
            Net.anywhere(
                    net ->
                            net.talk(
                                    server -> {
                                        MessageConnection<byte[]> frames = server.messages(codec);
                                        frames.forEach(frames::write);
                                    },
                                    client -> {
                                        MessageConnection<byte[]> frames = client.messages(codec);
                                        for (int length : new int[] {0, 1, 100, 255}) {
                                            frames.write(frame(length));
                                            assertArrayEquals(frame(length), frames.receive());
                                        }
                                        frames.shutdownOutput();
                                        assertNull(causeOfEnd(frames));
                                    }));
        }
    }

    @Test
    void I2_framesWithADelimiterGoThereAndBack() {
        Codec<byte[]> codec = Codec.delimited(new byte[] {0, 1}, 5);
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    MessageConnection<byte[]> frames = server.messages(codec);
                                    frames.forEach(frames::write);
                                },
                                client -> {
                                    MessageConnection<byte[]> frames = client.messages(codec);
                                    for (byte[] each :
                                            new byte[][] {
                                                {}, {7}, {0, 0, 1 + 1, 1}, {1, 2, 3, 4, 5}
                                            }) {
                                        frames.write(each);
                                        assertArrayEquals(each, frames.receive());
                                    }
                                    frames.shutdownOutput();
                                    assertNull(causeOfEnd(frames));
                                }));
    }

    @Test
    void I2_codecsRefuseLimitsThatNothingFits() {
        Errors.assertMentions(
                assertThrows(IllegalArgumentException.class, () -> Codec.lines(0)), "maxBytes=0");
        Errors.assertMentions(
                assertThrows(IllegalArgumentException.class, () -> Codec.lengthPrefixed(5, 1)),
                "lengthBytes=5");
        Errors.assertMentions(
                assertThrows(IllegalArgumentException.class, () -> Codec.delimited(new byte[0], 1)),
                "delimiter=[]");
        Errors.assertMentions(
                assertThrows(IllegalArgumentException.class, () -> Codec.of(String.class)),
                "handlers=[]");
    }

    // ---------------------------------------------------------------- bad input

    /** What came before is received, nothing behind it is, and the other side can be told. */
    private static <M> void assertUndecodable(
            Codec<M> codec, M reply, int before, byte[] input, boolean isEnd) {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    MessageConnection<M> messages = server.messages(codec);
                                    for (int i = 0; i < before; i++) {
                                        messages.receive();
                                    }
                                    CodecException cause =
                                            assertInstanceOf(
                                                    CodecException.class, causeOfEnd(messages));
                                    Errors.assertMentions(cause, server.toString(), "codec");
                                    assertInstanceOf(CodecException.class, causeOfEnd(messages));
                                    messages.write(reply);
                                    net.settle(); // a close resets what comes later
                                },
                                client -> {
                                    client.write(input);
                                    if (isEnd) {
                                        client.shutdownOutput();
                                    }
                                    assertTrue(
                                            client.messages(Codec.lines(9))
                                                    .receive()
                                                    .contains("bad"));
                                }));
    }

    @Test
    void I2_lineThatIsNoText() {
        byte[] lines = {'a', '\n', (byte) 0xC3, (byte) 0xA4, (byte) 0xFE, '\n', 'b', '\n'};
        assertUndecodable(Codec.lines(9), "bad", 1, lines, false);
        Net.once(
                net ->
                        net.talk(
                                server -> {
                                    MessageConnection<String> c = server.messages(Codec.lines(9));
                                    assertEquals("a", c.receive());
                                    Throwable why = Objects.requireNonNull(causeOfEnd(c));
                                    Errors.assertMentions(why, "byte 0xFE at offset 2");
                                },
                                client -> {
                                    client.write(lines);
                                    net.until(client::isInputEnded);
                                }));
    }

    @Test
    void I2_framesAboveTheirLimit() {
        byte[] bad = "bad\n".getBytes(US_ASCII);
        byte[] lines = "1234\n12345\n".getBytes(US_ASCII);
        assertUndecodable(Codec.lines(4), "bad", 1, lines, false);
        assertUndecodable(Codec.lines(4), "bad", 0, "12345678".getBytes(US_ASCII), false);
        assertUndecodable(Codec.lines(4), "bad", 0, "12345".getBytes(US_ASCII), true);
        assertUndecodable(Codec.lengthPrefixed(1, 4), bad, 1, new byte[] {4, 1, 2, 3, 4, 5}, false);
        assertUndecodable(
                Codec.lengthPrefixed(4, 4), bad, 0, new byte[] {-1, -1, -1, -1, 0}, false);
        assertUndecodable(
                Codec.delimited(new byte[] {0}, 4),
                bad,
                1,
                new byte[] {1, 2, 3, 4, 0, 1, 2, 3, 4, 5},
                false);
    }

    @Test
    void I2_framesThatTheEndCutsOff() {
        byte[] bad = "bad\n".getBytes(US_ASCII);
        assertUndecodable(Codec.lengthPrefixed(2, 9), bad, 1, new byte[] {0, 1, 7, 0, 9, 1}, true);
        assertUndecodable(Codec.lengthPrefixed(2, 9), bad, 0, new byte[] {0}, true);
        assertUndecodable(
                Codec.delimited(new byte[] {0, 1}, 9), bad, 1, new byte[] {0, 1, 0}, true);
    }

    @Test
    void I2_messageOfAnotherTypeIsAnErrorThatNamesBoth() {
        Codec<Integer> wrong = Codec.of(Integer.class, () -> new LineBasedFrameDecoder(10));
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    CodecException cause =
                                            assertInstanceOf(
                                                    CodecException.class,
                                                    causeOfEnd(server.messages(wrong)));
                                    Errors.assertMentions(cause, "Buf", "java.lang.Integer");
                                },
                                client -> client.write("line\n")));
    }

    @Test
    void I2_resetIsTheCauseOfTheEnd() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    MessageConnection<String> lines = server.messages(LINES);
                                    assertEquals("line", lines.receive());
                                    lines.write("seen");
                                    assertInstanceOf(
                                            ConnectionResetException.class, causeOfEnd(lines));
                                    assertThrows(
                                            ConnectionResetException.class,
                                            () -> lines.write("nobody reads"));
                                },
                                client -> {
                                    client.write("line\n");
                                    assertEquals("seen", client.readLine());
                                    client.reset();
                                }));
    }

    @Test
    void I2_halfAFrameAndSilence() {
        TcpOptions options = TcpOptions.defaults().withReadLimit(Duration.ofMillis(20));
        Net.anywhere(
                net ->
                        net.talk(
                                options,
                                server -> {
                                    MessageConnection<String> lines = server.messages(LINES);
                                    assertThrows(ConnectionTimeoutException.class, lines::receive);
                                    assertNull(lines.receive(Duration.ofMillis(1)));
                                    assertNull(lines.tryReceive());
                                    lines.write("go on");
                                    assertEquals("half and half", lines.receive(Net.LONG));
                                },
                                client -> {
                                    client.write("half");
                                    net.until(() -> client.unread() > 0);
                                    client.write(" and half\n");
                                }));
    }

    // ---------------------------------------------------------------- from bytes to messages

    @Test
    void I2_bytesThatCameBeforeTheCodecGoThroughIt() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    assertEquals("hello", server.readLine());
                                    net.until(() -> server.unread() == "a\nb\nc".length());
                                    net.settle();
                                    MessageConnection<String> lines = server.messages(LINES);
                                    assertEquals(List.of("a", "b", "c"), all(lines));
                                },
                                client -> {
                                    client.write("hello\na\nb\nc");
                                    client.shutdownOutput();
                                }));
    }

    @Test
    void I2_endOrResetThatCameBeforeTheCodec() {
        Net.inMemory(
                net -> {
                    net.talk(
                            server -> {
                                net.settle();
                                assertNull(causeOfEnd(server.messages(LINES)));
                            },
                            client -> {});
                    net.talk(
                            server -> {
                                net.settle();
                                MessageConnection<String> lines = server.messages(LINES);
                                assertEquals("line", lines.receive());
                                assertInstanceOf(ConnectionResetException.class, causeOfEnd(lines));
                            },
                            client -> {
                                client.write("line\n");
                                Fiber.sleep(Duration.ofSeconds(20));
                                client.reset();
                            });
                });
    }

    /** Between the end of an idle connection and the end of its pipeline. */
    @Test
    void I2_codecThatComesWhenTheConnectionIsIdleTooLong() {
        Duration limit = Duration.ofSeconds(10);
        Net.once(
                net -> {
                    MemoryNetwork.current().delay(Duration.ZERO, Duration.ZERO);
                    net.talk(
                            TcpOptions.defaults().withIdleLimit(limit),
                            TcpOptions.defaults(),
                            server -> {
                                assertEquals("one", server.readLine());
                                Fiber.sleep(limit);
                                assertFalse(server.isOpen());
                                MessageConnection<String> lines = server.messages(LINES);
                                assertEquals("two", lines.receive());
                                assertInstanceOf(
                                        ConnectionTimeoutException.class, causeOfEnd(lines));
                            },
                            client -> {
                                client.write("one\ntwo\n");
                                net.until(client::isInputEnded);
                            });
                });
    }

    /**
     * On virtual threads the loop installs it, here behind a task of its own that ends the fiber.
     */
    @Test
    void I4_fiberThatIsEndedBeforeTheCodecIsThereLeavesTheBytes() {
        Net.onSockets(
                StackKind.VIRTUAL_THREAD,
                net ->
                        net.talk(
                                server -> {
                                    Fiber<?> leaves =
                                            Fiber.spin("leaves", () -> endedInMessages(server));
                                    leaves.awaitEnd(Net.LONG);
                                    assertEquals("line", server.readLine());
                                    assertEquals(List.of("more"), all(server.messages(LINES)));
                                },
                                client -> client.write("line\nmore\n")));
    }

    private static MessageConnection<String> endedInMessages(TcpConnection connection) {
        Fiber<?> self = Fiber.current();
        IoLoop.current().eventLoop.execute(() -> self.terminate());
        return connection.messages(LINES);
    }

    @Test
    void I2_ofTwoFibersThatChangeItOneIsRefused() {
        for (StackKind kind : List.of(StackKind.LIGHT, StackKind.VIRTUAL_THREAD)) {
            Net.onSockets(
                    kind,
                    net ->
                            net.talk(
                                    server -> {
                                        List<MessageConnection<String>> made = new ArrayList<>();
                                        List<Exception> refused = new ArrayList<>();
                                        Action change =
                                                () -> {
                                                    try {
                                                        made.add(server.messages(LINES));
                                                    } catch (IllegalStateException e) {
                                                        refused.add(e);
                                                    }
                                                };
                                        Fiber<?> first = Fiber.spin("first", change);
                                        Fiber<?> second = Fiber.spin("second", change);
                                        first.await();
                                        second.await();
                                        assertEquals(1, made.size());
                                        assertEquals(List.of("line"), all(made.getFirst()));
                                        Errors.assertMentions(refused.getFirst(), "has messages");
                                    },
                                    client -> client.write("line\n")));
        }
    }

    @Test
    void I2_bytesOfMessagesAreNotRead() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    MessageConnection<String> lines = server.messages(LINES);
                                    for (IllegalStateException refused :
                                            List.of(
                                                    assertThrows(
                                                            IllegalStateException.class,
                                                            server::readLine),
                                                    assertThrows(
                                                            IllegalStateException.class,
                                                            () -> server.read(new byte[1])),
                                                    assertThrows(
                                                            IllegalStateException.class,
                                                            () -> server.messages(LINES)))) {
                                        Errors.assertMentions(refused, "has messages", "receive");
                                    }
                                    assertSame(server, lines.connection());
                                    assertEquals("line", lines.receive());
                                },
                                client -> client.write("line\n")));
    }

    @Test
    void I2_handlerOfAnotherConnectionIsRefused() {
        Net.anywhere(
                net -> {
                    ChannelHandler taken = new LineBasedFrameDecoder(10);
                    net.talk(
                            server -> {
                                server.messages(taken);
                                server.shutdownOutput();
                                net.until(server::isInputEnded);
                            },
                            client -> {
                                assertNull(client.readLine());
                                Errors.assertMentions(
                                        assertThrows(
                                                ChannelPipelineException.class,
                                                () -> client.messages(taken)),
                                        "Sharable");
                                assertEquals(-1, client.read(new byte[1])); // it has no codec
                            });
                });
    }

    @Test
    void I2_codecIsRefusedWhileAnotherFiberReads() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    Fiber<?> reader = Fiber.spin("reader", server::readLine);
                                    net.until(() -> reader.state() == FiberState.WAITING);
                                    Errors.assertMentions(
                                            assertThrows(
                                                    IllegalStateException.class,
                                                    () -> server.messages(LINES)),
                                            "has a reader already");
                                    server.write("go on\n");
                                    assertEquals("line", reader.await());
                                },
                                client -> {
                                    assertEquals("go on", client.readLine());
                                    client.write("line\n");
                                }));
    }

    // ---------------------------------------------------------------- receiving

    private static <R> @Nullable R select(Duration limit, List<Clause<R>> clauses) {
        Selection<R> selection = new Selection<>(clauses, true);
        return selection.await(limit.toNanos()) ? selection.result() : null;
    }

    @Test
    void C4_messagesStandInASelect() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    MessageConnection<String> lines = server.messages(LINES);
                                    List<Clause<String>> clauses =
                                            List.of(lines.onReceive(line -> "got " + line));
                                    assertNull(select(Duration.ZERO, clauses));
                                    lines.write("go on");
                                    assertEquals("got one", select(Net.LONG, clauses));
                                    assertEquals("got two", select(Net.LONG, clauses));
                                    assertThrows(
                                            ClosedException.class, () -> select(Net.LONG, clauses));
                                },
                                client -> {
                                    assertEquals("go on", client.readLine());
                                    client.write("one\n");
                                    net.settle();
                                    client.write("two\n");
                                }));
    }

    @Test
    void I2_severalFibersReceiveEachItsMessages() {
        int count = 100;
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    MessageConnection<String> lines = server.messages(LINES);
                                    List<String> taken = new ArrayList<>();
                                    List<Fiber<?>> receivers = new ArrayList<>();
                                    for (int i = 0; i < 3; i++) {
                                        receivers.add(
                                                Fiber.spin(
                                                        "receiver",
                                                        () -> lines.forEach(taken::add)));
                                    }
                                    Fiber.awaitAll(receivers);
                                    assertEquals(count, taken.stream().distinct().count());
                                    assertEquals(count, taken.size());
                                },
                                client -> {
                                    for (int i = 0; i < count; i++) {
                                        client.write(i + "\n");
                                    }
                                }));
    }

    @Test
    void I4_receiversThatEndEarlyTakeNothing() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    MessageConnection<String> lines = server.messages(LINES);
                                    Fiber<?> first = Fiber.spin("first", () -> lines.receive());
                                    net.until(() -> first.state() == FiberState.WAITING);
                                    first.terminate();
                                    first.awaitEnd(Net.LONG);
                                    lines.write("go on");
                                    assertEquals("line", lines.receive());
                                },
                                client -> {
                                    assertEquals("go on", client.readLine());
                                    client.write("line\n");
                                }));
    }

    @Test
    void I3_messagesThatNobodyReceivesHoldTheWriterUp() {
        int length = 1_000;
        Codec<byte[]> codec = Codec.lengthPrefixed(2, length);
        TcpOptions options = TcpOptions.defaults().withMaxMessages(4).withHighWaterMark(1_000);
        Net.anywhere(
                net -> {
                    int count =
                            net.isVirtual ? 500 : 20_000; // more than the buffers on the way hold
                    int[] written = {0};
                    net.talk(
                            options,
                            server -> {
                                MessageConnection<byte[]> frames = server.messages(codec);
                                net.until(() -> server.unread() >= 4);
                                net.settle();
                                assertTrue(written[0] < count, "written=" + written[0]);
                                int max = 0;
                                for (int i = 0; i < count; i++) {
                                    assertEquals(length, frames.receive().length);
                                    max = Math.max(max, server.unread());
                                }
                                // a receive is 64 KiB at most
                                assertTrue(max <= 4 + 65_536 / length + 1, "unread=" + max);
                                assertNull(causeOfEnd(frames));
                            },
                            client -> {
                                MessageConnection<byte[]> frames = client.messages(codec);
                                for (; written[0] < count; written[0]++) {
                                    frames.write(frame(length));
                                }
                            });
                });
    }

    @Test
    void I2_cancelledMessagesAreDroppedAndTheOutputWorks() {
        Net.anywhere(
                net ->
                        net.talk(
                                TcpOptions.defaults().withMaxMessages(1),
                                server -> {
                                    MessageConnection<String> lines = server.messages(LINES);
                                    assertEquals("one", lines.receive());
                                    net.until(() -> server.unread() > 0);
                                    lines.cancel();
                                    lines.cancel();
                                    assertNull(causeOfEnd(lines));
                                    lines.write("still here");
                                    net.settle(); // a close resets what comes later
                                    assertEquals(0, server.unread());
                                },
                                client -> {
                                    client.write("one\ntwo\nthree\nfour\n");
                                    assertEquals("still here", client.readLine());
                                }));
    }

    // ---------------------------------------------------------------- one owner at every moment

    @Test
    void I2_receivedMessageBelongsToTheReceiverAndTheRestIsReleased() {
        Net.anywhere(
                net -> {
                    List<ByteBuf> made = new ArrayList<>();
                    net.talk(
                            server -> {
                                MessageConnection<ByteBuf> lines = server.messages(recording(made));
                                ByteBuf first = lines.receive();
                                assertEquals(1, first.refCnt());
                                assertEquals("one", text(first));
                                net.until(() -> server.unread() == 2);
                                lines.close();
                                assertNull(causeOfEnd(lines));
                            },
                            client -> client.write("one\ntwo\nthree\n"));
                    assertReleased(3, made);
                });
    }

    /** Keeps what it makes, without a reference of its own. */
    private static Codec<ByteBuf> recording(List<ByteBuf> made) {
        return Codec.of(
                ByteBuf.class,
                () ->
                        new LineBasedFrameDecoder(100) {
                            @Override
                            protected @Nullable Object decode(
                                    ChannelHandlerContext context, ByteBuf buffer)
                                    throws Exception {
                                Object frame = super.decode(context, buffer);
                                if (frame instanceof ByteBuf line) {
                                    ByteBuf copy = Unpooled.copiedBuffer(line);
                                    line.release();
                                    made.add(copy);
                                    return copy;
                                }
                                return frame;
                            }
                        });
    }

    private static void assertReleased(int count, List<ByteBuf> all) {
        assertEquals(count, all.size());
        for (ByteBuf each : all) {
            assertEquals(0, each.refCnt());
        }
    }

    /** It is given to a fiber in the turn in which that is abandoned, and comes back. */
    @Test
    void I2_messageOfAnAbandonedReceiverIsTheNextOnes() {
        TestCord.run(
                1,
                false,
                () -> {
                    Net net = new Net(true);
                    net.talk(
                            server -> {
                                MessageConnection<ByteBuf> lines = server.messages(BUFFERS);
                                abandonWhenGiven(lines::receive, () -> lines.in.received(made()));
                                assertEquals("line", text(lines.receive()));
                                List<Clause<ByteBuf>> clauses =
                                        List.of(lines.onReceive(line -> line));
                                abandonWhenGiven(
                                        () -> select(Net.LONG, clauses),
                                        () -> lines.in.received(made()));
                                assertEquals("line", text(lines.receive()));
                                ByteBuf late = made();
                                abandonWhenGiven(
                                        lines::receive,
                                        () -> {
                                            lines.in.received(late);
                                            lines.close();
                                        });
                                assertEquals(0, late.refCnt());
                            },
                            client -> client.readLine());
                });
    }

    private static ByteBuf made() {
        return Unpooled.copiedBuffer("line", US_ASCII);
    }

    private static void abandonWhenGiven(Action take, Action give) throws Exception {
        TestCord.expectUncaught(FiberAbandonedException.class);
        Fiber<?> parent =
                Fiber.spin(
                        "parent",
                        () -> {
                            Fiber.spin("child", () -> CancelScope.shielded(Net.LONG, take::run));
                            Fiber.suspend();
                        });
        Fiber.sleep(Duration.ofNanos(1));
        Fiber.spin("ender", parent::terminate);
        Fiber.sleep(STOP_LIMIT);
        give.run();
        parent.awaitEnd(Net.LONG);
    }

    @Test
    void I2_messageOfAnAbandonedWriterIsReleasedAndTheNextWriterComes() {
        Net.once(
                net ->
                        net.talk(
                                server -> {
                                    MessageConnection<ByteBuf> messages = server.messages(BUFFERS);
                                    List<ByteBuf> made = new ArrayList<>();
                                    abandonWhenGiven(() -> fill(messages, made), () -> {});
                                    ByteBuf held = made.getLast();
                                    assertEquals(1, held.refCnt());
                                    int before = made.size();
                                    abandonWhenGiven(() -> fill(messages, made), () -> {});
                                    assertEquals(0, held.refCnt());
                                    assertEquals(before + 1, made.size()); // it waited, too
                                    server.reset();
                                    net.settle();
                                    made.forEach(each -> assertEquals(0, each.refCnt()));
                                },
                                client -> net.until(() -> !client.isOpen())));
    }

    private static void fill(MessageConnection<ByteBuf> messages, List<ByteBuf> made) {
        for (; ; ) {
            ByteBuf next = Unpooled.buffer().writeBytes(new byte[10_000]);
            made.add(next);
            messages.write(next);
        }
    }

    @Test
    void I2_writtenMessageIsReleasedAlsoIfItCannotBeWritten() {
        Net.anywhere(
                net -> {
                    ByteBuf written = Unpooled.copiedBuffer("line\n", US_ASCII);
                    ByteBuf late = Unpooled.copiedBuffer("late\n", US_ASCII);
                    net.talk(
                            server -> {
                                MessageConnection<ByteBuf> lines = server.messages(BUFFERS);
                                lines.write(written);
                                lines.flush();
                                lines.close();
                                assertThrows(
                                        ConnectionClosedException.class, () -> lines.write(late));
                            },
                            client -> {
                                assertEquals("line", client.readLine());
                                assertNull(client.readLine());
                            });
                    assertEquals(0, written.refCnt());
                    assertEquals(0, late.refCnt());
                });
    }

    // ---------------------------------------------------------------- writing

    @Test
    void I2_lineThatHasNoBytesIsAnErrorOfItsWriter() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    MessageConnection<String> lines = server.messages(LINES);
                                    lines.write("\uD83D\uDE00");
                                    CodecException refused =
                                            assertThrows(
                                                    CodecException.class,
                                                    () -> {
                                                        lines.write("a\uD83D");
                                                        lines.flush();
                                                    });
                                    Errors.assertMentions(refused, "at index 1");
                                    assertFalse(server.hasCaused(refused));
                                    lines.write("more");
                                },
                                client ->
                                        assertEquals(
                                                List.of("\uD83D\uDE00", "more"),
                                                all(client.messages(LINES)))));
    }

    /** Encodes numbers, but 13. */
    private static final class NumberEncoder extends MessageToMessageEncoder<Integer> {
        NumberEncoder() {
            super(Integer.class);
        }

        @Override
        protected void encode(ChannelHandlerContext context, Integer number, List<Object> out) {
            if (number == 13) {
                throw new IllegalArgumentException("13 brings bad luck");
            }
            out.add(Unpooled.copiedBuffer(number + "\n", US_ASCII));
        }
    }

    @Test
    void I2_messageThatCannotBeEncodedIsAnErrorOfItsWriter() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    MessageConnection<Object> numbers =
                                            server.messages(new NumberEncoder());
                                    numbers.write(12);
                                    CodecException refused =
                                            assertThrows(
                                                    CodecException.class,
                                                    () -> {
                                                        numbers.write(13);
                                                        numbers.flush();
                                                    });
                                    Errors.assertMentions(refused, "13 brings bad luck");
                                    numbers.write(14);
                                },
                                client -> {
                                    assertEquals("12", client.readLine());
                                    assertEquals("14", client.readLine());
                                    assertNull(client.readLine());
                                }));
    }

    @Test
    void I3_tinyWrites() {
        writeTiny(500, 10_000);
    }

    @Test
    @Tag("stress")
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // leaks are watched
    void I3_manyTinyWrites() {
        writeTiny(10_000, 100_000);
    }

    /** Each byte by a write of its own. */
    private static void writeTiny(int inMemory, int onSockets) {
        Net.anywhere(
                net -> {
                    int count = net.isVirtual ? inMemory : onSockets;
                    net.talk(
                            server -> {
                                int sum = 0;
                                for (byte[] each : server.messages(Codec.lengthPrefixed(1, 1))) {
                                    sum += each[0];
                                }
                                assertEquals(count, sum);
                            },
                            client -> {
                                byte[] one = {1};
                                for (int i = 0; i < 2 * count; i++) {
                                    client.write(one);
                                }
                            });
                });
    }
}
