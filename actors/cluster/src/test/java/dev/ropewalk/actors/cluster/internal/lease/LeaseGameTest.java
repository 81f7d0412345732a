package dev.ropewalk.actors.cluster.internal.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.cluster.store.CarelessStore;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/** Rule A7: no two lives own a thing at once, and a thing without an owner gets one. */
@Timeout(value = 900, threadMode = ThreadMode.SEPARATE_THREAD)
class LeaseGameTest {
    /** Planted: the lease counts from the moment of the reply. */
    private static final class FromReply extends LeaseTiming {
        @Override
        long leaseFromNs(long sentNs, long repliedNs) {
            return repliedNs;
        }
    }

    /** Planted: the owner never asks itself. */
    private static final class WithoutLease extends LeaseTiming {
        @Override
        long leaseFromNs(long sentNs, long repliedNs) {
            return sentNs + Duration.ofDays(1).toNanos();
        }
    }

    /** Planted: others take what is unchanged for less than a lease. */
    private static final class NegativeMargin extends LeaseTiming {
        @Override
        Duration margin() {
            return Duration.ofMillis(-300);
        }
    }

    /** Planted: a life is declared dead whatever its register is now. */
    private static Store deathWithoutCompareAndSet(Store store) {
        return new CarelessStore(
                store,
                (_, value) ->
                        value != null
                                && new String(value, StandardCharsets.UTF_8)
                                        .startsWith("state: DEAD"));
    }

    @Test
    void A7_noTwoLivesOwnAThingAtOnce() {
        long works = 0;
        long owners = 0;
        for (long seed : TestCords.seedsOr(LongStream.range(0, 200).toArray())) {
            LeaseGame game = new LeaseGame(seed);
            assertEquals(List.of(), game.play(), () -> "seed " + seed);
            works += game.works();
            owners += game.owners();
        }
        assertTrue(works > 0 && owners > 0, "nobody worked");
    }

    @Test
    @Tag("stress")
    void A7_noTwoLivesOwnAThingAtOnceManySeeds() {
        long endNs = Waits.nanoTime() + 600_000_000_000L;
        for (long seed = 1_000; seed < 21_000 && Waits.nanoTime() - endNs < 0; seed++) {
            long played = seed;
            assertEquals(List.of(), new LeaseGame(seed).play(), () -> "seed " + played);
        }
    }

    // ---------------------------------------------------------------- the game finds faults

    private static void assertFound(LeaseTiming timing, UnaryOperator<Store> wrapped) {
        int found = 0;
        for (long seed = 0; seed < 200 && found == 0; seed++) {
            List<String> violations = new LeaseGame(seed, timing, wrapped).play();
            found += violations.stream().anyMatch(each -> each.contains(" after ")) ? 1 : 0;
        }
        assertTrue(found > 0, "no seed found it");
    }

    @Test
    void A7_aLeaseThatCountsFromTheReplyIsFound() {
        assertFound(new FromReply(), store -> store);
    }

    @Test
    void A7_anOwnerWithoutALeaseIsFound() {
        assertFound(new WithoutLease(), store -> store);
    }

    @Test
    void A7_aTakeoverBeforeTheEndOfTheLeaseIsFound() {
        assertFound(new NegativeMargin(), store -> store);
    }

    @Test
    void A7_aDeathWithoutCompareAndSetIsFound() {
        assertFound(new LeaseTiming(), LeaseGameTest::deathWithoutCompareAndSet);
    }
}
