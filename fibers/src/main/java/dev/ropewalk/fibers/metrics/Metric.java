package dev.ropewalk.fibers.metrics;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * A number that a program has once for each set of tags, as monitoring systems know it.
 *
 * @param name words with dots between them; it ends with the unit, if there is one: {@code
 *     ropewalk.cord.sleep.seconds}
 * @param kind how the numbers of several parts become one
 * @param help a sentence for people
 */
public record Metric(String name, Kind kind, String help) {
    private static final Pattern NAMES = Pattern.compile("[a-z][a-z0-9]*(\\.[a-z][a-z0-9]*)*");

    /** How the numbers of several parts become one. */
    public enum Kind {
        /** It only grows; those of parts with the same tags are added, also of parts that ended. */
        COUNTER,
        /** It goes up and down; those of parts with the same tags are added. */
        GAUGE,
        /** It goes up and down; the largest of those with the same tags is told. */
        MAX
    }

    /**
     * Checks the name.
     *
     * @param name words with dots between them
     * @param kind how the numbers of several parts become one
     * @param help a sentence for people
     * @throws IllegalArgumentException if the name has other characters than a to z, 0 to 9 and
     *     dots, or an empty word, or ends with {@code .total}
     */
    public Metric {
        if (!NAMES.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "name=" + name + " is no metric; use small letters and dots: shop.orders");
        }
        if (name.endsWith(".total")) {
            throw new IllegalArgumentException(
                    "name=" + name + ": leave out the end, which readers add to counters");
        }
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(help, "help");
    }

    /**
     * {@return a number that only grows}
     *
     * @param name words with dots between them
     * @param help a sentence for people
     * @throws IllegalArgumentException if the name is none
     */
    public static Metric counter(String name, String help) {
        return new Metric(name, Kind.COUNTER, help);
    }

    /**
     * {@return a number that goes up and down}
     *
     * @param name words with dots between them
     * @param help a sentence for people
     * @throws IllegalArgumentException if the name is none
     */
    public static Metric gauge(String name, String help) {
        return new Metric(name, Kind.GAUGE, help);
    }

    /**
     * {@return a number of which the largest counts}
     *
     * @param name words with dots between them
     * @param help a sentence for people
     * @throws IllegalArgumentException if the name is none
     */
    public static Metric max(String name, String help) {
        return new Metric(name, Kind.MAX, help);
    }
}
