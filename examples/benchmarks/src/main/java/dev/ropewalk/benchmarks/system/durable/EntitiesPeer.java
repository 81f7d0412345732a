package dev.ropewalk.benchmarks.system.durable;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.Node;
import dev.ropewalk.actors.cluster.NodeOptions;
import dev.ropewalk.actors.cluster.Protocol;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Durable entities of one node, each asked by one fiber: a write for each reply. */
public final class EntitiesPeer implements Peer {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final EntityKind<Add, Sum> KIND =
            EntityKind.durable("counter", Add.class, Sum.class, _ -> functions());

    private @Nullable Running running;

    record Add(long number, Recipient<Long> replyTo) implements Request<Long> {}

    /** The state; with its head in the store it is about as large as a plain write's value. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Sum(long number, byte[] payload) {}

    private static Server<Add, Sum> functions() {
        return Server.<Add, Sum>of(new Sum(0, new byte[Sizes.PAYLOAD]))
                .call(
                        Add.class,
                        (sum, add) -> {
                            long next = sum.number + add.number;
                            return Reply.of(next, new Sum(next, sum.payload));
                        });
    }

    @Override
    public Map<String, Program> programs() {
        return Opened.programs(
                n -> run(n, Opened::sqlite),
                n -> run(n, Opened::ratis),
                n -> run(n, Opened::postgresql));
    }

    private long run(long n, Supplier<Opened> store) {
        if (running == null) {
            running = new Running(store.get());
        }
        return running.ask(n);
    }

    @Override
    public void close() {
        if (running != null) {
            running.close();
        }
    }

    private static final class Running implements AutoCloseable {
        private final Opened opened;
        private final ActorSystem system = ActorSystem.start("durable");
        private final Cord cord = Cord.start("askers");
        private final Node node;
        private final Entities<Add> entities;

        Running(Opened opened) {
            this.opened = opened;
            this.node =
                    Node.start(
                            system,
                            NodeOptions.named("n1")
                                    .withCluster(opened.name())
                                    .withStore(opened.store())
                                    .withProtocol(Protocol.of(Add.class, Sum.class)));
            this.entities = node.entities(KIND);
        }

        /** How many replies came. */
        long ask(long n) {
            return cord.<Long>spin("asks", () -> askAll(n)).await();
        }

        private long askAll(long n) {
            List<Fiber<Long>> askers = new ArrayList<>();
            for (int i = 0; i < Sizes.REMOTE_ASKERS; i++) {
                ActorRef<Add> entity = entities.ref("k" + i);
                askers.add(Fiber.<Long>spin(() -> askOne(n / Sizes.REMOTE_ASKERS, entity)));
            }
            return askers.stream().mapToLong(Fiber::await).sum();
        }

        private static long askOne(long n, ActorRef<Add> entity) {
            long first = entity.<Long>ask(replyTo -> new Add(1, replyTo), LIMIT);
            long last = first;
            for (long i = 1; i < n; i++) {
                last = entity.<Long>ask(replyTo -> new Add(1, replyTo), LIMIT);
            }
            return last - first + 1;
        }

        @Override
        public void close() {
            node.close();
            system.close();
            cord.close();
            opened.close();
        }
    }
}
