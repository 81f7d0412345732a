package dev.ropewalk.benchmarks;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

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

/** One switch from one stack to another. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 4, time = 1)
public class SwitchBenchmark {
    private static final int OPERATIONS = 1_000_000;

    private static final ContinuationScope SCOPE = new ContinuationScope("bare");

    /** The floor: two bare continuations entered in turn; one operation is one enter and leave. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void continuations() {
        Continuation first = new Continuation(SCOPE, SwitchBenchmark::yieldOften);
        Continuation second = new Continuation(SCOPE, SwitchBenchmark::yieldOften);
        while (!second.isDone()) {
            first.run();
            second.run();
        }
    }

    private static void yieldOften() {
        for (int i = 0; i < OPERATIONS / 2; i++) {
            Continuation.yield(SCOPE);
        }
    }

    /** Two fibers that give way to each other through the run queue. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void ropewalk() {
        Cord.run(
                () -> {
                    Fiber<?> first = Fiber.spin(SwitchBenchmark::snoozeOften);
                    Fiber<?> second = Fiber.spin(SwitchBenchmark::snoozeOften);
                    first.await();
                    second.await();
                });
    }

    private static void snoozeOften() {
        for (int i = 0; i < OPERATIONS / 2; i++) {
            Fiber.snooze();
        }
    }
}
