package dev.ropewalk.benchmarks.scenario;

/**
 * Three frames of a user's, one above the other, that wait at the top. A flag of the JVM keeps them
 * from being inlined.
 */
public final class Frames {
    /** What three frames add up to. */
    static final long DEPTH = 3;

    private Frames() {}

    public static long first(Runnable wait) {
        return second(wait) + 1;
    }

    private static long second(Runnable wait) {
        return third(wait) + 1;
    }

    private static long third(Runnable wait) {
        wait.run();
        return 1;
    }
}
