package dev.ropewalk.actors.cluster.internal.lease;

import java.time.Duration;

/** Faults of leases, for games of other packages. */
public final class LeaseFaults {
    private static final class NegativeMargin extends LeaseTiming {
        @Override
        Duration margin() {
            return Duration.ofSeconds(-1);
        }
    }

    private LeaseFaults() {}

    /** Others take what is unchanged for less than a lease. */
    public static LeaseTiming earlyTakeover() {
        return new NegativeMargin();
    }
}
