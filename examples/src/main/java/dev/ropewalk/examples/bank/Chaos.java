package dev.ropewalk.examples.bank;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Decides where the messages of one actor crash: for each attempt anew, the same for the same seed.
 * For the actor's cord only.
 */
final class Chaos {
    private enum Point {
        NONE,
        AT_THE_BEGINNING,
        HALF_WAY,
        AT_THE_END
    }

    private static final Point[] CRASHES = {
        Point.AT_THE_BEGINNING, Point.HALF_WAY, Point.AT_THE_END
    };

    private final double rate;
    private final SplittableRandom random;
    private final AtomicLong crashes;
    private Point planned = Point.NONE;

    /**
     * Chaos for one actor.
     *
     * @param rate of the messages that crash
     * @param crashes counts them
     */
    Chaos(double rate, long seed, AtomicLong crashes) {
        this.rate = rate;
        this.random = new SplittableRandom(seed);
        this.crashes = crashes;
    }

    /** A message begins: nothing has been told, nothing has changed. */
    void begin() {
        planned = Point.NONE;
        if (rate > 0 && random.nextDouble() < rate) {
            planned = CRASHES[random.nextInt(CRASHES.length)];
        }
        crashIf(planned == Point.AT_THE_BEGINNING);
    }

    /** Some of what the message causes was told to others. */
    void halfWay() {
        crashIf(planned == Point.HALF_WAY);
    }

    /** All was told to others, and the actor's own state has not changed yet. */
    void end() {
        crashIf(planned != Point.NONE);
    }

    private void crashIf(boolean isDue) {
        if (isDue) {
            crashes.incrementAndGet();
            throw new InjectedCrash(planned.toString());
        }
    }
}
