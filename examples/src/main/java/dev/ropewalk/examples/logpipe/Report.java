package dev.ropewalk.examples.logpipe;

import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.logpipe.Event.Request;
import dev.ropewalk.fibers.Cord;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * Prints a table for each window, and one for all. With {@code --follow} a window is the time
 * between two ticks, otherwise so many seconds of the time in the log.
 */
final class Report {
    private static final double NS_PER_SECOND = 1e9;

    private final Options options;
    private final Output out;
    private final long startNs = Cord.current().nanoTime();
    private final Table all;
    private Table window;
    private long windowStartNs = startNs;

    /** Of the window by the log's time. */
    private long windowSecond = Long.MIN_VALUE;

    /** Begins now, by the time of this cord. */
    Report(Options options, Output out) {
        this.options = options;
        this.out = out;
        this.all = new Table(options.by());
        this.window = new Table(options.by());
    }

    /** Adds a request; one that is older than the present window counts in that. */
    void add(Request request) throws IOException {
        if (!options.follow() && options.every().isPresent()) {
            long length = options.every().get().toSeconds();
            long second = Math.floorDiv(request.second(), length) * length;
            if (second > windowSecond) {
                endWindowOfLog(length);
                windowSecond = second;
            }
        }
        all.add(request);
        if (options.every().isPresent()) {
            window.add(request);
        }
    }

    /** The window is over, by the time of this cord. */
    void tick() throws IOException {
        long nowNs = Cord.current().nanoTime();
        double seconds = (nowNs - windowStartNs) / NS_PER_SECOND;
        String title =
                String.format(
                        Locale.ROOT,
                        "the last %.0f s, %.0f s after the start",
                        seconds,
                        (nowNs - startNs) / NS_PER_SECOND);
        print(window, title, seconds);
        window = new Table(options.by());
        windowStartNs = nowNs;
    }

    /** Prints the window that is not over, and the table of all. */
    void end(Duration sinceStart, String note) throws IOException {
        if (window.requests() > 0) {
            if (options.follow()) {
                tick();
            } else {
                endWindowOfLog(Math.max(1, window.secondsInLog()));
            }
        }
        double seconds =
                options.follow() ? sinceStart.toNanos() / NS_PER_SECOND : all.secondsInLog();
        print(all, String.format(Locale.ROOT, "all, %,.0f s", seconds) + note, seconds);
    }

    private void endWindowOfLog(long seconds) throws IOException {
        if (window.requests() > 0) {
            print(
                    window,
                    Instant.ofEpochSecond(windowSecond) + ", " + seconds + " s",
                    (double) seconds);
            window = new Table(options.by());
        }
    }

    private void print(Table table, String title, double seconds) throws IOException {
        out.print(table.toText(title, seconds, options.top()) + "\n");
    }
}
