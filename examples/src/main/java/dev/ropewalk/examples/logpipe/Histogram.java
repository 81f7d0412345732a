package dev.ropewalk.examples.logpipe;

/**
 * Percentiles of numbers, in 30 KB whatever their count: each power of two is divided into {@value
 * #PARTS} parts, so a percentile is at most one in {@value #PARTS} too high, and never too low.
 */
final class Histogram {
    private static final int PARTS = 64;

    private final long[] counts = new long[PARTS * 58];
    private long count;
    private long max;

    /** Adds a number of 0 or more. */
    void add(long number) {
        counts[index(number)]++;
        count++;
        max = Math.max(max, number);
    }

    long count() {
        return count;
    }

    long max() {
        return max;
    }

    /** Of 100 numbers so many are no larger; 0 if there are none. */
    long percentile(double percent) {
        long rank = Math.max(1, (long) Math.ceil(percent / 100 * count));
        long seen = 0;
        for (int i = 0; i < counts.length; i++) {
            seen += counts[i];
            if (seen >= rank) {
                return Math.min(max, largest(i));
            }
        }
        return max;
    }

    /** Below twice the parts each number has its own place. */
    static int index(long number) {
        if (number < 0) {
            throw new IllegalArgumentException("number=" + number + " < 0; give 0 or more");
        }
        int shift = Math.max(0, 57 - Long.numberOfLeadingZeros(number));
        return PARTS * shift + (int) (number >>> shift);
    }

    /** The largest number in that place. */
    static long largest(int index) {
        if (index < 2 * PARTS) {
            return index;
        }
        int shift = index / PARTS - 1;
        return ((long) (index - PARTS * shift + 1) << shift) - 1;
    }
}
