package dev.ropewalk.fibers;

import java.time.Duration;
import java.util.ArrayDeque;

/**
 * When the last restarts were, as far back as the period goes: a sliding window, as OTP's
 * supervisors have it. Holds one entry more than are allowed, at most.
 */
final class RestartLog {
    private final int most;
    private final long periodNs;
    private final ArrayDeque<Long> timesNs = new ArrayDeque<>();

    RestartLog(int most, long periodNs) {
        this.most = most;
        this.periodNs = periodNs;
    }

    /** Enters a restart now; false if there are too many within the period, both ends included. */
    boolean allow(long nowNs) {
        while (!timesNs.isEmpty() && nowNs - timesNs.peek() > periodNs) {
            timesNs.remove();
        }
        timesNs.add(nowNs);
        return timesNs.size() <= most;
    }

    @Override
    public String toString() {
        return timesNs.size()
                + " restarts within "
                + Duration.ofNanos(periodNs)
                + ", and intensity="
                + most;
    }
}
