package dev.ropewalk.channels.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.channels.Errors;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Function;

/** Rule C5: a {@link Flow.Processor} of a function, and of two ports. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ProcessorTest {
    private static void untilAllWait() {
        Fiber.sleep(Duration.ofNanos(1));
    }

    private static Throwable errorOf(Probe<?> probe) {
        return Objects.requireNonNull(probe.error(), () -> "no error: " + probe.signals());
    }

    @Test
    void C5_functionRunsInAFiberAndMayWait() {
        TestCord.run(
                () -> {
                    Flow.Processor<Integer, String> processor =
                            Flows.processor(
                                    Cord.current(),
                                    2,
                                    (Integer i) -> {
                                        Fiber.sleep(Duration.ofHours(1));
                                        return "n" + i;
                                    });
                    Flows.publisher(Cord.current(), () -> TckSupport.numbers(3))
                            .subscribe(processor);
                    Probe<String> probe = Probe.ofAll();
                    processor.subscribe(probe);
                    Fiber.sleep(Duration.ofHours(4));
                    assertEquals(List.of("n0", "n1", "n2"), probe.elements());
                    assertTrue(probe.signals().contains("onComplete"));
                });
    }

    private static void assertEndsBy(
            Function<Integer, Object> function, Class<? extends Throwable> type, String part) {
        TestCord.run(
                () -> {
                    Flow.Processor<Integer, Object> processor =
                            Flows.processor(Cord.current(), 4, function);
                    ManualPublisher<Integer> publisher = new ManualPublisher<>();
                    publisher.subscribe(processor);
                    Probe<Object> probe = Probe.ofAll();
                    processor.subscribe(probe);
                    processor.onNext(1);
                    processor.onNext(2);
                    untilAllWait();
                    assertInstanceOf(type, probe.error());
                    Errors.assertMentions(errorOf(probe), part);
                    assertEquals(1, publisher.cancels());
                });
    }

    @Test
    void C5_functionThatThrowsFailsTheSubscriberAndCancelsThePublisher() {
        assertEndsBy(
                i -> {
                    throw new IllegalArgumentException("bad " + i);
                },
                IllegalArgumentException.class,
                "bad 1");
        assertEndsBy(
                i -> {
                    throw new AssertionError("worse " + i);
                },
                AssertionError.class,
                "worse 1");
    }

    @Test
    void C5_functionThatReturnsNullFailsTheSubscriberAndCancelsThePublisher() {
        assertEndsBy(i -> nothing(), NullPointerException.class, "returned null for 1");
    }

    @SuppressWarnings("NullAway") // what a program without a checker may do
    private static Object nothing() {
        return null;
    }

    @Test
    void C5_failureOfThePublisherPassesWithoutDemand() {
        TestCord.run(
                () -> {
                    Flow.Processor<Integer, Integer> processor =
                            Flows.processor(Cord.current(), 4, i -> i);
                    ManualPublisher<Integer> publisher = new ManualPublisher<>();
                    publisher.subscribe(processor);
                    Probe<Integer> probe = new Probe<>(1, (me, element) -> {});
                    processor.subscribe(probe);
                    processor.onNext(1);
                    processor.onNext(2);
                    untilAllWait();
                    IllegalStateException broke = new IllegalStateException("broke");
                    processor.onError(broke);
                    untilAllWait();
                    assertEquals(List.of("onSubscribe", "onNext"), probe.signals(), "2 is left");
                    probe.request(1);
                    untilAllWait();
                    assertEquals(List.of(1, 2), probe.elements());
                    assertSame(broke, probe.error());
                });
    }

    @Test
    void C5_cancelOfTheSubscriberCancelsThePublisher() {
        TestCord.run(
                () -> {
                    Flow.Processor<Integer, Integer> processor =
                            Flows.processor(Cord.current(), 4, i -> i);
                    ManualPublisher<Integer> publisher = new ManualPublisher<>();
                    publisher.subscribe(processor);
                    Probe<Integer> probe = Probe.ofAll();
                    processor.subscribe(probe);
                    untilAllWait();
                    probe.cancel();
                    untilAllWait();
                    assertEquals(1, publisher.cancels());
                    assertEquals(List.of("onSubscribe"), probe.signals());
                });
    }

    @Test
    void C5_demandOfTheSubscriberBoundsWhatIsRequested() {
        TestCord.run(
                () -> {
                    Flow.Processor<Integer, Integer> processor =
                            Flows.processor(Cord.current(), 2, i -> i);
                    ManualPublisher<Integer> publisher = new ManualPublisher<>();
                    publisher.subscribe(processor);
                    Probe<Integer> probe = new Probe<>();
                    processor.subscribe(probe);
                    processor.onNext(1);
                    processor.onNext(2);
                    untilAllWait();
                    assertEquals(List.of(2L), publisher.requests());
                    probe.request(1);
                    untilAllWait();
                    assertEquals(List.of(2L, 1L), publisher.requests());
                });
    }

    @Test
    void C5_onePortHasOneSubscriber() {
        TestCord.run(
                () -> {
                    Flow.Processor<Integer, Integer> processor =
                            Flows.processor(Cord.current(), 2, i -> i);
                    processor.subscribe(new Probe<>());
                    Probe<Integer> second = new Probe<>();
                    processor.subscribe(second);
                    assertInstanceOf(IllegalStateException.class, second.error());
                });
    }

    /** Pairs: what lies between the ports is the program's. */
    private static Flow.Processor<Integer, String> pairs() {
        Channel<Integer> in = Channel.rendezvous();
        Channel<String> out = Channel.rendezvous();
        Fiber.spin(
                "pairs",
                () -> {
                    try {
                        for (; ; ) {
                            out.send(in.receive() + "," + in.receive());
                        }
                    } catch (ChannelClosedException end) {
                        in.cancel();
                        if (end.getCause() == null) {
                            out.close();
                        } else {
                            out.close(end.getCause());
                        }
                    }
                });
        return Flows.processor(Cord.current(), 2, in, out);
    }

    @Test
    void C5_twoPortsAreAProcessor() {
        TestCord.run(
                () -> {
                    Flow.Processor<Integer, String> processor = pairs();
                    Flows.publisher(Cord.current(), () -> TckSupport.numbers(6))
                            .subscribe(processor);
                    Probe<String> probe = Probe.ofAll();
                    processor.subscribe(probe);
                    untilAllWait();
                    assertEquals(List.of("0,1", "2,3", "4,5"), probe.elements());
                    assertTrue(probe.signals().contains("onComplete"));
                });
    }

    @Test
    void C5_failureAndCancelPassThroughTwoPorts() {
        TestCord.run(
                () -> {
                    Flow.Processor<Integer, String> fails = pairs();
                    ManualPublisher<Integer> publisher = new ManualPublisher<>();
                    publisher.subscribe(fails);
                    Probe<String> probe = Probe.ofAll();
                    fails.subscribe(probe);
                    IllegalStateException broke = new IllegalStateException("broke");
                    fails.onError(broke);
                    untilAllWait();
                    assertSame(broke, probe.error());

                    Flow.Processor<Integer, String> left = pairs();
                    ManualPublisher<Integer> other = new ManualPublisher<>();
                    other.subscribe(left);
                    Probe<String> leaves = Probe.ofAll();
                    left.subscribe(leaves);
                    untilAllWait();
                    leaves.cancel();
                    untilAllWait();
                    assertEquals(1, other.cancels(), "at once, not with the next element");
                    assertEquals(List.of("onSubscribe"), leaves.signals());
                });
    }
}
