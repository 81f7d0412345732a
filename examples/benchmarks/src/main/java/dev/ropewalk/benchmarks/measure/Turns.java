package dev.ropewalk.benchmarks.measure;

/**
 * What each of the many does that yield to one another in turn. A first turn, in which all of them
 * begin, does not count: the first one measures from its second turn to its last.
 */
public final class Turns {
    private Turns() {}

    /**
     * Yields once, and then in each lap.
     *
     * @param number of the one that calls, 0 for the first
     * @param laps how often each yields while it counts
     * @param collecting whether a full collection, which does not count, comes before each lap
     * @param giveWay lets the others run
     * @return how often it yielded while it counted
     */
    public static long take(int number, long laps, boolean collecting, Runnable giveWay) {
        giveWay.run();
        if (number == 0) {
            return takeFirst(laps, collecting, giveWay);
        }
        for (long lap = 0; lap < laps; lap++) {
            giveWay.run();
        }
        return laps;
    }

    private static long takeFirst(long laps, boolean collecting, Runnable giveWay) {
        beginLap(collecting, 0);
        for (long lap = 0; lap < laps; lap++) {
            giveWay.run();
            endLap(collecting, lap, laps);
        }
        return laps;
    }

    /** By the first one, before its turn of the first lap. */
    public static void beginLap(boolean collecting, long lap) {
        if (collecting) {
            System.gc();
            Timing.begin();
        } else if (lap == 0) {
            Timing.begin();
        }
    }

    /** By the first one, when it has its turn again. */
    public static void endLap(boolean collecting, long lap, long laps) {
        if (collecting || lap + 1 == laps) {
            Timing.end();
        }
        if (lap + 1 < laps) {
            beginLap(collecting, lap + 1);
        }
    }
}
