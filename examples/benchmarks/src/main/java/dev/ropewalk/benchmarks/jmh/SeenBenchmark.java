package dev.ropewalk.benchmarks.jmh;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.fibers.Cord;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A look at a thousand idle actors, on their own cord, so that all the time it takes is the cord's:
 * a dump of the tree, and a snapshot of what has changed.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class SeenBenchmark {
    private static final int DUMPS = 500;

    /** So many that what it takes to start and stop the actors is little beside them. */
    private static final int SNAPSHOTS = 20_000;

    private static final int ACTORS = 1_000;

    @Benchmark
    @OperationsPerInvocation(DUMPS)
    public void dump(Blackhole hole) {
        look(hole, DUMPS, ActorSystem::dump);
    }

    @Benchmark
    @OperationsPerInvocation(SNAPSHOTS)
    public void snapshot(Blackhole hole) {
        look(hole, SNAPSHOTS, ActorSystem::snapshot);
    }

    private static void look(Blackhole hole, int times, Function<ActorSystem, Object> taken) {
        Cord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("seen")) {
                        for (int i = 0; i < ACTORS; i++) {
                            system.start("a" + i, Actor.handler(() -> _ -> Behavior.same()));
                        }
                        for (int i = 0; i < times; i++) {
                            hole.consume(taken.apply(system));
                        }
                    }
                });
    }
}
