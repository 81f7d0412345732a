package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.fibers.spi.Waits;

/** Whether this process may work for the entities of a shard now. For any thread. */
public interface Ownership {
    /** Of a process that owns all, for ever. */
    Ownership ALONE =
            new Ownership() {
                @Override
                public boolean mayWork(int shard, long nowNs) {
                    return true;
                }

                @Override
                public long epoch(int shard) {
                    return 0;
                }

                @Override
                public boolean isShared() {
                    return false;
                }
            };

    /** The tick of a cord is so old at most, unless a fiber keeps the cord. */
    long TICK_NS = 20_000_000;

    /**
     * Whether a message is let in that its actor looks at again before it begins: without a reading
     * of the clock, as long as the lease does not end within moments.
     *
     * @param tickNs the time of the cord's last tick
     */
    default boolean mayEnter(int shard, long tickNs) {
        return mayWork(shard, tickNs + TICK_NS) || mayWork(shard);
    }

    /** Looked at before each message: one reading of the clock. */
    default boolean mayWork(int shard) {
        return mayWork(shard, Waits.nanoTime());
    }

    /**
     * The same, by a reading of the clock that the caller has just made, or by an older one where
     * another look follows.
     */
    boolean mayWork(int shard, long nowNs);

    /**
     * The same, before each reply, of what an owner of that epoch has handled: the shard may have
     * come back meanwhile.
     */
    default boolean mayReply(int shard, long epoch) {
        return mayWork(shard) && epoch(shard) == epoch;
    }

    /** The same, before a state is written that an owner of that epoch has read. */
    default boolean mayWrite(int shard, long epoch) {
        return mayWork(shard) && epoch(shard) == epoch;
    }

    /** The tells of a durable function leave when its state is written; a test plants the fault. */
    default boolean isHolding() {
        return true;
    }

    /** A message that is delivered again counts no more; a test plants the fault. */
    default boolean countsAgain() {
        return false;
    }

    /** Greater for each owner of the shard than for those before it; 0 if it is not owned. */
    long epoch(int shard);

    /** Whether shards come and go. */
    boolean isShared();
}
