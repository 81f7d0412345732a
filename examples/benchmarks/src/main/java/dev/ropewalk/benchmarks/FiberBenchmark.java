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

/** Switches, and the start and end of fibers, on one cord. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class FiberBenchmark {
    private static final int OPERATIONS = 1_000_000;

    /** Spun before the spinner gives way, so that its own switch is a small part. */
    private static final int BATCH = 100;

    private static final ContinuationScope SCOPE = new ContinuationScope("bare");

    private long ended;

    /** The floor: two bare continuations entered in turn; one operation is one enter and leave. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void switchOfBareContinuations() {
        Continuation first = new Continuation(SCOPE, FiberBenchmark::yieldOften);
        Continuation second = new Continuation(SCOPE, FiberBenchmark::yieldOften);
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
    public void switchThroughTheRunQueue() {
        Cord.run(
                () -> {
                    Fiber<?> first = Fiber.spin(FiberBenchmark::snoozeOften);
                    Fiber<?> second = Fiber.spin(FiberBenchmark::snoozeOften);
                    first.await();
                    second.await();
                });
    }

    private static void snoozeOften() {
        for (int i = 0; i < OPERATIONS / 2; i++) {
            Fiber.snooze();
        }
    }

    /** Fibers that are spun, run and end without ever waiting. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long startAndEndOfFibersThatNeverWait() {
        Cord.run(
                () -> {
                    for (int i = 0; i < OPERATIONS / BATCH; i++) {
                        for (int k = 0; k < BATCH; k++) {
                            Fiber.spin(() -> ended++);
                        }
                        Fiber.snooze();
                    }
                });
        return ended;
    }
}
