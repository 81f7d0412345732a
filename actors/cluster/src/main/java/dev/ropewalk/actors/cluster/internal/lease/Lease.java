package dev.ropewalk.actors.cluster.internal.lease;

import dev.ropewalk.fibers.spi.Waits;

/**
 * Until when a life of a node may work for what it owns. Prolonged and ended by {@link Membership},
 * read by any thread before each message and each answer: one reading of the clock.
 *
 * <p>An ended lease is not held again. The next life of the node has another one.
 */
public final class Lease {
    private final long life;

    /** On the clock of {@link Waits#nanoTime}; one writer, the node's cord. */
    private volatile long untilNs;

    private volatile boolean isOver;

    Lease(long life) {
        this.life = life;
        this.untilNs = Waits.nanoTime();
    }

    /** The number that the node has drawn for this life. */
    public long life() {
        return life;
    }

    /** Whether the node may work at this moment. */
    public boolean isHeld() {
        return isHeldAt(Waits.nanoTime());
    }

    /** The same, by a reading of the clock that the caller has just made. */
    public boolean isHeldAt(long nowNs) {
        return !isOver && nowNs - untilNs < 0;
    }

    /** How long it is held without another renewal; 0 if it is not. */
    public long leftNs() {
        return isOver ? 0 : Math.max(0, untilNs - Waits.nanoTime());
    }

    /** Never shorter: an answer that comes late tells of an earlier request. */
    void holdUntil(long endNs) {
        if (endNs - untilNs > 0) {
            untilNs = endNs;
        }
    }

    void end() {
        isOver = true;
    }

    @Override
    public String toString() {
        return "lease " + Long.toHexString(life) + (isHeld() ? "" : ", not held");
    }
}
