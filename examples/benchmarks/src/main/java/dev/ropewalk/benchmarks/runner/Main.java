package dev.ropewalk.benchmarks.runner;

import dev.ropewalk.benchmarks.failover.Failover;
import dev.ropewalk.benchmarks.failover.Leaving;
import dev.ropewalk.benchmarks.measure.Child;
import dev.ropewalk.benchmarks.measure.Stopwatch;
import dev.ropewalk.benchmarks.observed.Observed;
import dev.ropewalk.benchmarks.report.Comparison;
import dev.ropewalk.benchmarks.report.Report;
import dev.ropewalk.benchmarks.result.Observations;
import dev.ropewalk.benchmarks.result.Results;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Row;
import dev.ropewalk.benchmarks.scenario.SingleOperation;
import dev.ropewalk.benchmarks.scenario.StackFlags;
import dev.ropewalk.benchmarks.system.Contestant;
import dev.ropewalk.fibers.StackKind;

import org.openjdk.jmh.runner.RunnerException;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The command line of the benchmarks. */
public final class Main {
    private static final String USAGE =
            """
            usage: benchmarks run <scenario|all> [system]...   prints a BENCH line for each program
                   benchmarks check [system]...                runs all programs in small, in a minute
                   benchmarks guard                            says whether a row has become slower
                   benchmarks failover [ropewalk|pekko|pekko-3s]... [--rounds N] [--oldest]
                                                               kills a process of a cluster, and says when its
                                                               entities answer elsewhere
                   benchmarks leave [--entities N]             lets a node with so many leave while they are asked
                   benchmarks observed                         says what an observer costs the cord that it looks at
                   benchmarks report <results>... [docs]       writes docs/benchmarks.md and charts
                   benchmarks compare <results> <results>      names the rows that do not agree
                   benchmarks list                             names the scenarios and systems
            scale is all scenarios of growing size, remote all between nodes; with systems named, JMH's scenarios are left out
            """;

    private final PrintStream out;

    private Main(PrintStream out) {
        this.out = out;
    }

    /**
     * Runs, reports, compares or lists.
     *
     * @param arguments a command and what it is about
     * @throws Exception if the machine fails; a mistake of the user's is a message and status 2
     */
    public static void main(String[] arguments) throws Exception {
        System.exit(new Main(System.out).command(List.of(arguments)));
    }

    private int command(List<String> arguments) throws Exception {
        List<String> rest =
                arguments.isEmpty() ? arguments : arguments.subList(1, arguments.size());
        try {
            return switch (arguments.isEmpty() ? "" : arguments.getFirst()) {
                case "run" -> run(rest);
                case "check" -> check(rest);
                case "guard" -> guard(rest);
                case "one" -> one(rest, false);
                case "count" -> one(rest, true);
                case "small" -> small(rest);
                case "failover" -> failover(rest);
                case "leave" -> leave(rest);
                case "observed" -> observed(rest);
                case "report" -> report(rest);
                case "compare" -> compare(rest);
                case "list" -> list(rest);
                case "" -> throw new UsageException("a command is missing");
                default -> throw new UsageException("no such command: " + arguments.getFirst());
            };
        } catch (UsageException mistake) {
            System.err.println("benchmarks: " + mistake.getMessage());
            System.err.print(USAGE);
            return 2;
        } catch (NoSuchFileException missing) {
            System.err.println("benchmarks: there is no file " + missing.getMessage());
            return 1;
        } catch (IOException | IllegalArgumentException broken) {
            System.err.println("benchmarks: " + broken.getMessage());
            return 1;
        }
    }

    private static final class UsageException extends RuntimeException {
        private static final long serialVersionUID = 1;

        UsageException(String message) {
            super(message);
        }
    }

    // ---------------------------------------------------------------- run

    private int run(List<String> arguments) throws IOException, InterruptedException {
        if (arguments.isEmpty()) {
            throw new UsageException("run what? Give a scenario or all");
        }
        String wanted = arguments.getFirst();
        List<String> systems = arguments.subList(1, arguments.size());
        systems.forEach(Main::contestant);
        boolean everything = wanted.equals("all");
        List<Row> rows =
                Row.all().stream().filter(row -> everything || row.matches(wanted)).toList();
        List<SingleOperation> timed =
                SingleOperation.ALL.stream()
                        .filter(_ -> systems.isEmpty())
                        .filter(single -> everything || single.name().equals(wanted))
                        .toList();
        if (rows.isEmpty() && timed.isEmpty()) {
            throw new UsageException("no such scenario: " + wanted + "; see list");
        }
        List<Pair> pairs = pairs(rows, systems);
        if (timed.isEmpty() && pairs.isEmpty()) {
            throw new UsageException("none of " + systems + " runs " + wanted);
        }
        Stopwatch all = new Stopwatch();
        Facts.print(out);
        Runner runner = new Runner(out);
        if (everything) {
            check(runner, systems);
        }
        for (String collector : Results.COLLECTORS) {
            out.println(Results.COLLECTOR + " " + collector);
            for (SingleOperation single : timed) {
                try {
                    new Jmh(single).run(collector, out);
                } catch (RunnerException e) {
                    runner.failed(single.name(), "by JMH: " + e.getMessage());
                }
            }
            for (Pair pair : pairs) {
                if (pair.row().isForEachCollector()
                        || collector.equals(Results.COLLECTORS.getFirst())) {
                    runner.run(pair.row(), pair.contestant(), collector);
                }
            }
        }
        runner.checkFloors();
        Facts.printEnd(out, all);
        return runner.hasFailed() ? 1 : 0;
    }

    private int guard(List<String> arguments) throws IOException, InterruptedException {
        if (!arguments.isEmpty()) {
            throw new UsageException("guard takes no arguments: " + arguments);
        }
        return new Guard(out).holds() ? 0 : 1;
    }

    private int failover(List<String> arguments) throws IOException, InterruptedException {
        wanted(Failover::of, arguments).run(out);
        return 0;
    }

    private int leave(List<String> arguments) throws IOException, InterruptedException {
        return wanted(Leaving::of, arguments).run(out) ? 0 : 1;
    }

    private int observed(List<String> arguments) throws Exception {
        Facts.print(out);
        Facts.printOwnCollector(out);
        try (Peer peer = contestant("ropewalk-handler").open().get()) {
            Program bank = Objects.requireNonNull(peer.programs().get("bank"));
            wanted(rest -> Observed.of(rest, out, bank::run), arguments).run();
        }
        return 0;
    }

    /** A mistake in the arguments is one of the user's. */
    private static <T> T wanted(Function<List<String>, T> of, List<String> arguments) {
        try {
            return of.apply(arguments);
        } catch (IllegalArgumentException mistake) {
            throw new UsageException(String.valueOf(mistake.getMessage()));
        }
    }

    private int check(List<String> systems) throws IOException, InterruptedException {
        systems.forEach(Main::contestant);
        Runner runner = new Runner(out);
        check(runner, systems);
        return runner.hasFailed() ? 1 : 0;
    }

    private static void check(Runner runner, List<String> systems)
            throws IOException, InterruptedException {
        for (Contestant contestant : Contestant.ALL) {
            if (systems.isEmpty() || systems.contains(contestant.name())) {
                runner.check(contestant);
            }
        }
    }

    private record Pair(Row row, Contestant contestant) {}

    /** Who runs what, row by row. */
    private static List<Pair> pairs(List<Row> rows, List<String> systems) {
        Map<Contestant, Set<String>> programs = new LinkedHashMap<>();
        for (Contestant contestant : Contestant.ALL) {
            if (systems.isEmpty() || systems.contains(contestant.name())) {
                programs.put(contestant, contestant.programs());
            }
        }
        List<Pair> pairs = new ArrayList<>();
        for (Row row : rows) {
            programs.forEach(
                    (contestant, names) -> {
                        boolean hasCores = contestant.onTwoCores() || !row.isOnTwoCores();
                        if (names.contains(row.program())
                                && hasCores
                                && row.isShownFor(contestant.name())) {
                            pairs.add(new Pair(row, contestant));
                        }
                    });
        }
        return pairs;
    }

    static Row row(String name) {
        return Row.all().stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new UsageException("no such scenario: " + name + "; see list"));
    }

    static Contestant contestant(String name) {
        return Contestant.ALL.stream()
                .filter(contestant -> contestant.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new UsageException("no such system: " + name + "; see list"));
    }

    /** Measures, or counts. */
    private int one(List<String> arguments, boolean counts) throws Exception {
        if (arguments.size() != 2) {
            throw new UsageException("one and count need a scenario and a system: " + arguments);
        }
        Row row = row(arguments.getFirst());
        Contestant contestant = contestant(arguments.get(1));
        checkStacks();
        Watchdog.start();
        try (Peer peer = contestant.open().get()) {
            Program program = peer.programs().get(row.program());
            if (program == null) {
                throw new UsageException(contestant.name() + " does not run " + row.name());
            }
            Child child = new Child(row, program);
            if (!counts) {
                out.println(child.measure().line(row.name(), contestant.name()));
                return 0;
            }
            double percent = child.shared();
            if (row.isFree()) {
                out.println(Results.shared(row.name(), contestant.name(), percent));
            }
        }
        return 0;
    }

    /** Figures of portable stacks are others, and nobody wants them by accident. */
    private static void checkStacks() {
        if (!StackKind.LIGHT.isAvailable() && System.getProperty("ropewalk.stacks") == null) {
            throw new UsageException(
                    "this JVM has no light stacks; start it with @ropewalk.args, or with"
                            + " "
                            + StackFlags.PORTABLE
                            + " to measure portable ones");
        }
    }

    /** All programs of one system. */
    private int small(List<String> arguments) throws Exception {
        if (arguments.size() != 1) {
            throw new UsageException("small needs a system: " + arguments);
        }
        Contestant contestant = contestant(arguments.getFirst());
        Watchdog.start();
        try (Peer peer = contestant.open().get()) {
            for (Row row : Row.all()) {
                Program program = peer.programs().get(row.program());
                if (program != null && row.name().equals(row.program())) {
                    new Child(row, program).check();
                }
            }
        }
        return 0;
    }

    // ---------------------------------------------------------------- report and list

    private int report(List<String> arguments) throws IOException {
        List<Path> files = new ArrayList<>(arguments.stream().map(Path::of).toList());
        boolean namesDocs = !files.isEmpty() && Files.isDirectory(files.getLast());
        Path docs = namesDocs ? files.removeLast() : Path.of("docs");
        if (files.isEmpty()) {
            throw new UsageException("report needs the file that run's output was written to");
        }
        List<Results> runs = new ArrayList<>();
        List<Observations> observed = new ArrayList<>();
        for (Path file : files) {
            List<String> text = Files.readAllLines(file);
            Optional<Observations> seen = Observations.of(text);
            seen.ifPresent(observed::add);
            if (seen.isEmpty() || Results.isAny(text)) {
                runs.add(Results.parse(text));
            }
        }
        if (runs.isEmpty()) {
            throw new UsageException("report needs a file of run beside those of observed");
        }
        Map<String, String> systems = new LinkedHashMap<>();
        Contestant.ALL.forEach(it -> systems.put(it.name(), it.what()));
        new Report(Results.together(runs), observed, systems).write(docs);
        return 0;
    }

    private int compare(List<String> arguments) throws IOException {
        if (arguments.size() != 2) {
            throw new UsageException("compare needs two files of results: " + arguments);
        }
        Results first = Results.read(Path.of(arguments.get(0)));
        Results second = Results.read(Path.of(arguments.get(1)));
        new Comparison(first, second).lines().forEach(out::println);
        return 0;
    }

    private int list(List<String> arguments) {
        if (!arguments.isEmpty()) {
            throw new UsageException("list takes no arguments: " + arguments);
        }
        out.println("scenarios:");
        List<String> names = new ArrayList<>();
        SingleOperation.ALL.forEach(single -> names.add(single.name() + " (JMH)"));
        Row.all().forEach(row -> names.add(row.name() + ": " + row.shape()));
        names.forEach(name -> out.println("  " + name));
        out.println("systems:");
        Contestant.ALL.forEach(
                contestant -> out.println("  " + contestant.name() + ": " + contestant.what()));
        return 0;
    }
}
