package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.Conservation.Tally;
import dev.ropewalk.fibers.Cord;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/**
 * Section 9, conservation under stress: what was accepted is received once or left over, whatever
 * is terminated, timed out, closed or cancelled meanwhile. {@code -Dropewalk.seed=42} replays one
 * seed; across threads it replays the players' choices, not what the machine made of them.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ConservationTest {
    private static final int SEEDS = 40;
    private static final int SEEDS_ACROSS_THREADS = 15;
    private static final long STRESS_NS = Duration.ofSeconds(20).toNanos();
    private static final int STRESS_BATCH = 20;

    @Test
    void C1_acceptedIsReceivedOrLeftOver() throws Exception {
        Long replayed = Long.getLong("ropewalk.seed");
        Tally tally = new Tally();
        for (Variant variant : Variant.everyKind().toList()) {
            int seeds = variant.stage().isSeeded() ? SEEDS : SEEDS_ACROSS_THREADS;
            play(variant, replayed == null ? 1 : replayed, replayed == null ? seeds : 1, tally);
        }
        if (replayed == null) {
            assertEverythingHappened(tally);
        }
    }

    @Test
    @Tag("stress")
    void C1_acceptedIsReceivedOrLeftOverForLong() throws Exception {
        List<Variant> variants = Variant.everyKind().toList();
        Tally tally = new Tally();
        try (Cord clock = Cord.start("clock")) {
            long startNs = clock.nanoTime();
            long seed = Long.getLong("ropewalk.seed", startNs);
            while (clock.nanoTime() - startNs < STRESS_NS) {
                for (Variant variant : variants) {
                    play(variant, seed, STRESS_BATCH, tally);
                }
                seed += STRESS_BATCH;
            }
        }
        assertEverythingHappened(tally);
    }

    private static void play(Variant variant, long firstSeed, int seeds, Tally tally)
            throws Exception {
        if (variant.stage().isSeeded()) {
            for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
                long own = seed;
                Arena.run(variant, own, own % 2 == 0, arena -> play(arena, own, tally));
            }
        } else {
            Arena.run(
                    variant,
                    arena -> {
                        for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
                            play(arena, seed, tally);
                        }
                    });
        }
    }

    private static void play(Arena arena, long seed, Tally tally) {
        try {
            new Conservation(arena, seed, tally).play();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    arena.variant() + ": " + e + " [to replay: -Dropewalk.seed=" + seed + "]", e);
        }
    }

    private static void assertEverythingHappened(Tally tally) {
        assertTrue(
                tally.received > 0
                        && tally.drained > 0
                        && tally.undelivered > 0
                        && tally.handedBack > 0
                        && tally.gaveUp > 0
                        && tally.terminated > 0
                        && tally.accepted == tally.received + tally.drained + tally.undelivered,
                () ->
                        "accepted="
                                + tally.accepted
                                + " received="
                                + tally.received
                                + " drained="
                                + tally.drained
                                + " undelivered="
                                + tally.undelivered
                                + " handedBack="
                                + tally.handedBack
                                + " gaveUp="
                                + tally.gaveUp
                                + " terminated="
                                + tally.terminated);
    }
}
