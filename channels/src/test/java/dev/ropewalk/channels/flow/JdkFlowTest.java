package dev.ropewalk.channels.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.SubmissionPublisher;
import java.util.stream.IntStream;

/** Rule C5: with the JDK's own publisher, both ways, on both kinds of stack. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class JdkFlowTest {
    private static final int COUNT = 2_000;

    private static Cord cord(StackKind stacks) {
        assumeTrue(stacks.isAvailable());
        return Cord.start(CordOptions.named("flow").withStacks(stacks));
    }

    private static List<Integer> numbers() {
        return IntStream.range(0, COUNT).boxed().toList();
    }

    /** Blocks while the subscribers are slow, which is the JDK's back pressure. */
    private static void publish(SubmissionPublisher<Integer> publisher) {
        for (int i = 0; i < COUNT; i++) {
            publisher.submit(i);
        }
        publisher.close();
    }

    @ParameterizedTest
    @EnumSource
    void C5_submissionPublisherIsAPort(StackKind stacks) {
        try (Cord cord = cord(stacks);
                SubmissionPublisher<Integer> publisher =
                        new SubmissionPublisher<>(ForkJoinPool.commonPool(), 8)) {
            Channel<String> ready = Channel.buffered(1);
            Fiber<List<Integer>> reader =
                    cord.spin(
                            "reader",
                            () -> {
                                ReceivePort<Integer> port = Flows.receivePort(publisher, 4);
                                ready.send("ready");
                                return port.stream().toList();
                            });
            ready.receive();
            publish(publisher);
            assertEquals(numbers(), reader.await());
        }
    }

    @ParameterizedTest
    @EnumSource
    void C5_portThatIsLeftFreesTheSubmissionPublisher(StackKind stacks) {
        try (Cord cord = cord(stacks);
                SubmissionPublisher<Integer> publisher =
                        new SubmissionPublisher<>(ForkJoinPool.commonPool(), 8)) {
            Fiber<Integer> reader =
                    cord.spin("reader", () -> Flows.<Integer>receivePort(publisher, 4).receive());
            Latches.until(publisher::hasSubscribers);
            publisher.submit(7);
            assertEquals(7, reader.await());
            Latches.until(() -> publisher.getNumberOfSubscribers() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void C5_portFeedsASubscriberOfTheJdk(StackKind stacks) {
        try (Cord cord = cord(stacks);
                Doubling doubling = new Doubling()) {
            Probe<Integer> probe = Probe.ofAll();
            doubling.subscribe(probe);
            Flows.publisher(cord, () -> TckSupport.numbers(COUNT)).subscribe(doubling);
            probe.awaitEnd();
            assertEquals(numbers().stream().map(i -> 2 * i).toList(), probe.elements());
        }
    }

    /**
     * JDK, a processor of ours, a processor of the JDK's, a channel, a publisher, a port. The JDK's
     * blocks in onNext where its buffer is full, so on light stacks it has a cord of its own.
     */
    @ParameterizedTest
    @EnumSource
    void C5_chainOfBothKeepsOrderAndCount(StackKind stacks) {
        try (Cord cord = cord(stacks);
                Cord apart = cord(stacks);
                SubmissionPublisher<Integer> source =
                        new SubmissionPublisher<>(ForkJoinPool.commonPool(), 16);
                Doubling doubling = new Doubling()) {
            Cord blocked = stacks == StackKind.VIRTUAL_THREAD ? cord : apart;
            Flow.Processor<Integer, Integer> plusOne = Flows.processor(blocked, 3, i -> i + 1);
            Channel<Integer> channel = Channel.buffered(2);
            PortSubscriber<Integer> subscriber = Flows.subscriber(cord, channel, 5);
            source.subscribe(plusOne);
            doubling.subscribe(subscriber);
            plusOne.subscribe(doubling);
            ReceivePort<Integer> end = Flows.receivePort(Flows.publisher(cord, channel), 4);
            Fiber<List<Integer>> reader = cord.spin("reader", () -> end.stream().toList());
            publish(source);
            assertEquals(numbers().stream().map(i -> 2 * (i + 1)).toList(), reader.await());
            assertEquals((long) COUNT, subscriber.completion().toCompletableFuture().join());
        }
    }

    @ParameterizedTest
    @EnumSource
    void C5_failurePassesThroughTheChain(StackKind stacks) {
        try (Cord cord = cord(stacks);
                SubmissionPublisher<Integer> source = new SubmissionPublisher<>()) {
            Flow.Processor<Integer, Integer> processor = Flows.processor(cord, 3, i -> i);
            source.subscribe(processor);
            Probe<Integer> probe = Probe.ofAll();
            processor.subscribe(probe);
            source.submit(1);
            source.closeExceptionally(new IllegalStateException("broke"));
            probe.awaitEnd();
            assertEquals("broke", Objects.requireNonNull(probe.error()).getMessage());
            assertFalse(probe.signals().contains("onComplete"));
        }
    }

    /** The processor that the page of {@link SubmissionPublisher} shows, with a fixed function. */
    private static final class Doubling extends SubmissionPublisher<Integer>
            implements Flow.Processor<Integer, Integer> {
        private Flow.@Nullable Subscription subscription;

        private void next() {
            Objects.requireNonNull(subscription).request(1);
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            next();
        }

        @Override
        public void onNext(Integer element) {
            submit(2 * element);
            next();
        }

        @Override
        public void onError(Throwable cause) {
            closeExceptionally(cause);
        }

        @Override
        public void onComplete() {
            close();
        }
    }
}
