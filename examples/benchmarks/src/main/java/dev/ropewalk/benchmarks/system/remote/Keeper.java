package dev.ropewalk.benchmarks.system.remote;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.cluster.Node;
import dev.ropewalk.actors.cluster.NodeOptions;
import dev.ropewalk.benchmarks.system.remote.Words.Word;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.WaitCell;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.LongSupplier;

/** A cord with an actor system, an adder, and a node if it is to have one, until it is closed. */
final class Keeper implements AutoCloseable {
    private final Cord cord;
    private final Fiber<?> fiber;
    private final Kept kept;

    /** What is there, and how the fiber that keeps it is told of the end. */
    private record Kept(ActorRef<Word> adder, @Nullable Node node, WaitCell end) {}

    private Keeper(String name, @Nullable NodeOptions options) {
        cord = Cord.start(name);
        WaitCell started = new WaitCell();
        fiber = cord.spin("keeper", () -> keep(name, options, started));
        kept = (Kept) Objects.requireNonNull(started.await("a system"));
    }

    static Keeper ofSystem(String name) {
        return new Keeper(name, null);
    }

    static Keeper ofNode(String name, NodeOptions options) {
        return new Keeper(name, options);
    }

    private static void keep(String name, @Nullable NodeOptions options, WaitCell started) {
        try (ActorSystem system = ActorSystem.start(name)) {
            ActorRef<Word> adder = system.spin("adder", Adder.actor());
            WaitCell end = new WaitCell();
            if (options == null) {
                started.give(new Kept(adder, null, end));
                end.await("the end");
                return;
            }
            try (Node node = Node.start(system, options)) {
                started.give(new Kept(adder, node, end));
                end.await("the end");
            }
        }
    }

    ActorRef<Word> adder() {
        return kept.adder;
    }

    Node node() {
        return Objects.requireNonNull(kept.node, "it keeps a system without a node");
    }

    /** Runs it on a fiber of the cord. */
    long on(LongSupplier body) {
        return cord.<Long>spin("benchmark", body::getAsLong).await();
    }

    /** Begins a fiber that goes on until the cord is closed. */
    void spin(Runnable body) {
        cord.spin("background", body::run);
    }

    @Override
    public void close() {
        kept.end.give(true);
        fiber.await();
        cord.close();
    }
}
