package dev.ropewalk.benchmarks.jmh;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.routing.Routing;
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

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * A tell through a router over eight actors, beside one to the same actors in turn by hand. All on
 * one cord; each message is a fresh object, and is handled before the next burst.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class RoutedBenchmark {
    private static final int OPERATIONS = 1_000_000;
    private static final int BURST = 1_000;
    private static final int MEMBERS = 8;

    private record Message(int number) {}

    /** How many messages were handled; of one cord. */
    private long handled;

    private Actor<Message> counter() {
        return Actor.handler(
                () ->
                        _ -> {
                            handled++;
                            return Behavior.same();
                        });
    }

    private void awaitHandled(long until) {
        while (handled < until) {
            Fiber.snooze();
        }
    }

    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void byHand() {
        onMembers(
                group -> {
                    List<ActorRef<Message>> members = group.members();
                    burst(i -> members.get(i % MEMBERS).tell(new Message(i)));
                });
    }

    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void roundRobin() {
        routed(Routing.roundRobin());
    }

    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void leastMailbox() {
        routed(Routing.leastMailbox());
    }

    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void hash() {
        routed(Routing.hash(Message::number));
    }

    private void routed(Routing<Message> routing) {
        onMembers(
                group -> {
                    ActorRef<Message> router = routing.over(group);
                    burst(i -> router.tell(new Message(i)));
                });
    }

    private void onMembers(Consumer<Group<Message>> body) {
        Cord.run(
                () -> {
                    handled = 0;
                    try (ActorSystem system = ActorSystem.start("routers")) {
                        Group<Message> group = system.group("members", Message.class);
                        for (int i = 0; i < MEMBERS; i++) {
                            group.join(system.start("m" + i, counter()));
                        }
                        body.accept(group);
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
