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
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** Messages between actors of one cord; each message is a fresh object. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
public class MessageBenchmark {
    private static final int OPERATIONS = 1_000_000;

    /** Two fit into the nearest cache, a hundred do not. */
    @Param({"2", "100"})
    public int actors;

    private record Hop(int left, Fiber<?> whenDone) {}

    /** Handler-style actors in a ring: each message makes the next one. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void ropewalkHandler() {
        ring(
                next ->
                        Actor.handler(
                                _ ->
                                        hop -> {
                                            pass(hop, next.get());
                                            return Behavior.same();
                                        }));
    }

    /** Loop-style actors in a ring: a message is a switch. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void ropewalkLoop() {
        ring(
                next ->
                        Actor.loop(
                                self -> {
                                    for (; ; ) {
                                        pass(self.receive(), next.get());
                                    }
                                }));
    }

    private void ring(Function<Supplier<ActorRef<Hop>>, Actor<Hop>> actor) {
        Cord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("ring")) {
                        List<ActorRef<Hop>> ring = new ArrayList<>();
                        for (int i = 0; i < actors; i++) {
                            int next = (i + 1) % actors;
                            ring.add(system.spin(actor.apply(() -> ring.get(next))));
                        }
                        ring.get(0).tell(new Hop(OPERATIONS, Fiber.current()));
                        Fiber.suspend();
                    }
                });
    }

    private static void pass(Hop hop, ActorRef<Hop> next) {
        if (hop.left() == 1) {
            hop.whenDone().schedule(null);
        } else {
            next.tell(new Hop(hop.left() - 1, hop.whenDone()));
        }
    }
}
