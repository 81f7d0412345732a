package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityContext;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.cluster.store.LateStore;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Rule A8: what an entity is to do later, it does on its next node, though nobody sends it
 * anything.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class NodeLateTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofSeconds(60);

    sealed interface Word {}

    record Remind(String name, long seconds, Recipient<Integer> replyTo)
            implements Word, Request<Integer> {}

    record Send(String to, String text, Recipient<Integer> replyTo)
            implements Word, Request<Integer> {}

    record Came(String text) implements Word {}

    record Get(Recipient<Integer> replyTo) implements Word, Request<Integer> {}

    record Count(int value) {}

    private final Map<String, Entities<Word>> words = new HashMap<>();

    /** In the order in which they were handled: key, text. */
    private final List<String> came = new ArrayList<>();

    /** Of the node n2. */
    private Duration late = Duration.ZERO;

    private Node start(NodeOptions given) {
        String name = given.name();
        ActorSystem system = ActorSystem.start("system");
        Node node =
                Node.start(
                        system,
                        given.withStore(
                                        name.equals("n2")
                                                ? new LateStore(MemoryStore.current(), _ -> late)
                                                : MemoryStore.current())
                                .withProtocol(Protocol.of(Word.class)));
        EntityKind<Word, Count> kind =
                EntityKind.durable(
                        "word", Word.class, Count.class, self -> functions(name, given, self));
        words.put(name, node.entities(kind));
        return node;
    }

    private Server<Word, Count> functions(
            String node, NodeOptions options, EntityContext<Word> self) {
        return Server.<Word, Count>of(new Count(0))
                .call(
                        Remind.class,
                        (now, remind) -> {
                            self.remindAt(
                                    remind.name,
                                    options.clock().instant().plusSeconds(remind.seconds),
                                    new Came(remind.name));
                            return Reply.of(now.value, now);
                        })
                .call(
                        Send.class,
                        (now, send) -> {
                            self.deliver(word(node, send.to), new Came(send.text));
                            return Reply.of(now.value, now);
                        })
                .call(Get.class, (now, _) -> Reply.of(now.value, now))
                .cast(
                        Came.class,
                        (now, word) -> {
                            came.add(word.text);
                            return new Count(now.value + 1);
                        });
    }

    private ActorRef<Word> word(String node, String key) {
        return Objects.requireNonNull(words.get(node), node).ref(key);
    }

    private void run(int nodes, SimCluster.Body body) {
        for (long seed : new long[] {1, 2, 3}) {
            words.clear();
            came.clear();
            late = Duration.ZERO;
            SimCluster.run(
                    nodes,
                    seed,
                    seed != 1,
                    this::start,
                    cluster -> {
                        assertTrue(cluster.awaitPeers(LONG));
                        Fiber.sleep(Duration.ofSeconds(8));
                        body.run(cluster);
                    });
        }
    }

    @Test
    void A8_aReminderOfANodeThatIsKilledComesOnAnotherOnce() {
        run(
                2,
                cluster -> {
                    String key = Keys.on(cluster, "n2");
                    cluster.on(
                            "n1",
                            () -> {
                                for (int seconds : new int[] {2, 20, 3_600}) {
                                    word("n1", key)
                                            .<Integer>ask(
                                                    to -> new Remind("r" + seconds, seconds, to),
                                                    LIMIT);
                                }
                                return true;
                            });
                    Fiber.sleep(Duration.ofSeconds(5));
                    assertEquals(List.of("r2"), came);
                    cluster.kill("n2");
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertEquals(List.of("r2"), came);
                    Fiber.sleep(Duration.ofSeconds(20));
                    assertEquals(List.of("r2", "r20"), came);
                    Fiber.sleep(Duration.ofHours(1));
                    assertEquals(List.of("r2", "r20", "r3600"), came);
                });
    }

    @Test
    void A8_aReminderThatIsDueWhileNobodyOwnsItComesLate() {
        run(
                1,
                cluster -> {
                    cluster.on(
                            "n1",
                            () ->
                                    word("n1", "a")
                                            .<Integer>ask(to -> new Remind("r", 10, to), LIMIT));
                    MemoryStore.current().cut("n1");
                    Fiber.sleep(Duration.ofSeconds(30));
                    assertEquals(List.of(), came);
                    MemoryStore.current().heal("n1");
                    Fiber.sleep(Duration.ofSeconds(20));
                    assertEquals(List.of("r"), came);
                });
    }

    /** The write of an owner comes when the next one has looked already, and found nothing. */
    @Test
    void A8_aDeliveryOfAWriteThatComesLateIsToldByTheNextOwner() {
        for (boolean running : new boolean[] {false, true}) {
            run(2, cluster -> playLateDelivery(cluster, running));
        }
    }

    /**
     * One node is cut off while it writes, and reaches the store again as long as that needs.
     *
     * @param running whether the next owner's actor has read the value before
     */
    private void playLateDelivery(SimCluster cluster, boolean running) throws Exception {
        String from = Keys.on(cluster, "n2");
        String to = Keys.on(cluster, "n1");
        cluster.on(
                "n2",
                () -> {
                    word("n2", from).<Integer>ask(r -> new Remind("x", 1, r), LIMIT);
                    return true;
                });
        Fiber.sleep(Duration.ofSeconds(3));
        assertEquals(List.of("x"), came);
        late = Duration.ofSeconds(9);
        cluster.on(
                "n2",
                () -> word("n2", from).<Integer>askLater(r -> new Send(to, "late", r), LIMIT));
        Fiber.sleep(Duration.ofMillis(100));
        MemoryStore.current().cut("n2");
        Fiber.sleep(Duration.ofSeconds(6));
        if (running) {
            cluster.on("n1", () -> word("n1", from).<Integer>ask(Get::new, LIMIT));
        }
        Fiber.sleep(Duration.ofMillis(2_700));
        assertEquals(List.of("x"), came);
        MemoryStore.current().heal("n2"); // as long as that write needs to come
        Fiber.sleep(Duration.ofSeconds(4)); // and to see the next owner
        MemoryStore.current().cut("n2");
        assertEquals(List.of("x"), came);
        Fiber.sleep(Duration.ofSeconds(30));
        assertEquals(List.of("x", "late"), came);
        late = Duration.ZERO;
        MemoryStore.current().heal("n2");
    }

    /** And if the next one has written meanwhile, that write is refused. */
    @Test
    void A8_aWriteThatComesLateIsRefusedIfTheNextOwnerHasWritten() {
        run(
                2,
                cluster -> {
                    String key = Keys.on(cluster, "n2");
                    cluster.on("n2", () -> word("n2", key).<Integer>ask(Get::new, LIMIT));
                    late = Duration.ofSeconds(9);
                    cluster.on(
                            "n2",
                            () -> {
                                word("n2", key).tell(new Came("old"));
                                return true;
                            });
                    Fiber.sleep(Duration.ofMillis(100));
                    assertEquals(List.of("old"), came);
                    MemoryStore.current().cut("n2");
                    Fiber.sleep(Duration.ofSeconds(6));
                    cluster.on(
                            "n1",
                            () -> {
                                word("n1", key).tell(new Came("new"));
                                return true;
                            });
                    Fiber.sleep(Duration.ofSeconds(2));
                    MemoryStore.current().heal("n2"); // as long as that write needs to come
                    Fiber.sleep(Duration.ofSeconds(2));
                    MemoryStore.current().cut("n2");
                    cluster.on(
                            "n1",
                            () -> {
                                word("n1", key).tell(new Came("third"));
                                return true;
                            });
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(List.of("old", "new", "third"), came);
                    assertEquals(
                            2,
                            cluster.on("n1", () -> word("n1", key).<Integer>ask(Get::new, LIMIT)));
                    late = Duration.ZERO;
                    MemoryStore.current().heal("n2");
                });
    }
}
