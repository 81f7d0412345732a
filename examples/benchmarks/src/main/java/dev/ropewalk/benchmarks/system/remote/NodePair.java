package dev.ropewalk.benchmarks.system.remote;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.cluster.Discovery;
import dev.ropewalk.actors.cluster.Node;
import dev.ropewalk.actors.cluster.NodeDump;
import dev.ropewalk.actors.cluster.NodeOptions;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.benchmarks.system.remote.Words.Word;
import dev.ropewalk.fibers.io.Tls;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;

/** Two nodes that have met, each with a cord of its own. */
final class NodePair implements AutoCloseable {
    private static final String HERE = "here";
    private static final String THERE = "there";

    private static final EntityKind<Word, ?> ADDERS =
            EntityKind.of("adder", Word.class, _ -> Adder.actor());

    /** A keeper, or a process with one. */
    private final AutoCloseable there;

    private final Keeper here;
    private final ActorRef<Word> adderThere;

    private NodePair(AutoCloseable there, Keeper here, Function<Node, ActorRef<Word>> adder) {
        this.there = there;
        this.here = here;
        Node node = here.node();
        if (!node.awaitPeers(1, Adder.LIMIT)) {
            throw new IllegalStateException("the two nodes do not meet");
        }
        adderThere = adder.apply(node);
    }

    private static NodePair ofActors(AutoCloseable there, int port, @Nullable Certificates tls) {
        Discovery other = Discovery.of("127.0.0.1:" + port);
        Keeper here = Keeper.ofNode(HERE, options(HERE, tls).withDiscovery(other));
        return new NodePair(
                there,
                here,
                node -> Objects.requireNonNull(node.at(THERE).find("adder", Word.class)));
    }

    /** The adder is an entity, whose shard the other one has. */
    static NodePair ofEntities() {
        Store store = new MemoryStore();
        Keeper there = Keeper.ofNode(THERE, options(THERE, null).withStore(store));
        there.node().entities(ADDERS);
        Keeper here = Keeper.ofNode(HERE, options(HERE, null).withStore(store));
        return new NodePair(there, here, NodePair::entityThere);
    }

    private static ActorRef<Word> entityThere(Node here) {
        Entities<Word> adders = here.entities(ADDERS);
        Set<Integer> own = ownShards(here);
        String key = "adder";
        while (own.contains(Shards.of(key))) {
            key += "r";
        }
        return adders.ref(key);
    }

    /** When it has its share, so that none moves while something is measured. */
    private static Set<Integer> ownShards(Node node) {
        Set<Integer> own = Set.of();
        while (own.size() != Shards.COUNT / 2) {
            LockSupport.parkNanos(10_000_000);
            own =
                    Objects.requireNonNull(node.dump().shards()).own().stream()
                            .filter(each -> each.state().equals("OWNED"))
                            .map(NodeDump.Shard::shard)
                            .collect(Collectors.toSet());
        }
        return own;
    }

    static NodePair plain() {
        return behind(port -> port);
    }

    static NodePair encrypted() {
        Certificates tls = new Certificates();
        Keeper there = Keeper.ofNode(THERE, options(THERE, tls));
        return ofActors(there, there.node().port(), tls);
    }

    /** The other one is in a process of its own. */
    static NodePair ofTwoProcesses() {
        OtherProcess other = new OtherProcess(Other.class);
        return ofActors(other, Integer.parseInt(other.address()), null);
    }

    /** The process of the other one. */
    static final class Other {
        private Other() {}

        public static void main(String[] arguments) throws Exception {
            OtherProcess.serve(
                    () -> {
                        Keeper there = Keeper.ofNode(THERE, options(THERE, null));
                        return Integer.toString(there.node().port());
                    });
        }
    }

    /**
     * Of which one dials another port than that of the other.
     *
     * @param door gets the port of the other one
     */
    static NodePair behind(IntUnaryOperator door) {
        Keeper there = Keeper.ofNode(THERE, options(THERE, null));
        return ofActors(there, door.applyAsInt(there.node().port()), null);
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

    /** The one that dials. */
    Keeper here() {
        return here;
    }

    ActorRef<Word> adderThere() {
        return adderThere;
    }

    @Override
    public void close() {
        here.close();
        try {
            there.close();
        } catch (Exception broken) {
            throw new IllegalStateException("the other node does not close", broken);
        }
    }
}
