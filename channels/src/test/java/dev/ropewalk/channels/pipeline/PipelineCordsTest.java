package dev.ropewalk.channels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.broadcast.Broadcast;
import dev.ropewalk.channels.broadcast.BroadcastOptions;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Rule C5: stages on several cords. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class PipelineCordsTest {
    private static Pipeline<Integer> numbers(int n) {
        return Pipeline.from(() -> IntStream.range(0, n).iterator());
    }

    @Test
    void C5_stagesRunWhereTheyArePlaced() {
        TestCords.run(
                3,
                cords -> {
                    Set<String> seen = ConcurrentHashMap.newKeySet();
                    numbers(20)
                            .peek("first", i -> seen.add("first " + Cord.current().name()))
                            .on(cords.get(1))
                            .peek("second", i -> seen.add("second " + Cord.current().name()))
                            .mapParallel("third", 2, i -> Cord.current().name())
                            .peek("fourth", name -> seen.add("third " + name))
                            .on(cords.get(2))
                            .forEach("last", i -> seen.add("last " + Cord.current().name()))
                            .run();
                    assertEquals(
                            Set.of(
                                    "first " + cords.get(0).name(),
                                    "second " + cords.get(1).name(),
                                    "third " + cords.get(1).name(),
                                    "last " + cords.get(2).name()),
                            seen);
                });
    }

    @Test
    void C5_failureOnAnotherCordReachesTheCaller() {
        IOException broke = new IOException("broke");
        TestCords.run(
                3,
                cords -> {
                    PipelineFailedException failed =
                            assertThrows(
                                    PipelineFailedException.class,
                                    () ->
                                            Pipeline.ticks(Duration.ofSeconds(1))
                                                    .on(cords.get(1))
                                                    .map(
                                                            "bad",
                                                            i -> {
                                                                if (i == 3) {
                                                                    throw broke;
                                                                }
                                                                return i;
                                                            })
                                                    .on(cords.get(2))
                                                    .forEach("last", i -> {})
                                                    .run());
                    assertEquals("bad", failed.stage());
                    assertSame(broke, failed.getCause());
                });
    }

    @Test
    void C5_takeOnAnotherCordEndsThoseBefore() {
        TestCords.run(
                3,
                cords ->
                        assertEquals(
                                3,
                                Pipeline.ticks(Duration.ofSeconds(1))
                                        .on(cords.get(1))
                                        .map("same", i -> i)
                                        .on(cords.get(2))
                                        .take(3)
                                        .toList()
                                        .run()
                                        .count()));
    }

    /** The source, the channel, and the stage, which never ends its first element. */
    @Test
    void C5_channelBetweenCordsHasTheCapacityThatIsAskedFor() {
        TestCords.run(
                2,
                cords -> {
                    for (int capacity : new int[] {0, 1, 5}) {
                        AtomicLong given = new AtomicLong();
                        PipelineRun<?> run =
                                numbers(1_000)
                                        .peek("give", i -> given.incrementAndGet())
                                        .on(cords.get(1), capacity)
                                        .forEach("stay", i -> Fiber.sleep(Duration.ofDays(1)));
                        Fiber<?> runner = Fiber.spin("runner", run::run);
                        Fiber.sleep(Duration.ofSeconds(1));
                        assertEquals(capacity + 2, given.get(), "capacity=" + capacity);
                        runner.terminate();
                        assertTrue(runner.awaitEnd(Duration.ofSeconds(1)));
                    }
                    assertThrows(
                            IllegalArgumentException.class, () -> numbers(1).on(cords.get(1), -1));
                });
    }

    /**
     * A quick producer on a cord of its own, a slow last stage: only the bounds are on their way.
     */
    @Test
    void C5_memoryStaysFlatWhateverTheProducersCordDoes() {
        int capacity = 8;
        long stages = 3;
        TestCords.run(
                2,
                cords -> {
                    AtomicLong made = new AtomicLong();
                    AtomicLong stored = new AtomicLong();
                    AtomicLong max = new AtomicLong();
                    numbers(500)
                            .peek("made", i -> made.incrementAndGet())
                            .buffer(capacity)
                            .map("a", i -> i)
                            .buffer(capacity)
                            .on(cords.get(1))
                            .map("b", i -> i)
                            .buffer(capacity)
                            .forEach(
                                    "store",
                                    i -> {
                                        if (i % 50 == 0) {
                                            Fiber.sleep(Duration.ofSeconds(1));
                                        }
                                        max.accumulateAndGet(
                                                made.get() - stored.incrementAndGet(), Math::max);
                                    })
                            .run();
                    long bound = stages * capacity + 64L + 2L * stages + 2;
                    assertTrue(
                            max.get() <= bound,
                            () -> max + " elements on their way, bound " + bound);
                    assertTrue(max.get() >= 2L * capacity, "the buffers were not used: " + max);
                });
    }

    @Test
    void C5_stagesAsTasksOfAScheduler() {
        try (Scheduler scheduler = Scheduler.start(SchedulerOptions.named("workers").withCords(2));
                Cord cord = Cord.start("caller")) {
            cord.spin(
                            "body",
                            () -> {
                                long sum =
                                        numbers(1_000)
                                                .on(scheduler)
                                                .mapParallel("double", 4, i -> 2L * i)
                                                .ordered()
                                                .on(cord)
                                                .reduce(0L, Long::sum)
                                                .run()
                                                .value();
                                assertEquals(999_000L, sum);
                            })
                    .await();
        }
    }

    @Test
    void C5_throttleBelongsToTheCordOfItsStage() {
        TestCords.run(
                2,
                cords -> {
                    long startNs = Cord.current().nanoTime();
                    assertEquals(
                            5,
                            numbers(5)
                                    .on(cords.get(1))
                                    .throttle(1, Duration.ofSeconds(1))
                                    .toList()
                                    .run()
                                    .count());
                    Duration took = Duration.ofNanos(Cord.current().nanoTime() - startNs);
                    assertTrue(took.toSeconds() >= 4, took::toString);
                });
    }

    @Test
    void C5_throttleIsDescribedAnywhere() {
        PipelineRun<?> run = numbers(3).throttle(9, Duration.ofSeconds(1)).toList();
        TestCords.run(1, 7, false, cords -> assertEquals(3, run.run().count()));
    }

    // ---------------------------------------------------------------- a port of one cord

    @Test
    void C5_portOfAnotherCordIsClosedThere() {
        TestCords.run(
                2,
                cords -> {
                    Cord there = cords.get(1);
                    Channel<Integer> port = there.spin("make", () -> local()).await();
                    Fiber<List<Integer>> all = there.spin("all", () -> port.stream().toList());
                    assertEquals(3, numbers(3).on(there).to("out", port).run().count());
                    assertEquals(List.of(0, 1, 2), all.await());
                });
    }

    private static Channel<Integer> local() {
        return Channel.localBuffered(9);
    }

    @Test
    void C5_portOfAnotherCordIsToldTheFailure() {
        IOException broke = new IOException("broke");
        TestCords.run(
                2,
                cords -> {
                    Cord there = cords.get(1);
                    Channel<Integer> port = there.spin("make", () -> local()).await();
                    PipelineFailedException failed =
                            assertThrows(
                                    PipelineFailedException.class,
                                    () ->
                                            numbers(3)
                                                    .map("bad", i -> broken(i, broke))
                                                    .on(there)
                                                    .to("out", port)
                                                    .run());
                    assertEquals("bad", failed.stage());
                    assertSame(broke, failed.getCause());
                    Fiber<?> receiver = there.spin("receive", () -> port.receive());
                    FiberFailedException told =
                            assertThrows(FiberFailedException.class, receiver::await);
                    ChannelClosedException closed =
                            assertInstanceOf(ChannelClosedException.class, told.getCause());
                    assertSame(failed, closed.getCause());
                });
    }

    private static int broken(int i, IOException broke) throws IOException {
        if (i >= 0) {
            throw broke;
        }
        return i;
    }

    @Test
    void C5_portOfTheWrongCordFailsItsStage() {
        TestCords.run(
                2,
                cords -> {
                    Channel<Integer> ours = local();
                    PipelineFailedException failed =
                            assertThrows(
                                    PipelineFailedException.class,
                                    () -> numbers(3).on(cords.get(1)).to("out", ours).run());
                    assertEquals("out", failed.stage());
                    assertInstanceOf(WrongThreadException.class, failed.getCause());
                    ChannelClosedException closed =
                            assertThrows(ChannelClosedException.class, ours::receive);
                    assertSame(failed, closed.getCause());
                });
    }

    /** A run that ends before its segment there has begun, and what its port is told. */
    record EndBefore(String name, BiFunction<Cord, Channel<Integer>, Class<?>> ended) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<EndBefore> endsBefore() {
        return Stream.of(
                new EndBefore(
                        "cancelled before the run",
                        (there, port) -> {
                            PipelineRun<?> run = numbers(3).on(there).to("out", port);
                            run.cancel();
                            assertThrows(CancelledException.class, run::run);
                            return CancellationException.class;
                        }),
                new EndBefore(
                        "left at once",
                        (there, port) -> {
                            PipelineRun<?> run = numbers(3).on(there).to("out", port);
                            assertFalse(CancelScope.moveOnAfter(Duration.ZERO, run::run));
                            return CancellationException.class;
                        }),
                new EndBefore(
                        "its caller is terminated",
                        (there, port) -> {
                            PipelineRun<?> run = numbers(3).on(there).to("out", port);
                            Fiber<?> caller =
                                    Fiber.spin(
                                            () -> {
                                                Fiber.current().terminate();
                                                run.run();
                                            });
                            assertTrue(caller.awaitEnd(Duration.ofSeconds(1)));
                            return CancellationException.class;
                        }),
                new EndBefore(
                        "the source fails at once",
                        (there, port) -> {
                            Iterable<Integer> bad =
                                    () -> {
                                        throw new IllegalStateException("broke");
                                    };
                            PipelineRun<?> run = Pipeline.from(bad).on(there).to("out", port);
                            assertThrows(PipelineFailedException.class, run::run);
                            return PipelineFailedException.class;
                        }));
    }

    @ParameterizedTest
    @MethodSource("endsBefore")
    void C5_portOfAnotherCordIsClosedThoughItsSegmentNeverBegan(EndBefore how) {
        for (long seed = 0; seed < 20; seed++) {
            TestCords.run(
                    2,
                    seed,
                    true,
                    cords -> {
                        Cord there = cords.get(1);
                        Channel<Integer> port = there.spin("make", () -> local()).await();
                        Fiber<ChannelClosedException> reader =
                                there.spin(
                                        "read",
                                        () ->
                                                assertThrows(
                                                        ChannelClosedException.class,
                                                        port::receive));
                        Class<?> cause = how.ended().apply(there, port);
                        assertTrue(reader.awaitEnd(Duration.ofSeconds(1)), "it waits for ever");
                        assertInstanceOf(cause, reader.await().getCause());
                    });
        }
    }

    /** A port that is no channel can be closed on its cord only. */
    @Test
    void C5_otherPortOfAnotherCordIsClosedThere() {
        TestCords.run(
                2,
                cords -> {
                    Cord there = cords.get(1);
                    Broadcast<Integer> port =
                            there.spin(
                                            "make",
                                            () ->
                                                    Broadcast.<Integer>make(
                                                            BroadcastOptions.create().onThisCord()))
                                    .await();
                    Fiber<?> reader =
                            there.spin(
                                    "read",
                                    () ->
                                            assertThrows(
                                                    ChannelClosedException.class,
                                                    () ->
                                                            port.subscribe(
                                                                            ChannelOptions.buffered(
                                                                                    1))
                                                                    .receive()));
                    PipelineRun<?> run = numbers(3).on(there).to("out", port);
                    run.cancel();
                    assertThrows(CancelledException.class, run::run);
                    assertTrue(reader.awaitEnd(Duration.ofSeconds(1)), "it waits for ever");
                });
    }

    /** A cord that has ended would refuse what is spun there. */
    @Test
    void C5_runThatIsToEndBeginsNothingElsewhere() {
        Cord ended = Cord.start("ended");
        ended.close();
        TestCord.run(
                () -> {
                    PipelineRun<?> cancelled = numbers(3).on(ended).toList();
                    cancelled.cancel();
                    assertThrows(CancelledException.class, cancelled::run);
                    PipelineRun<?> late = numbers(3).on(ended).toList();
                    assertFalse(CancelScope.moveOnAfter(Duration.ZERO, late::run));
                    PipelineRun<?> dead = numbers(3).on(ended).toList();
                    Fiber<?> caller =
                            Fiber.spin(
                                    () -> {
                                        Fiber.current().terminate();
                                        dead.run();
                                    });
                    assertThrows(FiberTerminatedException.class, caller::await);
                });
    }

    // ---------------------------------------------------------------- cords that end

    @Test
    void C5_cordThatClosesDuringTheRunFailsIt() throws InterruptedException {
        Cord writer = Cord.start("writer");
        try (Cord caller = Cord.start("caller")) {
            CountDownLatch begun = new CountDownLatch(1);
            Channel<Integer> source = Channel.buffered(3);
            source.trySend(1);
            PipelineRun<?> run =
                    Pipeline.from(source).on(writer).forEach("store", i -> begun.countDown());
            Fiber<PipelineFailedException> runner = caller.spin("run", () -> failureOf(run));
            begun.await();
            writer.close();
            assertStopped("store", runner);
            assertTrue(source.isClosed(), "senders would wait on");
        }
    }

    @Test
    void C5_schedulerThatClosesDuringTheRunFailsIt() throws InterruptedException {
        try (Cord caller = Cord.start("caller");
                Scheduler workers =
                        Scheduler.start(SchedulerOptions.named("workers").withCords(2))) {
            CountDownLatch begun = new CountDownLatch(1);
            Channel<Integer> source = Channel.buffered(3);
            source.trySend(1);
            PipelineRun<?> run =
                    Pipeline.from(source)
                            .on(workers)
                            .mapParallel("work", 2, i -> i)
                            .ordered()
                            .forEach("store", i -> begun.countDown());
            Fiber<PipelineFailedException> runner = caller.spin("run", () -> failureOf(run));
            begun.await();
            workers.shutdown(Duration.ZERO);
            assertInstanceOf(CancellationException.class, runner.await().getCause());
            assertTrue(source.isClosed(), "senders would wait on");
        }
    }

    /** Its segment was spun there and never ran, so nothing in it can tell the others. */
    @Test
    void C5_cordThatClosesBeforeItsSegmentBeginsFailsTheRun() throws InterruptedException {
        try (Cord caller = Cord.start("caller");
                Cord busy = Cord.start("busy")) {
            CountDownLatch isBusy = new CountDownLatch(1);
            CountDownLatch mayGoOn = new CountDownLatch(1);
            busy.execute(
                    () -> {
                        isBusy.countDown();
                        try {
                            mayGoOn.await();
                        } catch (InterruptedException closed) {
                            Thread.currentThread().interrupt();
                        }
                    });
            isBusy.await();
            Channel<Integer> source = Channel.buffered(3);
            PipelineRun<?> run =
                    Pipeline.from(source).on(busy).map("never", i -> i).on(caller).toList();
            Fiber<PipelineFailedException> runner = caller.spin("run", () -> failureOf(run));
            Awaitility.await().until(() -> busy.stats().inbox() > 0); // the segment is spun
            Thread closer = Thread.ofPlatform().start(busy::close);
            mayGoOn.countDown();
            assertStopped("never", runner);
            closer.join();
            assertTrue(source.isClosed(), "senders would wait on");
        }
    }

    private static PipelineFailedException failureOf(PipelineRun<?> run) {
        return assertThrows(PipelineFailedException.class, run::run);
    }

    private static void assertStopped(String stage, Fiber<PipelineFailedException> runner) {
        PipelineFailedException failed = runner.await();
        assertEquals(stage, failed.stage());
        assertInstanceOf(CancellationException.class, failed.getCause());
    }

    @Test
    void C5_cancelFromAPlainThread() throws Exception {
        try (Cord a = Cord.start("a");
                Cord b = Cord.start("b")) {
            for (int i = 0; i < 50; i++) {
                PipelineRun<?> run =
                        numbers(Integer.MAX_VALUE)
                                .on(b)
                                .map("same", each -> each)
                                .on(a)
                                .forEach("last", each -> {});
                Fiber<?> runner = a.spin("run", run::run);
                while (run.stats().stages().isEmpty()) {
                    Thread.onSpinWait();
                }
                run.cancel();
                assertThrows(RuntimeException.class, runner::await);
            }
        }
    }

    /** The port is no cord's, and somebody reads it, though the cord of the stage has ended. */
    @Test
    void C5_sharedPortIsClosedThoughTheCordOfItsSegmentHasEnded() {
        Cord ended = Cord.start("ended");
        ended.close();
        TestCord.run(
                () -> {
                    Channel<Integer> port = Channel.buffered(9);
                    PipelineRun<?> run = numbers(3).on(ended).to("to", port);
                    Fiber<?> reader =
                            Fiber.spin(
                                    "read",
                                    () ->
                                            assertThrows(
                                                    ChannelClosedException.class, port::receive));
                    assertThrows(RuntimeException.class, run::run);
                    assertTrue(reader.awaitEnd(Duration.ofSeconds(1)), "it waits for ever");
                });
    }
}
