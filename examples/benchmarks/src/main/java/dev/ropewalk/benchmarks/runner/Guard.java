package dev.ropewalk.benchmarks.runner;

import dev.ropewalk.benchmarks.result.Measured;
import dev.ropewalk.benchmarks.result.Results;
import dev.ropewalk.benchmarks.scenario.Row;
import dev.ropewalk.benchmarks.system.Contestant;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Tells whether rows that are to stay fast are slower than they were, beside floors that have
 * nothing of the library: bare continuations, a plain queue, a loop. A machine that is slower is so
 * for both, so the ratios were recorded once and hold elsewhere too.
 *
 * <p>Rows and floors take turns, each in a JVM of its own. A row is slower if the medians of all
 * rounds say so and the least figures do too, because one busy moment moves a median.
 */
final class Guard {
    private static final int ROUNDS = 5;
    private static final double LIMIT = 1.10;

    record Figure(Row row, Contestant contestant) {
        @Override
        public String toString() {
            return row.name() + " " + contestant.name();
        }
    }

    /** A line of the record: a row, its floor, and the ratios of the medians and of the least. */
    record Kept(Figure figure, Figure floor, double median, double least) {
        boolean isSlower(double medianNow, double leastNow) {
            return medianNow / median > LIMIT && leastNow / least > LIMIT;
        }
    }

    private final PrintStream out;
    private final Runner runner;
    private final Map<Figure, List<Double>> seen = new LinkedHashMap<>();

    Guard(PrintStream out) throws IOException {
        this.out = out;
        this.runner = new Runner(out);
    }

    /** {@return whether no row is slower and none failed} */
    boolean holds() throws IOException, InterruptedException {
        List<Kept> record = record();
        record.forEach(
                kept -> {
                    seen.put(kept.floor(), new ArrayList<>());
                    seen.put(kept.figure(), new ArrayList<>());
                });
        for (int round = 0; round < ROUNDS; round++) {
            for (Map.Entry<Figure, List<Double>> each : seen.entrySet()) {
                measure(each.getKey()).ifPresent(each.getValue()::add);
            }
        }
        boolean holds = !runner.hasFailed();
        for (Kept kept : record) {
            holds &= isKept(kept);
        }
        return holds;
    }

    private Optional<Double> measured(Figure figure, boolean least) {
        double[] figures =
                seen.getOrDefault(figure, List.of()).stream()
                        .mapToDouble(Double::doubleValue)
                        .toArray();
        if (figures.length == 0) {
            return Optional.empty();
        }
        Measured all = Measured.of(figures, 0);
        return Optional.of(least ? all.least() : all.median());
    }

    private Optional<Double> measure(Figure figure) throws IOException, InterruptedException {
        return runner.measure(figure.row(), figure.contestant(), Results.COLLECTORS.getFirst())
                .map(Measured::median);
    }

    private boolean isKept(Kept kept) {
        double median = ratio(kept, false);
        double least = ratio(kept, true);
        boolean isSlower = kept.isSlower(median, least);
        out.printf(
                Locale.ROOT,
                "%-32s %8.1f ns = %6.2f x %s, least %6.2f x; recorded %6.2f, least %6.2f%s%n",
                kept.figure(),
                measured(kept.figure(), false).orElse(Double.NaN),
                median,
                kept.floor(),
                least,
                kept.median(),
                kept.least(),
                isSlower ? "  SLOWER" : "");
        return !isSlower && !Double.isNaN(median);
    }

    private double ratio(Kept kept, boolean least) {
        return measured(kept.figure(), least).orElse(Double.NaN)
                / measured(kept.floor(), least).orElse(Double.NaN);
    }

    // ---------------------------------------------------------------- the record

    static List<Kept> record() throws IOException {
        List<Kept> record = new ArrayList<>();
        try (InputStream in = Guard.class.getResourceAsStream("/guard.txt")) {
            if (in == null) {
                throw new IOException("guard.txt is not in the jar");
            }
            BufferedReader reader =
                    new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    record.add(kept(line));
                }
            }
        }
        return record;
    }

    static Kept kept(String line) {
        String[] words = line.strip().split("\\s+", -1);
        if (words.length != 6) {
            throw new IllegalArgumentException(
                    "guard.txt: a line is row, system, row of the floor, system of the floor,"
                            + " ratio, least ratio: "
                            + line);
        }
        return new Kept(
                new Figure(Main.row(words[0]), Main.contestant(words[1])),
                new Figure(Main.row(words[2]), Main.contestant(words[3])),
                Double.parseDouble(words[4]),
                Double.parseDouble(words[5]));
    }
}
