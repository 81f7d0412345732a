package dev.ropewalk.fibers.lifetimes;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.lifetimes.RandomLivesTest.World;
import dev.ropewalk.fibers.testing.VirtualCords;
import dev.ropewalk.fibers.testkit.Reports;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The game of {@link RandomLivesTest} on three cords that share a thread, with disturbers on each:
 * the races between cords are drawn from the seed, so a run that fails can be run again.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class RandomLivesInTurnsTest {
    private static final int CORDS = 3;

    /** Nobody who is ended takes that long; it is the default of the stop limit. */
    private static final Duration LONG = Duration.ofSeconds(5);

    private static final Duration FAR = Duration.ofDays(1);

    static void play(long seed) {
        World world = new World(3, seed % 2 == 0);
        Reports reports = new Reports();
        CordOptions options =
                CordOptions.named("virtual")
                        .withClock(new CordOptions.VirtualClock(seed, seed % 4 != 0))
                        .withUncaught(reports);
        String replay = "RandomLivesInTurnsTest.play(" + seed + ")";
        long[] begunNs = new long[1];
        VirtualCords.<@Nullable Object>run(
                options,
                CORDS,
                cords -> {
                    begunNs[0] = cords.getFirst().nanoTime();
                    CordImpl.of(cords.getFirst()).root().isolateChildren();
                    world.cords.addAll(cords);
                    Fiber<?> host = Fiber.spin("host", () -> playOn(cords, world, seed));
                    assertTrue(host.awaitEnd(FAR), replay);
                    return null;
                });
        world.check(replay, reports);
        long tookNs = world.cords.getFirst().nanoTime() - begunNs[0];
        assertTrue(tookNs < LONG.toNanos(), replay + " waited in vain, tookNs=" + tookNs);
    }

    private static void playOn(List<Cord> cords, World world, long seed) {
        FiberImpl.current().isolateChildren(); // else the first that fails would end the game
        SplittableRandom random = new SplittableRandom(seed);
        List<Fiber<@Nullable Object>> fibers = world.spinAll(random);
        List<Fiber<?>> disturbers = new ArrayList<>();
        for (Cord cord : cords) {
            SplittableRandom own = random.split();
            Fiber<?> disturber =
                    cord.spin(
                            "disturber",
                            () -> world.disturbAll(own, fibers, RandomLivesTest.FIBERS));
            disturber.detach();
            disturbers.add(disturber);
        }
        for (Fiber<?> each : disturbers) {
            each.awaitEnd(FAR);
            assertNull(each.failure(), () -> "seed=" + seed);
        }
        world.endAll(fibers);
    }

    @Test
    void F14_nothingIsLostAcrossCords() {
        for (long seed = 0; seed < 400; seed++) {
            long own = seed;
            RandomLivesTest.within("RandomLivesInTurnsTest.play(" + seed + ")", () -> play(own));
        }
    }

    @Test
    @Tag("stress")
    void F14_nothingIsLostAcrossCordsWithManySeeds() {
        for (long seed = 1_000; seed < 20_000; seed++) {
            long own = seed;
            RandomLivesTest.within("RandomLivesInTurnsTest.play(" + seed + ")", () -> play(own));
        }
    }
}
