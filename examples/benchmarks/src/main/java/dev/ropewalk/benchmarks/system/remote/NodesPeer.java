package dev.ropewalk.benchmarks.system.remote;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.cluster.Discovery;
import dev.ropewalk.actors.cluster.Node;
import dev.ropewalk.actors.cluster.NodeOptions;
import dev.ropewalk.benchmarks.measure.Latencies;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.system.remote.Words.Note;
import dev.ropewalk.benchmarks.system.remote.Words.Question;
import dev.ropewalk.benchmarks.system.remote.Words.Total;
import dev.ropewalk.benchmarks.system.remote.Words.Word;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.Tls;
import dev.ropewalk.fibers.spi.WaitCell;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Two of Ropewalk's nodes, each with its system on a cord of its own. */
public final class NodesPeer implements Peer {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private @Nullable Pair plain;
    private @Nullable Pair encrypted;

    @Override
    public Map<String, Program> programs() {
        return Map.of(
                "remote_tell", n -> plain().on(adder -> tell(n, adder)),
                "remote_tell_tls", n -> encrypted().on(adder -> tell(n, adder)),
                "remote_ask", n -> plain().on(adder -> ask(n, adder, true)),
                "remote_ask_p99", n -> plain().on(adder -> ask(n, adder, true)),
                "remote_ask_64", n -> plain().on(adder -> askers(n, adder)));
    }

    private Pair plain() {
        if (plain == null) {
            plain = new Pair(null);
        }
        return plain;
    }

    private Pair encrypted() {
        if (encrypted == null) {
            encrypted = new Pair(new Certificates());
        }
        return encrypted;
    }

    @Override
    public void close() {
        for (Pair each : new @Nullable Pair[] {plain, encrypted}) {
            if (each != null) {
                each.close();
            }
        }
    }

    // ---------------------------------------------------------------- programs, on the first cord

    private static long tell(long n, ActorRef<Word> adder) {
        for (long value = 1; value <= n; value++) {
            adder.tell(Note.of(value));
        }
        return adder.<Note>ask(Total::new, LIMIT).value();
    }

    private static long ask(long n, ActorRef<Word> adder, boolean isTimed) {
        long sum = 0;
        for (long value = 1; value <= n; value++) {
            long asked = value;
            long beganNs = isTimed ? Latencies.begin() : 0;
            sum += adder.<Note>ask(replyTo -> Question.of(asked, replyTo), LIMIT).value();
            if (isTimed) {
                Latencies.add(beganNs);
            }
        }
        return sum;
    }

    private static long askers(long n, ActorRef<Word> adder) {
        List<Fiber<Long>> askers = new ArrayList<>();
        for (int i = 0; i < Sizes.REMOTE_ASKERS; i++) {
            askers.add(Fiber.<Long>spin(() -> ask(n / Sizes.REMOTE_ASKERS, adder, false)));
        }
        long sum = 0;
        for (Fiber<Long> asker : askers) {
            sum += asker.await();
        }
        return sum;
    }

    private static Actor<Word> adder() {
        return Actor.handler(
                () -> {
                    Sum sum = new Sum();
                    return word -> {
                        sum.on(word);
                        return Behavior.same();
                    };
                });
    }

    /** Confined to the actor. */
    private static final class Sum {
        private long value;

        void on(Word word) {
            switch (word) {
                case Note(long added, byte[] _) -> value += added;
                case Question(long asked, byte[] _, var replyTo) -> replyTo.tell(Note.of(asked));
                case Total(var replyTo) -> {
                    replyTo.tell(Note.of(value));
                    value = 0;
                }
            }
        }
    }

    // ---------------------------------------------------------------- the nodes

    @FunctionalInterface
    private interface Body {
        long run(ActorRef<Word> adder);
    }

    /** Two cords, and what lives there for the whole process. */
    private static final class Pair implements AutoCloseable {
        private final Cord here = Cord.start("here");
        private final Cord there = Cord.start("there");
        private final List<WaitCell> ends = new ArrayList<>();
        private final List<Fiber<?>> keepers = new ArrayList<>();
        private final ActorRef<Word> adder;

        /** A node, and how its keeper is told of the end. */
        private record Kept(Node node, WaitCell end) {}

        Pair(@Nullable Certificates tls) {
            int port = keep(there, options("there", tls), true).port();
            Discovery other = Discovery.of("127.0.0.1:" + port);
            Node node = keep(here, options("here", tls).withDiscovery(other), false);
            if (!node.awaitPeers(1, LIMIT)) {
                throw new IllegalStateException("the two nodes do not meet");
            }
            adder = Objects.requireNonNull(node.at("there").find("adder", Word.class));
        }

        private static NodeOptions options(String name, @Nullable Certificates tls) {
            NodeOptions options = NodeOptions.named(name).withProtocol(Words.PROTOCOL);
            if (tls == null) {
                return options;
            }
            Certificates.Pem of = tls.of(name);
            return options.withTls(
                    Tls.server(of.chain(), of.key()).withTrust(of.trust()),
                    Tls.client().withTrust(of.trust()).withCertificate(of.chain(), of.key()));
        }

        private Node keep(Cord cord, NodeOptions options, boolean hasAdder) {
            WaitCell started = new WaitCell();
            keepers.add(
                    cord.spin(
                            "keeper",
                            () -> {
                                try (ActorSystem system = ActorSystem.start(cord.toString());
                                        Node node = Node.start(system, options)) {
                                    if (hasAdder) {
                                        system.spin("adder", adder());
                                    }
                                    WaitCell end = new WaitCell();
                                    started.give(new Kept(node, end));
                                    end.await("the end");
                                }
                            }));
            Kept kept = (Kept) Objects.requireNonNull(started.await("a node"));
            ends.add(kept.end);
            return kept.node;
        }

        long on(Body body) {
            return here.<Long>spin("benchmark", () -> body.run(adder)).await();
        }

        @Override
        public void close() {
            ends.forEach(each -> each.give(true));
            keepers.forEach(Fiber::await);
            here.close();
            there.close();
        }
    }
}
