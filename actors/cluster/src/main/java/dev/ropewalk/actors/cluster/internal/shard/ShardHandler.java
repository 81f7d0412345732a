package dev.ropewalk.actors.cluster.internal.shard;

import java.time.Duration;

/** The thing that runs what belongs to shards. Called by {@link Shards}, on the node's cord. */
public interface ShardHandler {
    /**
     * Ends all of a shard that runs here: it takes nothing new, finishes what it has within the
     * limit, and is stopped then. {@link Shards#isOwned} is false already, and {@link
     * Shards#isHeld} is true as long as the lease is. A switchpoint.
     *
     * <p>When it has returned, nothing of the shard runs here any more. If {@link #lost} is called
     * meanwhile, it returns at once. If it throws, the shard stays here.
     */
    void giveAway(int shard, Duration limit);

    /**
     * All of a shard that runs here stops at once, because the lease has ended, or another node
     * owns the shard. Must not wait.
     */
    void lost(int shard);

    /**
     * This node owns a shard from now on; perhaps again, after {@link #giveAway} or {@link #lost}.
     * Must not wait.
     */
    void taken(int shard);

    /** The owner of some shard, as this node knows it, is another one. Must not wait. */
    void changed();
}
