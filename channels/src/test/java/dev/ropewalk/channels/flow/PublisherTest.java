package dev.ropewalk.channels.flow;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.Errors;
import dev.ropewalk.channels.Ports;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.SendResult;
import dev.ropewalk.channels.Ticker;
import dev.ropewalk.channels.broadcast.Broadcast;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Rule C5: a port as a {@link Flow.Publisher}. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class PublisherTest {
    private static void untilAllWait() {
        Fiber.sleep(Duration.ofNanos(1));
    }

    private static Throwable errorOf(Probe<?> probe) {
        return Objects.requireNonNull(probe.error(), () -> "no error: " + probe.signals());
    }

    private static Channel<Integer> filled(int count) {
        Channel<Integer> channel = Channel.buffered(count);
        for (int i = 0; i < count; i++) {
            channel.send(i);
        }
        return channel;
    }

    @Test
    void C5_onlyWhatWasRequestedIsReceived() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = Channel.localBuffered(10);
                    for (int i = 0; i < 5; i++) {
                        channel.send(i);
                    }
                    Probe<Integer> probe = new Probe<>();
                    Flows.publisher(Cord.current(), channel).subscribe(probe);
                    untilAllWait();
                    assertEquals(List.of("onSubscribe"), probe.signals());
                    probe.request(2);
                    probe.request(1);
                    untilAllWait();
                    assertEquals(List.of(0, 1, 2), probe.elements());
                    assertEquals(2, channel.snapshot().elements());
                    assertEquals(0, channel.snapshot().waitingReceivers());
                });
    }

    @Test
    void C5_senderWaitsWhileNothingIsRequested() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = Channel.rendezvous();
                    Probe<Integer> probe = new Probe<>();
                    Flows.publisher(Cord.current(), channel).subscribe(probe);
                    assertFalse(channel.send(1, Duration.ofDays(1)));
                    probe.request(1);
                    channel.send(2);
                    assertFalse(channel.send(3, Duration.ofDays(1)));
                    assertEquals(List.of(2), probe.elements());
                });
    }

    @Test
    void C5_closeCompletesAfterWhatIsLeft() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = filled(2);
                    channel.close();
                    Probe<Integer> probe = Probe.ofAll();
                    Flows.publisher(Cord.current(), channel).subscribe(probe);
                    untilAllWait();
                    assertEquals(
                            List.of("onSubscribe", "onNext", "onNext", "onComplete"),
                            probe.signals());
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void C5_causeOfTheChannelIsTheError(boolean isCancel) {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = filled(2);
                    IllegalStateException broke = new IllegalStateException("broke");
                    Probe<Integer> probe = Probe.ofAll();
                    Flows.publisher(Cord.current(), channel).subscribe(probe);
                    untilAllWait(); // it waits for an element
                    if (isCancel) {
                        channel.cancel(broke);
                    } else {
                        channel.close(broke);
                    }
                    untilAllWait();
                    assertEquals(List.of(0, 1), probe.elements());
                    assertSame(broke, probe.error());
                });
    }

    @Test
    void C5_failureOfABodyIsTheError() {
        TestCord.run(
                () -> {
                    IllegalStateException broke = new IllegalStateException("broke");
                    Probe<Integer> probe = Probe.ofAll();
                    Flows.publisher(
                                    Cord.current(),
                                    () ->
                                            Ports.<Integer>produce(
                                                    "fails",
                                                    ChannelOptions.rendezvous(),
                                                    to -> {
                                                        to.send(1);
                                                        throw broke;
                                                    }))
                            .subscribe(probe);
                    untilAllWait();
                    assertEquals(List.of(1), probe.elements());
                    assertSame(broke, probe.error());
                });
    }

    @Test
    void C5_onePortHasOneSubscriber() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = filled(1);
                    Flow.Publisher<Integer> publisher = Flows.publisher(Cord.current(), channel);
                    Probe<Integer> first = Probe.ofAll();
                    Probe<Integer> second = Probe.ofAll();
                    publisher.subscribe(first);
                    publisher.subscribe(second);
                    assertEquals(List.of("onSubscribe", "onError"), second.signals());
                    assertInstanceOf(IllegalStateException.class, second.error());
                    Errors.assertMentions(errorOf(second), "one subscriber", "supplier of ports");
                    channel.close();
                    untilAllWait();
                    assertEquals(List.of("onSubscribe", "onNext", "onComplete"), first.signals());
                });
    }

    @Test
    void C5_supplierMakesAPortForEachSubscriber() {
        TestCord.run(
                () -> {
                    Flow.Publisher<Integer> publisher =
                            Flows.publisher(Cord.current(), () -> TckSupport.numbers(3));
                    Probe<Integer> first = Probe.ofAll();
                    Probe<Integer> second = Probe.ofAll();
                    publisher.subscribe(first);
                    publisher.subscribe(second);
                    untilAllWait();
                    assertEquals(List.of(0, 1, 2), first.elements());
                    assertEquals(List.of(0, 1, 2), second.elements());
                    assertTrue(second.signals().contains("onComplete"));
                });
    }

    @Test
    void C5_whatTheSupplierThrowsIsTheError() {
        TestCord.run(
                () -> {
                    Probe<Integer> thrown = new Probe<>();
                    TckSupport.failed(Cord.current()).subscribe(thrown);
                    untilAllWait();
                    assertEquals(List.of("onSubscribe", "onError"), thrown.signals());
                    Errors.assertMentions(errorOf(thrown), "always fails");
                });
    }

    /** While it waits for an element, and while it waits for demand. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1})
    void C5_wrongDemandIsAnErrorThatNamesTheRule(long before) {
        TestCord.run(
                () -> {
                    for (long wrong : List.of(0L, -1L, Long.MIN_VALUE)) {
                        Channel<Integer> channel = Channel.rendezvous();
                        Probe<Integer> probe = new Probe<>(before, (me, element) -> {});
                        Flows.publisher(Cord.current(), channel).subscribe(probe);
                        untilAllWait();
                        probe.request(wrong);
                        probe.request(1);
                        untilAllWait();
                        assertEquals(List.of("onSubscribe", "onError"), probe.signals());
                        assertInstanceOf(IllegalArgumentException.class, probe.error());
                        Errors.assertMentions(errorOf(probe), "rule 3.9", "request(" + wrong + ")");
                        assertTrue(channel.isClosed());
                    }
                });
    }

    /** While it waits for an element, and while it waits for demand. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1})
    void C5_cancelCancelsThePortAndSignalsNothing(long before) {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = Channel.localRendezvous();
                    Probe<Integer> probe = new Probe<>(before, (me, element) -> {});
                    Flows.publisher(Cord.current(), channel).subscribe(probe);
                    untilAllWait();
                    probe.cancel();
                    probe.cancel();
                    probe.request(1);
                    untilAllWait();
                    assertEquals(List.of("onSubscribe"), probe.signals());
                    assertEquals(SendResult.CLOSED, channel.trySend(1));
                });
    }

    @Test
    void C5_cancelInsideOnNextIsTheLastSignal() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = filled(5);
                    Probe<Integer> probe =
                            new Probe<>(
                                    Long.MAX_VALUE,
                                    (me, element) -> {
                                        if (element == 2) {
                                            me.cancel();
                                        }
                                    });
                    Flows.publisher(Cord.current(), channel).subscribe(probe);
                    untilAllWait();
                    assertEquals(List.of(0, 1, 2), probe.elements());
                    assertEquals(4, probe.signals().size());
                    assertTrue(channel.isClosed());
                });
    }

    /** A producer of the subscription ends with it, where it waits. */
    @Test
    void C5_cancelEndsWhatTheSupplierHasSpun() {
        TestCord.run(
                () -> {
                    CountDownLatch ended = new CountDownLatch(1);
                    Probe<Integer> probe = new Probe<>(1, (me, element) -> {});
                    Flows.publisher(
                                    Cord.current(),
                                    () ->
                                            Ports.<Integer>produce(
                                                    "endless",
                                                    ChannelOptions.rendezvous(),
                                                    to -> {
                                                        try {
                                                            Fiber.sleep(Duration.ofDays(1));
                                                        } finally {
                                                            ended.countDown();
                                                        }
                                                    }))
                            .subscribe(probe);
                    untilAllWait();
                    probe.cancel();
                    untilAllWait();
                    assertEquals(0, ended.getCount());
                });
    }

    @Test
    void C5_requestInsideOnNextDoesNotGrowTheStack() {
        TestCord.run(
                () -> {
                    int count = 1_000;
                    Channel<Integer> channel = filled(count);
                    channel.close();
                    Set<Long> depths = new HashSet<>();
                    Probe<Integer> probe =
                            new Probe<>(
                                    1,
                                    (me, element) -> {
                                        me.request(1);
                                        depths.add(StackWalker.getInstance().walk(s -> s.count()));
                                    });
                    Flows.publisher(Cord.current(), channel).subscribe(probe);
                    untilAllWait();
                    assertEquals(count, probe.elements().size());
                    assertEquals(1, depths.size(), depths::toString);
                    assertTrue(probe.signals().contains("onComplete"));
                });
    }

    @Test
    void C5_demandBeyondTheLargestNumberIsNoLimit() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = filled(3);
                    channel.close();
                    Probe<Integer> probe = new Probe<>(Long.MAX_VALUE, (me, e) -> me.request(9));
                    Flows.publisher(Cord.current(), channel).subscribe(probe);
                    untilAllWait();
                    assertEquals(List.of(0, 1, 2), probe.elements());
                    assertTrue(probe.signals().contains("onComplete"));
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void C5_subscriberThatThrowsIsLoggedAndEndsItsSubscription(boolean isError) {
        TestCord.run(
                () -> {
                    TestCord.failOnLogs();
                    TestCord.expectLog("threw, so its subscription");
                    Channel<Integer> channel = filled(3);
                    Probe<Integer> probe =
                            new Probe<>(
                                    Long.MAX_VALUE,
                                    (me, element) -> {
                                        if (isError) {
                                            throw new AssertionError("the subscriber broke");
                                        }
                                        throw new IllegalStateException("the subscriber broke");
                                    });
                    Flows.publisher(Cord.current(), channel).subscribe(probe);
                    untilAllWait();
                    assertEquals(List.of("onSubscribe", "onNext"), probe.signals());
                    assertTrue(channel.isClosed());
                });
    }

    @Test
    void C5_nullSubscriberIsRefused() {
        Flow.Publisher<Integer> publisher =
                Flows.publisher(Flows.sharedCord(), Channel.<Integer>rendezvous());
        assertThrows(NullPointerException.class, () -> publisher.subscribe(nothing()));
    }

    @SuppressWarnings("NullAway") // what a caller without a checker may do
    private static Flow.Subscriber<Integer> nothing() {
        return null;
    }

    @Test
    void C5_portOfAnotherCordIsTheErrorThatNamesBoth() {
        try (Cord cord = Cord.start("elsewhere")) {
            Channel<Integer> theirs =
                    cord.spin("make", () -> Channel.<Integer>localRendezvous()).await();
            Probe<Integer> right = Probe.ofAll();
            Flows.publisher(cord, theirs).subscribe(right);
            cord.spin("send", () -> theirs.send(1)).await();
            await().until(() -> right.elements().equals(List.of(1)));
            Probe<Integer> wrong = Probe.ofAll();
            Flows.publisher(Flows.sharedCord(), theirs).subscribe(wrong);
            wrong.awaitEnd();
            assertInstanceOf(WrongThreadException.class, wrong.error());
            Errors.assertMentions(errorOf(wrong), "elsewhere", "flows");
        }
    }

    @Test
    void C5_endOfTheCordIsAnError() {
        Cord cord = Cord.start("ends");
        Channel<Integer> waits = Channel.rendezvous();
        Probe<Integer> inReceive = Probe.ofAll();
        Flows.publisher(cord, waits).subscribe(inReceive);
        Probe<Integer> inDemand = new Probe<>();
        Flows.publisher(cord, Channel.<Integer>rendezvous()).subscribe(inDemand);
        Latches.until(() -> !inDemand.signals().isEmpty());
        cord.close();
        inReceive.awaitEnd();
        inDemand.awaitEnd();
        assertInstanceOf(FiberTerminatedException.class, inReceive.error());
        assertInstanceOf(FiberTerminatedException.class, inDemand.error());
        assertTrue(waits.isClosed());

        Channel<Integer> late = Channel.rendezvous();
        Probe<Integer> tooLate = Probe.ofAll();
        Flows.publisher(cord, late).subscribe(tooLate);
        tooLate.awaitEnd();
        assertEquals(List.of("onSubscribe", "onError"), tooLate.signals());
        assertInstanceOf(CordClosedException.class, tooLate.error());
        assertTrue(late.isClosed());
    }

    /** Requested and cancelled by a plain thread, on both kinds of stack. */
    @ParameterizedTest
    @EnumSource
    void C5_foreignThreadsRequestAndCancel(StackKind stacks) {
        assumeTrue(stacks.isAvailable());
        try (Cord cord = Cord.start(CordOptions.named("out").withStacks(stacks))) {
            Channel<Integer> channel = Channel.buffered(4);
            Probe<Integer> probe = new Probe<>();
            Flows.publisher(cord, channel).subscribe(probe);
            cord.execute(
                    () -> {
                        int i = 0;
                        while (channel.sendResult(i++) == SendResult.SENT) {
                            // Until it is cancelled.
                        }
                    });
            Latches.until(() -> !probe.signals().isEmpty());
            for (int i = 1; i <= 500; i++) {
                probe.request(2);
            }
            Latches.until(() -> probe.elements().size() == 1_000);
            probe.cancel();
            Latches.until(channel::isClosed);
            assertEquals(IntStream.range(0, 1_000).boxed().toList(), probe.elements());
        }
    }

    @Test
    void C5_fullCordRefusesASubscriber() {
        try (Cord cord = Cord.start(CordOptions.named("full").withMaxFibers(1))) {
            CountDownLatch started = new CountDownLatch(1);
            cord.execute(
                    () -> {
                        started.countDown();
                        Fiber.suspend();
                    });
            Latches.await(started);
            Probe<Integer> probe = Probe.ofAll();
            Flows.publisher(cord, Channel.<Integer>rendezvous()).subscribe(probe);
            probe.awaitEnd();
            assertEquals(List.of("onSubscribe", "onError"), probe.signals());
            Errors.assertMentions(errorOf(probe), "full");
        }
    }

    // ---------------------------------------------------------------- the end without demand

    /** A port that gives 1 and 2, and how it is ended. */
    private record Ending(ReceivePort<Integer> port, Consumer<Throwable> close) {}

    private static Ending ofChannel(Channel<Integer> channel) {
        channel.send(1);
        channel.send(2);
        return new Ending(channel, channel::close);
    }

    private static Ending ofBroadcast() {
        Broadcast<Integer> broadcast = Broadcast.make();
        ReceivePort<Integer> port = broadcast.subscribe(ChannelOptions.buffered(2));
        broadcast.send(1);
        broadcast.send(2);
        return new Ending(port, broadcast::close);
    }

    private static Ending ofProducer() {
        Channel<Throwable> end = Channel.localRendezvous();
        ReceivePort<Integer> port =
                Ports.produce(
                        "numbers",
                        ChannelOptions.buffered(2),
                        to -> {
                            to.send(1);
                            to.send(2);
                            throw (Exception) end.receive();
                        });
        return new Ending(port, end::send);
    }

    /** Rule 2.9 of Reactive Streams: the end needs no request. */
    @Test
    void C5_endNeedsNoDemand() {
        List<Supplier<Ending>> ports =
                List.of(
                        () -> ofChannel(Channel.buffered(2)),
                        () -> ofChannel(Channel.localBuffered(2)),
                        PublisherTest::ofBroadcast,
                        PublisherTest::ofProducer);
        for (Supplier<Ending> each : ports) {
            for (long requested : new long[] {0, 1, 2}) {
                TestCord.run(() -> assertEndNeedsNoDemand(each.get(), requested));
            }
        }
    }

    /** The end comes while the subscriber asks for nothing; then it takes what is left. */
    private static void assertEndNeedsNoDemand(Ending ending, long requested) {
        IllegalStateException broke = new IllegalStateException("broke");
        Probe<Integer> probe = new Probe<>(requested, (me, element) -> {});
        Flows.publisher(Cord.current(), ending.port).subscribe(probe);
        untilAllWait();
        ending.close.accept(broke);
        untilAllWait();
        if (requested < 2) {
            assertNull(probe.error(), "elements are left");
            probe.request(2 - requested);
            untilAllWait();
        }
        assertEquals(List.of(1, 2), probe.elements());
        assertSame(broke, probe.error(), () -> probe.signals().toString());
    }

    @Test
    void C5_emptyStreamCompletesWithoutDemand() {
        TestCord.run(
                () -> {
                    Channel<Integer> closed = Channel.buffered(1);
                    closed.close();
                    Probe<Integer> probe = new Probe<>();
                    Flows.publisher(Cord.current(), closed).subscribe(probe);
                    untilAllWait();
                    assertEquals(List.of("onSubscribe", "onComplete"), probe.signals());
                });
    }

    @Test
    void C5_tickThatIsTheOnlyOneCompletesWithIt() {
        TestCord.run(
                () -> {
                    Probe<Long> probe = new Probe<>(1, (me, element) -> {});
                    Flows.publisher(Cord.current(), Ticker.after(Duration.ofSeconds(1)))
                            .subscribe(probe);
                    ReceivePort<Long> ticks = Ticker.every(Duration.ofDays(1));
                    Probe<Long> cancelled = new Probe<>();
                    Flows.publisher(Cord.current(), ticks).subscribe(cancelled);
                    Fiber.sleep(Duration.ofSeconds(2));
                    ticks.cancel();
                    untilAllWait();
                    assertEquals(List.of("onSubscribe", "onNext", "onComplete"), probe.signals());
                    assertEquals(List.of("onSubscribe", "onComplete"), cancelled.signals());
                });
    }

    @Test
    void C5_portOfAnotherCordIsCancelledThere() {
        TestCords.run(
                2,
                cords -> {
                    Channel<Integer> ours = Channel.localRendezvous();
                    Fiber<?> sender =
                            Fiber.spin(
                                    () ->
                                            assertThrows(
                                                    ChannelClosedException.class,
                                                    () -> ours.send(1)));
                    Probe<Integer> probe = Probe.ofAll();
                    Flows.publisher(cords.get(1), ours).subscribe(probe);
                    assertTrue(sender.awaitEnd(Duration.ofSeconds(1)), "it waits for ever");
                    assertInstanceOf(WrongThreadException.class, probe.error());
                });
    }
}
