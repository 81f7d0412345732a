package dev.ropewalk.fibers.supervision;

import java.util.function.IntUnaryOperator;

/**
 * The delays before the restarts of one fiber or actor, by a {@link BackOff}. It has no clock of
 * its own, and is confined to its supervisor.
 */
public final class RestartDelays {
    private final BackOff backOff;
    private int restartsInRow;

    /** When the last delay was over. */
    private long startedNs;

    private long delayNs;

    /**
     * Delays that begin with the first.
     *
     * @param backOff how long they are
     */
    public RestartDelays(BackOff backOff) {
        this.backOff = backOff;
    }

    /**
     * Goes on to the next delay, which is the first one again after a long run.
     *
     * @param nowNs the time of the end in nanoseconds, on one clock for all calls
     * @param random draws a number below its argument, for the jitter
     * @return the delay in nanoseconds
     */
    public long next(long nowNs, IntUnaryOperator random) {
        boolean ranLong = nowNs - startedNs >= backOff.max().toNanos();
        restartsInRow = ranLong ? 1 : restartsInRow + 1;
        delayNs = backOff.delayNs(restartsInRow, random);
        startedNs = nowNs + delayNs;
        return delayNs;
    }

    /** {@return the delay in nanoseconds that {@link #next} gave last} */
    public long delayNs() {
        return delayNs;
    }
}
