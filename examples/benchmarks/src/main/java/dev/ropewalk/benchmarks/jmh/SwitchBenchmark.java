package dev.ropewalk.benchmarks.jmh;

import dev.ropewalk.benchmarks.scenario.StackFlags;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;

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
import java.util.concurrent.locks.LockSupport;

/** One switch from one stack to another. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
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

    /** Two fibers that yield to each other through the run queue. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void ropewalk() {
        Cord.run(SwitchBenchmark::snoozeInTurn);
    }

    /** The same where a stack is left only when it must be. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void ropewalkLate() {
        Cord.run(
                CordOptions.named("late").withLateUnmount(true),
                () -> {
                    snoozeInTurn();
                    return true;
                });
    }

    /** The same on a cord whose stacks are virtual threads. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void ropewalkVirtual() {
        CordOptions options = CordOptions.named("virtual").withStacks(StackKind.VIRTUAL_THREAD);
        Cord.run(
                options,
                () -> {
                    snoozeInTurn();
                    return true;
                });
    }

    /** The same on portable stacks, which are threads of the JDK's scheduler. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    @Fork(jvmArgsAppend = StackFlags.PORTABLE)
    public void ropewalkPortable() {
        Cord.run(SwitchBenchmark::snoozeInTurn);
    }

    /** The same with one carrier. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    @Fork(jvmArgsAppend = {StackFlags.PORTABLE, StackFlags.ONE_CARRIER, StackFlags.MAX_ONE_CARRIER})
    public void ropewalkPortable1() {
        Cord.run(SwitchBenchmark::snoozeInTurn);
    }

    private static void snoozeInTurn() {
        Fiber<?> first = Fiber.spin(SwitchBenchmark::snoozeOften);
        Fiber<?> second = Fiber.spin(SwitchBenchmark::snoozeOften);
        first.await();
        second.await();
    }

    /** The floor of that: two virtual threads on one carrier park and unpark each other. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    @Fork(jvmArgsAppend = {StackFlags.ONE_CARRIER, StackFlags.MAX_ONE_CARRIER})
    public void vthreads1() throws InterruptedException {
        unparkInTurn();
    }

    /** The same on as many carriers as there are processors: the floor of portable stacks. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void vthreads() throws InterruptedException {
        unparkInTurn();
    }

    private static void unparkInTurn() throws InterruptedException {
        Turns turns = new Turns();
        Thread second = Thread.ofVirtual().unstarted(() -> turns.take(1));
        Thread first = Thread.ofVirtual().unstarted(() -> turns.take(0));
        turns.players = new Thread[] {first, second};
        first.start();
        second.start();
        first.join();
        second.join();
    }

    /** Whose turn it is. */
    private static final class Turns {
        private Thread[] players = new Thread[0];
        private volatile int next;

        void take(int me) {
            for (int i = 0; i < OPERATIONS / 2; i++) {
                while (next != me) {
                    LockSupport.park();
                }
                next = 1 - me;
                LockSupport.unpark(players[1 - me]);
            }
        }
    }

    private static void snoozeOften() {
        for (int i = 0; i < OPERATIONS / 2; i++) {
            Fiber.snooze();
        }
    }
}
