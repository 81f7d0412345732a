package dev.ropewalk.examples.wordcount;

import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The whole of wordcount over 100 MB of generated text, beside a parallel stream into hash maps
 * that counts the same words of the same file. In this package because both are package-private.
 */
@NullUnmarked // JMH sets the fields in setUp
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1, time = 2)
@Measurement(iterations = 3, time = 1)
public class WordcountBenchmark {
    private static final long BYTES = 100_000_000;
    private static final long SEED = 42;

    private Path file;
    private long words;

    /** Writes the text and counts it once, so that each run can check itself. */
    @Setup
    public void setUp() throws IOException {
        file = Files.createTempFile("ropewalk-wordcount", ".txt");
        TextGenerator.write(file, BYTES, SEED);
        words = sum(PlainCount.count(List.of(file)));
    }

    /** Deletes the text. */
    @TearDown
    public void tearDown() throws IOException {
        Files.delete(file);
    }

    /** The example, with its pipelines, cords, actors and supervision. */
    @Benchmark
    public Summary ropewalk() throws BadOption {
        Options options = Options.parse(List.of(file.toString()));
        Summary summary =
                Cord.run(() -> new Counting(options, _ -> {}, new Progress(), () -> {}).run());
        check(summary.words());
        return summary;
    }

    /** The floor to compare with. */
    @Benchmark
    public Map<String, Long> parallelStream() throws IOException {
        Map<String, Long> counts = PlainCount.count(List.of(file));
        check(sum(counts));
        return counts;
    }

    /** A stronger one to compare with: no map of its own for each part of the stream. */
    @Benchmark
    public Map<String, LongAdder> concurrentMap() throws IOException {
        Map<String, LongAdder> counts = PlainCount.countConcurrently(List.of(file));
        check(counts.values().stream().mapToLong(LongAdder::sum).sum());
        return counts;
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Objects::requireNonNull).sum();
    }

    private void check(long counted) {
        if (counted != words) {
            throw new IllegalStateException("words=" + counted + " != " + words + " in " + file);
        }
    }
}
