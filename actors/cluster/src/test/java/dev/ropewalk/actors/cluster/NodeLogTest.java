package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** Rule A7: a node says whom it has found, whom it has lost, and that it is alone. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class NodeLogTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static NodeOptions options(String name, int port, String... others) {
        return NodeOptions.named(name)
                .withAddress("127.0.0.1", port)
                .withDiscovery(Discovery.of(others));
    }

    @Test
    void A7_nodeThatFindsNoOtherSaysSoOnce() {
        try (LogLines lines = new LogLines()) {
            TestCord.run(
                    1,
                    true,
                    () -> {
                        try (ActorSystem system = ActorSystem.start("one");
                                Node one =
                                        Node.start(
                                                system,
                                                options(
                                                        "one",
                                                        7_001,
                                                        "127.0.0.1:7009",
                                                        "localhost:7008"))) {
                            Fiber.sleep(Duration.ofMillis(4_900));
                            assertEquals(List.of(), lines.with("alone"));
                            Fiber.sleep(MINUTE);
                            assertEquals(List.of(), one.peers());
                        }
                    });
            List<String> alone = lines.with("alone");
            assertEquals(1, alone.size(), lines::toString);
            assertTrue(
                    alone.getFirst()
                            .contains("no node was found at [127.0.0.1:7009, localhost:7008]"),
                    alone::getFirst);
            assertTrue(alone.getFirst().contains(" INFO "), alone::getFirst);
        }
    }

    @Test
    void A7_nodeWithoutAnAddressSaysThatItWaits() {
        try (LogLines lines = new LogLines()) {
            TestCord.run(
                    1,
                    true,
                    () -> {
                        try (ActorSystem system = ActorSystem.start("one");
                                Node one = Node.start(system, options("one", 7_001))) {
                            Fiber.sleep(MINUTE);
                            assertEquals(List.of(), one.peers());
                        }
                    });
            assertEquals(1, lines.with("is alone after 5 s: it knows no address").size());
        }
    }

    @Test
    void A7_nodeThatHadAPeerOrHasLeftIsNotAlone() {
        try (LogLines lines = new LogLines()) {
            TestCord.run(
                    1,
                    true,
                    () -> {
                        try (ActorSystem system = ActorSystem.start("all");
                                Node a = Node.start(system, options("a", 7_001))) {
                            try (Node b =
                                    Node.start(
                                            ActorSystem.start("b"),
                                            options("b", 7_002, "127.0.0.1:7001"))) {
                                assertTrue(b.awaitPeers(1, MINUTE));
                            }
                            try (Node gone =
                                    Node.start(ActorSystem.start("c"), options("c", 7_003))) {
                                assertEquals(List.of(), gone.peers());
                            }
                            Fiber.sleep(MINUTE);
                            assertEquals(List.of(), a.peers());
                        }
                    });
            assertEquals(List.of(), lines.with("alone"));
        }
    }

    @Test
    void A7_eachSessionHasALineAtItsBeginAndAtItsEnd() {
        try (LogLines lines = new LogLines()) {
            TestCord.run(
                    1,
                    true,
                    () -> {
                        try (ActorSystem system = ActorSystem.start("all");
                                Node a = Node.start(system, options("a", 7_001))) {
                            for (int i = 0; i < 2; i++) {
                                try (Node b =
                                        Node.start(
                                                ActorSystem.start("b"),
                                                options("b", 7_002, "127.0.0.1:7001"))) {
                                    assertTrue(b.awaitPeers(1, MINUTE));
                                }
                            }
                            Fiber.sleep(MINUTE);
                            assertEquals(List.of(), a.peers());
                        }
                    });
            assertEquals(8, lines.with(" are peers").size(), lines::toString);
            assertEquals(4, lines.with(" are peers no more: ").size(), lines::toString);
            assertEquals(2, lines.with(" are peers no more: it has left").size(), lines::toString);
            assertEquals(List.of(), lines.with(" WARN "));
        }
    }

    private static Node startWithEntities(NodeOptions given) {
        Node node =
                Node.start(
                        ActorSystem.start("words"),
                        given.withDiscovery(Discovery.of())
                                .withStore(MemoryStore.current())
                                .withProtocol(Protocol.of(String.class)));
        node.entities(
                EntityKind.of(
                        "word", String.class, _ -> Actor.handler(() -> _ -> Behavior.same())));
        return node;
    }

    @Test
    void A7_oneLineNamesAllShardsThatComeOrGoTogether() {
        try (LogLines lines = new LogLines()) {
            SimCluster.run(
                    2,
                    1,
                    false,
                    NodeLogTest::startWithEntities,
                    cluster -> {
                        assertTrue(cluster.awaitPeers(MINUTE));
                        Fiber.sleep(Duration.ofSeconds(10));
                        assertEquals(
                                128,
                                lines.with(" gives shard ").size(), // one at a time
                                lines::toString);
                        cluster.on("n2", () -> cluster.node("n2").leave(MINUTE));
                        Fiber.sleep(Duration.ofSeconds(10));
                        MemoryStore.current().cut("n1");
                        Fiber.sleep(Duration.ofSeconds(10));
                    });
            assertEquals(1, lines.with(" has shards 00-ff, epoch ").size(), lines::toString);
            List<String> left = lines.with("node n2 leaves, and gives shards ");
            assertEquals(1, left.size(), lines::toString);
            List<String> lost = lines.with("node n1 has lost shards 00-ff: ");
            assertEquals(1, lost.size(), lines::toString);
            assertTrue(lost.getFirst().contains(" WARN "), lost::getFirst);
        }
    }
}
