package dev.ropewalk.fibers.supervision;

import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.ArrayDeque;

/**
 * Counts restarts within a sliding window, as OTP's supervisors do: one is allowed while no more
 * than {@code intensity} of them lie within {@code period}, both ends included. It has no clock of
 * its own, holds {@code intensity + 1} times at most, and is confined to its supervisor.
 */
public final class RestartWindow {
    private final int intensity;
    private final Duration period;
    private final long periodNs;
    private final ArrayDeque<Long> timesNs = new ArrayDeque<>();

    /**
     * A window without restarts.
     *
     * @param intensity how many restarts are allowed within the period
     * @param period the length of the window; one of more than 292 years never lets go of a restart
     * @throws IllegalArgumentException if the intensity is negative, or the period not positive
     */
    public RestartWindow(int intensity, Duration period) {
        if (intensity < 0) {
            throw new IllegalArgumentException(
                    "intensity=" + intensity + " < 0; 0 lets the first failure end all");
        }
        if (!period.isPositive()) {
            throw new IllegalArgumentException(
                    "period=" + period + ": no two restarts lie within it; make it longer");
        }
        this.intensity = intensity;
        this.period = period;
        this.periodNs = period.compareTo(Waits.FOREVER) < 0 ? period.toNanos() : Long.MAX_VALUE;
    }

    /**
     * Enters a restart.
     *
     * @param nowNs the time in nanoseconds, on one clock for all calls, and never going back
     * @return false if it is one too many
     */
    public boolean allow(long nowNs) {
        while (!timesNs.isEmpty() && nowNs - timesNs.getFirst() > periodNs) {
            timesNs.removeFirst();
        }
        timesNs.addLast(nowNs);
        return timesNs.size() <= intensity;
    }

    /**
     * {@return how many restarts lie within the period} Changes nothing.
     *
     * @param nowNs as for {@link #allow}
     */
    public int recent(long nowNs) {
        int count = 0;
        for (long each : timesNs) {
            count += nowNs - each <= periodNs ? 1 : 0;
        }
        return count;
    }

    /** {@return the restarts in the window, and whether they are too many} */
    @Override
    public String toString() {
        int restarts = timesNs.size();
        String sign = restarts > intensity ? " > " : " <= ";
        return restarts + " restarts within " + period + sign + "intensity=" + intensity;
    }
}
