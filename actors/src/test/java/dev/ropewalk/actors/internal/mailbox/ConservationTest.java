package dev.ropewalk.actors.internal.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.supervision.Chaos;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.stream.LongStream;

/** Rule A3: accepted means processed, or reported as a dead letter, exactly once. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ConservationTest {
    @Test
    void A3_eachMessageHasOneFate() {
        World.local(world -> new Chaos(world, 40L + world.home.nextInt(1_000), 100).run());
        for (long seed = 1; seed <= 3; seed++) {
            long chosen = seed;
            World.remote(world -> new Chaos(world, chosen, 400).run());
        }
    }

    @Test
    void A3_eachMessageHasOneFateOverThreeCords() {
        Chaos.Counts all = new Chaos.Counts();
        for (long seed : TestCords.seedsOr(LongStream.rangeClosed(1, 20).toArray())) {
            overThreeCords(seed, 60, all);
        }
        assertEquals("", all.missing());
    }

    private static void overThreeCords(long seed, int perSender, Chaos.Counts counts) {
        World.overThreeCords(
                seed, seed % 2 == 0, world -> new Chaos(world, seed, perSender, counts).run());
    }

    @Test
    @Tag("stress")
    void A3_eachMessageHasOneFateOverThreeCordsManySeeds() {
        LongStream.rangeClosed(1_001, 2_000)
                .forEach(seed -> overThreeCords(seed, 100, new Chaos.Counts()));
    }

    /** A run in which nothing is lost because nothing happens would prove nothing. */
    @Test
    void A3_theseRunsMeetEveryKindOfEnd() {
        Chaos.Counts all = new Chaos.Counts();
        World.local(world -> new Chaos(world, world.home.nextInt(1_000), 100, all).run());
        assertEquals("", all.missing());
    }

    @Test
    @Tag("stress")
    void A3_eachMessageHasOneFateUnderStress() {
        LongStream.rangeClosed(100, 155)
                .forEach(seed -> World.remote(world -> new Chaos(world, seed, 6_000).run()));
    }

    @Test
    @Tag("stress")
    void A3_eachMessageHasOneFateInEveryOrder() {
        for (int round = 0; round < 80; round++) {
            int offset = 1_000 * round;
            World.local(world -> new Chaos(world, offset + world.home.nextInt(1_000), 300).run());
        }
    }
}
