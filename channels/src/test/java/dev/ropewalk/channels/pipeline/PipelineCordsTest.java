package dev.ropewalk.channels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

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
}
