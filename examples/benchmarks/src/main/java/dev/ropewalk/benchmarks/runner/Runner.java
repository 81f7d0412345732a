package dev.ropewalk.benchmarks.runner;

import dev.ropewalk.benchmarks.measure.Sharing;
import dev.ropewalk.benchmarks.result.Measured;
import dev.ropewalk.benchmarks.result.Results;
import dev.ropewalk.benchmarks.scenario.Row;
import dev.ropewalk.benchmarks.scenario.StackFlags;
import dev.ropewalk.benchmarks.system.Contestant;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs each program in a JVM of its own, one after the other, and prints its line. A program that
 * fails or does not end is a line too, and makes the whole run fail.
 */
final class Runner {
    private static final long LIMIT_SECONDS = 90;

    /** Of a process that runs all programs of a system in small. */
    private static final String CHECKED_HEAP = "1g";

    /** Of Linux; elsewhere such a row fails, and says so. */
    private static final List<String> ONE_CPU = List.of("taskset", "-c", "0");

    private final PrintStream out;
    private final List<String> commonFlags;
    private final List<Results.Line> lines = new ArrayList<>();
    private boolean failed;

    Runner(PrintStream out) throws IOException {
        this.out = out;
        this.commonFlags = new ArrayList<>(StackFlags.ofArgumentFile());
        // Touched before: on a virtual machine the first touch of a page can cost more than its
        // use.
        commonFlags.add("-XX:+AlwaysPreTouch");
    }

    boolean hasFailed() {
        return failed;
    }

    /**
     * Measures the row; what has two ends is counted afterwards, by a process that measures none.
     */
    void run(Row row, Contestant contestant, String collector)
            throws IOException, InterruptedException {
        Optional<Measured> measured = measure(row, contestant, collector);
        measured.ifPresent(
                figure -> {
                    out.println(figure.line(row.name(), contestant.name()));
                    lines.add(new Results.Line(collector, row.name(), contestant.name(), figure));
                });
        if (measured.isPresent() && row.hasEnds()) {
            List<String> flags = flags(row, contestant);
            flags.add("-D" + Sharing.PROPERTY + "=true");
            start(row, collector, flags, "count", row.name(), contestant.name())
                    .forEach(out::println);
        }
        out.flush();
    }

    /** The figure of one process; empty if it has failed, which is printed. */
    Optional<Measured> measure(Row row, Contestant contestant, String collector)
            throws IOException, InterruptedException {
        return start(row, collector, flags(row, contestant), "one", row.name(), contestant.name())
                .stream()
                .filter(line -> line.startsWith(Measured.KEYWORD + " "))
                .map(Measured::parse)
                .findFirst();
    }

    private static List<String> flags(Row row, Contestant contestant) {
        List<String> flags = new ArrayList<>(contestant.flags());
        flags.add("-Xms" + row.heap());
        flags.add("-Xmx" + row.heap());
        flags.addAll(row.flags());
        return flags;
    }

    /** Has all programs of the system run in small, and checks what they answer. */
    void check(Contestant contestant) throws IOException, InterruptedException {
        List<String> flags = new ArrayList<>(contestant.flags());
        flags.add("-Xmx" + CHECKED_HEAP);
        flags.add("-D" + Sharing.PROPERTY + "=true");
        start(null, Results.COLLECTORS.getFirst(), flags, "small", contestant.name());
    }

    /** A floor above what it is the floor of is a fault of the harness. */
    void checkFloors() {
        for (Row row : Row.all()) {
            for (Results.Line floor : lines) {
                if (floor.scenario().equals(row.name())
                        && row.floor().equals(Optional.of(floor.system()))) {
                    checkFloor(floor);
                }
            }
        }
    }

    private void checkFloor(Results.Line floor) {
        for (Results.Line line : lines) {
            if (line.scenario().equals(floor.scenario())
                    && line.collector().equals(floor.collector())
                    && line.measured().most() < floor.measured().least()) {
                failed(
                        line.scenario(),
                        line.system()
                                + " most="
                                + line.measured().most()
                                + " < least="
                                + floor.measured().least()
                                + " of its floor "
                                + floor.system()
                                + ": its ends are not apart, or the floor is none");
            }
        }
    }

    /** The results that the process printed; none if it failed, which is printed. */
    private List<String> start(
            @Nullable Row row, String collector, List<String> flags, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        if (row != null && row.isOnOneCpu()) {
            command.addAll(ONE_CPU);
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(commonFlags);
        command.add("-XX:+Use" + collector + "GC");
        command.addAll(flags);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(Main.class.getName());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        AtomicBoolean tooLong = new AtomicBoolean();
        Thread guard = Thread.ofVirtual().start(() -> endInTime(process, tooLong));
        List<String> results = new ArrayList<>();
        List<String> rest = new ArrayList<>();
        try {
            try (BufferedReader reader = process.inputReader()) {
                for (String read = reader.readLine(); read != null; read = reader.readLine()) {
                    boolean isResult =
                            read.startsWith(Measured.KEYWORD + " ")
                                    || read.startsWith(Results.SHARED + " ");
                    (isResult ? results : rest).add(read);
                }
            }
            int status = process.waitFor();
            if (status != 0) {
                String why = tooLong.get() ? "limit=" + LIMIT_SECONDS + "s" : "status=" + status;
                // A line of results names the scenario first; a check has a system alone.
                String what = String.join(" ", List.of(arguments).subList(2, arguments.length));
                failed(arguments[1], (what + " " + why + " of " + arguments[0]).strip());
                rest.forEach(out::println);
                out.flush();
                return List.of();
            }
        } finally {
            guard.interrupt();
            process.toHandle().destroyForcibly();
        }
        return results;
    }

    void failed(String scenario, String what) {
        failed = true;
        out.println(Results.FAILED + " " + scenario + " " + what);
    }

    /** By its handle: a process that is destroyed closes the streams that are being read. */
    private static void endInTime(Process process, AtomicBoolean tooLong) {
        try {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                tooLong.set(true);
                process.toHandle().destroyForcibly();
            }
        } catch (InterruptedException ended) {
            // The program has ended by itself.
        }
    }
}
