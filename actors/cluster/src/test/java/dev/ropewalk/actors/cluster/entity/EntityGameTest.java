package dev.ropewalk.actors.cluster.entity;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.stream.LongStream;

/**
 * Rules A7 and A8: words to entities are handled or told of, in order and once; what was
 * acknowledged is in the state, also in the next process; what a function tells leaves if its state
 * was written, and never if not.
 */
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
class EntityGameTest {
    @Test
    void A8_wordsToEntitiesAreHandledOrToldOfAndStatesAreWhole() {
        int acknowledged = 0;
        int reported = 0;
        for (long seed : TestCords.seedsOr(LongStream.range(0, 200).toArray())) {
            EntityGame game = new EntityGame(seed);
            game.play();
            acknowledged += game.counts().getFirst();
            reported += game.counts().getLast();
        }
        assertTrue(acknowledged > 0, "nothing was acknowledged");
        assertTrue(reported > 0, "nothing was reported");
    }

    @Test
    @Tag("stress")
    void A8_wordsToEntitiesManySeeds() {
        for (long seed = 1_000; seed < 4_000; seed++) {
            new EntityGame(seed).play();
        }
    }
}
