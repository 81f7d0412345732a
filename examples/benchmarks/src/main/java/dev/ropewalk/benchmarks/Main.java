package dev.ropewalk.benchmarks;

import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs the benchmarks under each collector and writes the page of results.
 *
 * <p>{@code java -jar examples/benchmarks/target/benchmarks.jar FILE [PATTERN]...}: writes FILE,
 * and runs the benchmarks whose names match a pattern, all of them without one.
 */
public final class Main {
    private static final List<String> COLLECTORS = List.of("G1", "Parallel");
    static final int FORKS = 2;

    private Main() {}

    /**
     * Runs the benchmarks.
     *
     * @param arguments the file to write, then patterns
     */
    public static void main(String[] arguments) throws IOException, RunnerException {
        if (arguments.length == 0) {
            System.err.println("usage: benchmarks FILE [PATTERN]...; writes the results to FILE");
            System.exit(2);
        }
        List<String> patterns = List.of(arguments).subList(1, arguments.length);
        Map<String, Collection<RunResult>> results = new LinkedHashMap<>();
        for (String collector : COLLECTORS) {
            results.put(collector, run(collector, patterns));
        }
        Files.writeString(Path.of(arguments[0]), new Report(results).text());
    }

    private static Collection<RunResult> run(String collector, List<String> patterns)
            throws IOException, RunnerException {
        List<String> flags = new ArrayList<>(ropewalkFlags());
        flags.add("-XX:+Use" + collector + "GC");
        flags.add("-Xms2g");
        flags.add("-Xmx2g");
        ChainedOptionsBuilder options =
                new OptionsBuilder().forks(FORKS).jvmArgs(flags.toArray(new String[0]));
        patterns.forEach(options::include);
        return new Runner(options.build()).run();
    }

    /** The manifest's flags do not reach the forked JVMs; the argument file lies in the jar. */
    private static List<String> ropewalkFlags() throws IOException {
        try (InputStream in = Main.class.getResourceAsStream("/ropewalk.args")) {
            if (in == null) {
                throw new IOException("ropewalk.args is not in the jar; build it with mvn package");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }
}
