package dev.ropewalk.benchmarks;

import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The page of results: a median, the least and the most of all iterations, for each collector. */
final class Report {
    private final Map<String, Collection<RunResult>> byCollector;

    Report(Map<String, Collection<RunResult>> byCollector) {
        this.byCollector = byCollector;
    }

    String text() {
        StringBuilder text = new StringBuilder();
        text.append("# Benchmarks\n\n");
        text.append("Written by the benchmarks themselves; do not edit. To make it again:\n\n");
        text.append("    mvn -q -DskipTests package\n");
        text.append(
                "    java -jar examples/benchmarks/target/benchmarks.jar docs/benchmarks.md\n\n");
        text.append(
                "with a JDK 25 as `java`. Each row is the median of all measured iterations of");
        text.append(
                " "
                        + Main.FORKS
                        + " JVMs, with the least\n"
                        + "and the most; everything ran one after the other");
        text.append(" on one machine. Heap 2 GB. Compare rows of this page only.\n\n");
        text.append("- Date: ").append(today()).append('\n');
        text.append("- Machine: ").append(Runtime.getRuntime().availableProcessors());
        text.append(" processors, ").append(System.getProperty("os.arch")).append(", ");
        text.append(System.getProperty("os.name")).append(' ');
        text.append(System.getProperty("os.version")).append('\n');
        text.append("- JVM: ").append(System.getProperty("java.vm.name")).append(' ');
        text.append(Runtime.version()).append("\n\n");
        text.append("| benchmark | collector | median | least | most | unit |\n");
        text.append("|---|---|---:|---:|---:|---|\n");
        rows().forEach((_, row) -> text.append(row));
        return text.toString();
    }

    /** By benchmark, then collector. */
    private Map<String, String> rows() {
        Map<String, String> rows = new TreeMap<>();
        byCollector.forEach(
                (collector, results) -> {
                    for (RunResult result : results) {
                        String name = shortName(result.getParams().getBenchmark());
                        rows.put(name + ' ' + collector, row(name, collector, result));
                    }
                });
        return rows;
    }

    private static String row(String name, String collector, RunResult result) {
        List<Double> scores =
                result.getBenchmarkResults().stream()
                        .flatMap(fork -> fork.getIterationResults().stream())
                        .map(IterationResult::getPrimaryResult)
                        .map(primary -> primary.getScore())
                        .sorted()
                        .toList();
        double median = scores.get(scores.size() / 2);
        return String.format(
                Locale.ROOT,
                "| %s | %s | %.1f | %.1f | %.1f | %s |%n",
                name,
                collector,
                median,
                scores.getFirst(),
                scores.getLast(),
                result.getPrimaryResult().getScoreUnit());
    }

    private static String shortName(String benchmark) {
        return benchmark.substring(benchmark.lastIndexOf('.', benchmark.lastIndexOf('.') - 1) + 1);
    }

    private static LocalDate today() {
        return ProcessHandle.current()
                .info()
                .startInstant()
                .orElseThrow()
                .atZone(ZoneOffset.UTC)
                .toLocalDate();
    }
}
