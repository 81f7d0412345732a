package dev.ropewalk.fibers;

import org.slf4j.Logger;

import java.time.Duration;
import java.util.Objects;

/**
 * How fibers that do not yield are seen (rule F13); immutable, a part of {@link CordOptions}, which
 * has methods to change it.
 *
 * @param stuckLimit how long the cord may be busy without a switchpoint before it is reported;
 *     {@link Waits#FOREVER} for never
 * @param stuckHandler is told of it
 * @param sliceLimits what {@link Slice#checkpoint} checks in fibers that have set no limits
 */
public record WatchOptions(
        Duration stuckLimit, WatchdogHandler stuckHandler, SliceLimits sliceLimits) {

    private static final Logger LOG = Logs.logger("dev.ropewalk.fibers");
    private static final Duration DEFAULT_STUCK_LIMIT = Duration.ofMillis(500);

    /** One object, so that cords which share it are told once of what concerns them all. */
    private static final WatchdogHandler LOGS = WatchOptions::log;

    static final WatchOptions DEFAULT =
            new WatchOptions(DEFAULT_STUCK_LIMIT, LOGS, SliceLimits.DEFAULT);

    /** Checks the values. */
    public WatchOptions {
        Objects.requireNonNull(stuckLimit, "stuckLimit");
        Objects.requireNonNull(stuckHandler, "stuckHandler");
        Objects.requireNonNull(sliceLimits, "sliceLimits");
        if (Waits.nanos(stuckLimit) == 0) {
            throw new IllegalArgumentException(
                    "stuckLimit="
                            + stuckLimit
                            + " is no time at all; Waits.FOREVER switches the watchdog off");
        }
    }

    private static void log(WatchdogReport report) {
        if (report instanceof WatchdogReport.AllStuck) {
            LOG.error("{}", report);
        } else {
            LOG.warn("{}", report);
        }
    }
}
