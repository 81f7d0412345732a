package dev.ropewalk.actors.cluster;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.testing.TestCords;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

/** Two nodes on two virtual cords, with the network in memory between them. */
final class Pair {
    static final Duration LONG = Duration.ofMinutes(1);

    /** One of the two. */
    static final class Side {
        final ActorSystem system;
        final Node node;
        final List<DeadLetter> letters;
        private final Cord cord = Cord.current();

        private Side(String name, int port, int other, Protocol protocol) {
            List<DeadLetter> all = new ArrayList<>();
            this.letters = all;
            this.system =
                    ActorSystem.start(
                            Tree.oneForOne("system-" + name),
                            ActorSystemOptions.defaults().withDeadLetters(all::add));
            this.node =
                    Node.start(
                            system,
                            NodeOptions.named(name)
                                    .withAddress("127.0.0.1", port)
                                    .withDiscovery(Discovery.of("127.0.0.1:" + other))
                                    .withProtocol(protocol));
        }

        /** Runs it on this side's cord, and waits for its result. */
        <T> T on(Callable<? extends T> code) throws Exception {
            return cord == Cord.current()
                    ? code.call()
                    : Objects.requireNonNull(cord.<T>spin("on " + node, code)).await();
        }

        void close() {
            node.close();
            system.close();
        }
    }

    /** What is done with the two. */
    @FunctionalInterface
    interface Body {
        /** On the cord of the first one. */
        void run(Side here, Side there) throws Exception;
    }

    private Pair() {}

    static void run(Protocol protocol, Body body) {
        TestCords.run(2, cords -> run(cords, protocol, body));
    }

    static void run(long seed, Protocol protocol, Body body) {
        TestCords.run(2, seed, true, cords -> run(cords, protocol, body));
    }

    private static void run(List<Cord> cords, Protocol protocol, Body body) throws Exception {
        WaitCell made = new WaitCell();
        List<WaitCell> done = new ArrayList<>();
        Fiber<?> other =
                cords.get(1)
                        .spin(
                                "there",
                                () -> {
                                    Side there = new Side("there", 7_002, 7_001, protocol);
                                    WaitCell end = new WaitCell();
                                    done.add(end);
                                    made.give(there);
                                    end.await("the end of the test");
                                    there.close();
                                });
        Side there = (Side) Objects.requireNonNull(made.await("the other side"));
        Side here = new Side("here", 7_001, 7_002, protocol);
        if (!here.node.awaitPeers(1, LONG) || !there.node.awaitPeers(1, LONG)) {
            throw new AssertionError("no peers: " + here.node.peers() + there.node.peers());
        }
        try {
            body.run(here, there);
        } finally {
            here.close();
            done.getFirst().give(true);
            other.await();
        }
    }
}
