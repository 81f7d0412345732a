package dev.ropewalk.benchmarks;

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

/** Messages between actors of one cord; each message is a fresh object. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ActorBenchmark {
    private static final int OPERATIONS = 1_000_000;

    /** Two fit into the nearest cache, a hundred do not. */
    @Param({"2", "100"})
    public int actors;

    private record Hop(int left, Fiber<?> whenDone) {}

    /** Handler-style actors in a ring: each message makes the next one. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void handlerMessageAroundARing() {
        Cord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("ring")) {
                        List<ActorRef<Hop>> ring = new ArrayList<>();
                        for (int i = 0; i < actors; i++) {
                            int next = (i + 1) % actors;
                            ring.add(
                                    system.spin(
                                            "actor-" + i,
                                            Actor.handler(_ -> hop -> pass(hop, ring.get(next)))));
                        }
                        ring.get(0).tell(new Hop(OPERATIONS, Fiber.current()));
                        Fiber.suspend();
                    }
                });
    }

    private static Behavior<Hop> pass(Hop hop, ActorRef<Hop> next) {
        if (hop.left() == 0) {
            hop.whenDone().schedule(null);
        } else {
            next.tell(new Hop(hop.left() - 1, hop.whenDone()));
        }
        return Behavior.same();
    }

    /** Two loop-style actors that answer each other: two messages and two switches a round. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void loopMessagePingPong() {
        Cord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("pingpong")) {
                        List<ActorRef<Hop>> pair = new ArrayList<>();
                        for (int i = 0; i < 2; i++) {
                            int other = 1 - i;
                            pair.add(
                                    system.spin(
                                            "actor-" + i,
                                            Actor.<Hop>loop(
                                                    self -> {
                                                        for (; ; ) {
                                                            pass(self.receive(), pair.get(other));
                                                        }
                                                    })));
                        }
                        pair.get(0).tell(new Hop(OPERATIONS, Fiber.current()));
                        Fiber.suspend();
                    }
                });
    }
}
