package dev.ropewalk.benchmarks.measure;

import org.jspecify.annotations.Nullable;

/**
 * Measures a part of a round, or several parts, where a program has to prepare what it measures.
 *
 * <p>One at a time in a process. The two ends may be on different threads if one happens before the
 * other.
 */
public final class Timing {
    private static @Nullable Stopwatch running;
    private static long elapsedNs;

    private Timing() {}

    /** From here on it counts. */
    public static void begin() {
        running = new Stopwatch();
    }

    /** Up to here it counted; no effect unless it has begun. */
    public static void end() {
        Stopwatch stopwatch = running;
        if (stopwatch != null) {
            elapsedNs += stopwatch.elapsedNs();
            running = null;
        }
    }

    /** {@return the time of all parts since the last call; 0 if there were none} */
    static long takeElapsedNs() {
        long elapsed = elapsedNs;
        elapsedNs = 0;
        return elapsed;
    }
}
