package dev.ropewalk.channels.http;

import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;

/**
 * How long a body may be waited for in all, by the bytes that have come (rule I5): a time to begin
 * with, and a second more for each so many bytes. Only the time of waits counts, so a handler that
 * is slow, and holds the client up, costs the client nothing.
 */
final class Pace {
    private static final long SECOND_NS = 1_000_000_000;

    private final long graceNs;
    private final int bytesPerSecond;
    private long waitedNs;

    /**
     * Of a body that has not begun.
     *
     * @param grace waited for without a byte
     * @param bytesPerSecond how many give a second more; 0 for no limit at all
     */
    Pace(Duration grace, int bytesPerSecond) {
        this.graceNs = Waits.nanos(grace);
        this.bytesPerSecond = bytesPerSecond;
    }

    /** How long it may be waited for from now on; {@code Long.MAX_VALUE} without a limit. */
    long leftNs(long received) {
        if (bytesPerSecond == 0 || graceNs == Long.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        double earned = (double) SECOND_NS * received / bytesPerSecond;
        double left = graceNs + earned - waitedNs;
        return left >= Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, (long) left);
    }

    void waited(long ns) {
        waitedNs += ns;
    }

    @Override
    public String toString() {
        return "minBodyRate=" + bytesPerSecond;
    }
}
