package dev.ropewalk.actors;

import dev.ropewalk.fibers.Waits;

import java.time.Duration;
import java.util.ArrayDeque;

/**
 * A supervisor's sliding log of restarts, as OTP keeps it: a restart is allowed while no more than
 * {@code intensity} of them lie within {@code period}, both ends included. Bounded by intensity +
 * 1.
 */
final class RestartLog {
    private final int intensity;
    private final Duration period;
    private final long periodNs;
    private final ArrayDeque<Long> instantsNs = new ArrayDeque<>();

    RestartLog(int intensity, Duration period) {
        if (intensity < 0) {
            throw new IllegalArgumentException("intensity=" + intensity + " < 0");
        }
        if (period.isNegative() || period.isZero()) {
            throw new IllegalArgumentException("period=" + period + " must be more than 0");
        }
        this.intensity = intensity;
        this.period = period;
        this.periodNs = period.compareTo(Waits.FOREVER) < 0 ? period.toNanos() : Long.MAX_VALUE;
    }

    /** Enters a restart; false if it is one too many. */
    boolean allow(long nowNs) {
        while (!instantsNs.isEmpty() && nowNs - instantsNs.getFirst() > periodNs) {
            instantsNs.removeFirst();
        }
        instantsNs.addLast(nowNs);
        return instantsNs.size() <= intensity;
    }

    @Override
    public String toString() {
        return instantsNs.size() + " restarts within " + period + " > intensity=" + intensity;
    }
}
