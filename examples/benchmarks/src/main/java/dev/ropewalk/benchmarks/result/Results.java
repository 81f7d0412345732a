package dev.ropewalk.benchmarks.result;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A file of results, read: the lines that {@code run} printed, whatever stands between them. */
public final class Results {
    /** A line about the run begins with it: {@code FACT <key> <value>}. */
    public static final String FACT = "FACT";

    /** The collector of the lines that follow. */
    public static final String COLLECTOR = FACT + " collector";

    /** The fact that names the machine. */
    public static final String MACHINE = "machine";

    /** A program that gave no figure: {@code FAILED <scenario> <what>}. */
    public static final String FAILED = "FAILED";

    /** How often both ends shared a thread: {@code SHARED <scenario> <system> <percent>}. */
    public static final String SHARED = "SHARED";

    /** Those of a whole run; where there is one figure, it is the first one's. */
    public static final List<String> COLLECTORS = List.of("G1", "Parallel");

    private static final List<String> FLOORS =
            List.of("continuations", "spinning", "loop", "sockets", "writes");

    /** Nobody chooses them to be fast. */
    private static final String PORTABLE = "ropewalk-portable";

    /** One line. */
    public record Line(String collector, String scenario, String system, Measured measured) {
        Line with(Measured other) {
            return new Line(collector, scenario, system, other);
        }
    }

    private final Map<String, String> facts = new LinkedHashMap<>();
    private final List<Line> lines = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    /** Percent, by scenario and system. */
    private final Map<String, Double> shared = new LinkedHashMap<>();

    private Results() {}

    /** {@return a line that says how often both ends shared a thread} */
    public static String shared(String scenario, String system, double percent) {
        return String.format(Locale.ROOT, "%s %s %s %.1f", SHARED, scenario, system, percent);
    }

    /** {@return how often both ends shared a thread, in percent, if that was counted} */
    public Optional<Double> shared(String scenario, String system) {
        return Optional.ofNullable(shared.get(scenario + " " + system));
    }

    public static Results read(Path file) throws IOException {
        return parse(Files.readAllLines(file));
    }

    /**
     * {@return several runs as one} A figure is the median of their medians, and its range spans
     * all of theirs, so that it says what differs from run to run too.
     *
     * @param runs at least one, all of one machine
     * @throws IllegalArgumentException if they are of different machines, whose figures make no row
     */
    public static Results together(List<Results> runs) {
        List<String> machines = runs.stream().map(Results::machine).distinct().toList();
        if (machines.size() > 1) {
            throw new IllegalArgumentException(
                    "the files are of different machines, whose figures make no row: "
                            + String.join(" and ", machines)
                            + "; give files of one machine");
        }
        Results all = new Results();
        for (Results run : runs) {
            run.facts.forEach(
                    (key, value) ->
                            all.facts.merge(
                                    key, value, (a, b) -> a.equals(b) ? a : a + " and " + b));
            all.failures.addAll(run.failures);
            all.shared.putAll(run.shared);
            for (Line line : run.lines) {
                if (all.find(line.collector(), line.scenario(), line.system()).isEmpty()) {
                    all.lines.add(line.with(together(line, runs)));
                }
            }
        }
        if (runs.size() > 1) {
            all.facts.put("runs", Integer.toString(runs.size()));
            String reproduced = reproduced(runs);
            if (!reproduced.isEmpty()) {
                all.facts.put("reproduced", reproduced);
            }
        }
        return all;
    }

    /**
     * In how many rows a whole run found what the others state: for the worst, and the best. Empty
     * if they have no row in common.
     */
    private static String reproduced(List<Results> runs) {
        int largest = runs.stream().mapToInt(run -> run.lines.size()).max().orElse(0);
        int rows = 0;
        int fewest = Integer.MAX_VALUE;
        int most = 0;
        for (Results run : runs.stream().filter(each -> 2 * each.lines.size() > largest).toList()) {
            List<Results> others = runs.stream().filter(other -> other != run).toList();
            List<Line> again =
                    run.lines.stream().filter(line -> !seen(line, others).isEmpty()).toList();
            long found =
                    again.stream()
                            .filter(line -> line.measured().meets(together(line, others)))
                            .count();
            rows = Math.max(rows, again.size());
            fewest = Math.min(fewest, (int) found);
            most = Math.max(most, (int) found);
        }
        if (rows == 0) {
            return ""; // they measured different rows
        }
        return String.format(
                Locale.ROOT,
                "in %d to %d of %d rows the range of a run meets the range of the others",
                fewest,
                most,
                rows);
    }

    private String machine() {
        return facts.getOrDefault(MACHINE, "an unknown one");
    }

    private static Measured together(Line line, List<Results> runs) {
        List<Measured> seen = seen(line, runs);
        double[] medians = seen.stream().mapToDouble(Measured::median).toArray();
        return new Measured(
                Measured.of(medians, 0).median(),
                seen.stream().mapToDouble(Measured::least).min().orElseThrow(),
                seen.stream().mapToDouble(Measured::most).max().orElseThrow(),
                seen.stream().mapToLong(Measured::operations).sum());
    }

    private static List<Measured> seen(Line line, List<Results> runs) {
        return runs.stream()
                .flatMap(run -> run.find(line.collector(), line.scenario(), line.system()).stream())
                .toList();
    }

    /** {@return whether a figure of {@code run} is in it} */
    public static boolean isAny(List<String> text) {
        return text.stream().anyMatch(each -> each.startsWith(Measured.KEYWORD + " "));
    }

    /**
     * The same scenario and system measured again, by a later run in the same file, replaces the
     * earlier figure.
     */
    public static Results parse(List<String> text) {
        Results results = new Results();
        String collector = "";
        for (String line : text) {
            String[] words = line.split(" ", -1);
            if (words[0].equals(FACT) && words.length > 2) {
                String value = line.substring(FACT.length() + words[1].length() + 2);
                if (line.startsWith(COLLECTOR + " ")) {
                    collector = value;
                } else {
                    results.facts.put(words[1], value);
                }
            } else if (words[0].equals(Measured.KEYWORD)) {
                results.add(collector, line, words);
            } else if (words[0].equals(SHARED) && words.length == 4) {
                results.shared.put(words[1] + " " + words[2], Double.valueOf(words[3]));
            } else if (words[0].equals(FAILED)) {
                results.failures.add(line);
            }
        }
        if (results.lines.isEmpty()) {
            throw new IllegalArgumentException(
                    "no line begins with " + Measured.KEYWORD + "; give the output of run");
        }
        return results;
    }

    private void add(String collector, String line, String[] words) {
        if (collector.isEmpty()) {
            throw new IllegalArgumentException("no collector was named before it: " + line);
        }
        Measured measured = Measured.parse(line);
        lines.removeIf(
                old ->
                        old.collector().equals(collector)
                                && old.scenario().equals(words[1])
                                && old.system().equals(words[2]));
        lines.add(new Line(collector, words[1], words[2], measured));
    }

    public List<Line> lines() {
        return List.copyOf(lines);
    }

    public Map<String, String> facts() {
        return facts;
    }

    public List<String> failures() {
        return failures;
    }

    /** {@return the systems of a scenario in the order of the file} */
    public List<String> systems(String scenario) {
        return lines.stream()
                .filter(line -> line.scenario().equals(scenario))
                .map(Line::system)
                .distinct()
                .toList();
    }

    public Optional<Measured> find(String collector, String scenario, String system) {
        return lines.stream()
                .filter(line -> line.collector().equals(collector))
                .filter(line -> line.scenario().equals(scenario))
                .filter(line -> line.system().equals(system))
                .map(Line::measured)
                .findFirst();
    }

    public static boolean isOurs(String system) {
        return system.startsWith("ropewalk");
    }

    /** {@return ours, or another, that is best by the first collector's medians; no floor} */
    public Optional<String> best(String scenario, boolean ours) {
        String collector = COLLECTORS.getFirst();
        return lines.stream()
                .filter(line -> line.collector().equals(collector))
                .filter(line -> line.scenario().equals(scenario))
                .filter(line -> isOurs(line.system()) == ours && !FLOORS.contains(line.system()))
                .filter(line -> !line.system().startsWith(PORTABLE))
                .min(Comparator.comparingDouble(line -> line.measured().median()))
                .map(Line::system);
    }
}
