package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Rule A7: what is no peer is turned away, within a limit, and disturbs no peer. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class StrangerTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int MAGIC = 0x52_4F_50_45;

    /** With one node, on port 7001. */
    @FunctionalInterface
    private interface Body {
        void run(Node node, ActorSystem system) throws Exception;
    }

    private static NodeOptions options(String name, int port, String... others) {
        return NodeOptions.named(name)
                .withAddress("127.0.0.1", port)
                .withDiscovery(Discovery.of(others));
    }

    private static void run(Body body) {
        TestCord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("one");
                            Node node = Node.start(system, options("one", 7_001))) {
                        body.run(node, system);
                    }
                });
    }

    static byte[] frame(byte[] content) {
        return ByteBuffer.allocate(4 + content.length).putInt(content.length).put(content).array();
    }

    static byte[] text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(1 + bytes.length)
                .put((byte) (1 + 2 * bytes.length))
                .put(bytes)
                .array();
    }

    static byte[] hello(int version, String cluster, String name, long incarnation) {
        return hello(version, cluster, name, incarnation, new byte[] {1});
    }

    /** With a port as it is written. */
    static byte[] hello(int version, String cluster, String name, long incarnation, byte[] port) {
        return ByteBuffer.allocate(200)
                .put((byte) 1)
                .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                .putInt(MAGIC)
                .put((byte) version)
                .put(text(cluster))
                .put(text(name))
                .putLong(incarnation)
                .put(text("127.0.0.1"))
                .put(port)
                .array();
    }

    /** How long the node keeps the connection of one that says that, and no more. */
    private static Duration keepsFor(byte[] said) {
        long beganNs = Cord.current().nanoTime();
        try (TcpConnection stranger = TcpConnection.connect("127.0.0.1", 7_001)) {
            stranger.write(said);
            stranger.flush();
            byte[] answer = new byte[1_000];
            int count = 0;
            while (count >= 0) {
                count = stranger.read(answer);
            }
        } catch (ConnectionException turnedAway) {
            // By a reset.
        }
        return Duration.ofNanos(Cord.current().nanoTime() - beganNs);
    }

    private static void assertTurnedAway(Node node, byte[] said) {
        Duration kept = keepsFor(said);
        assertTrue(kept.compareTo(Duration.ofSeconds(6)) < 0, kept::toString);
        assertEquals(List.of(), node.peers());
    }

    @Test
    void A7_whatIsNoHelloIsTurnedAway() {
        run(
                (node, _) -> {
                    assertTurnedAway(
                            node, "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
                    assertTurnedAway(node, new byte[] {0x40, 0, 0, 0, 1}); // a hello of 1 GB
                    assertTurnedAway(node, new byte[] {0, 0, 0, 0});
                    assertTurnedAway(node, new byte[] {-1, -1, -1, -1});
                    assertTurnedAway(node, new byte[0]); // nothing is said
                    assertTurnedAway(node, new byte[] {0, 0, 0, 100, 1, 2, 3}); // half a hello
                    assertTurnedAway(node, frame(new byte[] {1, 0, 0, 0, 0, 0}));
                    assertTurnedAway(node, frame(new byte[1_000]));
                    assertTurnedAway(node, frame(new byte[1_025]));
                });
    }

    @Test
    void A7_otherVersionClusterAndNameAreTurnedAway() {
        run(
                (node, _) -> {
                    assertTurnedAway(node, frame(hello(2, "ropewalk", "two", 5)));
                    assertTurnedAway(node, frame(hello(0, "ropewalk", "two", 5)));
                    assertTurnedAway(node, frame(hello(1, "other", "two", 5)));
                    assertTurnedAway(node, frame(hello(1, "ropewalk", "one", 5)));
                    // The one with the smaller name confirms; one that does not is turned away.
                    assertTurnedAway(node, frame(hello(1, "ropewalk", "a", 5)));
                });
    }

    @Test
    void A7_peerThatSendsWhatNoNodeSendsEndsItsSessionOnly() {
        run(
                (node, system) -> {
                    try (ActorSystem two = ActorSystem.start("two");
                            Node good = Node.start(two, options("two", 7_002, "127.0.0.1:7001"))) {
                        assertTrue(good.awaitPeers(1, SECOND));
                        try (TcpConnection bad = TcpConnection.connect("127.0.0.1", 7_001)) {
                            bad.write(frame(hello(1, "ropewalk", "z", 5)));
                            bad.flush();
                            assertTrue(node.awaitPeers(2, SECOND));
                            bad.write(frame(new byte[] {16, 2, 3, 4}));
                            bad.flush();
                            Fiber.sleep(SECOND);
                        }
                        assertEquals(List.of("two"), node.peers());
                        assertEquals(List.of("one"), good.peers());
                        assertFalse(system.toString().isEmpty());
                    }
                });
    }

    @Test
    void A7_peerThatIsSilentIsGivenUpWithinThreeSeconds() {
        run(
                (node, _) -> {
                    try (TcpConnection silent = TcpConnection.connect("127.0.0.1", 7_001)) {
                        silent.write(frame(hello(1, "ropewalk", "z", 5)));
                        silent.flush();
                        assertTrue(node.awaitPeers(1, SECOND));
                        Fiber.sleep(Duration.ofMillis(2_900));
                        assertEquals(List.of("z"), node.peers());
                        Fiber.sleep(Duration.ofMillis(200));
                        assertEquals(List.of(), node.peers());
                    }
                });
    }

    @Test
    void A7_nodeDoesNotMeetItself() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("one");
                            Node node =
                                    Node.start(
                                            system,
                                            options(
                                                    "one",
                                                    7_001,
                                                    "127.0.0.1:7001",
                                                    "localhost:7001"))) {
                        assertFalse(node.awaitPeers(1, Duration.ofSeconds(10)));
                    }
                });
    }

    @Test
    void A7_threeNodesMeetThroughOne() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("all");
                            Node a = Node.start(system, options("a", 7_001));
                            Node b =
                                    Node.start(
                                            ActorSystem.start("b"),
                                            options("b", 7_002, "127.0.0.1:7001"))) {
                        assertTrue(b.awaitPeers(1, SECOND));
                        try (Node c =
                                Node.start(
                                        ActorSystem.start("c"),
                                        options("c", 7_003, "127.0.0.1:7001"))) {
                            assertTrue(c.awaitPeers(2, Duration.ofSeconds(5)));
                            assertTrue(a.awaitPeers(2, SECOND));
                            assertTrue(b.awaitPeers(2, SECOND));
                        }
                        Fiber.sleep(SECOND);
                        assertEquals(List.of("b"), a.peers());
                        assertEquals(List.of("a"), b.peers());
                    }
                });
    }

    /** Each dials the other at the same time, and one session comes of it. */
    @Test
    void A7_nodesThatDialEachOtherHaveOneSession() {
        for (long seed = 1; seed <= 50; seed++) {
            TestCord.run(
                    seed,
                    true,
                    () -> {
                        try (ActorSystem system = ActorSystem.start("all");
                                Node a = Node.start(system, options("a", 7_001, "127.0.0.1:7002"));
                                Node b =
                                        Node.start(
                                                ActorSystem.start("b"),
                                                options("b", 7_002, "127.0.0.1:7001"))) {
                            assertTrue(a.awaitPeers(1, SECOND));
                            assertTrue(b.awaitPeers(1, SECOND));
                            Fiber.sleep(Duration.ofSeconds(20));
                            assertEquals(List.of("b"), a.peers());
                            assertEquals(List.of("a"), b.peers());
                        }
                    });
        }
    }

    @Test
    void A7_nextIncarnationAtTheSameAddressTakesTheName() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("all");
                            Node a = Node.start(system, options("a", 7_001, "127.0.0.1:7002"))) {
                        for (int i = 0; i < 5; i++) {
                            try (Node b = Node.start(ActorSystem.start("b"), options("b", 7_002))) {
                                assertTrue(a.awaitPeers(1, Duration.ofSeconds(10)));
                                assertTrue(b.awaitPeers(1, Duration.ofSeconds(10)));
                            }
                        }
                    }
                });
    }

    @Test
    void A7_nameThatIsTakenElsewhereIsRefused() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("all");
                            Node a = Node.start(system, options("a", 7_001));
                            Node b =
                                    Node.start(
                                            ActorSystem.start("b"),
                                            options("b", 7_002, "127.0.0.1:7001"))) {
                        assertTrue(b.awaitPeers(1, SECOND));
                        try (Node again =
                                Node.start(
                                        ActorSystem.start("b"),
                                        options("b", 7_003, "127.0.0.1:7001"))) {
                            assertFalse(again.awaitPeers(1, Duration.ofSeconds(10)));
                        }
                        assertEquals(List.of("b"), a.peers());
                    }
                });
    }

    @Test
    void A7_optionsAreChecked() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("all")) {
                        assertThrows(
                                IllegalArgumentException.class,
                                () ->
                                        Node.start(
                                                system,
                                                options("a", 0).withAddress("10.0.0.1", 0)));
                        assertThrows(
                                IllegalArgumentException.class, () -> NodeOptions.named("a/b"));
                        assertThrows(
                                IllegalArgumentException.class,
                                () -> options("a", 0).withAddress("0.0.0.0", 1));
                        assertThrows(IllegalArgumentException.class, () -> Discovery.of("nowhere"));
                        try (Node a = Node.start(system, options("a", 7_001))) {
                            assertEquals(7_001, a.port());
                            IllegalStateException second =
                                    assertThrows(
                                            IllegalStateException.class,
                                            () -> Node.start(system, options("b", 7_002)));
                            assertTrue(
                                    Objects.requireNonNull(second.getMessage())
                                            .contains(
                                                    "node b cannot start: actor system all has the"
                                                            + " node a;"),
                                    second::toString);
                            assertThrows(
                                    ConnectionException.class,
                                    () -> Node.start(ActorSystem.start("b"), options("b", 7_001)));
                        }
                        Node.start(system, options("b", 7_001)).close(); // the other one has left
                    }
                });
    }
}
