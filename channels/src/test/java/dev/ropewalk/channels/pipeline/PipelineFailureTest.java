package dev.ropewalk.channels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.Errors;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Rule C5: a stage that fails ends the run, and the caller is told which stage, and why. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class PipelineFailureTest {
    /** A pipeline around a stage that fails, and how many fibers carry it out. */
    record Shape(String name, Function<Pipeline<Long>, Pipeline<Long>> around) {
        @Override
        public String toString() {
            return name;
        }
    }

    @SuppressWarnings("StaticAssignmentOfThrowable") // it is compared, not read
    private static final IOException BROKE = new IOException("broke");

    private static long breakAt3(long i) throws IOException {
        if (i == 3) {
            throw BROKE;
        }
        return i;
    }

    static Stream<Shape> shapes() {
        return Stream.of(
                new Shape("fused", p -> p.map("bad", PipelineFailureTest::breakAt3)),
                new Shape(
                        "before a buffer",
                        p -> p.map("bad", PipelineFailureTest::breakAt3).buffer(1)),
                new Shape(
                        "behind a buffer",
                        p -> p.buffer(1).map("bad", PipelineFailureTest::breakAt3)),
                new Shape(
                        "between buffers",
                        p -> p.buffer(0).map("bad", PipelineFailureTest::breakAt3).buffer(0)),
                new Shape("parallel", p -> p.mapParallel("bad", 3, PipelineFailureTest::breakAt3)),
                new Shape(
                        "ordered",
                        p -> p.mapParallel("bad", 3, PipelineFailureTest::breakAt3).ordered()),
                new Shape(
                        "merged",
                        p -> Pipeline.of(7L).merge(p.map("bad", PipelineFailureTest::breakAt3))),
                new Shape(
                        "zipped",
                        p ->
                                p.zip(
                                        Pipeline.ticks(Duration.ofSeconds(1))
                                                .map("bad", PipelineFailureTest::breakAt3),
                                        Long::sum)),
                new Shape(
                        "before batches",
                        p ->
                                p.map("bad", PipelineFailureTest::breakAt3)
                                        .batch(2, Duration.ofDays(1))
                                        .flatMap("apart", list -> list)),
                new Shape("filter", p -> p.filter("bad", i -> breakAt3(i) >= 0)),
                new Shape("peek", p -> p.peek("bad", PipelineFailureTest::breakAt3)),
                new Shape("flatMap", p -> p.flatMap("bad", i -> List.of(breakAt3(i)))),
                new Shape("merged", p -> p.takeWhile("bad", i -> breakAt3(i) >= 0)));
    }

    private static Pipeline<Long> endless() {
        return Pipeline.from(LongStream.iterate(0, i -> i + 1).boxed());
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void C5_failureNamesTheStageAndIsTheCause(Shape shape) {
        TestCord.run(
                () -> {
                    PipelineFailedException failed =
                            assertThrows(
                                    PipelineFailedException.class,
                                    () ->
                                            shape.around()
                                                    .apply(endless())
                                                    .buffer(2)
                                                    .forEach("last", i -> {})
                                                    .run());
                    assertEquals("bad", failed.stage());
                    assertSame(BROKE, failed.getCause());
                    Errors.assertMentions(failed, "bad", "broke");
                    assertEquals(0, failed.getSuppressed().length, "nothing but the failure");
                });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void C5_failureEndsAnInfiniteSourceAndClosesIt(Shape shape) {
        TestCord.run(
                () -> {
                    List<String> ends = new ArrayList<>();
                    Channel<Long> channel = Channel.localRendezvous();
                    Fiber<?> source =
                            Fiber.spin(
                                    "source",
                                    () -> {
                                        try {
                                            for (long i = 0; ; i++) {
                                                channel.send(i);
                                            }
                                        } catch (ChannelClosedException gone) {
                                            ends.add("told");
                                        }
                                    });
                    assertThrows(
                            PipelineFailedException.class,
                            () ->
                                    shape.around()
                                            .apply(Pipeline.from(channel))
                                            .forEach("last", i -> {})
                                            .run());
                    source.await();
                    assertEquals(List.of("told"), ends);
                });
    }

    @Test
    void C5_neighboursDoNotHideTheFailure() {
        // each neighbour has a closed channel on its side, and fails of it in some libraries
        TestCord.run(
                () -> {
                    PipelineFailedException failed =
                            assertThrows(
                                    PipelineFailedException.class,
                                    () ->
                                            endless()
                                                    .map("a", i -> i)
                                                    .buffer(0)
                                                    .map("b", PipelineFailureTest::breakAt3)
                                                    .buffer(0)
                                                    .map("c", i -> i)
                                                    .buffer(0)
                                                    .forEach("d", i -> {})
                                                    .run());
                    assertEquals("b", failed.stage());
                    assertSame(BROKE, failed.getCause());
                });
    }

    @Test
    void C5_nullFromAStageIsAFailure() {
        TestCord.run(
                () -> {
                    assertNullFails(endless().map("no", i -> nothing()));
                    assertNullFails(endless().mapParallel("no", 2, i -> nothing()));
                    assertNullFails(endless().mapParallel("no", 2, i -> nothing()).ordered());
                    assertNullFails(endless().flatMap("no", i -> nothing()));
                    assertNullFails(endless().scan("no", 1L, (sum, i) -> nothing()));
                    assertNullFails("zip", endless().zip(endless(), (a, b) -> nothing()).toList());
                    assertNullFails("reduce", endless().reduce(1L, (sum, i) -> nothing()));
                });
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // the subject
    private static <T> T nothing() {
        return null;
    }

    private static void assertNullFails(Pipeline<?> pipeline) {
        assertNullFails("no", pipeline.toList());
    }

    private static void assertNullFails(String stage, PipelineRun<?> run) {
        PipelineFailedException failed = assertThrows(PipelineFailedException.class, run::run);
        assertEquals(stage, failed.stage());
        Errors.assertMentions(
                assertInstanceOf(NullPointerException.class, failed.getCause()),
                "stage \"" + stage + "\" made null; leave elements out by filter or flatMap");
    }

    @Test
    void C5_sourceThatFailsIsNamed() {
        TestCord.run(
                () -> {
                    IllegalStateException broke = new IllegalStateException("broke");
                    PipelineFailedException failed =
                            assertThrows(
                                    PipelineFailedException.class,
                                    () ->
                                            Pipeline.from(
                                                            IntStream.range(0, 5)
                                                                    .mapToObj(
                                                                            i -> {
                                                                                if (i == 2) {
                                                                                    throw broke;
                                                                                }
                                                                                return i;
                                                                            }))
                                                    .buffer(3)
                                                    .toList()
                                                    .run());
                    assertEquals("source", failed.stage());
                    assertSame(broke, failed.getCause());
                });
    }

    @Test
    void C5_channelClosedWithACauseFailsTheSource() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = Channel.localBuffered(3);
                    channel.send(1);
                    channel.close(BROKE);
                    List<Integer> seen = new ArrayList<>();
                    PipelineFailedException failed =
                            assertThrows(
                                    PipelineFailedException.class,
                                    () -> Pipeline.from(channel).forEach("see", seen::add).run());
                    assertEquals("source", failed.stage());
                    assertSame(BROKE, failed.getCause());
                    assertEquals(List.of(1), seen);
                });
    }

    @Test
    void C5_failureClosesThePortWithTheFailure() {
        TestCord.run(
                () -> {
                    ReceivePort<Long> port =
                            endless()
                                    .map("bad", PipelineFailureTest::breakAt3)
                                    .toPort(ChannelOptions.rendezvous());
                    assertEquals(0, port.receive());
                    assertEquals(1, port.receive());
                    assertEquals(2, port.receive());
                    ChannelClosedException closed =
                            assertThrows(ChannelClosedException.class, port::receive);
                    PipelineFailedException failed =
                            assertInstanceOf(PipelineFailedException.class, closed.getCause());
                    assertSame(BROKE, failed.getCause());
                    Fiber.sleep(Duration.ofMillis(1)); // it would be raised here
                });
    }

    @Test
    void C5_allFibersHaveEndedWhenTheFailureIsThrown() {
        TestCord.run(
                () -> {
                    List<String> left = new ArrayList<>();
                    assertThrows(
                            PipelineFailedException.class,
                            () ->
                                    endless()
                                            .peek(
                                                    "waits",
                                                    i -> {
                                                        try {
                                                            Fiber.sleep(Duration.ofSeconds(i));
                                                        } finally {
                                                            if (i == 9) {
                                                                left.add("waits");
                                                            }
                                                        }
                                                    })
                                            .buffer(20)
                                            .forEach(
                                                    "bad",
                                                    i -> {
                                                        if (i == 8) {
                                                            throw BROKE;
                                                        }
                                                    })
                                            .run());
                    assertEquals(List.of("waits"), left);
                });
    }

    @Test
    void C5_collectorThatFailsAtTheEndIsNamed() {
        TestCord.run(
                () -> {
                    AssertionError broke = new AssertionError("broke");
                    PipelineRun<Object> run =
                            endless()
                                    .take(3)
                                    .collect(
                                            Collectors.collectingAndThen(
                                                    Collectors.toList(),
                                                    list -> {
                                                        throw broke;
                                                    }));
                    PipelineFailedException failed =
                            assertThrows(PipelineFailedException.class, run::run);
                    assertEquals("collect", failed.stage());
                    assertSame(broke, failed.getCause());
                });
    }

    @Test
    void C5_sourceThatCannotBeOpenedIsNamedAndTheOthersAreClosed() {
        TestCord.run(
                () -> {
                    AtomicBoolean closed = new AtomicBoolean();
                    IllegalStateException broke = new IllegalStateException("broke");
                    Pipeline<Integer> good =
                            Pipeline.from(Stream.of(1, 2, 3).onClose(() -> closed.set(true)));
                    Iterable<Integer> bad =
                            () -> {
                                throw broke;
                            };
                    PipelineFailedException failed =
                            assertThrows(
                                    PipelineFailedException.class,
                                    () -> good.merge(Pipeline.from(bad)).toList().run());
                    assertEquals("source", failed.stage());
                    assertSame(broke, failed.getCause());
                    assertTrue(closed.get());
                });
    }

    /** Its fiber is ended before it has begun, so nothing in it ends its source. */
    @Test
    void C5_segmentThatNeverBeganCancelsItsSource() {
        TestCord.run(
                () -> {
                    Channel<Long> first = Channel.localRendezvous();
                    Channel<Long> second = Channel.localRendezvous();
                    PipelineRun<?> run = Pipeline.from(first).merge(Pipeline.from(second)).toList();
                    run.cancel();
                    assertThrows(CancelledException.class, run::run);
                    assertTrue(first.isClosed() && second.isClosed(), "senders would wait on");
                });
    }

    @Test
    void C5_closedCordIsAClearErrorAndEndsTheSource() {
        Cord closed = Cord.start("closed");
        closed.close();
        TestCord.run(
                1,
                false,
                () -> {
                    Channel<Long> channel = Channel.rendezvous();
                    PipelineRun<?> run = Pipeline.from(channel).on(closed).toList();
                    RuntimeException refused = assertThrows(RuntimeException.class, run::run);
                    assertTrue(refused.toString().contains("closed"), refused::toString);
                    assertTrue(channel.isClosed(), "senders would wait on");
                });
    }

    // ---------------------------------------------------------------- clean-up that fails

    @Test
    void C5_errorOfASourceThatIsClosedIsNamed() {
        TestCord.run(
                () -> {
                    for (int stages = 1; stages <= 2; stages++) {
                        AssertionError broke = new AssertionError("broke");
                        Pipeline<Integer> source =
                                Pipeline.from(
                                        Stream.of(1, 2)
                                                .onClose(
                                                        () -> {
                                                            throw broke;
                                                        }));
                        PipelineRun<?> run = (stages == 1 ? source : source.buffer(1)).toList();
                        PipelineFailedException failed =
                                assertThrows(PipelineFailedException.class, run::run);
                        assertEquals("source", failed.stage());
                        Errors.assertMentions(
                                assertInstanceOf(RuntimeException.class, failed.getCause()),
                                "could not be closed",
                                "broke");
                    }
                });
    }

    /** Five elements; what is left of them fails its hook as the channel is cancelled. */
    private static Channel<Integer> withBrokenHook(Throwable broke) {
        Channel<Integer> channel =
                Channel.make(
                        ChannelOptions.<Integer>buffered(5).withUndelivered(i -> throwIt(broke)));
        for (int i = 0; i < 5; i++) {
            channel.send(i);
        }
        return channel;
    }

    private static void throwIt(Throwable broke) {
        if (broke instanceof Error error) {
            throw error;
        }
        throw new IllegalStateException(broke);
    }

    @Test
    void C5_errorOfAnUndeliveredHookIsAddedToTheFailure() {
        TestCord.run(
                () -> {
                    AssertionError broke = new AssertionError("broke");
                    PipelineRun<?> run =
                            Pipeline.from(withBrokenHook(broke))
                                    .buffer(1)
                                    .forEach(
                                            "bad",
                                            i -> {
                                                throw BROKE;
                                            });
                    PipelineFailedException failed =
                            assertThrows(PipelineFailedException.class, run::run);
                    assertEquals("bad", failed.stage());
                    PipelineFailedException hook =
                            assertInstanceOf(
                                    PipelineFailedException.class, failed.getSuppressed()[0]);
                    assertEquals("source", hook.stage());
                    assertSame(broke, hook.getCause());
                });
    }

    @Test
    void C5_sourceThatCannotBeClosedDoesNotHideTheFailure() {
        TestCord.run(
                () -> {
                    AssertionError second = new AssertionError("second");
                    Stream<Long> source =
                            LongStream.iterate(0, i -> i + 1)
                                    .boxed()
                                    .onClose(
                                            () -> {
                                                throw second;
                                            });
                    PipelineFailedException failed =
                            assertThrows(
                                    PipelineFailedException.class,
                                    () ->
                                            Pipeline.from(source)
                                                    .buffer(1)
                                                    .map("bad", PipelineFailureTest::breakAt3)
                                                    .toList()
                                                    .run());
                    assertEquals("bad", failed.stage());
                    assertSame(BROKE, failed.getCause());
                    assertSame(second, failed.getSuppressed()[0]);
                });
    }

    @Test
    void C5_sourceThatCannotBeClosedDoesNotKeepTheOthersOpen() {
        TestCord.run(
                () -> {
                    Channel<Integer> open = Channel.localRendezvous();
                    Channel<Integer> bad =
                            Channel.make(
                                    ChannelOptions.<Integer>buffered(1)
                                            .withUndelivered(
                                                    i -> {
                                                        throw new IllegalStateException("broke");
                                                    }));
                    bad.send(1);
                    PipelineRun<?> run = Pipeline.from(bad).merge(Pipeline.from(open)).toList();
                    run.cancel();
                    CancelledException left = assertThrows(CancelledException.class, run::run);
                    assertTrue(open.isClosed(), "senders would wait on");
                    assertTellsCleanUp(left);
                });
    }

    private static void assertTellsCleanUp(Throwable left) {
        assertEquals(1, left.getSuppressed().length);
        PipelineFailedException told =
                assertInstanceOf(PipelineFailedException.class, left.getSuppressed()[0]);
        Errors.assertMentions(told, "source", "broke");
    }

    private static Pipeline<Long> brokenAtItsClose() {
        Stream<Long> source =
                LongStream.iterate(0, i -> i + 1)
                        .boxed()
                        .onClose(
                                () -> {
                                    throw new IllegalStateException("broke");
                                });
        return Pipeline.from(source);
    }

    /** What fails in clean-up is told with whatever the run is left by. */
    @Test
    void C5_cleanUpOfARunThatIsLeftIsTold() {
        TestCord.run(
                () -> {
                    UnaryOperator<Pipeline<Long>> buffered = each -> each.buffer(2);
                    for (UnaryOperator<Pipeline<Long>> around :
                            List.of(UnaryOperator.<Pipeline<Long>>identity(), buffered)) {
                        Supplier<PipelineRun<?>> waits =
                                () ->
                                        around.apply(brokenAtItsClose())
                                                .forEach(
                                                        "wait",
                                                        i -> Fiber.sleep(Duration.ofDays(1)));
                        PipelineRun<?> late = waits.get();
                        assertTellsCleanUp(
                                assertThrows(
                                        FiberTimeoutException.class,
                                        () ->
                                                CancelScope.cancelAfter(
                                                        Duration.ofSeconds(1), late::run)));
                        PipelineRun<?> cancelled = waits.get();
                        Fiber.spin(
                                () -> {
                                    Fiber.sleep(Duration.ofSeconds(1));
                                    cancelled.cancel();
                                });
                        assertTellsCleanUp(assertThrows(CancelledException.class, cancelled::run));
                        TestCord.expectUncaught(PipelineFailedException.class);
                        assertFalse(
                                CancelScope.moveOnAfter(Duration.ofSeconds(1), waits.get()::run));
                        Fiber<?> runner = Fiber.spin("runner", waits.get()::run);
                        Fiber.sleep(Duration.ofSeconds(1));
                        runner.terminate();
                        FiberTerminatedException ended =
                                assertThrows(FiberTerminatedException.class, runner::await);
                        assertTellsCleanUp(Objects.requireNonNull(ended.getCause()));
                    }
                });
    }

    // ---------------------------------------------------------------- failures after the result

    /** A stage that fails as it is stopped, in place of what stopped it. */
    private static long failsAsItIsStopped(String how, long i) throws IOException {
        if (i < 3) {
            return i;
        }
        try {
            Fiber.sleep(Duration.ofDays(1));
        } catch (Throwable stop) {
            if (how.equals("wrapper")) {
                throw new IOException(stop);
            }
            throw new AssertionError("clean-up broke");
        }
        return i;
    }

    /** Meanwhile the stages before it go on until they wait. */
    private static long slow(long i) {
        Fiber.sleep(Duration.ofSeconds(1));
        return i;
    }

    /** Runs that have all that they want when the stage "stopped" is left, and what they make. */
    static Stream<Arguments> enough() {
        List<Shape> ends =
                List.of(
                        new Shape(
                                "take",
                                p -> p.buffer(0).map("slow", PipelineFailureTest::slow).take(3)),
                        new Shape(
                                "take further on",
                                p ->
                                        p.buffer(0)
                                                .map("slow", PipelineFailureTest::slow)
                                                .buffer(0)
                                                .take(3)),
                        new Shape("zip", p -> p.zip(Pipeline.of(0L, 0L, 0L), Long::sum)),
                        new Shape(
                                "zipped",
                                p -> Pipeline.of(0L, 1L, 2L).zip(p, (one, other) -> other)),
                        new Shape(
                                "batches",
                                p ->
                                        p.batch(1, Duration.ofDays(1))
                                                .take(3)
                                                .flatMap("apart", l -> l)),
                        new Shape(
                                "takeWhile",
                                p -> p.merge(Pipeline.of(9L)).filter("f", i -> i < 9).take(3)));
        return Stream.of("finally", "wrapper")
                .flatMap(how -> ends.stream().map(end -> Arguments.of(how, end)));
    }

    @ParameterizedTest
    @MethodSource("enough")
    void C5_stageThatFailsAsItIsStoppedDoesNotTakeTheResult(String how, Shape end) {
        TestCord.run(
                () -> {
                    Pipeline<Long> stopped =
                            endless().map("stopped", i -> failsAsItIsStopped(how, i));
                    if (how.equals("finally")) { // a wrapper is what stopped it
                        TestCord.expectUncaught(PipelineFailedException.class);
                    }
                    assertEquals(
                            List.of(0L, 1L, 2L),
                            end.around().apply(stopped).toList().run().value());
                });
    }

    @Test
    void C5_parallelStageThatFailsAsItIsStoppedDoesNotTakeTheResult() {
        TestCord.run(
                () -> {
                    for (boolean isOrdered : new boolean[] {true, false}) {
                        Pipeline<Long> stopped =
                                endless()
                                        .mapParallel(
                                                "stopped",
                                                1,
                                                i -> failsAsItIsStopped("finally", i));
                        TestCord.expectUncaught(PipelineFailedException.class);
                        assertEquals(
                                List.of(0L, 1L, 2L),
                                (isOrdered ? stopped.ordered() : stopped)
                                        .map("slow", PipelineFailureTest::slow)
                                        .take(3)
                                        .toList()
                                        .run()
                                        .value());
                    }
                });
    }

    @Test
    void C5_closedPortKeepsTheRunWhateverFailsThen() {
        TestCord.run(
                () -> {
                    for (boolean isBuffered : new boolean[] {true, false}) {
                        Channel<Long> out = Channel.localRendezvous();
                        Pipeline<Long> stopped =
                                endless().map("stopped", i -> failsAsItIsStopped("finally", i));
                        PipelineRun<?> run =
                                (isBuffered ? stopped.buffer(0) : stopped).to("out", out);
                        Fiber<?> runner = Fiber.spin("run", run::run);
                        assertEquals(0, out.receive());
                        assertEquals(1, out.receive());
                        assertEquals(2, out.receive());
                        Fiber.sleep(Duration.ofSeconds(1));
                        TestCord.expectUncaught(PipelineFailedException.class);
                        out.cancel();
                        runner.await();
                    }
                });
    }

    /** A source that is left early is no stage that somebody waits for. */
    @Test
    void C5_sourceThatCannotBeClosedDoesNotTakeTheResultOfARunThatHasEnough() {
        TestCord.run(
                () -> {
                    AssertionError broke = new AssertionError("broke");
                    TestCord.expectUncaught(PipelineFailedException.class);
                    TestCord.expectUncaught(PipelineFailedException.class);
                    TestCord.expectUncaught(PipelineFailedException.class);
                    TestCord.expectUncaught(PipelineFailedException.class);
                    assertEquals(List.of(0L), brokenAtItsClose().take(1).toList().run().value());
                    assertEquals(
                            List.of(0L),
                            brokenAtItsClose().buffer(1).take(1).toList().run().value());
                    assertEquals(
                            List.of(0),
                            Pipeline.from(withBrokenHook(broke)).take(1).toList().run().value());
                    assertEquals(
                            List.of(0),
                            Pipeline.from(withBrokenHook(broke))
                                    .buffer(1)
                                    .take(1)
                                    .toList()
                                    .run()
                                    .value());
                });
    }

    /** Those behind the stage that has enough are waited for. */
    @Test
    void C5_failureBehindAStageThatHasEnoughFailsTheRun() {
        TestCord.run(
                () -> {
                    PipelineRun<?> run =
                            endless()
                                    .map("stopped", i -> failsAsItIsStopped("finally", i))
                                    .buffer(0)
                                    .take(4)
                                    .map("bad", i -> i == 2 ? breakAt3(3) : i)
                                    .toList();
                    PipelineFailedException failed =
                            assertThrows(PipelineFailedException.class, run::run);
                    assertEquals("bad", failed.stage());
                    assertSame(BROKE, failed.getCause());
                });
    }

    /** Here the accumulator of a collector is no good, which the plan asks for. */
    @Test
    void C5_planThatFailsEndsTheSources() {
        TestCord.run(
                () -> {
                    AtomicBoolean closed = new AtomicBoolean();
                    Channel<Long> other = Channel.localRendezvous();
                    IllegalStateException broke = new IllegalStateException("broke");
                    PipelineRun<?> run =
                            Pipeline.from(Stream.of(1L).onClose(() -> closed.set(true)))
                                    .merge(Pipeline.from(other))
                                    .collect(new BrokenCollector(broke));
                    assertSame(broke, assertThrows(IllegalStateException.class, run::run));
                    assertTrue(closed.get(), "the stream");
                    assertTrue(other.isClosed(), "senders would wait on");
                });
    }

    private record BrokenCollector(RuntimeException broke)
            implements Collector<Long, List<Long>, List<Long>> {
        @Override
        public Supplier<List<Long>> supplier() {
            return ArrayList::new;
        }

        @Override
        public BiConsumer<List<Long>, Long> accumulator() {
            throw broke;
        }

        @Override
        public BinaryOperator<List<Long>> combiner() {
            throw broke;
        }

        @Override
        public Function<List<Long>, List<Long>> finisher() {
            return Function.identity();
        }

        @Override
        public Set<Collector.Characteristics> characteristics() {
            return Set.of();
        }
    }

    // ---------------------------------------------------------------- fibers that are ended

    /** What a stage "bad" ends its own fiber in; the source before it goes silent then. */
    static Stream<Shape> terminations() {
        return Stream.of(
                new Shape("first", p -> p.map("bad", PipelineFailureTest::terminateAt3)),
                new Shape("middle", p -> p.buffer(2).map("bad", PipelineFailureTest::terminateAt3)),
                new Shape("stop", p -> p.buffer(0).map("bad", PipelineFailureTest::stopAt3)),
                new Shape("restart", p -> p.buffer(0).map("bad", PipelineFailureTest::restartAt3)),
                new Shape(
                        "parallel",
                        p -> p.mapParallel("bad", 2, PipelineFailureTest::terminateAt3)),
                new Shape(
                        "ordered",
                        p -> p.mapParallel("bad", 2, PipelineFailureTest::terminateAt3).ordered()),
                new Shape(
                        "merged",
                        p ->
                                Pipeline.from(Channel.<Long>localRendezvous())
                                        .merge(p.map("bad", PipelineFailureTest::terminateAt3))),
                new Shape(
                        "zipped",
                        p ->
                                Pipeline.from(Channel.<Long>localRendezvous())
                                        .zip(
                                                p.map("bad", PipelineFailureTest::terminateAt3),
                                                Long::sum)));
    }

    private static long terminateAt3(long i) {
        if (i == 3) {
            Fiber.current().terminate();
            Fiber.snooze();
        }
        return i;
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // it has no result
    private static long stopAt3(long i) {
        if (i == 3) {
            ((Fiber<Object>) Fiber.current()).stop(null);
            Fiber.snooze();
        }
        return i;
    }

    private static long restartAt3(long i) {
        if (i == 3) {
            Fiber.current().restart();
            Fiber.snooze();
        }
        return i;
    }

    @ParameterizedTest
    @MethodSource("terminations")
    void C5_endOfAStagesFiberFailsTheRunOfASilentSource(Shape shape) {
        TestCord.run(
                () -> {
                    Channel<Long> source = Channel.localBuffered(9);
                    for (long i = 0; i < 4; i++) {
                        source.send(i);
                    }
                    PipelineRun<?> run =
                            shape.around()
                                    .apply(Pipeline.from(source))
                                    .buffer(9)
                                    .forEach("last", i -> Fiber.sleep(Duration.ofDays(1)));
                    PipelineFailedException failed =
                            assertThrows(
                                    PipelineFailedException.class,
                                    () -> CancelScope.cancelAfter(Duration.ofHours(1), run::run));
                    assertEquals("bad", failed.stage());
                    assertInstanceOf(CancellationException.class, failed.getCause());
                    assertTrue(source.isClosed(), "senders would wait on");
                });
    }

    /** The part of a parallel stage that keeps the order has no name of its own. */
    @Test
    void C5_fiberThatIsEndedBeforeAnOrderedStageIsNamedByAStage() {
        TestCord.run(
                () -> {
                    List<Fiber<?>> first = new ArrayList<>();
                    PipelineRun<?> run =
                            endless()
                                    .peek("before", i -> first.add(Fiber.current()))
                                    .mapParallel(
                                            "slow",
                                            1,
                                            i -> {
                                                Fiber.sleep(Duration.ofDays(1));
                                                return i;
                                            })
                                    .ordered()
                                    .toList();
                    Fiber.spin(
                            "end",
                            () -> {
                                Fiber.sleep(Duration.ofHours(1));
                                first.getFirst().terminate();
                            });
                    PipelineFailedException failed =
                            assertThrows(PipelineFailedException.class, run::run);
                    assertEquals("before", failed.stage());
                });
    }

    @Test
    void C5_failureOfAFiberThatAStageHasSpunIsTheCause() {
        TestCord.run(
                () -> {
                    PipelineRun<?> run =
                            endless()
                                    .peek(
                                            "spins",
                                            i -> {
                                                Fiber.spin(
                                                        "below",
                                                        () -> {
                                                            throw BROKE;
                                                        });
                                                Fiber.sleep(Duration.ofSeconds(1));
                                            })
                                    .buffer(1)
                                    .toList();
                    PipelineFailedException failed =
                            assertThrows(PipelineFailedException.class, run::run);
                    assertEquals("spins", failed.stage());
                    FiberFailedException below =
                            assertInstanceOf(FiberFailedException.class, failed.getCause());
                    assertSame(BROKE, below.getCause());
                    assertEquals(0, failed.getSuppressed().length, "nothing but the failure");
                });
    }

    // ---------------------------------------------------------------- fibers that a stage spins

    static Stream<Shape> places() {
        return Stream.of(
                new Shape("fused", p -> p),
                new Shape("in the caller's fiber, behind a buffer", p -> p.buffer(1)));
    }

    @ParameterizedTest
    @MethodSource("places")
    void C5_fibersThatAStageSpinsEndWithTheRun(Shape place) {
        TestCords.run(
                2,
                cords -> {
                    List<String> ends = new ArrayList<>();
                    Fiber<?> before = Fiber.spin(() -> Fiber.sleep(Duration.ofDays(1)));
                    place.around()
                            .apply(Pipeline.of(1L))
                            .forEach(
                                    "spins",
                                    i -> {
                                        Fiber.spin("here", () -> stay(ends, "here"));
                                        cords.get(1).spin("there", () -> stay(ends, "there"));
                                        Fiber.sleep(Duration.ofSeconds(1));
                                    })
                            .run();
                    assertEquals(Set.of("here", "there"), Set.copyOf(ends));
                    assertEquals(2, ends.size());
                    assertNotEquals(FiberState.DEAD, before.state(), "it is the caller's");
                    Fiber<?> after = Fiber.spin(() -> Fiber.sleep(Duration.ofDays(1)));
                    Pipeline.of(2L).forEach("nothing", i -> {}).run();
                    assertNotEquals(FiberState.DEAD, after.state(), "it is the caller's");
                });
    }

    private static void stay(List<String> ends, String name) {
        try {
            Fiber.sleep(Duration.ofDays(1));
        } finally {
            ends.add(name);
        }
    }

    /** As the tests of terminated stages do, but in the caller's fiber. */
    @ParameterizedTest
    @MethodSource("places")
    void C5_failureOfAFiberThatAStageHasSpunIsTheRunsAndNotTheCallers(Shape place) {
        TestCord.run(
                () -> {
                    Channel<Long> out = Channel.localBuffered(9);
                    PipelineRun<?> run =
                            place.around()
                                    .apply(endless())
                                    .peek(
                                            "spins",
                                            i -> {
                                                Fiber.spin(
                                                        "below",
                                                        () -> {
                                                            throw BROKE;
                                                        });
                                                Fiber.sleep(Duration.ofSeconds(1));
                                            })
                                    .to("out", out);
                    PipelineFailedException failed =
                            assertThrows(PipelineFailedException.class, run::run);
                    assertEquals("spins", failed.stage());
                    FiberFailedException below =
                            assertInstanceOf(FiberFailedException.class, failed.getCause());
                    assertSame(BROKE, below.getCause());
                    assertEquals(0, failed.getSuppressed().length, "nothing but the failure");
                    ChannelClosedException told =
                            assertThrows(ChannelClosedException.class, out::receive);
                    assertSame(failed, told.getCause());
                    Fiber.sleep(Duration.ofSeconds(1)); // it would be raised here
                });
    }

    @Test
    void C5_fiberThatAStageAwaitsIsItsOwnBusiness() {
        TestCord.run(
                () -> {
                    List<Object> seen = new ArrayList<>();
                    Pipeline.of(1L, 2L)
                            .forEach(
                                    "awaits",
                                    i -> {
                                        Fiber<?> below =
                                                Fiber.spin(
                                                        "below",
                                                        () -> {
                                                            throw BROKE;
                                                        });
                                        seen.add(
                                                assertThrows(
                                                                FiberFailedException.class,
                                                                below::await)
                                                        .getCause());
                                    })
                            .run();
                    assertEquals(List.of(BROKE, BROKE), seen);
                });
    }

    /** What fails as it is ended with the run takes no result. */
    @Test
    void C5_cleanUpOfAFiberThatAStageHasSpunIsReported() {
        TestCord.run(
                () -> {
                    for (Shape place : places().toList()) {
                        TestCord.expectUncaught(FiberFailedException.class);
                        long count =
                                place.around()
                                        .apply(Pipeline.of(1L))
                                        .forEach(
                                                "spins",
                                                i -> {
                                                    Fiber.spin(
                                                            "below",
                                                            () -> {
                                                                try {
                                                                    Fiber.sleep(Duration.ofDays(1));
                                                                } finally {
                                                                    breakAt3(3);
                                                                }
                                                            });
                                                    Fiber.sleep(Duration.ofSeconds(1));
                                                })
                                        .run()
                                        .count();
                        assertEquals(1, count);
                    }
                });
    }

    // ---------------------------------------------------------------- cancellation

    @Test
    void C5_cancelledRunTellsItsReceiversNoFailure() {
        TestCords.run(
                2,
                cords -> {
                    Pipeline<Long> ticks = Pipeline.ticks(Duration.ofSeconds(1));
                    for (Pipeline<Long> each :
                            List.of(ticks, ticks.buffer(1), ticks.on(cords.get(1)))) {
                        assertTellsCancellation(each);
                    }
                });
    }

    private static void assertTellsCancellation(Pipeline<Long> pipeline) {
        Channel<Long> out = Channel.buffered(100);
        PipelineRun<?> run = pipeline.to("out", out);
        Fiber.spin(
                "canceller",
                () -> {
                    Fiber.sleep(Duration.ofMillis(2_500));
                    run.cancel();
                });
        assertThrows(CancelledException.class, run::run);
        assertTold(out);

        Channel<Long> limited = Channel.buffered(100);
        assertThrows(
                FiberTimeoutException.class,
                () ->
                        CancelScope.cancelAfter(
                                Duration.ofMillis(2_500), pipeline.to("out", limited)::run));
        assertTold(limited);
    }

    private static void assertTold(Channel<Long> out) {
        assertEquals(List.of(1L, 2L), List.of(out.receive(), out.receive()));
        ChannelClosedException closed = assertThrows(ChannelClosedException.class, out::receive);
        Throwable cause = assertInstanceOf(CancellationException.class, closed.getCause());
        Errors.assertMentions(cause, "the run was ended");
    }

    @Test
    void C5_cancelFromAnywhere() {
        TestCord.run(
                () -> {
                    PipelineRun<?> run =
                            Pipeline.ticks(Duration.ofSeconds(1)).buffer(3).forEach("see", i -> {});
                    Fiber.spin(
                            "canceller",
                            () -> {
                                Fiber.sleep(Duration.ofSeconds(10));
                                run.cancel();
                            });
                    assertThrows(CancelledException.class, run::run);
                    assertTrue(run.stats().stages().getLast().elements() >= 9);
                });
    }

    @Test
    void C5_cancelBeforeTheRunKeepsItFromBeginning() {
        TestCord.run(
                () -> {
                    List<Long> seen = new ArrayList<>();
                    PipelineRun<?> run = endless().buffer(1).forEach("see", seen::add);
                    run.cancel();
                    assertThrows(CancelledException.class, run::run);
                    assertEquals(List.of(), seen);
                });
    }

    @Test
    void C5_cancelAfterTheRunHasNoEffect() {
        TestCord.run(
                () -> {
                    PipelineRun<?> run = endless().take(3).toList();
                    run.run();
                    run.cancel();
                    Fiber.sleep(Duration.ofMillis(1));
                });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void C5_stageThatCancelsItsOwnRun(Shape shape) {
        TestCord.run(
                () -> {
                    List<PipelineRun<?>> run = new ArrayList<>();
                    Pipeline<Long> quiet =
                            shape.around().apply(Pipeline.of(0L, 1L, 2L)).merge(endless());
                    run.add(quiet.forEach("cancel", i -> run.getFirst().cancel()));
                    try {
                        run.getFirst().run();
                        throw new AssertionError("it went on");
                    } catch (CancelledException | PipelineFailedException expected) {
                        // a zipped side may fail first
                    }
                });
    }

    @Test
    void C5_stageThatTerminatesItsFiberIsNamed() {
        TestCord.run(
                () -> {
                    PipelineFailedException failed =
                            assertThrows(
                                    PipelineFailedException.class,
                                    () ->
                                            endless()
                                                    .peek(
                                                            "suicide",
                                                            i -> Fiber.current().terminate())
                                                    .buffer(1)
                                                    .forEach("last", i -> {})
                                                    .run());
                    assertEquals("suicide", failed.stage());
                    assertInstanceOf(CancellationException.class, failed.getCause());
                });
    }

    @Test
    void C5_stageThatThrowsACancellationHasFailed() {
        TestCord.run(
                () -> {
                    CancellationException own = new CancellationException("mine");
                    PipelineFailedException failed =
                            assertThrows(
                                    PipelineFailedException.class,
                                    () ->
                                            endless()
                                                    .buffer(1)
                                                    .forEach(
                                                            "cancels",
                                                            i -> {
                                                                throw own;
                                                            })
                                                    .run());
                    assertEquals("cancels", failed.stage());
                    assertSame(own, failed.getCause());
                });
    }

    @Test
    void C5_limitAroundTheRunEndsIt() {
        TestCord.run(
                () -> {
                    List<String> ends = new ArrayList<>();
                    assertThrows(
                            FiberTimeoutException.class,
                            () ->
                                    CancelScope.cancelAfter(
                                            Duration.ofSeconds(10),
                                            () ->
                                                    endless()
                                                            .mapParallel(
                                                                    "wait",
                                                                    2,
                                                                    i -> {
                                                                        try {
                                                                            Fiber.sleep(
                                                                                    Duration.ofDays(
                                                                                            1));
                                                                        } finally {
                                                                            ends.add("left");
                                                                        }
                                                                        return i;
                                                                    })
                                                            .toList()
                                                            .run()));
                    assertEquals(List.of("left", "left"), ends);
                });
    }

    @Test
    void C5_terminatedCallerEndsTheRunAndItsPort() {
        TestCord.run(
                () -> {
                    Channel<Long> out = Channel.localBuffered(1);
                    Fiber<?> runner =
                            Fiber.spin(
                                    "runner",
                                    () -> Pipeline.ticks(Duration.ofDays(1)).to("out", out).run());
                    Fiber.sleep(Duration.ofHours(1));
                    runner.terminate();
                    assertThrows(FiberTerminatedException.class, runner::await);
                    assertTrue(out.isClosed(), "a receiver would wait for ever");
                });
    }

    /** A stage that is called by reflection wraps the signal; the edge knows it again (rule F6). */
    @Test
    void F6_stopThatAStageHasWrappedIsNoFailureOfTheRun() {
        TestCord.run(
                () -> {
                    for (Shape each : wrapping()) {
                        Pipeline<Long> around = each.around().apply(Pipeline.of(1L, 2L, 3L));
                        assertEquals(
                                "left",
                                CancelScope.moveOnAfter(
                                        Duration.ofMillis(3),
                                        "left",
                                        () -> {
                                            around.forEach("take", element -> {}).run();
                                            return "done";
                                        }),
                                each.name());
                    }
                });
    }

    private static List<Shape> wrapping() {
        return List.of(
                new Shape("fused", p -> p.map("wraps", PipelineFailureTest::sleepWrapped)),
                new Shape(
                        "before a buffer",
                        p -> p.map("wraps", PipelineFailureTest::sleepWrapped).buffer(1)),
                new Shape(
                        "parallel",
                        p -> p.mapParallel("wraps", 3, PipelineFailureTest::sleepWrapped)));
    }

    private static long sleepWrapped(long i) throws IOException {
        try {
            Fiber.sleep(Duration.ofDays(1));
        } catch (Throwable t) {
            throw new IOException(t);
        }
        return i;
    }

    /** The stage was left for it: what its clean-up throws is not the cause. */
    @Test
    void C5_failureOfAFiberThatAStageHasSpunIsTheCauseThoughCleanUpFails() {
        TestCord.run(
                () -> {
                    PipelineRun<?> run =
                            endless()
                                    .peek(
                                            "spins",
                                            i -> {
                                                Fiber.spin(
                                                        "below",
                                                        () -> {
                                                            throw BROKE;
                                                        });
                                                try {
                                                    Fiber.sleep(Duration.ofSeconds(1));
                                                } finally {
                                                    throwInCleanUp();
                                                }
                                            })
                                    .toList();
                    PipelineFailedException failed =
                            assertThrows(PipelineFailedException.class, run::run);
                    FiberFailedException below =
                            assertInstanceOf(FiberFailedException.class, failed.getCause());
                    assertSame(BROKE, below.getCause());
                    assertEquals("in clean-up", below.getSuppressed()[0].getMessage());
                });
    }

    private static void throwInCleanUp() {
        throw new IllegalStateException("in clean-up");
    }
}
