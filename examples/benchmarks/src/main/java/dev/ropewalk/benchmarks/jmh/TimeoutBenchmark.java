package dev.ropewalk.benchmarks.jmh;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A time limit around a block that is done before it passes. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
public class TimeoutBenchmark {
    private static final int OPERATIONS = 1_000_000;
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private long done;

    /** A limit that is armed and cancelled. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long ropewalk() {
        Cord.run(
                () -> {
                    for (int i = 0; i < OPERATIONS; i++) {
                        CancelScope.cancelAfter(
                                LIMIT,
                                () -> {
                                    done++;
                                });
                    }
                });
        return done;
    }

    /** A floor: the one reading of the clock that each needs. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long clock() {
        Cord.run(
                () -> {
                    Cord cord = Cord.current();
                    for (int i = 0; i < OPERATIONS; i++) {
                        done += cord.nanoTime();
                    }
                });
        return done;
    }
}
