package dev.ropewalk.benchmarks.jmh;

import dev.ropewalk.benchmarks.scenario.StackFlags;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import jdk.internal.vm.Continuation;
import jdk.internal.vm.ContinuationScope;

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

/** The start and end of a fiber that never waits. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
public class StartEndBenchmark {
    private static final int OPERATIONS = 1_000_000;

    /** Spun before the spinner yields, so that its own switch is a small part. */
    private static final int BATCH = 100;

    private static final ContinuationScope SCOPE = new ContinuationScope("bare");

    private long ended;

    /** Fibers that are spun, run and end without ever waiting. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long ropewalk() {
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

    /** A floor: a bare continuation for each, which is entered once and never yields. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long continuations() {
        for (int i = 0; i < OPERATIONS; i++) {
            new Continuation(SCOPE, () -> ended++).run();
        }
        return ended;
    }

    /**
     * Virtual threads started by one of their own, on one carrier: each batch ends before the next.
     */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    @Fork(jvmArgsAppend = {StackFlags.ONE_CARRIER, StackFlags.MAX_ONE_CARRIER})
    public long vthreads1() throws InterruptedException {
        Thread.ofVirtual().start(this::startVirtualThreads).join();
        return ended;
    }

    @SuppressWarnings("ThreadPriorityCheck") // The scheduler of virtual threads defines its effect.
    private void startVirtualThreads() {
        for (int i = 0; i < OPERATIONS / BATCH; i++) {
            for (int k = 0; k < BATCH; k++) {
                Thread.startVirtualThread(() -> ended++);
            }
            Thread.yield();
        }
    }
}
