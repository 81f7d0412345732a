package dev.ropewalk.channels.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;

/** Rule C5: a {@link Flow.Subscriber} that sends to a channel. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SubscriberTest {
    private static void untilAllWait() {
        Fiber.sleep(Duration.ofNanos(1));
    }

    private static CompletableFuture<Long> of(PortSubscriber<?> subscriber) {
        return subscriber.completion().toCompletableFuture();
    }

    private static Throwable failureOf(PortSubscriber<?> subscriber) {
        CompletableFuture<Long> completion = of(subscriber);
        Throwable thrown =
                assertThrows(Throwable.class, () -> completion.get(20, TimeUnit.SECONDS));
        return Objects.requireNonNull(thrown.getCause(), thrown::toString);
    }

    @Test
    void C5_completionTellsHowManyWereSentAndClosesTheChannel() {
        TestCord.run(
                () -> {
                    Channel<Integer> to = Channel.localRendezvous();
                    PortSubscriber<Integer> subscriber = Flows.subscriber(Cord.current(), to, 2);
                    Flows.publisher(Cord.current(), () -> TckSupport.numbers(5))
                            .subscribe(subscriber);
                    assertEquals(List.of(0, 1, 2, 3, 4), to.stream().toList());
                    assertEquals(5L, Futures.await(subscriber.completion()));
                });
    }

    @Test
    void C5_requestsAsTheChannelTakes() {
        TestCord.run(
                () -> {
                    Channel<Integer> to = Channel.rendezvous();
                    ManualPublisher<Integer> publisher = new ManualPublisher<>();
                    publisher.subscribe(Flows.subscriber(Cord.current(), to, 1));
                    assertEquals(List.of(1L), publisher.requests());
                    publisher.subscriber().onNext(1);
                    untilAllWait();
                    assertEquals(List.of(1L, 1L), publisher.requests(), "the fiber has it in hand");
                    publisher.subscriber().onNext(2);
                    Fiber.sleep(Duration.ofDays(1));
                    assertEquals(2, publisher.requests().size(), "the channel takes nothing");
                    assertEquals(1, to.receive());
                    untilAllWait();
                    assertEquals(3, publisher.requests().size());
                });
    }

    @Test
    void C5_failureOfThePublisherIsThatOfTheCompletionAndOfTheChannel() {
        TestCord.run(
                () -> {
                    Channel<Integer> to = Channel.buffered(9);
                    PortSubscriber<Integer> subscriber = Flows.subscriber(Cord.current(), to, 2);
                    ManualPublisher<Integer> publisher = new ManualPublisher<>();
                    publisher.subscribe(subscriber);
                    publisher.subscriber().onNext(1);
                    IllegalStateException broke = new IllegalStateException("broke");
                    publisher.subscriber().onError(broke);
                    assertEquals(1, to.receive());
                    assertSame(
                            broke,
                            assertThrows(ChannelClosedException.class, to::receive).getCause());
                    CompletionException told =
                            assertThrows(
                                    CompletionException.class, () -> of(subscriber).getNow(-1L));
                    assertSame(broke, told.getCause());
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void C5_channelThatIsClosedByOthersCancelsTheSubscription(boolean isCancel) {
        TestCord.run(
                () -> {
                    Channel<Integer> to = Channel.rendezvous();
                    PortSubscriber<Integer> subscriber = Flows.subscriber(Cord.current(), to, 4);
                    ManualPublisher<Integer> publisher = new ManualPublisher<>();
                    publisher.subscribe(subscriber);
                    publisher.subscriber().onNext(1);
                    untilAllWait();
                    assertEquals(0, publisher.cancels());
                    if (isCancel) {
                        to.cancel();
                    } else {
                        to.close();
                    }
                    untilAllWait();
                    assertEquals(1, publisher.cancels());
                    CompletionException told =
                            assertThrows(
                                    CompletionException.class, () -> of(subscriber).getNow(-1L));
                    ChannelClosedException closed =
                            assertInstanceOf(ChannelClosedException.class, told.getCause());
                    assertEquals(1, closed.element().orElseThrow());
                });
    }

    /** While it waits for an element, for room, and before it has a subscription. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1})
    void C5_cancelCancelsTheSubscriptionAndClosesTheChannel(int elements) {
        TestCord.run(
                () -> {
                    Channel<Integer> to = Channel.localRendezvous();
                    PortSubscriber<Integer> subscriber = Flows.subscriber(Cord.current(), to, 4);
                    ManualPublisher<Integer> publisher = new ManualPublisher<>();
                    if (elements >= 0) {
                        publisher.subscribe(subscriber);
                    }
                    if (elements > 0) {
                        subscriber.onNext(1);
                        subscriber.onNext(2);
                        assertEquals(1, to.receive());
                    }
                    untilAllWait();
                    subscriber.cancel();
                    if (elements > 0) {
                        assertEquals(2, to.receive(), "it was in the hand of the fiber");
                    }
                    Throwable cause =
                            assertThrows(ChannelClosedException.class, to::receive).getCause();
                    assertInstanceOf(CancellationException.class, cause);
                    assertEquals(elements >= 0 ? 1 : 0, publisher.cancels());
                    assertTrue(of(subscriber).isCompletedExceptionally());
                });
    }

    /** The publisher was faster: what it has left behind is dropped, and that is no success. */
    @Test
    void C5_cancelAfterTheCompletionOfThePublisherIsStillACancel() {
        TestCord.run(
                () -> {
                    Channel<Integer> to = Channel.rendezvous();
                    PortSubscriber<Integer> subscriber = Flows.subscriber(Cord.current(), to, 4);
                    ManualPublisher<Integer> publisher = new ManualPublisher<>();
                    publisher.subscribe(subscriber);
                    for (int i = 0; i < 4; i++) {
                        subscriber.onNext(i);
                    }
                    subscriber.onComplete();
                    assertEquals(0, to.receive());
                    subscriber.cancel();
                    to.drain();
                    untilAllWait();
                    to.drain();
                    untilAllWait();
                    assertTrue(to.isClosed());
                    assertTrue(of(subscriber).isCompletedExceptionally());
                });
    }

    @Test
    void C5_secondSubscriptionIsCancelled() {
        TestCord.run(
                () -> {
                    Channel<Integer> to = Channel.rendezvous();
                    PortSubscriber<Integer> subscriber = Flows.subscriber(Cord.current(), to, 2);
                    ManualPublisher<Integer> first = new ManualPublisher<>();
                    ManualPublisher<Integer> second = new ManualPublisher<>();
                    first.subscribe(subscriber);
                    second.subscribe(subscriber);
                    assertEquals(1, second.cancels());
                    assertEquals(0, first.cancels());
                    first.subscriber().onComplete();
                    assertEquals(0L, Futures.await(subscriber.completion()));
                });
    }

    @Test
    void C5_endOfTheCordCancelsAndFails() {
        Cord cord = Cord.start("ends");
        Channel<Integer> to = Channel.rendezvous();
        PortSubscriber<Integer> subscriber = Flows.subscriber(cord, to, 2);
        ManualPublisher<Integer> publisher = new ManualPublisher<>();
        publisher.subscribe(subscriber);
        subscriber.onNext(1);
        Latches.until(() -> to.snapshot().waitingSenders() == 1);
        cord.close();
        assertInstanceOf(FiberTerminatedException.class, failureOf(subscriber));
        assertEquals(1, publisher.cancels());
        assertTrue(to.isClosed());

        Channel<Integer> late = Channel.rendezvous();
        PortSubscriber<Integer> tooLate = Flows.subscriber(cord, late, 2);
        ManualPublisher<Integer> other = new ManualPublisher<>();
        other.subscribe(tooLate);
        assertInstanceOf(CordClosedException.class, failureOf(tooLate));
        assertEquals(1, other.cancels());
        assertTrue(late.isClosed());
    }

    /** The channel is full and nobody reads, and the publisher's thread comes back all the same. */
    @Test
    void C5_publishersThreadNeverWaits() throws InterruptedException {
        try (Cord cord = Cord.start("in")) {
            Channel<Integer> to = Channel.rendezvous();
            ManualPublisher<Integer> publisher = new ManualPublisher<>();
            PortSubscriber<Integer> subscriber = Flows.subscriber(cord, to, 64);
            publisher.subscribe(subscriber);
            Thread thread =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < 64; i++) {
                                            publisher.subscriber().onNext(i);
                                        }
                                        publisher.subscriber().onComplete();
                                    });
            thread.join(20_000);
            assertFalse(thread.isAlive());
            assertFalse(of(subscriber).isDone());
            assertEquals(64, to.stream().count());
            assertEquals(64L, of(subscriber).join());
        }
    }

    @Test
    void C5_capacityBelowOneIsRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> Flows.subscriber(Flows.sharedCord(), Channel.<Integer>rendezvous(), 0));
    }
}
