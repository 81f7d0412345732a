package dev.ropewalk.channels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
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
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.TimeoutException;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
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
                new Shape("takeWhile", p -> p.takeWhile("bad", i -> breakAt3(i) >= 0)));
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
                    assertEquals(
                            "reduce",
                            assertThrows(
                                            PipelineFailedException.class,
                                            () -> endless().reduce(1L, (sum, i) -> nothing()).run())
                                    .stage());
                });
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // the subject
    private static <T> T nothing() {
        return null;
    }

    private static void assertNullFails(Pipeline<?> pipeline) {
        PipelineFailedException failed =
                assertThrows(PipelineFailedException.class, () -> pipeline.toList().run());
        assertEquals("no", failed.stage());
        Errors.assertMentions(
                assertInstanceOf(NullPointerException.class, failed.getCause()), "no", "null");
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
                    IllegalStateException broke = new IllegalStateException("broke");
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

    // ---------------------------------------------------------------- cancellation

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
                            TimeoutException.class,
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
}
