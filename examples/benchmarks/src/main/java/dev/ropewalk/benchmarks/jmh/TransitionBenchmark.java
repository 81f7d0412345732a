package dev.ropewalk.benchmarks.jmh;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

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
import java.util.function.IntConsumer;

/**
 * A message that changes the state of a state machine, beside one that returns a new behavior. All
 * on one cord; each message is a fresh object, and is handled before the next burst.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class TransitionBenchmark {
    private static final int OPERATIONS = 1_000_000;
    private static final int BURST = 1_000;

    private record Message(int number) {}

    /** How many messages were handled; of one cord. */
    private long handled;

    private void awaitHandled(long until) {
        while (handled < until) {
            Fiber.snooze();
        }
    }

    private Behavior<Message> plain(int count) {
        return _ -> {
            handled++;
            return plain(count + 1);
        };
    }

    private Behavior<Message> open(int count) {
        return Behavior.state(
                "open",
                _ -> {
                    handled++;
                    return closed(count + 1);
                });
    }

    private Behavior<Message> closed(int count) {
        return Behavior.state(
                "closed",
                _ -> {
                    handled++;
                    return open(count + 1);
                });
    }

    /** Each message returns a new behavior. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void newBehavior() {
        onOne(Actor.handler(() -> plain(0)));
    }

    /** Each message changes the state. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void transition() {
        onOne(Actor.handler(() -> open(0)));
    }

    private void onOne(Actor<Message> actor) {
        Cord.run(
                () -> {
                    handled = 0;
                    try (ActorSystem system = ActorSystem.start("states")) {
                        ActorRef<Message> one = system.start("one", actor);
                        burst(i -> one.tell(new Message(i)));
                    }
                });
    }

    private void burst(IntConsumer tell) {
        for (int i = 0; i < OPERATIONS; i++) {
            tell.accept(i);
            if (i % BURST == BURST - 1) {
                awaitHandled(i + 1L);
            }
        }
    }
}
