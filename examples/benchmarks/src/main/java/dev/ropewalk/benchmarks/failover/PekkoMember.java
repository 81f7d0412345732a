package dev.ropewalk.benchmarks.failover;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;

import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorRefResolver;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.sharding.typed.javadsl.Entity;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityTypeKey;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.serialization.JSerializer;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/**
 * A process of a cluster of Pekko with a share of its entities. The first one is the oldest,
 * because it alone may begin the cluster, so it has the coordinator of the shards.
 */
final class PekkoMember {
    private static final EntityTypeKey<Where> SEATS = EntityTypeKey.create(Where.class, "seat");
    private static final long A_MOMENT_NS = 20_000_000;

    private static final String SETTINGS =
            """
            pekko {
              stdout-loglevel = OFF
              loglevel = WARNING
              log-dead-letters = off
              actor {
                provider = cluster
                serializers.seats = "BYTES"
                serialization-bindings {
                  "WHERE" = seats
                  "HERE" = seats
                }
              }
              remote.artery {
                transport = tcp
                canonical.hostname = "127.0.0.1"
                canonical.port = PORT
              }
              cluster {
                seed-nodes = ["pekko://failover@127.0.0.1:FIRST"]
                downing-provider-class = "org.apache.pekko.cluster.sbr.SplitBrainResolverProvider"
              }
            }
            """
                    .replace("BYTES", Bytes.class.getName())
                    .replace("WHERE", Where.class.getName())
                    .replace("HERE", Here.class.getName());

    private final Console console;
    private final ActorSystem<Void> system;
    private final ClusterSharding sharding;

    /** Is answered with the name of the node that has the entity. */
    record Where(ActorRef<Here> replyTo) {}

    record Here(String node) {}

    private PekkoMember(MemberSettings settings, PrintStream out) {
        console = new Console(out);
        system = ActorSystem.create(Behaviors.empty(), "failover", config(settings));
        sharding = ClusterSharding.get(system);
        Here here = new Here(settings.name());
        sharding.init(
                Entity.of(
                        SEATS,
                        _ ->
                                Behaviors.receiveMessage(
                                        where -> {
                                            where.replyTo().tell(here);
                                            return Behaviors.same();
                                        })));
    }

    /**
     * Runs it.
     *
     * @param arguments as {@link MemberSettings#toWords} made them
     */
    public static void main(String[] arguments) throws IOException {
        PekkoMember member =
                new PekkoMember(MemberSettings.ofWords(List.of(arguments)), System.out);
        Thread.ofVirtual().name("tells when it is ready").start(member::awaitReady);
        member.console.obey(System.in, member::obey);
    }

    private static Config config(MemberSettings settings) {
        String text =
                SETTINGS.replace("PORT", String.valueOf(settings.ports().get(settings.place())))
                        .replace("FIRST", String.valueOf(settings.ports().getFirst()));
        if (!settings.stableAfter().isEmpty()) {
            text += "pekko.cluster.split-brain-resolver.stable-after = " + settings.stableAfter();
        }
        return ConfigFactory.parseString(text).withFallback(ConfigFactory.load());
    }

    private void awaitReady() {
        Cluster cluster = Cluster.get(system);
        int up = 0;
        while (up < Trio.NODES) {
            LockSupport.parkNanos(A_MOMENT_NS);
            up = 0;
            for (Member each : cluster.state().getMembers()) {
                if (each.status().equals(MemberStatus.up())) {
                    up++;
                }
            }
        }
        console.say(Console.READY);
    }

    private void obey(String[] order) {
        if (order[0].equals(Console.WATCH)) {
            new Askers(this::nodeOf, console).start();
        } else {
            console.doesNotKnow(order[0]);
        }
    }

    private @Nullable String nodeOf(String key) {
        try {
            return sharding.entityRefFor(SEATS, key)
                    .<Here>ask(Where::new, Duration.ofMillis(Askers.LIMIT_MS))
                    .toCompletableFuture()
                    .join()
                    .node();
        } catch (CompletionException none) {
            return null;
        }
    }

    /** Made by Pekko, by its name in the settings. */
    public static final class Bytes extends JSerializer {
        private static final int ID = 4_712;

        private final ActorRefResolver addresses;

        public Bytes(ExtendedActorSystem system) {
            addresses = ActorRefResolver.get(Adapter.toTyped(system));
        }

        @Override
        public int identifier() {
            return ID;
        }

        @Override
        public boolean includeManifest() {
            return true;
        }

        @Override
        public byte[] toBinary(Object message) {
            return switch (message) {
                case Where(var replyTo) -> addresses.toSerializationFormat(replyTo).getBytes(UTF_8);
                case Here(String node) -> node.getBytes(UTF_8);
                default -> throw new IllegalArgumentException("no message: " + message);
            };
        }

        @Override
        public Object fromBinaryJava(byte[] bytes, @Nullable Class<?> manifest) {
            String text = new String(bytes, UTF_8);
            return manifest == Where.class
                    ? new Where(addresses.resolveActorRef(text))
                    : new Here(text);
        }
    }
}
