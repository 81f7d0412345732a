package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.metrics.MetricValue;
import dev.ropewalk.fibers.metrics.Metrics;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** Rules A7 and A8: which kinds a node opens, and what runs on it without a message. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class NodeKindsTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofSeconds(60);

    sealed interface Word {}

    record Add(long number, Recipient<Long> replyTo) implements Word, Request<Long> {}

    record Stranger(String text) {}

    record Sum(long value) {}

    /** In memory. */
    sealed interface Note {}

    record Slow(int number) implements Note {}

    private final Map<String, Entities<Word>> words = new HashMap<>();
    private final Map<String, Entities<Note>> notes = new HashMap<>();
    private final List<String> handled = new ArrayList<>();
    private boolean isLoop;

    private static EntityKind<Word, Sum> sums() {
        return EntityKind.durable(
                "sum",
                Word.class,
                Sum.class,
                _ ->
                        Server.<Word, Sum>of(new Sum(0))
                                .call(
                                        Add.class,
                                        (now, add) -> {
                                            long sum = now.value + add.number;
                                            return Reply.of(sum, new Sum(sum));
                                        }));
    }

    private static Node startEmpty(NodeOptions given) {
        ActorSystem system = ActorSystem.start(Tree.oneForOne("system"));
        return Node.start(
                system,
                given.withStore(MemoryStore.current())
                        .withProtocol(Protocol.of(Word.class, Note.class)));
    }

    private Node start(NodeOptions given) {
        Node node = startEmpty(given);
        String name = node.name();
        words.put(name, node.entities(sums().remembered()));
        Function<String, Actor<Note>> actor =
                _ -> {
                    if (isLoop) {
                        return Actor.loop(
                                self -> {
                                    for (; ; ) {
                                        handle(name, self.receive());
                                    }
                                });
                    }
                    return Actor.handler(
                            () ->
                                    note -> {
                                        handle(name, note);
                                        return Behavior.same();
                                    });
                };
        notes.put(name, node.entities(EntityKind.of("note", Note.class, actor)));
        return node;
    }

    private void handle(String node, Note note) {
        if (note instanceof Slow(int number)) {
            handled.add(node + " " + number); // begun
            Fiber.sleep(Duration.ofMillis(100));
        }
    }

    private static void run(int nodes, SimCluster.Program program, SimCluster.Body body) {
        for (long seed : new long[] {1, 2}) {
            SimCluster.run(
                    nodes,
                    seed,
                    seed != 1,
                    program,
                    cluster -> {
                        assertTrue(cluster.awaitPeers(LONG));
                        Fiber.sleep(Duration.ofSeconds(8));
                        body.run(cluster);
                    });
        }
    }

    private static IllegalArgumentException refused(Node node, EntityKind<?, ?> kind) {
        return assertThrows(IllegalArgumentException.class, () -> node.entities(kind));
    }

    private static <M> EntityKind<M, Void> inMemory(String name, Class<M> type) {
        return EntityKind.of(name, type, _ -> Actor.handler(() -> _ -> Behavior.same()));
    }

    private static String text(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }

    // ---------------------------------------------------------------- which kinds

    @Test
    void A7_aKindWhoseMessagesAreNotOfTheProtocolIsRefused() {
        run(
                1,
                NodeKindsTest::startEmpty,
                cluster ->
                        cluster.on(
                                "n1",
                                () -> {
                                    Node node = cluster.node("n1");
                                    String text =
                                            text(refused(node, inMemory("x", Stranger.class)));
                                    assertTrue(text.contains(Stranger.class.getName()), text);
                                    assertTrue(text.contains("withProtocol"), text);
                                    assertTrue(
                                            text(refused(node, inMemory("x", Thread.class)))
                                                    .contains("cannot be sent"));
                                    node.entities(inMemory("one", Add.class));
                                    node.entities(inMemory("text", String.class));
                                    node.entities(
                                            inMemory("any", Object.class)); // is looked at later
                                    return true;
                                }));
    }

    @Test
    void A7_aKindWithTheNameOfSingletonsIsRefused() {
        run(
                1,
                NodeKindsTest::startEmpty,
                cluster ->
                        cluster.on(
                                "n1",
                                () -> {
                                    Node node = cluster.node("n1");
                                    assertTrue(
                                            text(refused(node, inMemory("singleton", Word.class)))
                                                    .contains("Node.singleton"));
                                    ActorRef<Word> one =
                                            node.singleton(
                                                    "x", Actor.handler(() -> _ -> Behavior.same()));
                                    assertTrue(one.toString().contains("x"));
                                    return true;
                                }));
    }

    // ---------------------------------------------------------------- without a message

    @Test
    void A7_rememberedOnesOfANodeThatIsKilledRunOnOthersWithoutAMessage() {
        run(
                3,
                this::start,
                cluster -> {
                    int count = 30;
                    cluster.on("n1", () -> addToEach(count));
                    assertEquals(count, running("n1", "n2", "n3"));
                    assertNotEquals(0, running("n2"));
                    cluster.kill("n2");
                    Fiber.sleep(Duration.ofSeconds(15));
                    assertEquals(count, running("n1", "n3"));
                    cluster.on("n3", () -> cluster.node("n3").leave(LIMIT));
                    Fiber.sleep(Duration.ofSeconds(5));
                    assertEquals(count, running("n1"));
                });
    }

    /** All that a killed node had come at once to the one that is left. */
    @Test
    void A7_aNodeStartsAHundredRememberedOnesASecond() {
        run(
                2,
                this::start,
                cluster -> {
                    int count = 900;
                    cluster.on("n1", () -> addToEach(count));
                    assertEquals(count, running("n1", "n2"));
                    int lost = running("n2");
                    assertTrue(lost > count / 4, "lost=" + lost);
                    cluster.kill("n2");
                    int seconds = 0;
                    int before = count - lost;
                    for (int i = 0; i < 60 && before < count; i++) {
                        Fiber.sleep(Duration.ofSeconds(1));
                        int now = running("n1");
                        assertTrue(now - before <= 110, before + " and a second later " + now);
                        seconds += now == before ? 0 : 1;
                        before = now;
                    }
                    assertEquals(count, before);
                    assertTrue(seconds >= lost / 110, lost + " in seconds=" + seconds);
                });
    }

    private boolean addToEach(int count) {
        for (int i = 0; i < count; i++) {
            words("n1").ref("k" + i).<Long>ask(to -> new Add(1, to), LIMIT);
        }
        return true;
    }

    @Test
    void A7_metricsTellOfTheLeaseTheShardsTheMovesAndTheEntities() {
        run(
                2,
                this::start,
                cluster -> {
                    cluster.on("n1", () -> addToEach(20));
                    Metrics metrics = Metrics.of(NodeMetrics.of(cluster.node("n1")));
                    double lease = metric(metrics, "ropewalk.node.lease.seconds", "");
                    assertTrue(lease > 0 && lease <= 3, "lease=" + lease);
                    double shards = metric(metrics, "ropewalk.node.shards", "");
                    assertTrue(shards > 0 && shards < 256, "shards=" + shards);
                    assertTrue(metric(metrics, "ropewalk.node.shard.moves", "taken") >= shards);
                    assertEquals(running("n1"), metric(metrics, "ropewalk.node.entities", "sum"));
                    assertEquals(0, metric(metrics, "ropewalk.node.held", "sum"));
                    assertTrue(metric(metrics, "ropewalk.node.store.calls", "written") > 0);
                    cluster.kill("n2");
                    Fiber.sleep(Duration.ofSeconds(15));
                    assertEquals(256, metric(metrics, "ropewalk.node.shards", ""));
                    assertEquals(0, metric(metrics, "ropewalk.metrics.failures", ""));
                });
    }

    /** The sum of those with the tag; empty for all. */
    private static double metric(Metrics metrics, String name, String tag) {
        return metrics.read().stream()
                .filter(each -> each.metric().name().equals(name))
                .filter(
                        each ->
                                tag.isEmpty()
                                        || each.tags().stream()
                                                .anyMatch(of -> of.value().equals(tag)))
                .mapToDouble(MetricValue::value)
                .sum();
    }

    private Entities<Word> words(String node) {
        return Objects.requireNonNull(words.get(node), node);
    }

    private int running(String... nodes) {
        int sum = 0;
        for (String each : nodes) {
            sum += words(each).running();
        }
        return sum;
    }

    // ---------------------------------------------------------------- before each message

    @Test
    void A7_aNodeThatSleepsBeginsNoMessageThatAnActorInMemoryHad() {
        for (boolean loop : new boolean[] {false, true}) {
            isLoop = loop;
            run(
                    2,
                    this::start,
                    cluster -> {
                        handled.clear();
                        String key = Keys.on(cluster, "n2");
                        cluster.on(
                                "n2",
                                () -> {
                                    for (int i = 0; i < 100; i++) {
                                        notes("n2").ref(key).tell(new Slow(i));
                                    }
                                    return true;
                                });
                        Fiber.sleep(Duration.ofMillis(450));
                        int before = handled.size();
                        assertTrue(before > 1 && before < 10, "handled=" + handled);
                        cluster.freeze("n2", Duration.ofSeconds(30));
                        Fiber.sleep(Duration.ofSeconds(60));
                        assertEquals(before, handled.size(), "handled=" + handled);
                        cluster.on(
                                "n1",
                                () -> {
                                    notes("n1").ref(key).tell(new Slow(1_000));
                                    return true;
                                });
                        Fiber.sleep(Duration.ofSeconds(2));
                        assertTrue(handled.getLast().endsWith(" 1000"), "handled=" + handled);
                    });
        }
    }

    @Test
    void A7_anActorInMemoryGoesOnWhenTheLeaseComesBack() {
        for (boolean loop : new boolean[] {false, true}) {
            isLoop = loop;
            run(
                    1,
                    this::start,
                    cluster -> {
                        handled.clear();
                        cluster.on(
                                "n1",
                                () -> {
                                    for (int i = 0; i < 20; i++) {
                                        notes("n1").ref("a").tell(new Slow(i));
                                    }
                                    return true;
                                });
                        Fiber.sleep(Duration.ofMillis(450));
                        MemoryStore.current().cut("n1");
                        Fiber.sleep(Duration.ofSeconds(4));
                        assertFalse(cluster.node("n1").isReady());
                        MemoryStore.current().heal("n1");
                        Fiber.sleep(Duration.ofSeconds(20));
                        cluster.on(
                                "n1",
                                () -> {
                                    notes("n1").ref("a").tell(new Slow(1_000));
                                    return true;
                                });
                        Fiber.sleep(Duration.ofSeconds(2));
                        assertTrue(handled.contains("n1 1000"), "handled=" + handled);
                    });
        }
    }

    private Entities<Note> notes(String node) {
        return Objects.requireNonNull(notes.get(node), node);
    }
}
