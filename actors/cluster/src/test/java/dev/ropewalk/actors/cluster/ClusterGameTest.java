package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.stream.LongStream;

/**
 * Rule A7: of words between nodes each is handled or told of, in order and without a gap within a
 * session, and none comes after its end; each ask and each monitor has one end.
 */
@Timeout(value = 900, threadMode = ThreadMode.SEPARATE_THREAD)
class ClusterGameTest {
    @Test
    void A7_wordsBetweenNodesAreHandledOrToldOf() {
        int tells = 0;
        for (long seed : TestCords.seedsOr(LongStream.range(0, 200).toArray())) {
            ClusterGame game = new ClusterGame(seed);
            game.play();
            tells += game.tells();
        }
        assertTrue(tells > 0, "nothing was said");
    }

    @Test
    @Tag("stress")
    void A7_wordsBetweenNodesAreHandledOrToldOfManySeeds() {
        long endNs = Waits.nanoTime() + 600_000_000_000L;
        for (long seed = 1_000; seed < 21_000 && Waits.nanoTime() - endNs < 0; seed++) {
            new ClusterGame(seed).play();
        }
    }
}
