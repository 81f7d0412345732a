package dev.ropewalk.actors.cluster.internal.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.cluster.internal.lease.Lease;
import dev.ropewalk.actors.cluster.internal.lease.LeaseFaults;
import dev.ropewalk.actors.cluster.internal.lease.LeaseTiming;
import dev.ropewalk.actors.cluster.internal.lease.Membership;
import dev.ropewalk.actors.cluster.store.CarelessStore;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/** Rule A7: no two lives own a shard at once, and a shard without an owner gets one. */
@Timeout(value = 900, threadMode = ThreadMode.SEPARATE_THREAD)
class ShardGameTest {
    /** Planted: the own lease is not looked at. */
    private static final class WithoutLease extends ShardTiming {
        @Override
        boolean isHeld(Lease lease, long nowNs) {
            return true;
        }
    }

    /** Planted: the registers that were read before the table decide. */
    private static final class EarlierRegisters extends ShardTiming {
        @Override
        boolean isOver(Membership membership, String node, long life) {
            return true;
        }
    }

    /** Planted: a write of unknown outcome counts as one that was refused. */
    private static final class UnknownIsRefused extends ShardTiming {
        @Override
        boolean isUnknownRefused() {
            return true;
        }
    }

    /** Planted: the table is written, whatever it is now. */
    private static Store tableWithoutCompareAndSet(Store store) {
        return new CarelessStore(store, (key, _) -> key.endsWith("/shards"));
    }

    @Test
    void A7_noTwoLivesOwnAShardAtOnce() {
        long works = 0;
        long moves = 0;
        for (long seed : TestCords.seedsOr(LongStream.range(0, 200).toArray())) {
            ShardGame game = new ShardGame(seed);
            assertEquals(List.of(), game.play(), () -> "seed " + seed);
            works += game.works();
            moves += game.moves();
        }
        assertTrue(works > 0 && moves > 0, "nobody worked, or moved");
    }

    @Test
    @Tag("stress")
    void A7_noTwoLivesOwnAShardAtOnceManySeeds() {
        long endNs = Waits.nanoTime() + 600_000_000_000L;
        for (long seed = 1_000; seed < 21_000 && Waits.nanoTime() - endNs < 0; seed++) {
            long played = seed;
            assertEquals(List.of(), new ShardGame(seed).play(), () -> "seed " + played);
        }
    }

    // ---------------------------------------------------------------- the game finds faults

    private static void assertFound(
            LeaseTiming leases, ShardTiming timing, UnaryOperator<Store> wrapped) {
        int found = 0;
        for (long seed = 0; seed < 200 && found == 0; seed++) {
            List<String> violations = new ShardGame(seed, leases, timing, wrapped).play();
            found += violations.stream().anyMatch(each -> each.contains(" works in ")) ? 1 : 0;
        }
        assertTrue(found > 0, "no seed found it");
    }

    @Test
    void A7_anOwnerWithoutALookAtItsLeaseIsFound() {
        assertFound(new LeaseTiming(), new WithoutLease(), store -> store);
    }

    @Test
    void A7_aTakeoverBeforeTheEndOfTheLeaseIsFound() {
        assertFound(LeaseFaults.earlyTakeover(), new ShardTiming(), store -> store);
    }

    @Test
    void A7_anOrphanByAnEarlierReadIsFound() {
        assertFound(new LeaseTiming(), new EarlierRegisters(), store -> store);
    }

    @Test
    void A7_aTableWithoutCompareAndSetIsFound() {
        assertFound(new LeaseTiming(), new ShardTiming(), ShardGameTest::tableWithoutCompareAndSet);
    }

    @Test
    void A7_anUnknownWriteTakenForARefusalIsFound() {
        assertFound(new LeaseTiming(), new UnknownIsRefused(), store -> store);
    }
}
