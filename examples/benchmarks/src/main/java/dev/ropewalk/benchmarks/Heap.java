package dev.ropewalk.benchmarks;

import java.lang.management.ManagementFactory;

/** Measures the heap that is in use. */
public final class Heap {
    private static volatile long heldAtMost;

    private Heap() {}

    /** Called by a mem program while its actors are alive and idle. */
    public static void measure() {
        heldAtMost = used();
    }

    /** {@return what {@link #measure} saw last, in bytes} */
    static long measured() {
        return heldAtMost;
    }

    /** {@return bytes in use after a full collection} */
    static long used() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            least =
                    Math.min(
                            least,
                            ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }
}
