package dev.ropewalk.actors.cluster;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.testing.TestCords;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

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

        /** Starts a fiber on this side's cord, below its root. */
        Fiber<?> spin(String name, Action code) {
            return cord.spin(name, code);
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

    /** What is done with more of them. */
    @FunctionalInterface
    interface SeveralBody {
        /** On the cord of the first one. */
        void run(List<Side> nodes) throws Exception;
    }

    private static final int FIRST_PORT = 7_001;

    private Pair() {}

    static void run(Protocol protocol, Body body) {
        TestCords.run(2, cords -> pair(cords, protocol, body));
    }

    static void run(long seed, Protocol protocol, Body body) {
        TestCords.run(2, seed, true, cords -> pair(cords, protocol, body));
    }

    private static void pair(List<Cord> cords, Protocol protocol, Body body) throws Exception {
        run(
                cords,
                List.of("here", "there"),
                protocol,
                nodes -> body.run(nodes.getFirst(), nodes.getLast()));
    }

    /** Nodes n0, n1 and so on, each on a cord of its own. */
    static void several(int count, long seed, Protocol protocol, SeveralBody body) {
        List<String> names = IntStream.range(0, count).mapToObj(i -> "n" + i).toList();
        TestCords.run(count, seed, true, cords -> run(cords, names, protocol, body));
    }

    private static void run(
            List<Cord> cords, List<String> names, Protocol protocol, SeveralBody body)
            throws Exception {
        List<Side> all = new ArrayList<>();
        List<WaitCell> ends = new ArrayList<>();
        List<Fiber<?>> others = new ArrayList<>();
        all.add(new Side(names.getFirst(), FIRST_PORT, FIRST_PORT + 1, protocol));
        for (int i = 1; i < names.size(); i++) {
            int number = i;
            WaitCell made = new WaitCell();
            others.add(
                    cords.get(i)
                            .spin(
                                    names.get(i),
                                    () -> {
                                        Side side =
                                                new Side(
                                                        names.get(number),
                                                        FIRST_PORT + number,
                                                        FIRST_PORT,
                                                        protocol);
                                        WaitCell end = new WaitCell();
                                        ends.add(end);
                                        made.give(side);
                                        end.await("the end of the test");
                                        side.close();
                                    }));
            all.add((Side) Objects.requireNonNull(made.await("another node")));
        }
        for (Side each : all) {
            if (!each.node.awaitPeers(all.size() - 1, LONG)) {
                throw new AssertionError(each.node + " has the peers " + each.node.peers());
            }
        }
        try {
            body.run(all);
        } finally {
            all.getFirst().close();
            ends.forEach(each -> each.give(true));
            for (Fiber<?> each : others) {
                each.await();
            }
        }
    }
}
