package dev.ropewalk.fibers.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.testing.VirtualCords;
import dev.ropewalk.fibers.testkit.Reports;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Random programs that hand values to each other, on every kind of cords, while they are
 * terminated, stopped, raised into, restarted and timed out: nothing is lost, and every fiber ends
 * once. A failure names the seed and the variant; {@code -Dropewalk.contractSeed=7} runs that seed
 * alone.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class ContractStressTest {
    /** The seed of a run that failed, to run it again; else 0. */
    private static final long REPLAYED = Long.getLong("ropewalk.contractSeed", 0);

    private static final int SEEDS = 2;
    private static final int VIRTUAL_SEEDS = 60;
    private static final int MANY = 100;
    private static final int VIRTUAL_MANY = 5_000;

    static Stream<CordVariant> variants() {
        return CordVariant.all();
    }

    private static void playReal(CordVariant variant, int seeds) {
        forEach(
                seeds,
                seed -> {
                    ExchangeGame game = new ExchangeGame(seed, "seed=" + seed + " on " + variant);
                    Reports reports = new Reports();
                    variant.run(
                            reports,
                            cords ->
                                    game.play(
                                            cords.all, (number, body) -> cords.spin(number, body)));
                    game.check(reports);
                });
    }

    /** On cords that share this thread and a virtual clock, so that a failure can be replayed. */
    private static void playInTurns(int seeds) {
        Set<String> seen = new TreeSet<>();
        forEach(
                seeds,
                seed -> {
                    int cords = 1 + (int) (seed % 3);
                    String replay = "seed=" + seed + " on " + cords + " virtual cords";
                    ExchangeGame game = new ExchangeGame(seed, replay);
                    Reports reports = new Reports();
                    CordOptions options =
                            CordOptions.named("virtual")
                                    .withClock(new CordOptions.VirtualClock(seed, seed % 4 != 0))
                                    .withUncaught(reports);
                    VirtualCords.<@Nullable Object>run(
                            options,
                            cords,
                            all -> {
                                game.play(
                                        all,
                                        (number, body) ->
                                                all.get(number % cords)
                                                        .spin("fiber-" + number, body));
                                for (Cord each : all) {
                                    assertEquals(0, each.stats().timers(), replay);
                                }
                                return null;
                            });
                    game.check(reports);
                    seen.addAll(game.ends().seen());
                });
        if (seeds >= VIRTUAL_SEEDS && REPLAYED == 0) {
            assertEquals(new TreeSet<>(Ends.all()), seen, "what never happened is not tested");
        }
    }

    private interface Run {
        void play(long seed) throws Exception;
    }

    private static void forEach(int seeds, Run run) {
        long begin = REPLAYED == 0 ? 1 : REPLAYED;
        for (long seed = begin; seed < begin + (REPLAYED == 0 ? seeds : 1); seed++) {
            try {
                run.play(seed);
            } catch (Throwable failed) {
                throw new AssertionError("seed=" + seed + ": " + failed, failed);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F5_nothingIsLostWhateverEnds(CordVariant variant) {
        playReal(variant, SEEDS);
    }

    @ParameterizedTest
    @MethodSource("variants")
    @Tag("stress")
    void F5_nothingIsLostWhateverEndsWithManySeeds(CordVariant variant) {
        playReal(variant, MANY);
    }

    @Test
    void F14_nothingIsLostInAnyOrderOfTurns() {
        playInTurns(VIRTUAL_SEEDS);
    }

    @Test
    @Tag("stress")
    void F14_nothingIsLostInAnyOrderOfTurnsWithManySeeds() {
        playInTurns(VIRTUAL_MANY);
    }

    @Test
    void theBooksFindALoss() {
        ExchangeGame game = new ExchangeGame(1, "test");
        game.ends().begin("value-1");
        assertEquals(List.of("value-1 ended []"), game.ends().problems());
        game.ends().end("value-1", "received");
        assertEquals(List.of(), game.ends().problems());
        game.ends().end("value-1", "left");
        assertEquals(List.of("value-1 ended [received, left]"), game.ends().problems());
    }
}
