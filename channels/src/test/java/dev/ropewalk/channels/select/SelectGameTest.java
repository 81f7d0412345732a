package dev.ropewalk.channels.select;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Conservation of what passes through selects: on one cord, on several that share a thread, and on
 * cords with threads of their own. {@code -Dropewalk.seed=42} replays one seed; across threads it
 * replays the players' choices, not what the machine made of them.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class SelectGameTest {
    private static final int SEEDS = 1_000;
    private static final int SEEDS_ACROSS_THREADS = 300;
    private static final long STRESS_NS = Duration.ofSeconds(30).toNanos();

    private static void replayable(long seed, Runnable play) {
        try {
            play.run();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(e + " [to replay: -Dropewalk.seed=" + seed + "]", e);
        }
    }

    private static void forSeeds(int count, LongConsumer game) {
        forSeeds(1, count, game);
    }

    private static void forSeeds(long first, int count, LongConsumer game) {
        Long replayed = Long.getLong("ropewalk.seed");
        long from = replayed == null ? first : replayed;
        for (long seed = from; seed < from + (replayed == null ? count : 1); seed++) {
            long own = seed;
            replayable(own, () -> game.accept(own));
        }
    }

    @Test
    void C4_acceptedIsReceivedOrLeftOverOnOneCord() {
        forSeeds(
                SEEDS,
                seed ->
                        TestCord.run(
                                seed,
                                seed % 2 == 0,
                                () -> new SelectGame(List.of(Cord.current()), seed).play()));
    }

    @Test
    void C4_acceptedIsReceivedOrLeftOverOnSeveralSeededCords() {
        forSeeds(
                SEEDS,
                seed -> TestCords.run(3, seed, true, cords -> new SelectGame(cords, seed).play()));
    }

    @Test
    void C4_acceptedIsReceivedOrLeftOverAcrossThreads() {
        try (Cord a = Cord.start("a");
                Cord b = Cord.start("b")) {
            onThreads(a, b, 1);
        }
    }

    @Test
    @Tag("stress")
    void C4_acceptedIsReceivedOrLeftOverAcrossThreadsForLong() {
        try (Cord a = Cord.start("a");
                Cord b = Cord.start("b")) {
            long startNs = a.nanoTime();
            for (long seed = startNs; a.nanoTime() - startNs < STRESS_NS; ) {
                onThreads(a, b, seed);
                seed += SEEDS_ACROSS_THREADS;
            }
        }
    }

    private static void onThreads(Cord a, Cord b, long first) {
        forSeeds(
                first,
                SEEDS_ACROSS_THREADS,
                seed -> a.spin("game", () -> new SelectGame(List.of(a, b), seed).play()).await());
    }
}
