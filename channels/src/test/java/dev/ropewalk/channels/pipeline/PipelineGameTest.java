package dev.ropewalk.channels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Rule C5: random pipelines give what the same stages make of lists, whatever boundaries and places
 * they have; a planted failure is the one that is thrown, and everything has ended then.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class PipelineGameTest {
    private static final int SEEDS = 300;
    private static final int SEEDS_ON_THREADS = 60;
    private static final long STRESS_NS = Duration.ofSeconds(30).toNanos();

    @SuppressWarnings("StaticAssignmentOfThrowable") // it is compared, not read
    private static final IOException BROKE = new IOException("broke");

    /** A pipeline, and what it is to give. */
    private static final class Game {
        private final Random random;
        private final List<Cord> cords;
        private Pipeline<Integer> pipeline;
        private List<Integer> expected;
        private boolean isOrdered = true;
        private String shape = "";

        Game(List<Cord> cords, long seed) {
            this.random = new Random(seed);
            this.cords = cords;
            int n = random.nextInt(40);
            List<Integer> numbers = IntStream.range(0, n).boxed().toList();
            this.pipeline = Pipeline.from(numbers);
            this.expected = numbers;
            for (int stages = random.nextInt(8); stages >= 0; stages--) {
                addStage();
            }
        }

        private void addStage() {
            int n = 1 + random.nextInt(5);
            List<Integer> before = expected;
            int kind = random.nextInt(isOrdered ? 14 : 8);
            shape += " " + kind + "/" + n;
            switch (kind) {
                case 0 -> {
                    pipeline = pipeline.map("map", i -> i + n);
                    expected = before.stream().map(i -> i + n).toList();
                }
                case 1 -> {
                    pipeline = pipeline.filter("filter", i -> i % n == 0);
                    expected = before.stream().filter(i -> i % n == 0).toList();
                }
                case 2 -> {
                    pipeline = pipeline.flatMap("flat", i -> List.of(i, n));
                    expected = before.stream().flatMap(i -> List.of(i, n).stream()).toList();
                }
                case 3 -> pipeline = pipeline.buffer(n - 1);
                case 4 -> pipeline = pipeline.on(cords.get(random.nextInt(cords.size())));
                case 5 ->
                        pipeline =
                                pipeline.batch(n, Duration.ofMillis(n))
                                        .flatMap("apart", list -> list);
                case 6 -> {
                    pipeline = pipeline.merge(Pipeline.of(1, 2).buffer(n));
                    List<Integer> both = new ArrayList<>(before);
                    both.addAll(List.of(1, 2));
                    expected = both;
                    isOrdered = false;
                }
                case 7 -> {
                    pipeline = pipeline.mapParallel("parallel", n, i -> i * 2);
                    expected = before.stream().map(i -> i * 2).toList();
                    isOrdered = false;
                }
                case 8, 9 -> {
                    pipeline = pipeline.mapParallel("ordered", n, i -> i * 3).ordered();
                    expected = before.stream().map(i -> i * 3).toList();
                }
                case 10 -> {
                    pipeline = pipeline.take(n);
                    expected = before.stream().limit(n).toList();
                }
                case 11 -> {
                    pipeline = pipeline.drop(n);
                    expected = before.stream().skip(n).toList();
                }
                case 12 -> {
                    List<Integer> other = IntStream.range(0, 3 * n).boxed().toList();
                    pipeline = pipeline.zip(Pipeline.from(other).buffer(n), Integer::sum);
                    expected =
                            IntStream.range(0, Math.min(before.size(), other.size()))
                                    .mapToObj(i -> before.get(i) + other.get(i))
                                    .toList();
                }
                default -> {
                    pipeline =
                            pipeline.batch(n)
                                    .map("sum", list -> list.stream().mapToInt(i -> i).sum());
                    List<Integer> sums = new ArrayList<>();
                    for (int i = 0; i < before.size(); i += n) {
                        sums.add(
                                before.subList(i, Math.min(i + n, before.size())).stream()
                                        .mapToInt(each -> each)
                                        .sum());
                    }
                    expected = sums;
                }
            }
        }

        void play() {
            if (random.nextInt(4) == 0) {
                fail();
                return;
            }
            PipelineResult<List<Integer>> result = pipeline.toList().run();
            assertEquals(
                    isOrdered ? expected : sorted(expected),
                    isOrdered ? result.value() : sorted(result.value()),
                    shape);
            assertEquals(expected.size(), result.count(), shape);
        }

        private static List<Integer> sorted(List<Integer> list) {
            return list.stream().sorted().toList();
        }

        private void fail() {
            int at = random.nextInt(expected.size() + 1);
            List<Integer> seen = new ArrayList<>();
            PipelineRun<?> run =
                    pipeline.forEach(
                            "planted",
                            i -> {
                                if (seen.size() == at) {
                                    throw BROKE;
                                }
                                seen.add(i);
                            });
            if (at == expected.size()) {
                run.run();
                return;
            }
            PipelineFailedException failed =
                    assertThrows(PipelineFailedException.class, run::run, shape);
            assertEquals("planted", failed.stage(), shape);
            assertSame(BROKE, failed.getCause(), shape);
            assertEquals(at, seen.size(), shape);
            assertTrue(failed.getSuppressed().length == 0, shape);
        }
    }

    private static void play(List<Cord> cords, long seed) {
        try {
            new Game(cords, seed).play();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(e + " [to replay: -Dropewalk.seed=" + seed + "]", e);
        }
    }

    private static void playAll(List<Cord> cords, long first, int count) {
        Long replayed = Long.getLong("ropewalk.seed");
        if (replayed != null) {
            play(cords, replayed);
            return;
        }
        for (long seed = first; seed < first + count; seed++) {
            play(cords, seed);
        }
    }

    @Test
    void C5_randomPipelinesOnOneCord() {
        TestCords.run(1, 1, true, cords -> playAll(cords, 0, SEEDS));
    }

    @Test
    void C5_randomPipelinesOnSeededCords() {
        for (long seed = 0; seed < SEEDS; seed += 10) {
            long first = seed;
            TestCords.run(3, seed, true, cords -> playAll(cords, first, 10));
        }
    }

    @Test
    void C5_randomPipelinesOnThreads() {
        onThreads(0, SEEDS_ON_THREADS);
    }

    @Test
    @Tag("stress")
    void C5_randomPipelinesOnThreadsForLong() {
        try (Cord clock = Cord.start("clock")) {
            long startNs = clock.nanoTime();
            for (long seed = startNs; clock.nanoTime() - startNs < STRESS_NS; ) {
                onThreads(seed, SEEDS_ON_THREADS);
                seed += SEEDS_ON_THREADS;
            }
        }
    }

    private static void onThreads(long first, int count) {
        try (Cord a = Cord.start("a");
                Cord b = Cord.start("b")) {
            a.spin("games", () -> playAll(List.of(a, b), first, count)).await();
        }
    }
}
