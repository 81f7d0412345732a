package dev.ropewalk.fibers.internal.platform;

/**
 * How fast a cord's own clock runs beside the time that its driver moves on: from an instant at
 * which both are known, in whole millionths, so that nothing is rounded twice.
 *
 * @param sharedNs the driver's time of that instant
 * @param ownNs the cord's
 * @param millionths 1,000,000 if both run alike
 */
record ClockRate(long sharedNs, long ownNs, long millionths) {
    private static final long ONE = 1_000_000;

    /** Far from overflow, after a multiplication by two too. */
    private static final long FAR_NS = Long.MAX_VALUE / 8;

    /** The cord's time at that of the driver. */
    long ownAt(long nowSharedNs) {
        long passedNs = nowSharedNs - sharedNs;
        return ownNs + passedNs / ONE * millionths + passedNs % ONE * millionths / ONE;
    }

    /** The first instant of the driver at which the cord's clock shows that much, or more. */
    long sharedAt(long ownInstantNs) {
        long leftNs = Math.min(ownInstantNs - ownNs, FAR_NS);
        long rest = leftNs % millionths * ONE;
        return sharedNs + leftNs / millionths * ONE + Math.ceilDiv(rest, millionths);
    }
}
