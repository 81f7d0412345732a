package dev.ropewalk.benchmarks.measure;

import java.util.Arrays;

/** How long each operation of a round takes. One round at a time in a process, one thread adds. */
public final class Latencies {
    private static final int FIRST_ROOM = 1_024;

    private static long[] taken = new long[FIRST_ROOM];
    private static int count;

    private Latencies() {}

    /** Adds an operation that ends now. */
    public static void add(long beganNs) {
        long elapsedNs = Stopwatch.nowNs() - beganNs;
        if (count == taken.length) {
            taken = Arrays.copyOf(taken, 2 * count);
        }
        taken[count++] = elapsedNs;
    }

    /** {@return the moment at which an operation begins, for {@link #add}} */
    public static long begin() {
        return Stopwatch.nowNs();
    }

    /**
     * {@return the time that this share of the operations since the last call needed at most}
     *
     * @throws IllegalStateException if there were none
     */
    static long take(double percentile) {
        if (count == 0) {
            throw new IllegalStateException("the program adds no operations to Latencies");
        }
        long[] sorted = Arrays.copyOf(taken, count);
        Arrays.sort(sorted);
        int place = (int) Math.min(count - 1, (long) (percentile * count));
        count = 0;
        return sorted[place];
    }
}
