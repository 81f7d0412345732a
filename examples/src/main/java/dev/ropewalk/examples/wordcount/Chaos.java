package dev.ropewalk.examples.wordcount;

import java.util.SplittableRandom;

/** Decides where a counter's updates crash: for each update anew, the same for the same seed. */
final class Chaos {
    enum Point {
        NONE,
        BEFORE,
        INSIDE,
        AFTER
    }

    private static final Point[] CRASHES = {Point.BEFORE, Point.INSIDE, Point.AFTER};

    private final double rate;
    private final SplittableRandom random;

    Chaos(double rate, long seed) {
        this.rate = rate;
        this.random = new SplittableRandom(seed);
    }

    Point next() {
        if (rate == 0 || random.nextDouble() >= rate) {
            return Point.NONE;
        }
        return CRASHES[random.nextInt(CRASHES.length)];
    }

    /** Which of {@code adds} adds, at least one, crashes; counted from 1. */
    long nextAdd(int adds) {
        return 1 + random.nextLong(adds);
    }
}
