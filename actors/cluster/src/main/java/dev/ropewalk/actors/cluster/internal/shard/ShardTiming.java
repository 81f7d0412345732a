package dev.ropewalk.actors.cluster.internal.shard;

import dev.ropewalk.actors.cluster.internal.lease.Lease;
import dev.ropewalk.actors.cluster.internal.lease.Membership;
import dev.ropewalk.actors.cluster.internal.lease.Register;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/** How fast shards move, and the questions on which safety rests. A test plants faults by it. */
public class ShardTiming {
    /** The table is looked at so often, also if no change is told. */
    Duration look() {
        return Duration.ofMillis(500);
    }

    /** A shard that moves has so long to finish. */
    Duration giveAway() {
        return Duration.ofSeconds(10);
    }

    /** Whether the node may work at this moment. */
    boolean isHeld(Lease lease, long nowNs) {
        return lease.isHeldAt(nowNs);
    }

    /** Whether the register of an owner is to be read. Decides nothing else. */
    boolean isDoubted(@Nullable Register known, long life) {
        return known == null || known.life() != life;
    }

    /** Whether a life that a table names is over. Called after the table was read. */
    boolean isOver(Membership membership, String node, long life) {
        return membership.isOver(node, life);
    }

    /** Whether a write of unknown outcome counts as one that was refused. */
    boolean isUnknownRefused() {
        return false;
    }
}
