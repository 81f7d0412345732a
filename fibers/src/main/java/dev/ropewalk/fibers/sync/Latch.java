package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;

/**
 * A gate that opens once: after so many {@link #countDown} calls all waiters go on, and nobody
 * waits there ever again.
 *
 * <p>Counting down beyond zero has no effect: the gate is open, and several may tell the same news.
 * Where one call too many is a mistake, use a {@link WaitGroup}.
 *
 * <p>Everything that a fiber or thread did before {@code countDown} happens before an {@code await}
 * returns.
 */
public final class Latch {
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final CountToZero count;

    private Latch(Exclusion guard, int count) {
        if (count < 0) {
            throw new IllegalArgumentException(
                    "count=" + count + " is negative; an open latch has 0");
        }
        this.count = new CountToZero(guard, this, count);
    }

    /**
     * {@return a latch for fibers of any cord and plain threads}
     *
     * @param count how many calls open it; 0 makes an open one
     * @throws IllegalArgumentException if the count is negative
     */
    public static Latch shared(int count) {
        return new Latch(Exclusion.byLock(), count);
    }

    /**
     * {@return a latch for the fibers of the current cord}
     *
     * @param count how many calls open it; 0 makes an open one
     * @throws IllegalArgumentException if the count is negative
     * @throws IllegalStateException if this thread is no cord
     */
    public static Latch local(int count) {
        return new Latch(Exclusion.byCord("make it with Latch.shared(count)"), count);
    }

    /**
     * Counts down by one; at zero the latch opens, and all waiters are released. No effect on an
     * open latch. Never switches.
     *
     * @throws WrongThreadException if the latch is local and another cord's
     */
    public void countDown() {
        count.countDown();
    }

    /**
     * Waits until the latch is open. A switchpoint, also if it is.
     *
     * @throws WrongThreadException if the latch is local and another cord's
     * @throws IllegalStateException if it would have to wait where no fiber runs on a cord
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public void await() {
        count.await(NO_LIMIT);
    }

    /**
     * Waits until the latch is open, no longer than the limit. A switchpoint, also if it is.
     *
     * @param limit how long to wait; may be zero
     * @return false if the limit passed
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws WrongThreadException if the latch is local and another cord's
     * @throws IllegalStateException if it would have to wait where no fiber runs on a cord
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public boolean await(Duration limit) {
        return count.await(Waits.nanos(limit));
    }

    /** {@return how many calls are missing; only a hint, from any thread} */
    public int count() {
        return count.hint();
    }

    /** Fails if its structures are broken; for tests. */
    void checkInvariants() {
        count.checkInvariants();
    }

    @Override
    public String toString() {
        return (count.isLocal() ? "local" : "shared")
                + " latch @"
                + Integer.toHexString(System.identityHashCode(this))
                + ", "
                + count()
                + " to count down";
    }
}
