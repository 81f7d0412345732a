package dev.ropewalk.actors.cluster.internal.lease;

import java.time.Duration;

/**
 * How long leases last. Not an option: all nodes must agree, and each number rests on the others,
 * see {@link Membership}. A test plants faults by another one.
 */
public class LeaseTiming {
    /** A register is written again after so long. */
    Duration renewal() {
        return Duration.ofSeconds(1);
    }

    /** A lease lasts so long from the sending of the renewal. */
    Duration lease() {
        return Duration.ofSeconds(3);
    }

    /** More than two clocks of 1 % differ in the time of a lease. */
    Duration margin() {
        return Duration.ofMillis(100);
    }

    /** Registers are looked at so often. */
    Duration observation() {
        return Duration.ofMillis(500);
    }

    /** A DEAD register is removed after so long. */
    Duration forgotten() {
        return Duration.ofMinutes(10);
    }

    /** The lease of a register that was unchanged for so long has ended. */
    final Duration unchanged() {
        return lease().plus(margin());
    }

    /** The moment from which a lease counts. */
    long leaseFromNs(long sentNs, long repliedNs) {
        return sentNs;
    }
}
