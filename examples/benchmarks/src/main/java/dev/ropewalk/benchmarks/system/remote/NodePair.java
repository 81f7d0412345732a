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

    /** A keeper, or a process with one. */
    private final AutoCloseable there;

    private final Keeper here;
    private final ActorRef<Word> adderThere;

    private NodePair(AutoCloseable there, int port, @Nullable Certificates tls) {
        this.there = there;
        Discovery other = Discovery.of("127.0.0.1:" + port);
        here = Keeper.ofNode(HERE, options(HERE, tls).withDiscovery(other));
        Node node = here.node();
        if (!node.awaitPeers(1, Adder.LIMIT)) {
            throw new IllegalStateException("the two nodes do not meet");
        }
        adderThere = Objects.requireNonNull(node.at(THERE).find("adder", Word.class));
    }

    static NodePair plain() {
        return behind(port -> port);
    }

    static NodePair encrypted() {
        Certificates tls = new Certificates();
        Keeper there = Keeper.ofNode(THERE, options(THERE, tls));
        return new NodePair(there, there.node().port(), tls);
    }

    /** The other one is in a process of its own. */
    static NodePair ofTwoProcesses() {
        OtherProcess other = new OtherProcess(Other.class);
        return new NodePair(other, Integer.parseInt(other.address()), null);
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
        return new NodePair(there, door.applyAsInt(there.node().port()), null);
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
