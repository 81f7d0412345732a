package dev.ropewalk.examples.logpipe;

import dev.ropewalk.channels.pipeline.Pipeline;
import dev.ropewalk.channels.pipeline.PipelineFailedException;
import dev.ropewalk.channels.pipeline.PipelineRun;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.logpipe.Event.Request;
import dev.ropewalk.examples.logpipe.Event.Tick;
import dev.ropewalk.examples.logpipe.Event.Unparsed;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongConsumer;

/**
 * The pipeline of one run.
 *
 * <pre>
 *   lines or follow -> number --+
 *   lines or follow -> number --+-> merge -> parse -> parsed --+-> merge -> sink
 *                                                      ticks --+
 * </pre>
 *
 * A file is read no faster than the sink takes its requests: between the two there are the channels
 * of the merges, or a buffer where nothing is merged, which are bounded, and one piece of each
 * file.
 */
final class LogPipe {
    static final String SINK = "sink";

    /** Without ticks, so that the sink is a fiber of its own in any case. */
    private static final int SINK_BUFFER = 64;

    private static final Path STDIN = Path.of("/dev/stdin");

    private final Options options;
    private final Output out;
    private final Complaints complaints;
    private final PipelineRun<@Nullable Void> run;
    private @Nullable Report report;

    /** Lines that were numbered, and those of them that have left the pipeline; on one cord. */
    private long entered;

    private long left;
    private long inFlightMax;

    /** Opens nothing yet. */
    LogPipe(Options options, Output out, Complaints complaints) {
        this.options = options;
        this.out = out;
        this.complaints = complaints;
        this.run = pipeline().forEach(SINK, this::take);
    }

    /**
     * Runs until the files end, or to {@link #interrupt}, and prints the tables; on a fiber.
     *
     * @throws IOException if the output cannot be written
     * @throws PipelineFailedException if a file cannot be read to its end; the last table is
     *     printed before
     */
    void run() throws IOException {
        long startNs = Cord.current().nanoTime();
        Report tables = new Report(options, out);
        report = tables;
        String note = "";
        @Nullable PipelineFailedException failure = null;
        try {
            run.run();
        } catch (CancelledException interrupted) {
            note = ", interrupted";
        } catch (PipelineFailedException failed) {
            if (failed.stage().equals(SINK) && failed.getCause() instanceof IOException e) {
                throw e;
            }
            note = ", failed";
            failure = failed;
        }
        Duration sinceStart = Duration.ofNanos(Cord.current().nanoTime() - startNs);
        tables.end(sinceStart, note + complaints.counts());
        if (options.stats()) {
            out.print(stats());
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Ends the run early, with its last table; from any thread. */
    void interrupt() {
        run.cancel();
    }

    /** Lines that were between the files and the sink at once, at most. */
    long inFlightMax() {
        return inFlightMax;
    }

    // ---------------------------------------------------------------- stages

    private Pipeline<Event> pipeline() {
        List<Pipeline<Line>> files = new ArrayList<>();
        for (String name : options.files()) {
            if (isThere(name)) {
                files.add(lines(name));
            }
        }
        Pipeline<Event> parsed =
                Pipeline.<Line>of()
                        .merge(files)
                        .map("parse", LogPipe::parse)
                        .filter("parsed", this::isParsed);
        if (!options.follow() || options.every().isEmpty()) {
            return parsed.buffer(SINK_BUFFER);
        }
        Pipeline<Event> ticks =
                Pipeline.ticks(options.every().get()).map("tick", number -> new Tick());
        return parsed.merge(ticks);
    }

    private Pipeline<Line> lines(String name) {
        Path file = path(name);
        LongConsumer malformed = number -> complaints.undecodable(name, number);
        Pipeline<String> lines =
                options.follow()
                        ? Pipeline.follow(file, malformed)
                        : Pipeline.lines(file, malformed);
        long[] number = new long[1];
        return lines.map("number", text -> numbered(name, ++number[0], text));
    }

    private Line numbered(String file, long number, String text) {
        entered++;
        inFlightMax = Math.max(inFlightMax, entered - left);
        return new Line(file, number, text);
    }

    private static Event parse(Line line) {
        try {
            return LineParser.parse(line.text());
        } catch (BadLine bad) {
            return new Unparsed(line, String.valueOf(bad.getMessage()));
        }
    }

    private boolean isParsed(Event event) {
        if (event instanceof Unparsed unparsed) {
            left++;
            complaints.unparsed(unparsed);
            return false;
        }
        return true;
    }

    private void take(Event event) throws IOException {
        Report tables = report;
        if (tables == null) {
            throw new IllegalStateException("no report yet; it is made by run()");
        }
        switch (event) {
            case Request request -> {
                left++;
                if (options.sinkDelay().isPositive()) {
                    Fiber.sleep(options.sinkDelay());
                }
                tables.add(request);
            }
            case Tick tick -> tables.tick();
            case Unparsed unparsed -> throw new IllegalStateException("not filtered: " + unparsed);
        }
    }

    // ---------------------------------------------------------------- files

    private static Path path(String name) {
        return name.equals(Options.STDIN_NAME) ? STDIN : Path.of(name);
    }

    /** One that is not is named, and the others are read all the same. */
    private boolean isThere(String name) {
        Path file = path(name);
        if (Files.isDirectory(file)) {
            complaints.file(name, "a directory; name the files in it");
            return false;
        }
        if (Files.isReadable(file)) {
            return true;
        }
        if (Files.exists(file)) {
            complaints.file(name, "permission denied");
            return false;
        }
        if (options.follow()) {
            complaints.note(name, "not there yet, it is waited for");
            return true;
        }
        complaints.file(name, "no such file");
        return false;
    }

    private String stats() {
        Runtime runtime = Runtime.getRuntime();
        return String.format(
                Locale.ROOT,
                "%s\nmax lines on their way at once: %,d; heap in use: %,.1f MB of %,.1f MB\n",
                run.stats(),
                inFlightMax,
                (runtime.totalMemory() - runtime.freeMemory()) / 1e6,
                runtime.maxMemory() / 1e6);
    }
}
