package dev.ropewalk.examples.logpipe;

import dev.ropewalk.examples.cli.Plain;
import dev.ropewalk.examples.logpipe.Event.Request;

import java.util.List;
import java.util.Locale;

/** What the requests of a window have in common. Its memory is bounded, whatever comes. */
final class Table {
    /** Keys that are counted exactly. */
    static final int KEYS = 10_000;

    private final Options.Key by;
    private final TopKeys keys;
    private final Histogram bytesOfEach = new Histogram();
    private final Histogram microsOfEach = new Histogram();
    private long requests;
    private long bytes;
    private long errors;
    private long firstSecond = Long.MAX_VALUE;
    private long lastSecond = Long.MIN_VALUE;

    Table(Options.Key by) {
        this(by, KEYS);
    }

    Table(Options.Key by, int capacity) {
        this.by = by;
        this.keys = new TopKeys(capacity);
    }

    void add(Request request) {
        requests++;
        bytes += request.bytes();
        errors += request.isError() ? 1 : 0;
        firstSecond = Math.min(firstSecond, request.second());
        lastSecond = Math.max(lastSecond, request.second());
        bytesOfEach.add(request.bytes());
        if (request.micros() >= 0) {
            microsOfEach.add(request.micros());
        }
        keys.add(
                switch (by) {
                    case PATH -> request.path();
                    case CLIENT -> request.client();
                    case STATUS -> Integer.toString(request.status());
                });
    }

    long requests() {
        return requests;
    }

    /** By the time in the log, the first and the last second included; 0 without requests. */
    long secondsInLog() {
        return requests == 0 ? 0 : lastSecond - firstSecond + 1;
    }

    /**
     * The table for people.
     *
     * @param title its first line
     * @param seconds what the rates are by
     * @param top how many of the most frequent are shown
     */
    String toText(String title, double seconds, int top) {
        StringBuilder text = new StringBuilder(title).append('\n');
        rate(text, "requests", requests, seconds);
        rate(text, "bytes", bytes, seconds);
        rate(text, "errors", errors, seconds);
        percentiles(text, "bytes of one", bytesOfEach, 1);
        if (microsOfEach.count() > 0) {
            percentiles(text, "ms of one", microsOfEach, 1e3);
        }
        List<TopKeys.Seen> seen = keys.top(top);
        if (!seen.isEmpty()) {
            row(text, "count", by.word());
            seen.forEach(each -> row(text, grouped(each.count()), shown(each)));
            if (!keys.isExact()) {
                text.append("  more than ")
                        .append(grouped(keys.capacity()))
                        .append(" different ones: a count is too high by up to what it shows,")
                        .append(" and one below ")
                        .append(grouped(requests / keys.capacity() + 1))
                        .append(" may be missing\n");
            }
        }
        return text.toString();
    }

    private static String shown(TopKeys.Seen seen) {
        String key = Plain.text(seen.key());
        return seen.error() == 0 ? key : key + " (up to " + grouped(seen.error()) + " less)";
    }

    private static void rate(StringBuilder text, String what, long amount, double seconds) {
        double perSecond = seconds <= 0 ? 0 : amount / seconds;
        text.append(
                String.format(Locale.ROOT, "  %-12s %,15d %,15.1f/s\n", what, amount, perSecond));
    }

    private static void percentiles(
            StringBuilder text, String what, Histogram histogram, double unit) {
        text.append(String.format(Locale.ROOT, "  %-12s", what));
        for (double percent : new double[] {50, 90, 99}) {
            text.append(String.format(Locale.ROOT, " p%.0f ", percent))
                    .append(scaled(histogram.percentile(percent), unit));
        }
        text.append(" max ").append(scaled(histogram.max(), unit)).append('\n');
    }

    private static String scaled(long number, double unit) {
        return unit == 1 ? grouped(number) : String.format(Locale.ROOT, "%,.1f", number / unit);
    }

    private static void row(StringBuilder text, String count, String key) {
        text.append(String.format(Locale.ROOT, "  %12s  %s\n", count, key));
    }

    private static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
