package dev.ropewalk.benchmarks.jmh;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.coroutine.Generator;

import jdk.internal.vm.Continuation;
import jdk.internal.vm.ContinuationScope;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.concurrent.TimeUnit;

/** A body yields values, and they are taken one by one. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
public class GeneratorBenchmark {
    private static final int OPERATIONS = 1_000_000;
    private static final int CHAIN = 1_000;
    private static final ContinuationScope SCOPE = new ContinuationScope("bare");

    private int yielded;

    /** The floor: one bare continuation, entered for each value and left again. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long continuations() {
        Continuation body =
                new Continuation(
                        SCOPE,
                        () -> {
                            for (int i = 0; i < OPERATIONS; i++) {
                                yielded = i;
                                Continuation.yield(SCOPE);
                            }
                        });
        long sum = 0;
        for (body.run(); !body.isDone(); body.run()) {
            sum += yielded;
        }
        return sum;
    }

    /** A generator and its consumer: two switches through the run queue for each value. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long ropewalk() {
        return Cord.run(() -> sum(numbers(OPERATIONS)));
    }

    /** A chain of generators, each asking the one before; one operation is one value of one. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long ropewalkChain() {
        return Cord.run(
                () -> {
                    Generator<Integer> last = numbers(OPERATIONS / CHAIN);
                    for (int i = 1; i < CHAIN; i++) {
                        last = passedOn(last);
                    }
                    return sum(last);
                });
    }

    private static Generator<Integer> numbers(int end) {
        return Generator.of(
                out -> {
                    for (int i = 0; i < end; i++) {
                        out.yield(i);
                    }
                });
    }

    private static Generator<Integer> passedOn(Generator<Integer> source) {
        return Generator.of(out -> source.forEachRemaining(out::yield));
    }

    private static long sum(Generator<Integer> numbers) {
        long sum = 0;
        while (numbers.hasNext()) {
            sum += numbers.next();
        }
        return sum;
    }
}
