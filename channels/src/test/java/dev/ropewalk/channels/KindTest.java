package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.ChannelOptions.Kind;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/** Rules C1 to C3: what the kinds have in common, and what each does when it is full. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class KindTest {
    private static final int NEWEST = 100_000;

    /** More than the others hold. */
    private static final int UNLIMITED = 3_000;

    private static List<Integer> range(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    /** How many elements are put in before the one that finds the channel full. */
    private static int filling(Variant variant) {
        return variant.kind() == Kind.UNLIMITED ? UNLIMITED : variant.capacity();
    }

    private static void fill(Channel<Integer> channel, int n) {
        for (int i = 0; i < n; i++) {
            assertEquals(SendResult.SENT, channel.trySend(i));
        }
    }

    /** What is in the channel after one element more. */
    private static List<Integer> expected(Variant variant) {
        int n = filling(variant);
        List<Integer> all = new ArrayList<>(range(0, n));
        switch (variant.kind()) {
            case UNLIMITED -> all.add(NEWEST);
            case CONFLATED, SLIDING -> {
                all.removeFirst();
                all.add(NEWEST);
            }
            case DROPPING -> {}
            case RENDEZVOUS, BUFFERED -> throw new IllegalArgumentException("" + variant);
        }
        return all;
    }

    private static List<Integer> displaced(Variant variant) {
        boolean displaces = variant.kind() == Kind.CONFLATED || variant.kind() == Kind.SLIDING;
        return displaces ? List.of(0) : List.of();
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#overflowing")
    void C1_trySendToAFullOneActsByItsKind(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    List<Integer> undelivered = new ArrayList<>();
                    Channel<Integer> channel = arena.channel(undelivered::add);
                    fill(channel, filling(variant));
                    SendResult result =
                            variant.kind() == Kind.DROPPING ? SendResult.DROPPED : SendResult.SENT;
                    assertEquals(result, channel.trySend(NEWEST));
                    assertEquals(displaced(variant), undelivered, "the caller keeps its own");
                    assertEquals(expected(variant), channel.drain());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#overflowing")
    void C1_sendToAFullOneNeverWaitsAndLosesNothingSilently(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    List<Integer> undelivered = new ArrayList<>();
                    for (boolean isTimed : new boolean[] {true, false}) {
                        undelivered.clear();
                        Channel<Integer> channel = arena.channel(undelivered::add);
                        fill(channel, filling(variant));
                        if (isTimed) {
                            assertTrue(channel.send(NEWEST, Duration.ZERO));
                        } else {
                            channel.send(NEWEST);
                        }
                        List<Integer> lost =
                                variant.kind() == Kind.DROPPING
                                        ? List.of(NEWEST)
                                        : displaced(variant);
                        assertEquals(lost, undelivered);
                        assertEquals(expected(variant), channel.drain());
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#overflowing")
    void C1_withoutAHookWhatIsDisplacedIsDropped(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    fill(channel, filling(variant));
                    channel.send(NEWEST);
                    assertEquals(expected(variant), channel.drain());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#everyKind")
    void C2_waitingReceiversGetItInTheirOrderAndTheBufferIsNotTouched(Variant variant)
            throws Exception {
        Arena.run(
                variant,
                arena -> {
                    List<Integer> undelivered = new CopyOnWriteArrayList<>();
                    Channel<Integer> channel = arena.channel(undelivered::add);
                    Player<Integer> first = arena.waitingReceiver(channel);
                    Player<Integer> second = arena.waitingReceiver(channel);
                    assertEquals(SendResult.SENT, channel.trySend(1));
                    assertEquals(SendResult.SENT, channel.sendResult(2));
                    assertEquals(0, channel.snapshot().elements());
                    assertEquals(1, first.await());
                    assertEquals(2, second.await());
                    assertEquals(List.of(), undelivered);
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#everyKind")
    void C1_closedOneDrainsAndThenEnds(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    IllegalStateException cause = new IllegalStateException("the source broke");
                    int n = filling(variant);
                    fill(channel, n);
                    channel.close(cause);
                    assertEquals(SendResult.CLOSED, channel.trySend(NEWEST));
                    assertEquals(SendResult.CLOSED, channel.sendResult(NEWEST));
                    ChannelClosedException refused =
                            assertThrows(ChannelClosedException.class, () -> channel.send(NEWEST));
                    assertEquals(NEWEST, refused.element().orElseThrow());
                    assertEquals(range(0, n), channel.drain());
                    assertEquals(List.of(), channel.drain());
                    ChannelClosedException end =
                            assertThrows(ChannelClosedException.class, channel::receive);
                    assertEquals(cause, end.getCause());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#everyKind")
    void C1_cancelHandsOverWhatIsLeftAndTellsTheCause(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    List<Integer> undelivered = new ArrayList<>();
                    Channel<Integer> channel = arena.channel(undelivered::add);
                    IllegalStateException cause = new IllegalStateException("nobody reads");
                    int n = filling(variant);
                    fill(channel, n);
                    channel.cancel(cause);
                    assertEquals(range(0, n), undelivered);
                    ChannelClosedException refused =
                            assertThrows(ChannelClosedException.class, () -> channel.send(NEWEST));
                    assertEquals(NEWEST, refused.element().orElseThrow());
                    assertEquals(cause, refused.getCause());
                    assertEquals(range(0, n), undelivered, "the sender keeps its own");
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#everyKind")
    void C1_resultsAreValues(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    assertEquals(new ReceiveResult.TimedOut<>(), channel.tryReceiveResult());
                    assertEquals(
                            new ReceiveResult.TimedOut<>(),
                            channel.receiveResult(Duration.ofNanos(1)));
                    Player<Boolean> sender =
                            arena.sender(() -> channel.sendResult(7) == SendResult.SENT);
                    assertEquals(new ReceiveResult.Element<>(7), channel.receiveResult());
                    assertTrue(sender.await());
                    IllegalStateException cause = new IllegalStateException("why");
                    channel.close(cause);
                    assertEquals(new ReceiveResult.Closed<>(cause), channel.receiveResult());
                    assertEquals(new ReceiveResult.Closed<>(cause), channel.tryReceiveResult());
                    assertEquals(
                            new ReceiveResult.Closed<>(cause),
                            channel.receiveResult(Duration.ofDays(1)));
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_sendResultTellsTheLimit(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    assertEquals(SendResult.TIMED_OUT, channel.sendResult(-1, Duration.ofNanos(1)));
                    assertEquals(SendResult.FULL, channel.trySend(-1));
                    arena.drainFilled(channel);
                    assertNull(channel.tryReceive());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_drainTakesFromWaitingSendersToo(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    int n = arena.capacity();
                    Player<Boolean> first = arena.waitingSender(channel, n);
                    Player<Boolean> second = arena.waitingSender(channel, n + 1);
                    assertEquals(range(0, n + 2), channel.drain());
                    assertTrue(first.await() && second.await());
                    assertEquals(0, Inside.waiting(channel));
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#everyKind")
    void C1_streamEndsWithTheChannel(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<List<Integer>> receiver =
                            arena.receiver(() -> channel.stream().map(i -> -i).toList());
                    arena.untilWaiting(1, channel);
                    channel.send(1);
                    arena.untilWaiting(1, channel);
                    channel.send(2);
                    arena.untilWaiting(1, channel);
                    channel.close();
                    assertEquals(List.of(-1, -2), receiver.await());
                });
    }

    /** A hook that asks another thread about the channel would hang if the lock were held. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#overflowing")
    void C3_hookOfADisplacedElementRunsOutsideTheGuard(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    AtomicReference<@Nullable Channel<Integer>> self = new AtomicReference<>();
                    List<Boolean> answers = new ArrayList<>();
                    Channel<Integer> channel =
                            arena.channel(
                                    element ->
                                            answers.add(
                                                    arena.receiver(() -> isClosed(self)).await()));
                    self.set(channel);
                    fill(channel, filling(variant));
                    channel.send(NEWEST);
                    boolean isLost = variant.kind() != Kind.UNLIMITED;
                    assertEquals(isLost ? List.of(false) : List.of(), answers);
                });
    }

    private static boolean isClosed(AtomicReference<@Nullable Channel<Integer>> channel) {
        Channel<Integer> known = channel.get();
        return known == null || known.isClosed();
    }

    @Test
    void C1_nameAndKindAreShown() {
        Channel<Integer> channel = Channel.make(ChannelOptions.sliding(3).withName("prices"));
        assertTrue(channel.toString().startsWith("shared sliding(3) channel \"prices\" @"));
        channel.close();
        Errors.assertMentions(
                assertThrows(ChannelClosedException.class, channel::receive),
                "shared sliding(3) channel \"prices\" @");
        assertEquals(channel.toString(), channel.snapshot().name());
    }

    /** A queue without a bound reports its growth, each time that it has doubled. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void C1_unlimitedChannelTellsThatItGrows(boolean isLocal) {
        List<Logs.Line> lines = new ArrayList<>();
        TestCord.run(1, false, () -> Logs.during(lines::add, () -> fillWithoutABound(isLocal)));
        List<String> told =
                lines.stream().map(Logs.Line::message).filter(m -> m.contains("orders")).toList();
        assertEquals(2, told.size(), told::toString);
        assertTrue(told.getFirst().contains("65,536") || told.getFirst().contains("65536"));
    }

    private static void fillWithoutABound(boolean isLocal) {
        ChannelOptions<Integer> options = ChannelOptions.<Integer>unlimited().withName("orders");
        Channel<Integer> channel = Channel.make(isLocal ? options.onThisCord() : options);
        for (int i = 0; i < 140_000; i++) {
            channel.send(i);
        }
        channel.cancel();
    }
}
