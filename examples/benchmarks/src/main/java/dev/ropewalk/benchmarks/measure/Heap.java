package dev.ropewalk.benchmarks.measure;

import java.lang.management.ManagementFactory;

/** Measures the heap that is in use. */
public final class Heap {
    private static final long NOTHING = -1;

    private static volatile long measured = NOTHING;

    private Heap() {}

    /** Called by a mem program while its actors are alive and idle. */
    public static void measure() {
        measured = used();
    }

    /** {@return what {@link #measure} saw, in bytes, once} */
    static long takeMeasured() {
        long bytes = measured;
        measured = NOTHING;
        if (bytes == NOTHING) {
            throw new IllegalStateException("the program did not call Heap.measure()");
        }
        return bytes;
    }

    /** {@return bytes in use after a full collection} */
    public static long used() {
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
