package dev.ropewalk.benchmarks.result;

import java.util.Arrays;
import java.util.Locale;

/**
 * One line of results: {@code BENCH <scenario> <system> <median> <min> <max> <ops>}, figures for
 * one operation.
 */
public record Measured(double median, double least, double most, long operations) {
    public static final String KEYWORD = "BENCH";

    private static final int WORDS = 7;

    public static Measured of(double[] figures, long operations) {
        double[] sorted = figures.clone();
        Arrays.sort(sorted);
        int half = sorted.length / 2;
        double median =
                sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
        return new Measured(median, sorted[0], sorted[sorted.length - 1], operations);
    }

    /** {@return the figures of a line of results} */
    public static Measured parse(String line) {
        String[] words = line.split(" ", -1);
        if (words.length != WORDS || !words[0].equals(KEYWORD)) {
            throw new IllegalArgumentException("not a result: " + line);
        }
        return new Measured(
                Double.parseDouble(words[3]),
                Double.parseDouble(words[4]),
                Double.parseDouble(words[5]),
                Long.parseLong(words[6]));
    }

    /**
     * Whether the two ranges have something in common, so that neither figure is the better one.
     */
    public boolean meets(Measured other) {
        return least <= other.most && other.least <= most;
    }

    public String line(String scenario, String system) {
        return String.format(
                Locale.ROOT,
                "%s %s %s %.1f %.1f %.1f %d",
                KEYWORD,
                scenario,
                system,
                median,
                least,
                most,
                operations);
    }
}
