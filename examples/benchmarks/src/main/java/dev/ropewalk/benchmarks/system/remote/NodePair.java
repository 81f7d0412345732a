package dev.ropewalk.benchmarks.system.remote;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.cluster.Discovery;
import dev.ropewalk.actors.cluster.Node;
import dev.ropewalk.actors.cluster.NodeOptions;
import dev.ropewalk.benchmarks.system.remote.Words.Word;
import dev.ropewalk.fibers.io.Tls;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.IntUnaryOperator;

/** Two nodes that have met, each with a cord of its own. */
final class NodePair implements AutoCloseable {
    private static final String HERE = "here";
    private static final String THERE = "there";

    private final Keeper there;
    private final Keeper here;
    private final ActorRef<Word> adderThere;

    private NodePair(@Nullable Certificates tls, IntUnaryOperator door) {
        there = Keeper.ofNode(THERE, options(THERE, tls));
        Discovery other = Discovery.of("127.0.0.1:" + door.applyAsInt(there.node().port()));
        here = Keeper.ofNode(HERE, options(HERE, tls).withDiscovery(other));
        Node node = here.node();
        if (!node.awaitPeers(1, Adder.LIMIT)) {
            throw new IllegalStateException("the two nodes do not meet");
        }
        adderThere = Objects.requireNonNull(node.at(THERE).find("adder", Word.class));
    }

    static NodePair plain() {
        return new NodePair(null, port -> port);
    }

    static NodePair encrypted() {
        return new NodePair(new Certificates(), port -> port);
    }

    /**
     * Of which one dials another port than that of the other.
     *
     * @param door gets the port of the other one
     */
    static NodePair behind(IntUnaryOperator door) {
        return new NodePair(null, door);
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
        there.close();
    }
}
