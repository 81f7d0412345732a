package dev.ropewalk.channels.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.Errors;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.select.Select;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Rule C5: what a {@link Flow.Publisher} publishes, as a port. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ReceivePortTest {
    /** The default of a cord. */
    private static final Duration STOP_LIMIT = CordOptions.named("default").stopLimit();

    private static void untilAllWait() {
        Fiber.sleep(Duration.ofNanos(1));
    }

    private static void publish(ManualPublisher<Integer> publisher, int from, int to) {
        IntStream.range(from, to).forEach(publisher.subscriber()::onNext);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2", "8, 4", "9, 5"})
    void C5_capacityIsRequestedAndThenHalfOfItAtATime(int capacity, int batch) {
        ManualPublisher<Integer> publisher = new ManualPublisher<>();
        ReceivePort<Integer> port = Flows.receivePort(publisher, capacity);
        assertEquals(List.of((long) capacity), publisher.requests());
        publish(publisher, 0, capacity);
        for (int i = 0; i < capacity; i++) {
            assertEquals(1 + i / batch, publisher.requests().size());
            assertEquals(i, port.receive());
        }
        assertTrue(
                publisher.requests().stream().skip(1).allMatch(n -> n == batch),
                () -> publisher.requests().toString());
    }

    /** Each way to take an element out counts. */
    @Test
    void C5_everyWayToReceiveRequestsMore() {
        TestCord.run(
                () -> {
                    ManualPublisher<Integer> publisher = new ManualPublisher<>();
                    ReceivePort<Integer> port = Flows.receivePort(publisher, 2);
                    publish(publisher, 0, 2);
                    assertEquals(0, port.tryReceive());
                    assertEquals(1, port.receive(Duration.ZERO));
                    assertNull(port.tryReceive());
                    assertNull(port.receive(Duration.ofSeconds(1)));
                    assertEquals(List.of(2L, 1L, 1L), publisher.requests());
                    publish(publisher, 2, 4);
                    Channel<Integer> other = Channel.rendezvous();
                    Select<Integer> select =
                            Select.of(other.onReceive(i -> -1), port.onReceive(i -> i));
                    assertEquals(2, select.await());
                    assertEquals(3, select.await());
                    assertEquals(5, publisher.requests().size());
                    Fiber<Integer> waits = Fiber.spin(select::await);
                    untilAllWait();
                    publish(publisher, 4, 5);
                    assertEquals(4, waits.await());
                    assertEquals(6, publisher.requests().size());
                    publish(publisher, 5, 7);
                    assertEquals(List.of(5, 6), port.drain());
                    assertEquals(List.of(2L, 1L, 1L, 1L, 1L, 1L, 2L), publisher.requests());
                    publisher.subscriber().onComplete();
                    ChannelClosedException closed =
                            assertThrows(ChannelClosedException.class, select::await);
                    assertNull(closed.getCause());
                });
    }

    @Test
    void C5_completionClosesThePortAfterWhatItHolds() {
        ManualPublisher<Integer> publisher = new ManualPublisher<>();
        ReceivePort<Integer> port = Flows.receivePort(publisher, 4);
        publish(publisher, 0, 3);
        publisher.subscriber().onComplete();
        assertTrue(port.isClosed());
        assertEquals(List.of(0, 1, 2), port.stream().toList());
        assertEquals(0, publisher.cancels());
        assertEquals(List.of(4L), publisher.requests(), "nothing is requested of one that is over");
    }

    @Test
    void C5_failureFailsThePortAfterWhatItHolds() {
        ManualPublisher<Integer> publisher = new ManualPublisher<>();
        ReceivePort<Integer> port = Flows.receivePort(publisher, 4);
        publish(publisher, 0, 1);
        IllegalStateException broke = new IllegalStateException("broke");
        publisher.subscriber().onError(broke);
        assertEquals(0, port.receive());
        assertSame(broke, assertThrows(ChannelClosedException.class, port::receive).getCause());
    }

    @Test
    void C5_cancelOfThePortCancelsTheSubscriptionOnce() {
        List<Integer> lost = new ArrayList<>();
        ManualPublisher<Integer> publisher = new ManualPublisher<>();
        ReceivePort<Integer> port =
                Flows.receivePort(
                        publisher, ChannelOptions.<Integer>buffered(4).withUndelivered(lost::add));
        publish(publisher, 0, 2);
        port.cancel();
        port.cancel(new IllegalStateException("twice"));
        assertEquals(1, publisher.cancels());
        publish(publisher, 2, 3); // it was on its way
        publisher.subscriber().onComplete();
        assertEquals(List.of(0, 1, 2), lost);
        assertEquals(List.of(4L), publisher.requests());
    }

    @Test
    void C5_portEndsWithTheFiberThatMadeIt() {
        TestCord.run(
                () -> {
                    ManualPublisher<Integer> publisher = new ManualPublisher<>();
                    Fiber<ReceivePort<Integer>> maker =
                            Fiber.spin(
                                    () -> {
                                        ReceivePort<Integer> port = Flows.receivePort(publisher, 4);
                                        assertEquals(7, port.receive());
                                        return port;
                                    });
                    untilAllWait();
                    assertEquals(0, publisher.cancels());
                    publisher.subscriber().onNext(7);
                    assertTrue(maker.await().isClosed());
                    assertEquals(1, publisher.cancels());
                    ManualPublisher<Integer> other = new ManualPublisher<>();
                    Fiber<?> reader =
                            Fiber.spin(() -> Flows.<Integer>receivePort(other, 4).receive());
                    untilAllWait();
                    reader.terminate();
                    untilAllWait();
                    assertEquals(1, other.cancels());
                });
    }

    /** A port that was over before does not stay with its fiber. */
    @Test
    void C5_portThatIsOverIsForgottenByItsFiber() {
        TestCord.run(
                () -> {
                    ManualPublisher<Integer> publisher = new ManualPublisher<>();
                    List<Integer> lost = new ArrayList<>();
                    Fiber<?> maker =
                            Fiber.spin(
                                    () -> {
                                        Flows.receivePort(
                                                publisher,
                                                ChannelOptions.<Integer>buffered(1)
                                                        .withUndelivered(lost::add));
                                        Fiber.suspend();
                                    });
                    untilAllWait();
                    publisher.subscriber().onNext(1);
                    publisher.subscriber().onComplete();
                    maker.terminate();
                    untilAllWait();
                    assertEquals(List.of(), lost);
                    assertEquals(0, publisher.cancels());
                });
    }

    /** At one moment the fiber is given an element, and given up: it never runs again. */
    @Test
    void C5_elementOfAFiberThatIsAbandonedCancelsTheSubscription() {
        TestCord.run(
                1,
                false,
                () -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    ManualPublisher<Integer> publisher = new ManualPublisher<>();
                    List<Integer> lost = new ArrayList<>();
                    ReceivePort<Integer> port =
                            Flows.receivePort(
                                    publisher,
                                    ChannelOptions.<Integer>buffered(2).withUndelivered(lost::add));
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber.spin(
                                                "stubborn",
                                                () ->
                                                        CancelScope.shielded(
                                                                Duration.ofDays(1),
                                                                () -> port.receive()));
                                        Fiber.suspend();
                                    });
                    untilAllWait();
                    parent.terminate();
                    Fiber.sleep(STOP_LIMIT); // armed before the parent's limit
                    publisher.subscriber().onNext(1);
                    untilAllWait();
                    assertEquals(List.of(1), lost);
                    assertEquals(1, publisher.cancels());
                    Throwable cause =
                            Objects.requireNonNull(
                                    assertThrows(ChannelClosedException.class, port::receive)
                                            .getCause());
                    Errors.assertMentions(cause, "abandoned", "1");
                });
    }

    @Test
    void C5_publisherThatOverrunsItsDemandIsAnErrorAndMemoryStaysBounded() {
        List<Integer> lost = new ArrayList<>();
        ManualPublisher<Integer> publisher = new ManualPublisher<>();
        ReceivePort<Integer> port =
                Flows.receivePort(
                        publisher, ChannelOptions.<Integer>buffered(4).withUndelivered(lost::add));
        publish(publisher, 0, 1_000);
        assertEquals(1, publisher.cancels());
        assertEquals(IntStream.range(4, 1_000).boxed().toList(), lost);
        assertEquals(List.of(0, 1, 2, 3), port.drain());
        Throwable cause =
                Objects.requireNonNull(
                        assertThrows(ChannelClosedException.class, port::receive).getCause());
        assertInstanceOf(IllegalStateException.class, cause);
        Errors.assertMentions(cause, "rule 1.1", "buffered(4)");
    }

    /** With a receiver that waits there would be room, but it was not asked for. */
    @Test
    void C5_overrunIsSeenThoughAReceiverWaits() {
        TestCord.run(
                () -> {
                    ManualPublisher<Integer> publisher = new ManualPublisher<>();
                    ReceivePort<Integer> port = Flows.receivePort(publisher, 4);
                    Fiber<List<Integer>> reader =
                            Fiber.spin(
                                    () -> {
                                        List<Integer> got = new ArrayList<>();
                                        Throwable end =
                                                assertThrows(
                                                        ChannelClosedException.class,
                                                        () -> {
                                                            for (; ; ) {
                                                                got.add(port.receive());
                                                            }
                                                        });
                                        Errors.assertMentions(
                                                Objects.requireNonNull(end.getCause()), "rule 1.1");
                                        return got;
                                    });
                    untilAllWait();
                    publish(publisher, 0, 6);
                    assertEquals(List.of(0, 1, 2, 3), reader.await());
                });
    }

    /** One that calls onNext inside request, for ever, is stopped by the cancel inside it. */
    @Test
    void C5_publisherThatNeverReturnsFromRequestIsCancelledInsideIt() {
        AtomicInteger cancels = new AtomicInteger();
        Flow.Publisher<Integer> endless =
                subscriber ->
                        subscriber.onSubscribe(
                                new Flow.Subscription() {
                                    @Override
                                    public void request(long n) {
                                        while (cancels.get() == 0) {
                                            subscriber.onNext(1);
                                        }
                                    }

                                    @Override
                                    public void cancel() {
                                        cancels.incrementAndGet();
                                    }
                                });
        ReceivePort<Integer> port = Flows.receivePort(endless, 3);
        assertEquals(1, cancels.get());
        assertEquals(3, port.drain().size());
    }

    /** A publisher that fills it up inside request does not make drain endless. */
    @Test
    void C5_drainTakesWhatThereIsNow() {
        Flow.Publisher<Integer> atOnce =
                subscriber ->
                        subscriber.onSubscribe(
                                new Flow.Subscription() {
                                    @Override
                                    public void request(long n) {
                                        for (long i = 0; i < n; i++) {
                                            subscriber.onNext(1);
                                        }
                                    }

                                    @Override
                                    public void cancel() {
                                        // Nothing is left to do.
                                    }
                                });
        ReceivePort<Integer> port = Flows.receivePort(atOnce, 8);
        assertEquals(8, port.drain().size());
        assertEquals(8, port.drain().size());
        port.cancel();
    }

    @Test
    void C5_requestThatThrowsFailsThePortAndLosesNothing() {
        IllegalStateException broke = new IllegalStateException("request broke");
        AtomicInteger requests = new AtomicInteger();
        ManualPublisher<Integer> calls = new ManualPublisher<>();
        Flow.Publisher<Integer> publisher =
                subscriber -> {
                    Flow.Subscription throwing =
                            new Flow.Subscription() {
                                @Override
                                public void request(long n) {
                                    if (requests.getAndIncrement() > 0) {
                                        throw broke;
                                    }
                                }

                                @Override
                                public void cancel() {
                                    calls.cancel();
                                }
                            };
                    subscriber.onSubscribe(throwing);
                    subscriber.onNext(1);
                    subscriber.onNext(2);
                };
        ReceivePort<Integer> port = Flows.receivePort(publisher, 2);
        assertEquals(1, port.receive(), "the request comes after it was taken");
        assertEquals(2, port.receive());
        assertSame(broke, assertThrows(ChannelClosedException.class, port::receive).getCause());
        assertEquals(1, calls.cancels());
    }

    @Test
    void C5_secondSubscriptionIsCancelled() {
        ManualPublisher<Integer> first = new ManualPublisher<>();
        ReceivePort<Integer> port = Flows.receivePort(first, 2);
        ManualPublisher<Integer> second = new ManualPublisher<>();
        second.subscribe(first.subscriber());
        assertEquals(1, second.cancels());
        assertEquals(List.of(), second.requests());
        assertEquals(0, first.cancels());
        assertFalse(port.isClosed());
    }

    @Test
    void C5_subscriptionThatComesAfterTheCancelIsCancelled() {
        List<Flow.Subscriber<? super Integer>> subscribers = new ArrayList<>();
        ReceivePort<Integer> port = Flows.receivePort(subscribers::add, 2);
        port.cancel();
        ManualPublisher<Integer> late = new ManualPublisher<>();
        late.subscribe(subscribers.getFirst());
        assertEquals(1, late.cancels());
        assertEquals(List.of(), late.requests());
    }

    @Test
    void C5_nullSignalsAreRefused() {
        ManualPublisher<Integer> publisher = new ManualPublisher<>();
        ReceivePort<Integer> port = Flows.receivePort(publisher, 2);
        Flow.Subscriber<? super Integer> subscriber = publisher.subscriber();
        assertThrows(NullPointerException.class, () -> subscriber.onSubscribe(nothing()));
        assertThrows(NullPointerException.class, () -> subscriber.onNext(nothing()));
        assertThrows(NullPointerException.class, () -> subscriber.onError(nothing()));
        assertFalse(port.isClosed());
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what others may do
    private static <T> T nothing() {
        return (T) null;
    }

    @Test
    void C5_optionsWithoutABoundOrWithACordAreRefused() {
        ManualPublisher<Integer> publisher = new ManualPublisher<>();
        for (ChannelOptions<Integer> wrong :
                List.of(
                        ChannelOptions.<Integer>unlimited(),
                        ChannelOptions.<Integer>sliding(3),
                        ChannelOptions.<Integer>rendezvous(),
                        ChannelOptions.<Integer>buffered(3).onThisCord())) {
            IllegalArgumentException refused =
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> Flows.receivePort(publisher, wrong));
            Errors.assertMentions(refused, wrong.toString(), "buffered(n)");
        }
        assertThrows(IllegalArgumentException.class, () -> Flows.receivePort(publisher, 0));
    }

    /** A cancel from elsewhere is left to the thread that is inside request (rule 2.7). */
    @Test
    void C5_callsOfASubscriptionDoNotOverlapAndNobodyWaits() throws InterruptedException {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        List<String> calls = new CopyOnWriteArrayList<>();
        Flow.Subscription slow =
                new Flow.Subscription() {
                    @Override
                    public void request(long n) {
                        calls.add("request begins");
                        entered.countDown();
                        Latches.await(release);
                        calls.add("request ends");
                    }

                    @Override
                    public void cancel() {
                        calls.add("cancel");
                    }
                };
        Intake<Integer> intake = new Intake<>(ChannelOptions.buffered(2));
        Thread publisher = Thread.ofPlatform().start(() -> intake.onSubscribe(slow));
        Latches.await(entered);
        new IntakePort<>(intake).cancel();
        assertEquals(List.of("request begins"), calls);
        release.countDown();
        publisher.join(20_000);
        assertEquals(List.of("request begins", "request ends", "cancel"), calls);
    }

    /** Readers on two cords, a publisher on a thread: each element comes once, demand is kept. */
    @Test
    void C5_readersOnSeveralCordsKeepDemand() {
        int count = 20_000;
        Checking publisher = new Checking(count);
        try (Cord one = Cord.start("one");
                Cord two = Cord.start("two")) {
            ReceivePort<Integer> port = Flows.receivePort(publisher, 16);
            List<Integer> got = new CopyOnWriteArrayList<>();
            AtomicInteger sum = new AtomicInteger();
            List<Fiber<?>> readers = new ArrayList<>();
            for (Cord each : List.of(one, one, two, two)) {
                readers.add(
                        each.spin(
                                "reader",
                                () -> {
                                    int mine = 0;
                                    for (Integer element : port) {
                                        sum.addAndGet(element);
                                        mine++;
                                    }
                                    got.add(mine);
                                }));
            }
            publisher.play();
            readers.forEach(Fiber::await);
            assertEquals(count, got.stream().mapToInt(i -> i).sum());
            assertEquals(IntStream.range(0, count).sum(), sum.get());
            assertEquals(List.of(), publisher.broken);
        }
    }

    /** Publishes on the caller's thread as much as was requested. */
    private static final class Checking implements Flow.Publisher<Integer>, Flow.Subscription {
        private final int count;
        private final List<String> broken = new CopyOnWriteArrayList<>();
        private final AtomicLong demand = new AtomicLong();
        private Flow.Subscriber<? super Integer> subscriber = new Probe<>();

        Checking(int count) {
            this.count = count;
        }

        @Override
        public void subscribe(Flow.Subscriber<? super Integer> given) {
            subscriber = given;
            given.onSubscribe(this);
        }

        @Override
        public void request(long n) {
            demand.addAndGet(n);
        }

        @Override
        public void cancel() {
            broken.add("cancelled");
        }

        void play() {
            for (int i = 0; i < count; i++) {
                while (demand.get() == 0) {
                    Thread.onSpinWait();
                }
                demand.decrementAndGet();
                subscriber.onNext(i);
            }
            subscriber.onComplete();
        }
    }
}
