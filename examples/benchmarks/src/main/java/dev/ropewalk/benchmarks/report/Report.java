package dev.ropewalk.benchmarks.report;

import dev.ropewalk.benchmarks.result.Measured;
import dev.ropewalk.benchmarks.result.Observations;
import dev.ropewalk.benchmarks.result.Results;
import dev.ropewalk.benchmarks.scenario.Row;
import dev.ropewalk.benchmarks.scenario.SingleOperation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Writes the page of benchmarks and its charts from a file of results. */
public final class Report {
    private static final String FIRST = Results.COLLECTORS.getFirst();

    private final Results results;
    private final List<Observations> observed;
    private final Map<String, String> systems;
    private final StringBuilder page = new StringBuilder();

    /**
     * A report.
     *
     * @param observed what an observer was seen to cost, of one run after the other
     * @param systems says in the order of the page what each is, by its name
     */
    public Report(Results results, List<Observations> observed, Map<String, String> systems) {
        this.results = results;
        this.observed = observed;
        this.systems = systems;
    }

    public void write(Path docs) throws IOException {
        Path charts = Files.createDirectories(docs.resolve("charts"));
        head();
        List<Part> timed =
                SingleOperation.ALL.stream().map(Part::of).filter(this::isMeasured).toList();
        List<Part> rows =
                Row.all().stream()
                        .filter(row -> !row.isScaling())
                        .map(Part::of)
                        .filter(this::isMeasured)
                        .toList();
        systems();
        summary(rows);
        page.append(new Targets(results).section());
        page.append("\n## Single operations, by JMH\n");
        for (Part part : timed) {
            table(part);
        }
        page.append("\n## Scenarios\n");
        for (Part part : rows) {
            table(part);
            Files.writeString(charts.resolve(part.name() + ".svg"), bars(part));
            add("\n![", part.name(), "](charts/", part.name(), ".svg)\n");
        }
        scaling(charts);
        observed();
        failures();
        Files.writeString(docs.resolve("benchmarks.md"), page);
        PageTables tables = new PageTables(results, systems.keySet());
        tables.fillIn(docs.resolve("comparison.md"));
        tables.fillIn(docs.resolve("..").resolve("README.md"));
    }

    private boolean isMeasured(Part part) {
        return !results.systems(part.name()).isEmpty();
    }

    private void add(Object... parts) {
        for (Object part : parts) {
            page.append(part);
        }
    }

    /** Each run apart, because rounds of one JVM are compared in it. */
    private void observed() {
        if (observed.isEmpty()) {
            return;
        }
        page.append(
                """

                ## What an observer costs

                `observed` measures a cord without and with the [observer](guide/observer.md#its-cost) in its process. The
                figures are medians of rounds in turn with rounds alone, in one JVM. "Beside observer" means that nobody
                looks, "beside viewer" that a page is open. `report` takes such outputs too.
                """);
        for (Observations each : observed) {
            add("\n", each.facts().getOrDefault("collector", "a collector that is not told"));
            add(", ", each.facts().getOrDefault("date", ""));
            add(", ", each.facts().getOrDefault(Results.MACHINE, ""), ":\n\n");
            each.lines().forEach(line -> add("- ", line, "\n"));
        }
    }

    // ---------------------------------------------------------------- the head

    private void head() {
        page.append(
                """
                # Benchmarks

                Written by `report` from the output of `run`; nothing here is edited by hand. To make it
                again, with the `java` of a JDK 25:

                    mvn -q -DskipTests package
                    java -jar examples/benchmarks/target/benchmarks.jar run all > results.txt
                    java -jar examples/benchmarks/target/benchmarks.jar report results.txt

                `run <scenario> [system]...` runs a part; `list` names them all. `report` takes several
                files of whole runs, and `compare` says in which rows two of them do not agree. What this page
                was made from is in `docs/results`. The example servers, beside plain Netty and
                redis-server, have [a page of their own](servers.md).

                """);
        results.facts().forEach((key, value) -> add("- ", key, ": ", value, "\n"));
        page.append(
                """

                Every program runs in a JVM of its own, one after the other: about half a second of warm-up, or
                up to three until a round is as long as it should be, then 2 to 5 rounds of some 0.15 s (as long
                as it must be where the number of operations is fixed); two whole rounds of warm-up for timers.
                Heap: 1 GB, 2 GB where much may be alive at once, 4 GB for mem and the scaling rings,
                touched beforehand; JMH: 2 JVMs. What passes between two cores, wakeup, mem, parked, timers and the
                scaling rings run with G1 alone.

                In an `_apart` row the two ends of a program are forced onto two threads in every system, so each
                element passes from one to the other, in a pipeline once; a system that cannot be forced is left
                out. A process of its own, which measures nothing, counts for each element whether it changed its
                thread: an `_apart` program that did not fails the run. In a `_free` row
                the program says nothing of threads: each system places its parts as it likes, Ropewalk's channels
                as tasks of a scheduler with two cords; Ropewalk's actors stay where they are made, on one cord; the
                count stands in the table. The two kinds are not to be
                compared with each other. In an `_onecpu` row both threads of an `_apart` program share one CPU.
                A figure below its floor (spinning threads, a loop, a plain queue) fails the run too. All figures are of
                the one machine above.

                In a `remote_` row both nodes are in one process and talk over loopback: Ropewalk's on a cord each,
                Pekko's as they come, the ends of the bare socket on a thread each. All put the same notes of 100 bytes
                into bytes by the same Kryo. Pekko's queues drop what they have no room for, so they are
                wide there, and its producer has 50,000 messages on the way at most; the others make the sender wait.
                These rows warm up for six seconds and run with G1 alone. In an ask of one asker each ask is timed: a figure
                is the time that half of them (`remote_ask`), or all but one in a hundred (`remote_ask_p99`), need at most.
                The bare socket is the floor of tells, and none of asks: a cord spins a while before it sleeps, a
                plain thread in a read does not. `remote_local` is a tell within one cord: what a node with a peer, and one
                whose peer has stopped reading, takes from it. The `processes_` rows are the same between two
                processes, which share the two CPUs with the collectors and compilers of both. To run them: `run remote`,
                which names all of them.

                A
                figure is the median of the rounds, with the least and the most behind it; of several runs it
                is the median of theirs, and the range spans all of them: what lies between two JVMs is often
                more than what lies between the rounds of one. Messages of actors and channels are fresh objects. Every round of a
                scenario checks its answer: a sum or a count that is wrong fails the run. Compare the figures of this page with one another, and with nothing else; where two
                ranges overlap, they are equal.

                Until [decision 14](adr/0014-parts-and-rooms.md) timers that were due were read ahead: pages of before then
                show `timers` with that, and the decision what it was worth.
                """);
    }

    private void systems() {
        page.append("\n## Systems\n\n");
        systems.forEach((name, what) -> add("- ", name, ": ", what, "\n"));
    }

    // ---------------------------------------------------------------- the summary

    /** The best of ours and the best of the others. */
    private void summary(List<Part> parts) {
        page.append(
                """

                ## Where Ropewalk is first, and where it is not

                The best form of Ropewalk beside the best form of any other system; G1. Bare continuations are
                a floor and no system: nothing ends, fails or times out there.

                Two rows are behind on purpose. In `snooze` Kotlin's compiler has made a state machine of the body, whose
                suspension is a return; a fiber keeps a stack, so that any code may wait, and the floor of that is `continuations`.
                In `counting` the producer never gives way, so an unbounded mailbox outgrows the cache; `counting_bounded`,
                beside it, is the same with a limit.

                | scenario | Ropewalk | | best other | | Ropewalk is |
                |---|---|---:|---|---:|---|
                """);
        for (Part part : parts) {
            Optional<String> ours = results.best(part.name(), true);
            Optional<String> others = results.best(part.name(), false);
            if (ours.isPresent() && others.isPresent()) {
                Measured our = measured(part, ours.get());
                Measured other = measured(part, others.get());
                add("| [", part.name(), "](#", part.name(), ") | ", ours.get(), " | ");
                add(Chart.figure(our.median()), " ", part.unit(), " | ", others.get(), " | ");
                add(Chart.figure(other.median()), " ", part.unit(), " | ");
                add(verdict(our, other), " |\n");
            }
        }
    }

    private static String verdict(Measured our, Measured other) {
        if (our.meets(other)) {
            return "equal: the ranges overlap";
        }
        double ratio = other.median() / our.median();
        return ratio > 1
                ? String.format(Locale.ROOT, "**first**, %.1f x better", ratio)
                : String.format(Locale.ROOT, "behind, %.1f x worse", 1 / ratio);
    }

    private Measured measured(Part part, String system) {
        return results.find(FIRST, part.name(), system).orElseThrow();
    }

    // ---------------------------------------------------------------- tables

    private void table(Part part) {
        add(
                "\n### ",
                part.name(),
                "\n\n",
                capital(part.shape()),
                ". ",
                part.unit(),
                " for one ",
                part.operation());
        page.append(", the less the better.\n\n| system |");
        Results.COLLECTORS.forEach(collector -> add(" ", collector, " | least - most |"));
        boolean isCounted =
                results.systems(part.name()).stream()
                        .anyMatch(system -> results.shared(part.name(), system).isPresent());
        page.append(isCounted ? " both ends on one thread |" : "").append("\n|---|");
        Results.COLLECTORS.forEach(_ -> page.append("---:|---:|"));
        page.append(isCounted ? "---:|\n" : "\n");
        for (String system : sorted(part)) {
            add("| ", Results.isOurs(system) ? "**" + system + "**" : system, " |");
            for (String collector : Results.COLLECTORS) {
                page.append(
                        results.find(collector, part.name(), system)
                                .map(Report::cells)
                                .orElse(" - | |"));
            }
            if (isCounted) {
                page.append(
                        results.shared(part.name(), system)
                                .map(percent -> String.format(Locale.ROOT, " %.0f %% |", percent))
                                .orElse(" - |"));
            }
            page.append('\n');
        }
    }

    private List<String> sorted(Part part) {
        return results.systems(part.name()).stream()
                .sorted(
                        Comparator.comparingDouble(
                                system ->
                                        results.find(FIRST, part.name(), system)
                                                .map(Measured::median)
                                                .orElse(Double.MAX_VALUE)))
                .toList();
    }

    private static String cells(Measured measured) {
        return " "
                + Chart.figure(measured.median())
                + " | "
                + Chart.figure(measured.least())
                + " - "
                + Chart.figure(measured.most())
                + " |";
    }

    private static String capital(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    private String bars(Part part) {
        List<Chart.Bar> bars = new ArrayList<>();
        for (String system : sorted(part)) {
            results.find(FIRST, part.name(), system)
                    .ifPresent(
                            measured ->
                                    bars.add(
                                            new Chart.Bar(
                                                    system,
                                                    measured.median(),
                                                    Results.isOurs(system))));
        }
        return Chart.bars(
                part.name()
                        + ": "
                        + part.unit()
                        + " for one "
                        + part.operation()
                        + ", "
                        + FIRST
                        + ", logarithmic",
                bars);
    }

    // ---------------------------------------------------------------- scaling

    private void scaling(Path charts) throws IOException {
        List<Row> rings = scaleRows(Row.SCALE_FIBERS);
        List<Row> cords = scaleRows(Row.SCALE_CORDS);
        if (!rings.isEmpty()) {
            page.append(
                    """

                    ## Cost per message as actors grow

                    A message around a ring of so many actors, G1, ns.

                    """);
            scaleTable(rings, Row.SCALE_FIBERS);
            Files.writeString(charts.resolve("scale_actors.svg"), curves(rings));
            page.append("\n![cost per message as actors grow](charts/scale_actors.svg)\n");
        }
        if (!cords.isEmpty()) {
            page.append(
                    """

                    ## Cost per message as cords grow

                    Two rings of 1,000 actors on one cord, and on a cord each; G1, ns of elapsed time by
                    all messages.

                    """);
            scaleTable(cords, Row.SCALE_CORDS);
            Files.writeString(charts.resolve("scale_cords.svg"), cordBars(cords));
            page.append("\n![cost per message as cords grow](charts/scale_cords.svg)\n");
        }
    }

    private List<Row> scaleRows(String prefix) {
        return Row.all().stream()
                .filter(row -> row.name().startsWith(prefix))
                .filter(row -> !results.systems(row.name()).isEmpty())
                .toList();
    }

    private void scaleTable(List<Row> rows, String prefix) {
        page.append("| system |");
        rows.forEach(row -> add(" ", Chart.figure(Row.size(row, prefix)), " |"));
        page.append("\n|---|");
        rows.forEach(_ -> page.append("---:|"));
        page.append('\n');
        for (String system : results.systems(rows.getFirst().name())) {
            add("| ", system, " |");
            for (Row row : rows) {
                page.append(
                        results.find(FIRST, row.name(), system)
                                .map(measured -> " " + Chart.figure(measured.median()) + " |")
                                .orElse(" - |"));
            }
            page.append('\n');
        }
    }

    private String curves(List<Row> rings) {
        List<Chart.Curve> curves = new ArrayList<>();
        for (String system : results.systems(rings.getFirst().name())) {
            List<double[]> points = new ArrayList<>();
            for (Row row : rings) {
                results.find(FIRST, row.name(), system)
                        .ifPresent(
                                measured ->
                                        points.add(
                                                new double[] {
                                                    Row.size(row, Row.SCALE_FIBERS),
                                                    measured.median()
                                                }));
            }
            curves.add(new Chart.Curve(system, points));
        }
        return Chart.curves(
                "Cost per message as actors grow, " + FIRST, "actors in the ring", "ns", curves);
    }

    private String cordBars(List<Row> cords) {
        List<Chart.Bar> bars = new ArrayList<>();
        for (String system : results.systems(cords.getFirst().name())) {
            for (Row row : cords) {
                int size = Row.size(row, Row.SCALE_CORDS);
                String label = system + ", " + size + (size == 1 ? " cord" : " cords");
                results.find(FIRST, row.name(), system)
                        .ifPresent(
                                measured ->
                                        bars.add(new Chart.Bar(label, measured.median(), true)));
            }
        }
        return Chart.bars("Cost per message as cords grow: ns, " + FIRST + ", logarithmic", bars);
    }

    private void failures() {
        if (!results.failures().isEmpty()) {
            page.append("\n## Programs that failed\n\n");
            results.failures().forEach(failure -> add("- `", failure, "`\n"));
        }
    }
}
