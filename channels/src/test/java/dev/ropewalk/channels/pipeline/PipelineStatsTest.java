package dev.ropewalk.channels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.Errors;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Rule C5: what a run tells of its stages. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class PipelineStatsTest {
    private static final int ELEMENTS = 1_000;

    private static Pipeline<Integer> numbers() {
        return Pipeline.from(() -> IntStream.range(0, ELEMENTS).iterator());
    }

    private static int slow(int i) {
        Fiber.sleep(Duration.ofMillis(10));
        return i;
    }

    private static int quick(int i) {
        Fiber.sleep(Duration.ofMillis(1));
        return i;
    }

    private static int cold(int i) {
        Fiber.sleep(i < 10 ? Duration.ofSeconds(1) : Duration.ofMillis(1));
        return i;
    }

    private static PipelineStats statsOf(Function<Pipeline<Integer>, Pipeline<Integer>> stages) {
        return stages.apply(numbers()).forEach("last", i -> {}).run().stats();
    }

    private static StageStats stage(PipelineStats stats, String name) {
        return stats.stages().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void C5_stagesAreListedInTheirOrderWithTheirElements() {
        TestCord.run(
                () -> {
                    PipelineStats stats =
                            numbers()
                                    .map("a", i -> i)
                                    .buffer(3)
                                    .filter("b", i -> i % 2 == 0)
                                    .mapParallel("c", 3, i -> i)
                                    .ordered()
                                    .batch(10)
                                    .batch(2, Duration.ofSeconds(1))
                                    .forEach("d", list -> {})
                                    .run()
                                    .stats();
                    assertEquals(
                            List.of(
                                    "source 1000",
                                    "a 1000",
                                    "b 1000",
                                    "c 500",
                                    "batch 500",
                                    "batch 50",
                                    "d 25"),
                            stats.stages().stream()
                                    .map(each -> each.name() + " " + each.elements())
                                    .toList());
                    assertEquals(3, stage(stats, "c").fibers());
                });
    }

    @Test
    void C5_slowStageIsNamed() {
        TestCord.run(
                () -> {
                    assertEquals(
                            "slow",
                            slowest(
                                    p ->
                                            p.map("q", PipelineStatsTest::quick)
                                                    .map("slow", PipelineStatsTest::slow)));
                    assertEquals(
                            "slow",
                            slowest(
                                    p ->
                                            p.map("q", PipelineStatsTest::quick)
                                                    .buffer(5)
                                                    .map("slow", PipelineStatsTest::slow)
                                                    .buffer(5)
                                                    .map("r", PipelineStatsTest::quick)));
                    assertEquals(
                            "slow",
                            slowest(
                                    p ->
                                            p.mapParallel("eight", 8, PipelineStatsTest::slow)
                                                    .ordered()
                                                    .map("slow", i -> quick(quick(i)))));
                    assertEquals(
                            "slow",
                            slowest(
                                    p ->
                                            p.flatMap("slow", i -> List.of(slow(i)))
                                                    .buffer(1)
                                                    .map("q", PipelineStatsTest::quick)));
                });
    }

    private static String slowest(Function<Pipeline<Integer>, Pipeline<Integer>> stages) {
        return statsOf(stages).slowest().name();
    }

    @Test
    void C5_waitsTellOnWhichSideTheSlowStageIs() {
        TestCord.run(
                () -> {
                    PipelineStats stats =
                            statsOf(
                                    p ->
                                            p.map("before", i -> i)
                                                    .buffer(1)
                                                    .map("slow", PipelineStatsTest::slow)
                                                    .buffer(1)
                                                    .map("after", i -> i));
                    StageStats before = stage(stats, "before");
                    StageStats after = stage(stats, "after");
                    assertEquals(0, before.inputWaits());
                    assertTrue(before.waitedForRoom().toSeconds() >= 9, before::toString);
                    assertEquals(0, after.roomWaits());
                    assertTrue(after.waitedForInput().toSeconds() >= 9, after::toString);
                    Duration busy = stage(stats, "slow").busy();
                    assertTrue(
                            busy.toSeconds() >= 9 && busy.toSeconds() <= 11,
                            () -> "10 s from samples: " + busy);
                });
    }

    /** Each stage counts its own elements: few come behind these, and none at the 65th. */
    @Test
    void C5_stageThatGetsFewElementsIsMeasured() {
        TestCord.run(
                () -> {
                    assertBusy(10, p -> p.batch(100).map("slow", PipelineStatsTest::slowly));
                    assertBusy(10, p -> p.window(100, 100).map("slow", PipelineStatsTest::slowly));
                    assertBusy(
                            10,
                            p ->
                                    p.filter("one in 100", i -> i % 100 == 99)
                                            .map("slow", PipelineStatsTest::slowly));
                    assertBusy(20, p -> p.drop(980).map("slow", PipelineStatsTest::slowly));
                });
    }

    private static Object slowly(Object element) {
        Fiber.sleep(Duration.ofSeconds(1));
        return element;
    }

    private static void assertBusy(
            int seconds, Function<Pipeline<Integer>, Pipeline<Object>> stages) {
        PipelineStats stats = stages.apply(numbers()).forEach("last", i -> {}).run().stats();
        assertEquals(Duration.ofSeconds(seconds), stage(stats, "slow").busy());
        assertEquals("slow", stats.slowest().name());
    }

    @Test
    void C5_readThatFindsTheEndIsNoWorkOnAnElement() {
        TestCord.run(
                () -> {
                    Iterator<Integer> some = IntStream.range(0, 3).iterator();
                    Iterable<Integer> slowEnd =
                            () ->
                                    new Iterator<>() {
                                        @Override
                                        public boolean hasNext() {
                                            if (!some.hasNext()) {
                                                Fiber.sleep(Duration.ofSeconds(10));
                                            }
                                            return some.hasNext();
                                        }

                                        @Override
                                        public Integer next() {
                                            Fiber.sleep(Duration.ofSeconds(1));
                                            return some.next();
                                        }
                                    };
                    StageStats source =
                            Pipeline.from(slowEnd).toList().run().stats().stages().getFirst();
                    assertEquals(Duration.ofSeconds(3), source.busy());
                });
    }

    @Test
    void C5_stageBeforeAnOrderedOneHasWaitedForRoom() {
        TestCord.run(
                () -> {
                    PipelineStats stats =
                            statsOf(
                                    p ->
                                            p.map("before", i -> i)
                                                    .mapParallel("slow", 1, PipelineStatsTest::slow)
                                                    .ordered());
                    StageStats before = stage(stats, "before");
                    assertTrue(before.waitedForRoom().toSeconds() >= 9, before::toString);
                    stats =
                            statsOf(
                                    p ->
                                            p.mapParallel("slow", 1, PipelineStatsTest::slow)
                                                    .ordered());
                    StageStats source = stage(stats, "source");
                    assertTrue(source.waitedForRoom().toSeconds() >= 9, source::toString);
                });
    }

    @Test
    void C5_slowestOfNoStageIsRefused() {
        Errors.assertMentions(
                assertThrows(
                        IllegalStateException.class, () -> numbers().toList().stats().slowest()),
                "no stage has run yet");
    }

    @Test
    void C5_slowSourceHasWaitedAndWasNotBusy() {
        TestCord.run(
                () -> {
                    StageStats source =
                            Pipeline.ticks(Duration.ofSeconds(1))
                                    .take(20)
                                    .toList()
                                    .run()
                                    .stats()
                                    .stages()
                                    .getFirst();
                    assertTrue(source.waitedForInput().toSeconds() >= 19, source::toString);
                    assertEquals(Duration.ZERO, source.busy());
                });
    }

    @Test
    void C5_statsCanBeReadDuringTheRun() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = Channel.localRendezvous();
                    PipelineRun<?> run = Pipeline.from(channel).forEach("see", i -> {});
                    Fiber<?> runner = Fiber.spin("runner", run::run);
                    channel.send(1);
                    channel.send(2);
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(2, run.stats().stages().getLast().elements());
                    Errors.assertMentions(
                            new AssertionError(run.stats().toString()), "see", "2 elements");
                    channel.close();
                    runner.await();
                });
    }

    /** The first elements are slow while the JVM is cold; they say nothing of those that follow. */
    @Test
    void C5_slowFirstElementsDoNotCountForTheOthers() {
        TestCord.run(
                () -> {
                    Duration busy =
                            stage(statsOf(p -> p.map("cold", PipelineStatsTest::cold)), "cold")
                                    .busy();
                    assertTrue(
                            busy.toMillis() >= 10_500 && busy.toMillis() <= 11_500,
                            () -> "10.99 s from samples: " + busy);
                });
    }
}
