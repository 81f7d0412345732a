package dev.ropewalk.fibers.supervision;

import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;

/**
 * How long a supervisor waits before it starts a fiber or an actor again; immutable. The first
 * restart comes after {@code first}, each further one after {@code factor} times the delay before,
 * up to {@code max}. A fiber or actor that then ran for at least {@code max} begins with {@code
 * first} again.
 *
 * <p>Jitter shortens each delay by a random part of it, so that fibers that failed together do not
 * come back together: it is drawn evenly from {@code (1 - jitter) * delay} to {@code delay}.
 */
public final class BackOff {
    /** No delay at all. */
    public static final BackOff NONE = new BackOff(new Values());

    /** Steps of a random number; a power of two, so that all of them are as likely. */
    private static final int STEPS = 1 << 20;

    private final Values values;

    private BackOff(Values values) {
        long firstNs = Waits.nanos(values.first);
        if (Waits.nanos(values.max) < firstNs) {
            throw new IllegalArgumentException(
                    "max="
                            + values.max
                            + " is shorter than first="
                            + values.first
                            + "; it bounds all delays");
        }
        if (!(values.factor >= 1) || Double.isInfinite(values.factor)) {
            throw new IllegalArgumentException(
                    "factor="
                            + values.factor
                            + " is below 1 or no number; 1 keeps the delay as it is");
        }
        if (!(values.jitter >= 0 && values.jitter <= 1)) {
            throw new IllegalArgumentException(
                    "jitter=" + values.jitter + " is not from 0 to 1; 0 means none");
        }
        this.values = values;
    }

    /**
     * {@return a back-off that doubles, without jitter}
     *
     * @param first the delay of the first restart
     * @param max the longest delay, at least {@code first}
     */
    public static BackOff doubling(Duration first, Duration max) {
        return NONE.with(
                copy -> {
                    copy.first = first;
                    copy.max = max;
                    copy.factor = 2;
                });
    }

    /** {@return the delay of the first restart} */
    public Duration first() {
        return values.first;
    }

    /** {@return the factor by which the delay grows, at least 1} */
    public double factor() {
        return values.factor;
    }

    /** {@return the longest delay, at least {@code first}} */
    public Duration max() {
        return values.max;
    }

    /** {@return the part of a delay that is random, from 0 to 1} */
    public double jitter() {
        return values.jitter;
    }

    /**
     * {@return this back-off with another factor}
     *
     * @param factor by which the delay grows, at least 1, which keeps it as it is
     */
    public BackOff withFactor(double factor) {
        return with(copy -> copy.factor = factor);
    }

    /**
     * {@return this back-off with another jitter}
     *
     * @param part the part of a delay that is random, from 0 to 1
     */
    public BackOff withJitter(double part) {
        return with(copy -> copy.jitter = part);
    }

    /** The delay before restart {@code number}, from 1 on; {@code random} draws below its bound. */
    long delayNs(int number, IntUnaryOperator random) {
        double grown = values.first.toNanos() * Math.pow(values.factor, number - 1);
        long delayNs = (long) Math.min(grown, (double) values.max.toNanos());
        if (values.jitter == 0 || delayNs == 0) {
            return delayNs;
        }
        double part = random.applyAsInt(STEPS) / (double) STEPS;
        return delayNs - (long) (part * values.jitter * delayNs);
    }

    @Override
    public String toString() {
        return "back-off from "
                + values.first
                + " to "
                + values.max
                + ", factor "
                + values.factor
                + ", jitter "
                + values.jitter;
    }

    private BackOff with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new BackOff(copy);
    }

    /** Changed only while it is a copy that no back-off has yet. */
    private static final class Values implements Cloneable {
        Duration first = Duration.ZERO;
        double factor = 1;
        Duration max = Duration.ZERO;
        double jitter;

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
