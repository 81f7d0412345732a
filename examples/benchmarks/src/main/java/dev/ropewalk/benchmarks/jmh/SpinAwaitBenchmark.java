package dev.ropewalk.benchmarks.jmh;

import dev.ropewalk.benchmarks.scenario.StackFlags;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.concurrent.TimeUnit;

/** A fiber is spun and its result awaited at once. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
public class SpinAwaitBenchmark {
    private static final int OPERATIONS = 100_000;

    private long last;

    /** Spin and await. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long ropewalk() {
        return Cord.run(SpinAwaitBenchmark::spinAndAwait);
    }

    /** The same where a stack is left only when it must be. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long ropewalkLate() {
        return Cord.run(
                CordOptions.named("late").withLateUnmount(true), SpinAwaitBenchmark::spinAndAwait);
    }

    /** The same on portable stacks, which are threads of the JDK's scheduler. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    @Fork(jvmArgsAppend = StackFlags.PORTABLE)
    public long ropewalkPortable() {
        return Cord.run(SpinAwaitBenchmark::spinAndAwait);
    }

    /** The same with one carrier. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    @Fork(jvmArgsAppend = {StackFlags.PORTABLE, StackFlags.ONE_CARRIER, StackFlags.MAX_ONE_CARRIER})
    public long ropewalkPortable1() {
        return Cord.run(SpinAwaitBenchmark::spinAndAwait);
    }

    private static long spinAndAwait() {
        long sum = 0;
        for (int i = 0; i < OPERATIONS; i++) {
            long number = i;
            sum += Fiber.spin(() -> number).await();
        }
        return sum;
    }

    /** Virtual threads on one carrier, started and joined by one of their own. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    @Fork(jvmArgsAppend = {StackFlags.ONE_CARRIER, StackFlags.MAX_ONE_CARRIER})
    public long vthreads1() throws InterruptedException {
        Thread.ofVirtual().start(this::startAndJoin).join();
        return last;
    }

    private void startAndJoin() {
        try {
            for (int i = 0; i < OPERATIONS; i++) {
                long number = i;
                Thread.startVirtualThread(() -> last = number).join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
