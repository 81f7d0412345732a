package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.internal.ref.Counts;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Rule A7: much of one thing, connections that break anywhere, and ends at a bad time. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class BadInputTest {
    sealed interface Word {}

    record Say(int number) implements Word {}

    record Block(String text) implements Word {}

    record Hand(List<Recipient<String>> adapters) implements Word {}

    record Question(Recipient<Integer> replyTo) implements Word {}

    private static final Protocol PROTOCOL = Protocol.of(Word.class);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int MONITORS = 100_000;

    private static NodeOptions options(String name, int port, int... others) {
        return NodeOptions.named(name)
                .withAddress("127.0.0.1", port)
                .withProtocol(PROTOCOL)
                .withDiscovery(
                        Discovery.of(
                                IntStream.of(others)
                                        .mapToObj(each -> "127.0.0.1:" + each)
                                        .toArray(String[]::new)));
    }

    private static Actor<Word> actor(List<Integer> said, List<Recipient<String>> handed) {
        return Actor.handler(
                () ->
                        word -> {
                            switch (word) {
                                case Say(int number) -> said.add(number);
                                case Block _ -> said.add(0);
                                case Hand(var adapters) -> handed.addAll(adapters);
                                case Question(var replyTo) -> replyTo.tell(said.size());
                            }
                            return Behavior.same();
                        });
    }

    private static ActorRef<Word> find(Node from, String of) {
        return Objects.requireNonNull(from.at(of).find("actor", Word.class));
    }

    private static Counts counts(Pair.Side side, String other) {
        return Objects.requireNonNull(side.node.counts(other));
    }

    private static long usedBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    // ---------------------------------------------------------------- many of one thing

    /** One watch for all; each takes less than 300 bytes here, with its listener. */
    @Test
    void A7_hundredThousandMonitorsOfOneActor() {
        for (boolean isCancelled : new boolean[] {false, true}) {
            Pair.run(1, PROTOCOL, (here, there) -> monitors(here, there, isCancelled));
        }
    }

    private static void monitors(Pair.Side here, Pair.Side there, boolean isCancelled)
            throws Exception {
        there.on(() -> there.system.start("actor", actor(new ArrayList<>(), new ArrayList<>())));
        ActorRef<Word> far = find(here.node, "there");
        List<Down> downs = new ArrayList<>();
        long before = usedBytes();
        ActorRef<Object> watcher =
                here.system.start(
                        "watcher",
                        Actor.<Object>handler(
                                self -> {
                                    for (int i = 0; i < MONITORS; i++) {
                                        self.monitor(far, down -> down);
                                    }
                                    return message -> {
                                        downs.add((Down) message);
                                        return Behavior.same();
                                    };
                                }));
        Fiber.sleep(SECOND);
        long each = (usedBytes() - before) / MONITORS;
        assertTrue(each < 300, () -> "bytes of each: " + each);
        assertEquals(1, counts(here, "there").watched());
        assertEquals(1, counts(there, "here").servedWatches());
        if (isCancelled) {
            watcher.terminate();
            assertTrue(watcher.awaitEnd(SECOND));
        }
        Fiber.sleep(SECOND);
        assertEquals(isCancelled ? 0 : 1, counts(there, "here").servedWatches());
        far.stop();
        Fiber.sleep(SECOND);
        assertEquals(isCancelled ? 0 : MONITORS, downs.size());
        downs.forEach(down -> assertEquals(new ExitReason.Normal(), down.reason()));
        assertEquals(0, counts(here, "there").watched());
    }

    @Test
    void A7_adapterThatIsSentAMillionTimesIsOneExport() {
        Pair.run(
                1,
                PROTOCOL,
                (here, there) -> {
                    List<Recipient<String>> handed = new ArrayList<>();
                    there.on(() -> there.system.start("actor", actor(new ArrayList<>(), handed)));
                    ActorRef<Word> far = find(here.node, "there");
                    List<Recipient<String>> own = new ArrayList<>();
                    ActorRef<Object> owner = owner(here, own, 1);
                    List<Recipient<String>> hundred =
                            List.copyOf(java.util.Collections.nCopies(100, own.getFirst()));
                    for (int i = 0; i < 10_000; i++) {
                        far.tell(new Hand(hundred));
                        if (i % 1_000 == 0) {
                            far.<Integer>ask(Question::new);
                            handed.clear();
                        }
                    }
                    assertEquals(1, counts(here, "there").addresses());
                    owner.stop();
                    assertTrue(owner.awaitEnd(SECOND));
                    assertEquals(0, counts(here, "there").addresses());
                });
    }

    @Test
    void A7_adaptersBeyondAThousandTakeThePlaceOfTheOldest() {
        Pair.run(
                1,
                PROTOCOL,
                (here, there) -> {
                    List<Recipient<String>> handed = new ArrayList<>();
                    there.on(() -> there.system.start("actor", actor(new ArrayList<>(), handed)));
                    ActorRef<Word> far = find(here.node, "there");
                    List<Recipient<String>> own = new ArrayList<>();
                    ActorRef<Object> owner = owner(here, own, 1_025);
                    far.tell(new Hand(List.copyOf(own)));
                    far.<Integer>ask(Question::new);
                    assertEquals(1_024, counts(here, "there").addresses());
                    there.on(
                            () -> {
                                handed.get(0).tell("to the oldest");
                                handed.get(1).tell("to the next one");
                                return null;
                            });
                    Fiber.sleep(SECOND);
                    assertEquals(
                            List.of("to the oldest"),
                            here.letters.stream().map(DeadLetter::message).toList());
                    owner.terminate();
                    assertTrue(owner.awaitEnd(SECOND));
                    assertEquals(0, counts(here, "there").addresses());
                });
    }

    private static ActorRef<Object> owner(Pair.Side here, List<Recipient<String>> own, int count) {
        ActorRef<Object> owner =
                here.system.start(
                        "owner",
                        Actor.<Object>handler(
                                self -> {
                                    for (int i = 0; i < count; i++) {
                                        own.add(self.adapt((String text) -> text));
                                    }
                                    return _ -> Behavior.same();
                                }));
        Fiber.sleep(Duration.ofMillis(1));
        return owner;
    }

    // ---------------------------------------------------------------- broken connections

    /** Between two honest nodes; what was told has arrived, or is a dead letter, or both. */
    @Test
    void A7_resetAfterEachByteOfEachDirection() {
        TestCord.run(1, true, BadInputTest::resets);
    }

    private static void resets() {
        List<Integer> said = new ArrayList<>();
        List<DeadLetter> letters = new ArrayList<>();
        try (TcpListener listener = TcpListener.bind("127.0.0.1", 7_010);
                ActorSystem one = ActorSystem.start(Tree.oneForOne("one"), letters::add);
                ActorSystem two = ActorSystem.start("two");
                Node _ = Node.start(two, options("there", 7_002));
                Node here = Node.start(one, options("here", 7_001, 7_010))) {
            ActorRef<Word> home = two.start("actor", actor(said, new ArrayList<>()));
            int[] connection = new int[1];
            Fiber<?> relay = Fiber.spin("relay", () -> relay(listener, connection));
            int told = 0;
            int calls = 0;
            while (connection[0] < 2 * MOST_BYTES) {
                if (here.awaitPeers(1, MINUTE)) {
                    calls++;
                    try {
                        ActorRef<Word> far = here.at("there").find("actor", Word.class);
                        while (far != null && !here.peers().isEmpty()) {
                            far.tell(new Say(++told));
                            Fiber.sleep(Duration.ofMillis(20));
                        }
                    } catch (UnreachableException broken) {
                        Fiber.sleep(Duration.ofMillis(1));
                    }
                }
            }
            assertTrue(calls > MOST_BYTES, "peers in so many connections: " + calls);
            assertTrue(here.awaitPeers(1, MINUTE));
            ActorRef<Word> far = find(here, "there");
            assertEquals(said.size(), (int) far.<Integer>ask(Question::new));
            assertEquals(home.name(), far.name());
            assertBalanced(told, said, letters);
            Counts left = Objects.requireNonNull(here.counts("there"));
            assertEquals(0, left.asks() + left.watched() + left.addresses(), left::toString);
            relay.terminate();
        }
    }

    private static final int MOST_BYTES = 400;

    private static void assertBalanced(int told, List<Integer> said, List<DeadLetter> letters) {
        Set<Integer> fates = new HashSet<>(said);
        assertEquals(fates.size(), said.size(), "one was processed twice");
        assertEquals(said.stream().sorted().toList(), said, "out of order");
        for (DeadLetter each : letters) {
            assertEquals(DeadLetter.Reason.UNREACHABLE, each.reason());
            fates.add(((Say) each.message()).number());
        }
        assertEquals(told, fates.size());
    }

    /** Each connection may carry a byte more than the one before, first one way, then the other. */
    private static void relay(TcpListener listener, int[] connection) {
        while (true) {
            TcpConnection caller = listener.accept();
            int number = connection[0]++;
            int limit = number < 2 * MOST_BYTES ? number / 2 : Integer.MAX_VALUE;
            TcpConnection node = TcpConnection.connect("127.0.0.1", 7_002);
            boolean isForth = number % 2 == 0;
            Fiber.spin("back", () -> copy(node, caller, isForth ? Integer.MAX_VALUE : limit));
            Fiber.spin("forth", () -> copy(caller, node, isForth ? limit : Integer.MAX_VALUE));
        }
    }

    private static void copy(TcpConnection from, TcpConnection to, int limit) {
        byte[] bytes = new byte[1_000];
        try {
            int left = limit;
            for (int count = from.read(bytes); count >= 0 && left > 0; count = from.read(bytes)) {
                int some = Math.min(count, left);
                left -= some;
                to.write(bytes, 0, some).flush();
                if (left == 0) {
                    break;
                }
            }
        } catch (ConnectionException over) {
            // Both ends see it.
        } finally {
            to.reset();
            from.reset();
        }
    }

    /** In a process of its own, because it may end with the heap. */
    @Test
    void A7_twoHundredThousandDamagedFramesInASmallHeap() throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "@" + System.getProperty("ropewalk.args.file"),
                                "-Xmx64m",
                                "-XX:+ExitOnOutOfMemoryError",
                                "-Dkryo.unsafe=false",
                                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                                "-cp",
                                System.getProperty("java.class.path"),
                                DamagedFrames.class.getName(),
                                "200000")
                        .redirectErrorStream(true)
                        .start();
        try {
            assertTrue(process.waitFor(100, TimeUnit.SECONDS), "it hangs");
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, process.exitValue(), said);
            assertTrue(said.contains(" answer 7 peers [good]"), said);
            int seconds = Integer.parseInt(said.substring(said.indexOf("seconds ") + 8).trim());
            assertTrue(seconds < 20, said);
        } finally {
            process.destroyForcibly();
        }
    }

    // ---------------------------------------------------------------- names

    /** Both start in the same instant, beside a third node that either may meet first. */
    @Test
    void A7_twoNodesOfOneNameAtOnce() {
        for (long seed = 1; seed <= 20; seed++) {
            try (LogLines lines = new LogLines()) {
                TestCord.run(seed, true, BadInputTest::twoOfOneName);
                List<String> told = lines.with(": NAME");
                assertTrue(told.size() >= 1 && told.size() <= 4, told::toString);
            }
        }
    }

    private static void twoOfOneName() {
        try (ActorSystem system = ActorSystem.start("all");
                Node hub = Node.start(system, options("a", 7_001));
                Node first = Node.start(ActorSystem.start("b"), options("b", 7_002, 7_001));
                Node second = Node.start(ActorSystem.start("b"), options("b", 7_003, 7_001))) {
            assertTrue(hub.awaitPeers(1, SECOND));
            Fiber.sleep(SECOND);
            Node older = first.peers().isEmpty() ? second : first;
            Node newer = older == first ? second : first;
            Fiber.sleep(MINUTE);
            assertEquals(List.of("b"), hub.peers());
            assertEquals(List.of("a"), older.peers());
            assertEquals(List.of(), newer.peers());
            older.close();
            assertTrue(newer.awaitPeers(1, MINUTE));
        }
    }

    /** At once and on the same port, so that the next incarnation calls before others miss it. */
    @Test
    void A7_nodeThatIsBackAtOnceIsAnotherIncarnation() {
        SimCluster.run(
                2,
                options -> {
                    ActorSystem system = ActorSystem.start("system");
                    system.start("actor", actor(new ArrayList<>(), new ArrayList<>()));
                    return Node.start(system, options.withProtocol(PROTOCOL));
                },
                cluster -> {
                    assertTrue(cluster.awaitPeers(MINUTE));
                    for (int i = 0; i < 5; i++) {
                        List<ExitReason> ends = new ArrayList<>();
                        ActorRef<Word> before = cluster.on("n1", () -> watched(cluster, ends));
                        if (i % 2 == 0) {
                            cluster.cut("n1", "n2"); // n1 does not hear of the end
                        }
                        cluster.restart("n2");
                        Fiber.sleep(Duration.ofMillis(100));
                        cluster.heal();
                        assertTrue(cluster.awaitPeers(MINUTE));
                        ActorRef<Word> now = cluster.on("n1", () -> find(cluster.node("n1"), "n2"));
                        assertFalse(now.equals(before));
                        assertEquals(
                                0, cluster.<Integer>on("n1", () -> now.ask(Question::new, SECOND)));
                        assertEquals(List.of(new ExitReason.Unreachable("n2")), ends);
                    }
                });
    }

    private static ActorRef<Word> watched(SimCluster cluster, List<ExitReason> ends) {
        ActorRef<Word> far = find(cluster.node("n1"), "n2");
        cluster.system("n1")
                .spin(
                        Actor.<Object>handler(
                                self -> {
                                    self.monitor(far, down -> down);
                                    return message -> {
                                        ends.add(((Down) message).reason());
                                        return Behavior.same();
                                    };
                                }));
        Fiber.sleep(Duration.ofMillis(10));
        return far;
    }

    // ---------------------------------------------------------------- the end

    /** Nodes with queues of 1,024 bytes. */
    private static Node small(NodeOptions options, List<DeadLetter> letters, List<Integer> said) {
        ActorSystem system = ActorSystem.start(Tree.oneForOne("system"), letters::add);
        system.start("actor", actor(said, new ArrayList<>()));
        return Node.start(system, options.withProtocol(PROTOCOL).withQueue(1_024));
    }

    private static void leaves(Duration frozen, Duration limit, boolean isComplete) {
        List<DeadLetter> letters = new ArrayList<>();
        List<Integer> said = new ArrayList<>();
        SimCluster.run(
                3,
                options -> {
                    if (options.name().equals("n1")) {
                        letters.clear();
                        said.clear();
                    }
                    return small(options, letters, said);
                },
                cluster -> {
                    assertTrue(cluster.awaitPeers(MINUTE));
                    ActorRef<Word> far = cluster.on("n1", () -> find(cluster.node("n1"), "n2"));
                    cluster.freeze("n2", frozen);
                    int[] told = new int[1];
                    Fiber<?> teller =
                            Fiber.spin(
                                    "tells",
                                    () -> {
                                        for (int i = 0; i < 20; i++) {
                                            far.tell(new Block("x".repeat(200)));
                                            told[0]++;
                                        }
                                    });
                    Fiber.sleep(Duration.ofMillis(100));
                    assertFalse(teller.awaitEnd(Duration.ZERO), "the queue is not full");
                    int toldBefore = told[0] + 1; // one waits
                    assertEquals(
                            isComplete, cluster.on("n1", () -> cluster.node("n1").leave(limit)));
                    assertTrue(teller.awaitEnd(SECOND));
                    Fiber.sleep(Duration.ofSeconds(10));
                    // Of those that were told while the node left, some may stand in both.
                    assertTrue(letters.size() + said.size() >= 20, letters + " " + said);
                    assertTrue(said.size() >= (isComplete ? toldBefore : 0), said.toString());
                    assertTrue(letters.size() <= (isComplete ? 20 - toldBefore : 20));
                    assertTrue(isComplete || letters.size() == 20, letters.toString());
                    letters.forEach(
                            each -> assertEquals(DeadLetter.Reason.UNREACHABLE, each.reason()));
                    assertEquals(List.of("n3"), cluster.node("n2").peers());
                });
    }

    @Test
    void A7_leaveWhileTheQueueIsFullWaitsForAPeerThatReads() {
        leaves(SECOND, MINUTE, true);
    }

    @Test
    void A7_leaveWhileTheQueueIsFullGivesUpOneThatReadsNothing() {
        leaves(Duration.ofSeconds(8), SECOND, false);
    }
}
