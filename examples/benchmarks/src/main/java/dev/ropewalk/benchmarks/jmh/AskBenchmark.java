package dev.ropewalk.benchmarks.jmh;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.benchmarks.scenario.StackFlags;
import dev.ropewalk.fibers.Cord;

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

/** A fiber asks a handler-style actor of its cord, and waits for the reply. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class AskBenchmark {
    private static final int OPERATIONS = 100_000;

    private record Question(long number, Recipient<Long> reply) {}

    /** Ask after ask. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long ropewalk() {
        return Cord.run(AskBenchmark::askOften);
    }

    /** The same on portable stacks, which are threads of the JDK's scheduler. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    @Fork(jvmArgsAppend = StackFlags.PORTABLE)
    public long ropewalkPortable() {
        return Cord.run(AskBenchmark::askOften);
    }

    /** The same with one carrier. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    @Fork(jvmArgsAppend = {StackFlags.PORTABLE, StackFlags.ONE_CARRIER, StackFlags.MAX_ONE_CARRIER})
    public long ropewalkPortable1() {
        return Cord.run(AskBenchmark::askOften);
    }

    private static long askOften() {
        try (ActorSystem system = ActorSystem.start("asked")) {
            ActorRef<Question> actor =
                    system.spin(
                            Actor.handler(
                                    () ->
                                            question -> {
                                                question.reply().tell(question.number());
                                                return Behavior.same();
                                            }));
            long sum = 0;
            for (long i = 0; i < OPERATIONS; i++) {
                long number = i;
                sum += actor.<Long>ask(reply -> new Question(number, reply));
            }
            return sum;
        }
    }
}
