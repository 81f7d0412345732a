package dev.ropewalk.fibers;

import java.time.Duration;
import java.util.function.IntUnaryOperator;

/**
 * How long a {@link FiberSupervisor} waits before it starts a fiber again; immutable. The first
 * restart comes after {@code first}, each further one after {@code factor} times the delay before,
 * up to {@code most}. A fiber that then ran for at least {@code most} begins with {@code first}
 * again.
 *
 * <p>Jitter shortens each delay by a random part of it, so that fibers that failed together do not
 * come back together: it is drawn evenly from {@code (1 - jitter) * delay} to {@code delay}.
 *
 * @param first the delay of the first restart
 * @param factor by which the delay grows, at least 1
 * @param most the longest delay, at least {@code first}
 * @param jitter the part of a delay that is random, from 0 to 1
 */
public record BackOff(Duration first, double factor, Duration most, double jitter) {
    /** No delay at all. */
    public static final BackOff NONE = new BackOff(Duration.ZERO, 1, Duration.ZERO, 0);

    /** Steps of a random number; a power of two, so that all of them are as likely. */
    private static final int STEPS = 1 << 20;

    /** Checks the values. */
    public BackOff {
        long firstNs = Waits.nanos(first);
        if (Waits.nanos(most) < firstNs) {
            throw new IllegalArgumentException(
                    "most=" + most + " is shorter than first=" + first + "; it bounds all delays");
        }
        if (!(factor >= 1) || Double.isInfinite(factor)) {
            throw new IllegalArgumentException(
                    "factor=" + factor + " is below 1 or no number; 1 keeps the delay as it is");
        }
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new IllegalArgumentException(
                    "jitter=" + jitter + " is not from 0 to 1; 0 means none");
        }
    }

    /**
     * {@return a back-off that doubles, without jitter}
     *
     * @param first the delay of the first restart
     * @param most the longest delay
     */
    public static BackOff doubling(Duration first, Duration most) {
        return new BackOff(first, 2, most, 0);
    }

    /**
     * {@return this back-off with another jitter}
     *
     * @param part the part of a delay that is random, from 0 to 1
     */
    public BackOff withJitter(double part) {
        return new BackOff(first, factor, most, part);
    }

    /** The delay before restart {@code number}, from 1 on; {@code random} draws below its bound. */
    long delayNs(int number, IntUnaryOperator random) {
        double grown = first.toNanos() * Math.pow(factor, number - 1);
        long delayNs = (long) Math.min(grown, (double) most.toNanos());
        if (jitter == 0 || delayNs == 0) {
            return delayNs;
        }
        double part = random.applyAsInt(STEPS) / (double) STEPS;
        return delayNs - (long) (part * jitter * delayNs);
    }
}
