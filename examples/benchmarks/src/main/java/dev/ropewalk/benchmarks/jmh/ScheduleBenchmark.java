package dev.ropewalk.benchmarks.jmh;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
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

/** Two fibers schedule each other and suspend; one operation is one hop. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
public class ScheduleBenchmark {
    private static final int OPERATIONS = 1_000_000;

    private static final ContinuationScope SCOPE = new ContinuationScope("bare");

    /** Each hop leaves a stack and enters the other. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long ropewalk() {
        return Cord.<Long>run(ScheduleBenchmark::pingPong);
    }

    /** A stack is left only when it must be. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long ropewalkLate() {
        return Cord.<Long>run(
                CordOptions.named("late").withLateUnmount(true), ScheduleBenchmark::pingPong);
    }

    private static long pingPong() {
        Fiber<?> here = Fiber.current();
        Fiber<Long> echo =
                Fiber.<Long>spin(
                        () -> {
                            long hops = 0;
                            for (int i = 0; i < OPERATIONS / 2; i++) {
                                Fiber.suspend();
                                here.schedule(null);
                                hops++;
                            }
                            return hops;
                        });
        Fiber.snooze();
        for (int i = 0; i < OPERATIONS / 2; i++) {
            echo.schedule(null);
            Fiber.suspend();
        }
        return echo.await();
    }

    /** The floor: two bare continuations entered in turn. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void continuations() {
        Continuation first = new Continuation(SCOPE, ScheduleBenchmark::yieldOften);
        Continuation second = new Continuation(SCOPE, ScheduleBenchmark::yieldOften);
        while (!second.isDone()) {
            first.run();
            second.run();
        }
    }

    /** The floor of late unmount: one enters the other on top of itself, which leaves again. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void continuationsOnTop() {
        Continuation above = new Continuation(SCOPE, ScheduleBenchmark::yieldOften);
        Continuation below =
                new Continuation(
                        SCOPE,
                        () -> {
                            while (!above.isDone()) {
                                above.run();
                            }
                        });
        below.run();
    }

    private static void yieldOften() {
        for (int i = 0; i < OPERATIONS / 2; i++) {
            Continuation.yield(SCOPE);
        }
    }
}
