package dev.ropewalk.benchmarks.runner;

import dev.ropewalk.benchmarks.jmh.SwitchBenchmark;
import dev.ropewalk.benchmarks.result.Measured;
import dev.ropewalk.benchmarks.scenario.SingleOperation;
import dev.ropewalk.benchmarks.scenario.StackFlags;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Times a single operation by JMH. A class {@code SwitchBenchmark} is the operation {@code switch},
 * and each of its methods is a system.
 */
public final class Jmh {
    private static final int FORKS = 2;
    private static final String SUFFIX = "Benchmark";

    private final SingleOperation operation;

    Jmh(SingleOperation operation) {
        this.operation = operation;
    }

    /** Prints a line for each system. */
    void run(String collector, PrintStream out) throws IOException, RunnerException {
        List<String> flags = new ArrayList<>(StackFlags.ofArgumentFile());
        flags.add("-XX:+Use" + collector + "GC");
        flags.add("-XX:+AlwaysPreTouch");
        flags.add("-Xms2g");
        flags.add("-Xmx2g");
        OptionsBuilder options = new OptionsBuilder();
        options.include("\\." + className() + "\\.")
                .forks(FORKS)
                .shouldFailOnError(true)
                .timeout(TimeValue.seconds(90))
                .verbosity(VerboseMode.SILENT)
                .jvmArgs(flags.toArray(new String[0]));
        for (RunResult result : new Runner(options.build()).run()) {
            out.println(measured(result).line(operation.name(), system(result)));
        }
        out.flush();
    }

    private String className() {
        StringBuilder text = new StringBuilder();
        for (String word : operation.name().split("_", -1)) {
            text.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
        }
        return text.append(SUFFIX).toString();
    }

    /**
     * {@return what the operation's class measures, if it lies beside the others; no parameters}
     */
    public static Set<String> systems(SingleOperation operation) {
        String home = SwitchBenchmark.class.getPackageName();
        try {
            Class<?> type = Class.forName(home + "." + new Jmh(operation).className());
            return Arrays.stream(type.getMethods())
                    .filter(method -> method.isAnnotationPresent(Benchmark.class))
                    .map(method -> hyphenated(method.getName()))
                    .collect(Collectors.toUnmodifiableSet());
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException("no class in " + home + " for " + operation, e);
        }
    }

    private static Measured measured(RunResult result) {
        double[] scores =
                result.getBenchmarkResults().stream()
                        .flatMap(fork -> fork.getIterationResults().stream())
                        .map(IterationResult::getPrimaryResult)
                        .mapToDouble(primary -> primary.getScore())
                        .toArray();
        return Measured.of(scores, scores.length);
    }

    /** {@code parallelStream} is the system {@code parallel-stream}. */
    private static String system(RunResult result) {
        String benchmark = result.getParams().getBenchmark();
        String method = benchmark.substring(benchmark.lastIndexOf('.') + 1);
        StringBuilder text = new StringBuilder(hyphenated(method));
        for (String parameter : result.getParams().getParamsKeys()) {
            text.append('-').append(result.getParams().getParam(parameter));
        }
        return text.toString();
    }

    private static String hyphenated(String method) {
        return method.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
