package dev.ropewalk.channels.broadcast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.Errors;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.SendResult;
import dev.ropewalk.channels.select.Select;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Rule C5: one element to many, in one step and one order. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BroadcastTest {
    private static final int SEEDS = 400;

    private static BroadcastOptions options(boolean isLocal) {
        BroadcastOptions options = BroadcastOptions.create();
        return isLocal ? options.onThisCord() : options;
    }

    private static void untilAllWait() {
        Fiber.sleep(Duration.ofNanos(1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void C5_eachSubscriberGetsEveryElementByItsOwnPolicy(boolean isLocal) {
        TestCord.run(
                () -> {
                    Broadcast<Integer> broadcast = Broadcast.make(options(isLocal));
                    List<Integer> lost = new ArrayList<>();
                    ReceivePort<Integer> all = broadcast.subscribe(ChannelOptions.unlimited());
                    ReceivePort<Integer> newest =
                            broadcast.subscribe(
                                    ChannelOptions.sliding(2).withUndelivered(lost::add));
                    ReceivePort<Integer> oldest = broadcast.subscribe(ChannelOptions.dropping(2));
                    ReceivePort<Integer> last = broadcast.subscribe(ChannelOptions.conflated());
                    for (int i = 1; i <= 5; i++) {
                        broadcast.send(i);
                    }
                    assertEquals(List.of(1, 2, 3, 4, 5), all.drain());
                    assertEquals(List.of(4, 5), newest.drain());
                    assertEquals(List.of(1, 2, 3), lost);
                    assertEquals(List.of(1, 2), oldest.drain());
                    assertEquals(List.of(5), last.drain());
                    broadcast.checkInvariants();
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void C5_senderWaitsForTheSlowOneAndThenReachesAllAtOnce(boolean isLocal) {
        TestCord.run(
                () -> {
                    Broadcast<Integer> broadcast = Broadcast.make(options(isLocal));
                    ReceivePort<Integer> slow = broadcast.subscribe(ChannelOptions.buffered(1));
                    ReceivePort<Integer> quick = broadcast.subscribe(ChannelOptions.buffered(9));
                    broadcast.send(1);
                    assertEquals(SendResult.FULL, broadcast.trySend(2));
                    assertFalse(broadcast.send(2, Duration.ofNanos(5)));
                    Fiber<?> first = Fiber.spin(() -> broadcast.send(3));
                    untilAllWait();
                    Fiber<?> second = Fiber.spin(() -> broadcast.send(4));
                    untilAllWait();
                    assertEquals(List.of(1), quick.drain(), "one that waits has reached nobody");
                    broadcast.checkInvariants();
                    assertEquals(1, slow.receive());
                    first.await();
                    assertEquals(List.of(3), quick.drain());
                    assertEquals(3, slow.receive());
                    second.await();
                    assertEquals(List.of(4), slow.drain());
                    assertEquals(List.of(4), quick.drain());
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void C5_senderThatIsEndedReachedNobody(boolean isLocal) {
        TestCord.run(
                () -> {
                    Broadcast<Integer> broadcast = Broadcast.make(options(isLocal));
                    ReceivePort<Integer> slow = broadcast.subscribe(ChannelOptions.buffered(1));
                    ReceivePort<Integer> quick = broadcast.subscribe(ChannelOptions.unlimited());
                    broadcast.send(1);
                    Fiber<?> ended = Fiber.spin(() -> broadcast.send(2));
                    untilAllWait();
                    ended.terminate();
                    assertThrows(FiberTerminatedException.class, ended::await);
                    assertEquals(List.of(1), slow.drain());
                    assertEquals(List.of(1), quick.drain());
                    broadcast.checkInvariants();
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void C5_subscriberThatLeavesLetsSendersGo(boolean isLocal) {
        TestCord.run(
                () -> {
                    Broadcast<Integer> broadcast = Broadcast.make(options(isLocal));
                    List<Integer> lost = new ArrayList<>();
                    ReceivePort<Integer> slow =
                            broadcast.subscribe(
                                    ChannelOptions.buffered(1).withUndelivered(lost::add));
                    ReceivePort<Integer> quick = broadcast.subscribe(ChannelOptions.unlimited());
                    broadcast.send(1);
                    Fiber<?> sender = Fiber.spin(() -> broadcast.send(2));
                    untilAllWait();
                    slow.cancel();
                    sender.await();
                    assertEquals(List.of(1), lost);
                    assertEquals(List.of(1, 2), quick.drain());
                    assertEquals(1, broadcast.subscribers());
                    assertTrue(slow.isClosed());
                    assertThrows(ChannelClosedException.class, slow::receive);
                    slow.cancel();
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void C5_newSubscriberGetsTheReplayFirst(boolean isLocal) {
        TestCord.run(
                () -> {
                    Broadcast<Integer> broadcast = Broadcast.make(options(isLocal).withReplay(3));
                    ReceivePort<Integer> early = broadcast.subscribe(ChannelOptions.unlimited());
                    for (int i = 1; i <= 5; i++) {
                        broadcast.send(i);
                    }
                    ReceivePort<Integer> late = broadcast.subscribe(ChannelOptions.unlimited());
                    broadcast.send(6);
                    assertEquals(List.of(1, 2, 3, 4, 5, 6), early.drain());
                    assertEquals(List.of(3, 4, 5, 6), late.drain());
                    broadcast.close();
                    ReceivePort<Integer> tooLate = broadcast.subscribe(ChannelOptions.unlimited());
                    assertEquals(List.of(4, 5, 6), tooLate.drain());
                    assertThrows(ChannelClosedException.class, tooLate::receive);
                });
    }

    @Test
    @SuppressWarnings("NullAway") // passes what callers without checks might pass
    void C5_nullAndTheMarkOfALimitAreNoElements() {
        Broadcast<Object> broadcast = Broadcast.make();
        ReceivePort<Object> port = broadcast.subscribe(ChannelOptions.buffered(1));
        NullPointerException e =
                assertThrows(NullPointerException.class, () -> broadcast.trySend(null));
        Errors.assertMentions(e, "element is null; ");
        assertThrows(
                IllegalArgumentException.class, () -> broadcast.onSend(Waits.TIMED_OUT, () -> 1));
        assertThrows(
                NullPointerException.class, () -> Topic.<String, Object>make().send("key", null));
        assertEquals(List.of(), port.drain());
    }

    @Test
    void C5_portWithLessRoomThanTheReplayGetsTheNewest() {
        TestCord.run(
                () -> {
                    Broadcast<Integer> broadcast =
                            Broadcast.make(BroadcastOptions.create().withReplay(3));
                    for (int i = 1; i <= 4; i++) {
                        broadcast.send(i);
                    }
                    for (int i = 0; i < 2; i++) { // the replay stays in its order
                        ReceivePort<Integer> small =
                                broadcast.subscribe(ChannelOptions.buffered(2));
                        assertEquals(List.of(3, 4), small.drain());
                        small.cancel();
                    }
                    List<Integer> lost = new ArrayList<>();
                    ReceivePort<Integer> newest =
                            broadcast.subscribe(
                                    ChannelOptions.<Integer>conflated().withUndelivered(lost::add));
                    assertEquals(List.of(4), newest.drain());
                    assertEquals(List.of(2, 3), lost);
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void C5_closeIsGracefulAndGivesSendersTheirElements(boolean isLocal) {
        TestCord.run(
                () -> {
                    Broadcast<Integer> broadcast = Broadcast.make(options(isLocal));
                    ReceivePort<Integer> slow = broadcast.subscribe(ChannelOptions.buffered(1));
                    ReceivePort<Integer> waits = broadcast.subscribe(ChannelOptions.buffered(1));
                    broadcast.send(1);
                    assertEquals(1, waits.receive());
                    Fiber<Throwable> receiver =
                            Fiber.spin(
                                    () ->
                                            assertThrows(
                                                    ChannelClosedException.class, waits::receive));
                    Fiber<ChannelClosedException> sender =
                            Fiber.spin(
                                    () ->
                                            assertThrows(
                                                    ChannelClosedException.class,
                                                    () -> broadcast.send(2)));
                    untilAllWait();
                    IllegalStateException cause = new IllegalStateException("the source broke");
                    broadcast.close(cause);
                    broadcast.close();
                    assertEquals(2, sender.await().element().orElseThrow());
                    assertSame(cause, receiver.await().getCause());
                    assertEquals(1, slow.receive());
                    assertSame(
                            cause,
                            assertThrows(ChannelClosedException.class, slow::receive).getCause());
                    assertEquals(SendResult.CLOSED, broadcast.trySend(3));
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void C4_broadcastAndSubscriberStandInASelect(boolean isLocal) {
        TestCord.run(
                () -> {
                    Broadcast<Integer> broadcast = Broadcast.make(options(isLocal));
                    ReceivePort<Integer> slow = broadcast.subscribe(ChannelOptions.buffered(1));
                    Channel<Integer> other = Channel.rendezvous();
                    Select<String> sending =
                            Select.of(
                                    broadcast.onSend(1, () -> "sent"),
                                    other.onReceive(i -> "other"));
                    assertEquals("sent", sending.await());
                    Fiber<String> sender = Fiber.spin(sending::await);
                    untilAllWait();
                    Select<Integer> receiving =
                            Select.of(other.onReceive(i -> -1), slow.onReceive(i -> i));
                    assertEquals(1, receiving.await());
                    assertEquals("sent", sender.await());
                    assertEquals(1, receiving.await());
                    Fiber<Integer> receiver = Fiber.spin(receiving::await);
                    untilAllWait();
                    broadcast.send(7);
                    assertEquals(7, receiver.await());
                    broadcast.checkInvariants();
                });
    }

    @Test
    void C5_subscriberWithoutABufferIsRefused() {
        Broadcast<Integer> broadcast = Broadcast.make();
        IllegalArgumentException e =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> broadcast.subscribe(ChannelOptions.rendezvous()));
        Errors.assertMentions(e, "has no buffer");
        assertEquals(0, broadcast.subscribers());
        assertThrows(
                IllegalArgumentException.class, () -> BroadcastOptions.create().withReplay(-1));
    }

    @Test
    void C5_subscriberThatIsConfinedWhereTheBroadcastIsNotIsRefused() {
        Broadcast<Integer> broadcast = Broadcast.make();
        IllegalArgumentException e =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> broadcast.subscribe(ChannelOptions.buffered(1).onThisCord()));
        Errors.assertMentions(e, "confined to this cord", "onThisCord()");
        assertEquals(0, broadcast.subscribers());
    }

    /** Two senders on two cords: what one subscriber sees first, the other does. */
    @Test
    void C5_allSeeOneOrderWhateverCordsTheSendersAreOn() {
        int n = 5_000;
        try (Cord a = Cord.start("a");
                Cord b = Cord.start("b")) {
            Broadcast<Integer> broadcast = Broadcast.make();
            ReceivePort<Integer> one = broadcast.subscribe(ChannelOptions.unlimited());
            ReceivePort<Integer> two = broadcast.subscribe(ChannelOptions.buffered(3));
            Fiber<List<Integer>> reader =
                    b.spin(
                            "reader",
                            () -> IntStream.range(0, 2 * n).mapToObj(i -> two.receive()).toList());
            Fiber<?> odd = a.spin("odd", () -> sendAll(broadcast, 1, n));
            Fiber<?> even = b.spin("even", () -> sendAll(broadcast, 0, n));
            odd.await();
            even.await();
            assertEquals(one.drain(), reader.await());
        }
    }

    private static void sendAll(Broadcast<Integer> broadcast, int from, int n) {
        for (int i = 0; i < n; i++) {
            broadcast.send(from + 2 * i);
        }
    }

    // ---------------------------------------------------------------- conservation

    /** What was sent while somebody was subscribed was received there, or lost to its hook. */
    @Test
    void C5_nothingIsLostSilently() {
        Long replayed = Long.getLong("ropewalk.seed");
        long from = replayed == null ? 1 : replayed;
        for (long seed = from; seed < from + (replayed == null ? SEEDS : 1); seed++) {
            long own = seed;
            TestCords.run(2, own, true, cords -> play(cords, own));
        }
    }

    private static void play(List<Cord> cords, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Broadcast<Integer> broadcast = Broadcast.make();
        List<List<Integer>> seen = new ArrayList<>();
        List<ReceivePort<Integer>> ports = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            List<Integer> log = new ArrayList<>();
            seen.add(log);
            int capacity = 1 + random.nextInt(3);
            ChannelOptions<Integer> options =
                    switch (random.nextInt(3)) {
                        case 0 -> ChannelOptions.buffered(capacity);
                        case 1 -> ChannelOptions.sliding(capacity);
                        default -> ChannelOptions.dropping(capacity);
                    };
            ports.add(broadcast.subscribe(options.withUndelivered(log::add)));
        }
        List<Fiber<?>> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ReceivePort<Integer> port = ports.get(i);
            List<Integer> log = seen.get(i);
            int mostReads = random.nextInt(60);
            readers.add(
                    cords.get(i % 2)
                            .spin(
                                    "reader",
                                    () -> port.stream().limit(mostReads).forEach(log::add)));
        }
        List<Integer> sent = new ArrayList<>();
        List<Fiber<?>> senders = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int first = i * 1_000;
            senders.add(
                    cords.get(i)
                            .spin(
                                    "sender",
                                    () -> {
                                        for (int k = 0; k < 20; k++) {
                                            if (broadcast.sendResult(first + k)
                                                    == SendResult.SENT) {
                                                sent.add(first + k);
                                            }
                                        }
                                    }));
        }
        for (int i = random.nextInt(300); i > 0; i--) {
            Fiber.snooze();
        }
        senders.get(random.nextInt(2)).terminate();
        broadcast.checkInvariants();
        broadcast.close();
        for (Fiber<?> each : senders) {
            each.awaitEnd(Duration.ofDays(1));
        }
        readers.forEach(Fiber::await);
        for (int i = 0; i < 3; i++) {
            seen.get(i).addAll(ports.get(i).drain());
            assertEquals(sent.stream().sorted().toList(), seen.get(i).stream().sorted().toList());
        }
    }

    /** A displaced element's hook is the sender's business: a receiver keeps what it has taken. */
    @Test
    void C1_hookThatThrowsBesideAReceiveLosesNothing() {
        TestCord.run(
                () -> {
                    for (int way = 0; way < 4; way++) {
                        Broadcast<Integer> broadcast = Broadcast.make();
                        ReceivePort<Integer> mine = broadcast.subscribe(ChannelOptions.buffered(1));
                        broadcast.subscribe(
                                ChannelOptions.<Integer>conflated()
                                        .withUndelivered(
                                                element -> {
                                                    throw new IllegalStateException("hook");
                                                }));
                        broadcast.send(1);
                        Fiber<?> sender = Fiber.spin("sender", () -> broadcast.send(2));
                        Fiber.sleep(Duration.ofNanos(1));
                        int received =
                                switch (way) {
                                    case 0 -> mine.receive();
                                    case 1 -> java.util.Objects.requireNonNull(mine.tryReceive());
                                    case 2 -> mine.drain().getFirst();
                                    default -> Select.<Integer>of(mine.onReceive(i -> i)).await();
                                };
                        assertEquals(1, received, "way=" + way);
                        sender.await();
                        broadcast.close();
                    }
                });
    }

    /** A port that its caller does not get stands in no list. */
    @Test
    void C1_subscribeWhoseHookThrowsLeavesNoSubscriber() {
        TestCord.run(
                () -> {
                    Broadcast<Integer> broadcast =
                            Broadcast.make(BroadcastOptions.create().withReplay(2));
                    broadcast.send(1);
                    broadcast.send(2);
                    assertThrows(
                            IllegalStateException.class,
                            () ->
                                    broadcast.subscribe(
                                            ChannelOptions.<Integer>conflated()
                                                    .withUndelivered(
                                                            element -> {
                                                                throw new IllegalStateException(
                                                                        "hook " + element);
                                                            })));
                    assertEquals(0, broadcast.subscribers());
                });
    }
}
