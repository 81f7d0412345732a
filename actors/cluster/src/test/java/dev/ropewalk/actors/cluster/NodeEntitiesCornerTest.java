package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityContext;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.VirtualCords;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** Rules A7 and A8: the worst moments of entities whose shards move. */
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
class NodeEntitiesCornerTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final long FIRST = 1_000;
    private static final int HELD = 10_000;

    sealed interface Word {}

    record Where(Recipient<String> replyTo) implements Word {}

    record Note(String sender, long number, String load) implements Word {}

    record Slow(long ms, Recipient<String> replyTo) implements Word {}

    record Load(String load, Recipient<String> replyTo) implements Word {}

    record Same(ActorRef<Word> other, String key, Recipient<Boolean> replyTo) implements Word {}

    /** Asks another one. */
    record Through(ActorRef<Word> other, Recipient<String> replyTo) implements Word {}

    sealed interface Account {}

    record Add(long cents, Recipient<Long> replyTo) implements Account, Request<Long> {}

    record Pay(long cents, String to, Recipient<Long> replyTo) implements Account, Request<Long> {}

    record Credit(long cents) implements Account {}

    record Keep(ActorRef<Word> word, Recipient<Long> replyTo) implements Account, Request<Long> {}

    record Kept(Recipient<ActorRef<Word>> replyTo) implements Account, Request<ActorRef<Word>> {}

    record Get(Recipient<Long> replyTo) implements Account, Request<Long> {}

    record Balance(long cents, @Nullable ActorRef<Word> word) {
        Balance plus(long more) {
            return new Balance(cents + more, word);
        }
    }

    private final Map<String, Entities<Word>> words = new HashMap<>();
    private final Map<String, Entities<Account>> accounts = new HashMap<>();
    private final List<DeadLetter> letters = new ArrayList<>();
    private final Map<String, List<Long>> notes = new HashMap<>();

    /** Nodes on which actors of words do not start. */
    private final Set<String> broken = new HashSet<>();

    private UnaryOperator<NodeOptions> options = each -> each;

    private Node startEmpty(NodeOptions given) {
        ActorSystem system =
                ActorSystem.start(
                        Tree.oneForOne("system"),
                        ActorSystemOptions.defaults().withDeadLetters(letters::add));
        return Node.start(
                system,
                options.apply(
                        given.withStore(MemoryStore.current())
                                .withProtocol(Protocol.of(Word.class, Account.class))));
    }

    @Test
    void A7_aCallerThatSaysNothingDoesNotHoldUpALeave() {
        SimCluster.run(
                2,
                1,
                true,
                this::startEmpty,
                cluster -> {
                    assertTrue(cluster.awaitPeers(LONG));
                    String at = cluster.node("n1").dump().address();
                    int colon = at.lastIndexOf(':');
                    String host = at.substring(0, colon);
                    int port = Integer.parseInt(at.substring(colon + 1));
                    TcpConnection mute = cluster.on("n2", () -> TcpConnection.connect(host, port));
                    Fiber.sleep(Duration.ofMillis(200));
                    long beganNs = Waits.nanoTime();
                    assertTrue(cluster.on("n1", () -> cluster.node("n1").leave(LONG)));
                    long tookMs = (Waits.nanoTime() - beganNs) / 1_000_000;
                    assertTrue(tookMs < 1_000, () -> tookMs + " ms");
                    cluster.on(
                            "n2",
                            () -> {
                                mute.close();
                                return true;
                            });
                });
    }

    private Node start(NodeOptions given) {
        Node node = startEmpty(given);
        openWords(node);
        openAccounts(node);
        return node;
    }

    private void openWords(Node node) {
        String name = node.name();
        words.put(
                name,
                node.entities(
                        EntityKind.of(
                                "word",
                                Word.class,
                                key ->
                                        Actor.<Word>handler(
                                                () -> {
                                                    if (broken.contains(name)) {
                                                        throw new IllegalStateException("planted");
                                                    }
                                                    return word -> {
                                                        take(name, key, word);
                                                        return Behavior.same();
                                                    };
                                                }))));
    }

    private void take(String node, String key, Word word) {
        switch (word) {
            case Where(var replyTo) -> replyTo.tell(node);
            case Note(String sender, long number, _) ->
                    notes.computeIfAbsent(key + " " + sender, _ -> new ArrayList<>()).add(number);
            case Slow(long ms, var replyTo) -> {
                Fiber.sleep(Duration.ofMillis(ms));
                replyTo.tell(node);
            }
            case Load(_, var replyTo) -> replyTo.tell(node);
            case Same(var other, String otherKey, var replyTo) ->
                    replyTo.tell(other.equals(word(node, otherKey)));
            case Through(var other, var replyTo) ->
                    replyTo.tell(node + " " + other.<String>ask(Where::new, LIMIT));
        }
    }

    private void openAccounts(Node node) {
        String name = node.name();
        accounts.put(
                name,
                node.entities(
                        EntityKind.durable(
                                "account",
                                Account.class,
                                Balance.class,
                                self -> functions(name, self))));
    }

    private Server<Account, Balance> functions(String node, EntityContext<Account> self) {
        return Server.<Account, Balance>of(new Balance(FIRST, null))
                .call(Add.class, (now, add) -> Reply.of(now.cents, now.plus(add.cents)))
                .call(
                        Pay.class,
                        (now, pay) -> {
                            self.deliver(account(node, pay.to), new Credit(pay.cents));
                            return Reply.of(now.cents, now.plus(-pay.cents));
                        })
                .cast(Credit.class, (now, credit) -> now.plus(credit.cents))
                .call(
                        Keep.class,
                        (now, keep) -> Reply.of(now.cents, new Balance(now.cents, keep.word)))
                .call(Kept.class, (now, _) -> Reply.of(Objects.requireNonNull(now.word), now))
                .call(Get.class, (now, _) -> Reply.of(now.cents, now));
    }

    private ActorRef<Word> word(String node, String key) {
        return Objects.requireNonNull(words.get(node), node).ref(key);
    }

    private ActorRef<Account> account(String node, String key) {
        return Objects.requireNonNull(accounts.get(node), node).ref(key);
    }

    private void run(int nodes, SimCluster.Program program, SimCluster.Body body) {
        for (long seed : new long[] {1, 2, 3}) {
            words.clear();
            accounts.clear();
            letters.clear();
            notes.clear();
            broken.clear();
            SimCluster.run(
                    nodes,
                    seed,
                    seed != 1,
                    program,
                    cluster -> {
                        assertTrue(cluster.awaitPeers(LONG));
                        Fiber.sleep(Duration.ofSeconds(8));
                        body.run(cluster);
                        for (String each : cluster.names()) {
                            if (cluster.isRunning(each)) {
                                cluster.on(each, () -> checked(cluster.node(each)));
                            }
                        }
                    });
        }
    }

    private static boolean checked(Node node) {
        node.entities().checkInvariants();
        return true;
    }

    private static String where(ActorRef<Word> entity) {
        return entity.<String>ask(Where::new, LIMIT);
    }

    private static void await(String what, BooleanSupplier is) {
        long beganNs = Cord.current().nanoTime();
        while (!is.getAsBoolean()) {
            assertTrue(Cord.current().nanoTime() - beganNs < LONG.toNanos(), what);
            Fiber.sleep(Duration.ofMillis(20));
        }
    }

    private static long msSince(long beganNs) {
        return (Cord.current().nanoTime() - beganNs) / 1_000_000;
    }

    private void tell(String node, String key, long from, long to, String load) {
        for (long i = from; i < to; i++) {
            word(node, key).tell(new Note(node, i, load));
        }
    }

    private void assertCame(String key, String sender, long count) {
        List<Long> came = notes.getOrDefault(key + " " + sender, List.of());
        for (int i = 0; i < came.size(); i++) {
            assertEquals(i, came.get(i), key + " of " + sender);
        }
        assertEquals(count, came.size());
    }

    /** The nodes have no session, and the owner goes on. */
    private static void part(SimCluster cluster) {
        cluster.cut("n1", "n2");
        Fiber.sleep(Duration.ofSeconds(5));
    }

    private static void assertNothingLeft(SimCluster cluster) throws Exception {
        Fiber.sleep(Duration.ofSeconds(10));
        for (String each : cluster.names()) {
            Node node = cluster.node(each);
            assertEquals(0, node.entities().waiting(), each);
            assertEquals(0, node.entities().fences(), each);
            for (String peer : node.peers()) {
                assertEquals(0, Objects.requireNonNull(node.counts(peer)).asks(), each);
            }
        }
    }

    // ---------------------------------------------------------------- messages that wait

    @Test
    void A7_messagesComeInOrderWhileASenderWaitsForRoom() {
        options = each -> each.withQueue(2_048);
        run(
                3,
                this::start,
                cluster -> {
                    String key = Keys.on(cluster, "n3");
                    String load = "x".repeat(200);
                    List<Fiber<?>> senders = new ArrayList<>();
                    for (String each : List.of("n1", "n2")) {
                        senders.add(
                                Fiber.spin(
                                        "tells",
                                        () ->
                                                cluster.on(
                                                        each,
                                                        () -> {
                                                            tell(each, key, 0, 300, load);
                                                            return true;
                                                        })));
                    }
                    Fiber.sleep(Duration.ofMillis(3));
                    assertTrue(
                            cluster.on(
                                    "n3", () -> cluster.node("n3").leave(Duration.ofSeconds(20))));
                    senders.forEach(each -> each.awaitEnd(LONG));
                    await("all came", () -> notes.values().stream().allMatch(n -> n.size() == 300));
                    assertCame(key, "n1", 300);
                    assertCame(key, "n2", 300);
                    assertEquals(List.of(), letters);
                });
    }

    @Test
    void A7_oneThatCannotBeSentWhileItIsHeldFailsAlone() {
        options = each -> each.withMaxMessage(10_000);
        run(
                2,
                this::start,
                cluster -> {
                    String key = Keys.on(cluster, "n2");
                    part(cluster);
                    List<CompletionStage<String>> asks = new ArrayList<>();
                    cluster.on(
                            "n1",
                            () -> {
                                tell("n1", key, 0, 1, "");
                                asks.add(
                                        word("n1", key)
                                                .askLater(
                                                        to -> new Load("y".repeat(20_000), to),
                                                        LONG));
                                asks.add(word("n1", key).askLater(Where::new, LONG));
                                tell("n1", key, 1, 2, "");
                                return true;
                            });
                    cluster.heal();
                    await("both end", () -> asks.stream().allMatch(NodeEntitiesCornerTest::isDone));
                    assertTrue(
                            failure(asks.get(0)).contains("too large")
                                    || failure(asks.get(0)).contains("10000"),
                            failure(asks.get(0)));
                    assertEquals("", failure(asks.get(1)));
                    await("notes", () -> notes.containsKey(key + " n1"));
                    assertCame(key, "n1", 2);
                    assertEquals(1, letters.size(), letters::toString);
                    assertNothingLeft(cluster);
                });
    }

    private static boolean isDone(CompletionStage<?> stage) {
        return stage.toCompletableFuture().isDone();
    }

    private static String failure(CompletionStage<?> stage) {
        return stage.toCompletableFuture().isCompletedExceptionally()
                ? String.valueOf(stage.toCompletableFuture().exceptionNow().getMessage())
                : "";
    }

    @Test
    void A7_whatDoesNotFitIntoAWayIsADeadLetterAndItsAskFails() {
        run(
                2,
                this::start,
                cluster -> {
                    String key = Keys.on(cluster, "n2");
                    part(cluster);
                    cluster.on(
                            "n1",
                            () -> {
                                tell("n1", key, 0, HELD, "");
                                assertEquals(List.of(), letters);
                                tell("n1", key, HELD, HELD + 1, "");
                                assertEquals(1, letters.size());
                                assertEquals(DeadLetter.Reason.MOVING, letters.getFirst().reason());
                                AskFailedException failed =
                                        assertThrows(
                                                AskFailedException.class,
                                                () -> where(word("n1", key)));
                                String text = String.valueOf(failed.getMessage());
                                assertTrue(
                                        text.contains("10000 messages wait for the owner"), text);
                                return true;
                            });
                    cluster.heal();
                    await(
                            "all came",
                            () -> notes.getOrDefault(key + " n1", List.of()).size() == HELD);
                    assertCame(key, "n1", HELD);
                });
    }

    @Test
    void A7_asksThatAreOverTakeNoRoomInAWay() {
        run(
                2,
                this::start,
                cluster -> {
                    String key = Keys.on(cluster, "n2");
                    part(cluster);
                    cluster.on(
                            "n1",
                            () -> {
                                for (int i = 0; i < HELD; i++) {
                                    CompletionStage<String> ask =
                                            word("n1", key).askLater(Where::new, LONG);
                                    ask.toCompletableFuture().cancel(false);
                                }
                                Fiber.sleep(Duration.ofSeconds(1));
                                assertEquals(0, cluster.node("n1").entities().waiting());
                                tell("n1", key, 0, 1, "");
                                return true;
                            });
                    cluster.heal();
                    await("it came", () -> notes.containsKey(key + " n1"));
                    assertEquals(List.of(), letters);
                    assertNothingLeft(cluster);
                });
    }

    @Test
    void A7_asksThatAreCancelledWhileTheyBounceLeaveNothing() {
        run(
                3,
                this::start,
                cluster -> {
                    Fiber<?> load = Fiber.spin("asks", () -> cluster.on("n1", this::askAndCancel));
                    for (String each : List.of("n2", "n3")) {
                        cluster.on(each, () -> cluster.node(each).leave(Duration.ofSeconds(20)));
                        cluster.restart(each);
                        Fiber.sleep(Duration.ofSeconds(3));
                    }
                    load.awaitEnd(LONG);
                    assertNothingLeft(cluster);
                });
    }

    private boolean askAndCancel() {
        for (int i = 0; i < 3_000; i++) {
            CompletionStage<String> ask = word("n1", "k" + i % 200).askLater(Where::new, LIMIT);
            if (i % 3 > 0) {
                Fiber.sleep(Duration.ofNanos(Cord.current().nextInt(2_000_000)));
            }
            ask.toCompletableFuture().cancel(false);
        }
        return true;
    }

    @Test
    void A7_asksThatWaitForRoomInASessionThatEndsGoToTheNextOwner() {
        options = each -> each.withQueue(2_048);
        run(
                2,
                this::start,
                cluster -> {
                    String key = Keys.on(cluster, "n2");
                    List<String> outcomes = new ArrayList<>();
                    assertEquals("n2", cluster.on("n1", () -> where(word("n1", key))));
                    cluster.freeze("n2", LONG);
                    Fiber<?> asks =
                            Fiber.spin(
                                    "asks", () -> cluster.on("n1", () -> askAtOnce(key, outcomes)));
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(List.of(), outcomes);
                    cluster.kill("n2");
                    asks.awaitEnd(LONG);
                    long replies = outcomes.stream().filter("n1"::equals).count();
                    assertEquals(20, outcomes.size());
                    assertTrue(replies >= 14, outcomes::toString); // of those that were not sent
                });
    }

    private boolean askAtOnce(String key, List<String> outcomes) {
        List<Fiber<?>> askers = new ArrayList<>();
        String load = "x".repeat(500);
        for (int i = 0; i < 20; i++) {
            askers.add(
                    Fiber.spin(
                            "asks",
                            () -> {
                                try {
                                    outcomes.add(
                                            word("n1", key)
                                                    .<String>ask(to -> new Load(load, to), LONG));
                                } catch (AskException failed) {
                                    outcomes.add("failed");
                                }
                            }));
        }
        askers.forEach(each -> each.awaitEnd(LONG));
        return true;
    }

    @Test
    void A7_messagesThatWaitForTheStoreAreNotSentAgainAndAgain() {
        run(
                2,
                this::start,
                cluster -> {
                    String key = Keys.on(cluster, "n2");
                    MemoryStore.current().crash();
                    Fiber.sleep(Duration.ofSeconds(4));
                    cluster.on(
                            "n1",
                            () -> {
                                tell("n1", key, 0, 5_000, "");
                                return true;
                            });
                    Fiber.sleep(Duration.ofSeconds(2));
                    long before = sent(cluster, "n1");
                    Fiber.sleep(Duration.ofSeconds(20));
                    long again = sent(cluster, "n1") - before;
                    assertTrue(again < 200, () -> "sent again: " + again);
                    MemoryStore.current().recover();
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertCame(key, "n1", 5_000);
                    assertEquals(List.of(), letters);
                });
    }

    /** To the only other node. */
    private static long sent(SimCluster cluster, String node) throws Exception {
        return cluster.on(
                node, () -> cluster.node(node).dump().peers().getFirst().out().messages());
    }

    @Test
    void A7_aSessionThatEndsInTheMiddleOfAFenceHoldsNothingUp() {
        run(
                3,
                this::start,
                cluster -> {
                    Fiber<?> load =
                            Fiber.spin(
                                    "tells",
                                    () ->
                                            cluster.on(
                                                    "n1",
                                                    () -> {
                                                        for (int i = 0; i < 400; i++) {
                                                            for (int k = 0; k < 50; k++) {
                                                                tell("n1", "k" + k, i, i + 1, "");
                                                            }
                                                            Fiber.sleep(Duration.ofMillis(2));
                                                        }
                                                        return true;
                                                    }));
                    Fiber<?> leaves =
                            Fiber.spin(
                                    "leaves",
                                    () -> cluster.on("n3", () -> cluster.node("n3").leave(LIMIT)));
                    for (int i = 0; i < 60; i++) {
                        cluster.reset("n1", i % 2 == 0 ? "n3" : "n2");
                        Fiber.sleep(Duration.ofMillis(1 + Cord.current().nextInt(20)));
                    }
                    load.awaitEnd(LONG);
                    leaves.awaitEnd(LONG);
                    cluster.restart("n3");
                    assertNothingLeft(cluster);
                    notes.forEach(
                            (from, came) -> {
                                for (int i = 1; i < came.size(); i++) {
                                    assertTrue(came.get(i) > came.get(i - 1), from + came);
                                }
                            });
                });
    }

    // ---------------------------------------------------------------- kinds, and nodes without

    @Test
    void A7_messagesToAKindThatItsNodeHasNotOpenedWaitUntilItDoes() {
        run(
                2,
                given -> {
                    Node node = startEmpty(given);
                    openAccounts(node);
                    if (node.name().equals("n1")) {
                        openWords(node);
                    }
                    return node;
                },
                cluster -> {
                    String key = Keys.on(cluster, "n2");
                    cluster.on(
                            "n1",
                            () -> {
                                tell("n1", key, 0, 5, "");
                                return true;
                            });
                    Fiber.sleep(Duration.ofSeconds(3));
                    assertEquals(Map.of(), notes);
                    cluster.on(
                            "n2",
                            () -> {
                                openWords(cluster.node("n2"));
                                return true;
                            });
                    assertEquals("n2", cluster.on("n1", () -> where(word("n1", key))));
                    assertCame(key, "n1", 5);
                    assertEquals(List.of(), letters);
                    assertNothingLeft(cluster);
                });
    }

    @Test
    void A7_aNodeThatHasLeftOpensNothingAndItsMessagesAreDeadLetters() {
        run(
                2,
                this::start,
                cluster -> {
                    cluster.on(
                            "n2",
                            () -> {
                                Node node = cluster.node("n2");
                                assertTrue(node.leave(LIMIT));
                                EntityKind<Word, ?> other =
                                        EntityKind.of(
                                                "other",
                                                Word.class,
                                                _ -> Actor.handler(_ -> Behavior.same()));
                                assertTrue(
                                        String.valueOf(
                                                        assertThrows(
                                                                        IllegalStateException.class,
                                                                        () -> node.entities(other))
                                                                .getMessage())
                                                .contains("has left"));
                                assertThrows(
                                        IllegalStateException.class,
                                        () ->
                                                node.singleton(
                                                        "one",
                                                        Actor.<Word>handler(_ -> Behavior.same())));
                                word("n2", "k").tell(new Note("t", 1, ""));
                                assertThrows(
                                        AskFailedException.class, () -> where(word("n2", "k")));
                                assertEquals(2, letters.size());
                                assertEquals(DeadLetter.Reason.ENDED, letters.getFirst().reason());
                                return true;
                            });
                });
    }

    // ---------------------------------------------------------------- ends

    @Test
    void A7_aNodeLeavesInItsTimeWhileTheStoreIsDown() {
        run(
                2,
                this::start,
                cluster -> {
                    MemoryStore.current().crash();
                    long beganNs = Cord.current().nanoTime();
                    assertFalse(cluster.on("n2", () -> cluster.node("n2").leave(LIMIT)));
                    long ms = msSince(beganNs);
                    assertTrue(ms < 6_500, () -> "ms: " + ms);
                    MemoryStore.current().recover();
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals("n1", cluster.on("n1", () -> where(word("n1", "k"))));
                });
    }

    @Test
    void A7_aNodeThatIsKilledWhileItGivesAwayIsFollowed() {
        run(
                2,
                this::start,
                cluster -> {
                    String key = Keys.on(cluster, "n2");
                    cluster.on(
                            "n1",
                            () ->
                                    word("n1", key)
                                            .<String>askLater(to -> new Slow(20_000, to), LIMIT));
                    Fiber.sleep(Duration.ofMillis(100));
                    Fiber<?> leaves =
                            Fiber.spin(
                                    "leaves",
                                    () -> {
                                        try {
                                            cluster.on("n2", () -> cluster.node("n2").leave(LONG));
                                        } catch (IllegalStateException killed) {
                                            letters.clear();
                                        }
                                        return true;
                                    });
                    Fiber.sleep(Duration.ofMillis(300));
                    cluster.kill("n2");
                    assertEquals("n1", cluster.on("n1", () -> where(word("n1", key))));
                    leaves.awaitEnd(LONG);
                    cluster.restart("n2");
                    assertNothingLeft(cluster);
                });
    }

    @Test
    void A7_oneThatDoesNotStartMovesAndTellsWhy() {
        run(
                2,
                this::start,
                cluster -> {
                    String key = Keys.on(cluster, "n2");
                    broken.addAll(List.of("n1", "n2"));
                    cluster.on("n1", () -> assertPlanted(word("n1", key)));
                    long beganNs = Cord.current().nanoTime();
                    assertTrue(cluster.on("n2", () -> cluster.node("n2").leave(LIMIT)));
                    assertTrue(msSince(beganNs) < 2_000);
                    cluster.on("n1", () -> assertPlanted(word("n1", key)));
                    broken.clear();
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals("n1", cluster.on("n1", () -> where(word("n1", key))));
                });
    }

    private static String assertPlanted(ActorRef<Word> entity) {
        AskException failed = assertThrows(AskException.class, () -> where(entity));
        String text = String.valueOf(failed.getMessage());
        assertTrue(text.contains("planted"), text);
        return text;
    }

    @Test
    void A7_oneOfAnotherNodeIsStoppedAndWatched() {
        run(
                2,
                this::start,
                cluster -> {
                    String key = Keys.on(cluster, "n2");
                    cluster.on(
                            "n1",
                            () -> {
                                ActorRef<Word> entity = word("n1", key);
                                assertTrue(entity.awaitEnd(LIMIT)); // it has no actor yet
                                List<ExitReason> ends = new ArrayList<>();
                                for (int i = 0; i < 2; i++) {
                                    assertEquals("n2", where(entity));
                                    entity.target().watch(down -> ends.add(down.reason()), false);
                                    Fiber.sleep(Duration.ofMillis(200));
                                    assertEquals(0, entity.mailbox().queued());
                                    assertEquals(i, ends.size());
                                    if (i == 0) {
                                        entity.stop();
                                    } else {
                                        entity.terminate();
                                    }
                                    assertTrue(entity.awaitEnd(LIMIT), "end " + i);
                                    int count = i + 1;
                                    await("down", () -> ends.size() == count);
                                }
                                assertEquals("n2", where(entity));
                                List<ExitReason> incarnations = new ArrayList<>();
                                entity.target()
                                        .watch(down -> incarnations.add(down.reason()), true);
                                Fiber.sleep(Duration.ofMillis(200));
                                entity.kill(); // its supervisor starts it again
                                await("killed", () -> incarnations.size() == 1);
                                assertEquals("n2", where(entity));
                                return true;
                            });
                });
    }

    // ---------------------------------------------------------------- addresses

    @Test
    void A7_anAddressInAMessageOrAStateIsThatOfTheNodeAndNoExport() {
        run(
                2,
                this::start,
                cluster -> {
                    String far = Keys.on(cluster, "n2");
                    String near = Keys.on(cluster, "n1");
                    cluster.on(
                            "n1",
                            () -> {
                                ActorRef<Word> entity = word("n1", far);
                                where(entity);
                                int exports = exports(cluster, "n1");
                                for (String key : List.of(far, near)) {
                                    for (int i = 0; i < 50; i++) {
                                        assertTrue(
                                                entity.<Boolean>ask(
                                                        to -> new Same(word("n1", key), key, to),
                                                        LIMIT));
                                    }
                                }
                                assertEquals(
                                        "n2 n1",
                                        entity.<String>ask(
                                                to -> new Through(word("n1", near), to), LIMIT));
                                ActorRef<Account> account = account("n1", far);
                                account.<Long>ask(to -> new Keep(word("n1", near), to), LIMIT);
                                assertEquals(
                                        word("n1", near),
                                        account.<ActorRef<Word>>ask(Kept::new, LIMIT));
                                assertEquals(exports, exports(cluster, "n1"));
                                return true;
                            });
                    cluster.on("n2", () -> cluster.node("n2").leave(LIMIT));
                    assertEquals(
                            word("n1", near),
                            cluster.on(
                                    "n1",
                                    () ->
                                            account("n1", far)
                                                    .<ActorRef<Word>>ask(Kept::new, LIMIT)));
                });
    }

    private static int exports(SimCluster cluster, String node) {
        return Objects.requireNonNull(cluster.node(node).counts(node.equals("n1") ? "n2" : "n1"))
                .exports();
    }

    @Test
    void A7_anAskInAMessageThatWasHeldIsAnswered() {
        run(
                2,
                this::start,
                cluster -> {
                    String key = Keys.on(cluster, "n2");
                    part(cluster);
                    List<String> replies = new ArrayList<>();
                    Fiber<?> asker =
                            Fiber.spin(
                                    "asks",
                                    () -> {
                                        replies.add(
                                                cluster.on(
                                                        "n1",
                                                        () ->
                                                                word("n1", key)
                                                                        .<String>ask(
                                                                                Where::new, LONG)));
                                        return true;
                                    });
                    ActorRef<String> ear =
                            cluster.on(
                                    "n1",
                                    () ->
                                            cluster.system("n1")
                                                    .spin(
                                                            "ear",
                                                            Actor.<String>handler(
                                                                    _ ->
                                                                            text -> {
                                                                                replies.add(text);
                                                                                return Behavior
                                                                                        .same();
                                                                            })));
                    cluster.on(
                            "n1",
                            () -> {
                                word("n1", key).tell(new Where(ear));
                                return true;
                            });
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(List.of(), replies);
                    cluster.heal();
                    asker.awaitEnd(LONG);
                    await("both", () -> replies.size() == 2);
                    assertEquals(List.of("n2", "n2"), replies);
                });
    }

    // ---------------------------------------------------------------- durable ones

    @Test
    void A8_aNodeThatSleepsInTheMiddleOfAWriteLosesNothingAndCountsNothingTwice() {
        run(
                2,
                this::start,
                cluster -> {
                    String key = Keys.on(cluster, "n2");
                    cluster.on(
                            "n1", () -> account("n1", key).<Long>ask(to -> new Add(1, to), LIMIT));
                    MemoryStore.current().delay(Duration.ofMillis(200), Duration.ofMillis(200));
                    CompletionStage<Long> unknown =
                            cluster.on(
                                    "n1",
                                    () -> account("n1", key).askLater(to -> new Add(10, to), LONG));
                    Fiber.sleep(Duration.ofMillis(50));
                    cluster.freeze("n2", Duration.ofSeconds(30));
                    MemoryStore.current().delay(Duration.ZERO, Duration.ZERO);
                    Fiber.sleep(Duration.ofSeconds(8));
                    assertTrue(isDone(unknown));
                    cluster.on(
                            "n1",
                            () -> account("n1", key).<Long>ask(to -> new Add(100, to), LIMIT));
                    Fiber.sleep(Duration.ofSeconds(40));
                    boolean isAcknowledged =
                            !unknown.toCompletableFuture().isCompletedExceptionally();
                    Set<Long> seen = new HashSet<>();
                    for (String each : List.of("n1", "n2")) {
                        seen.add(
                                cluster.on(
                                        each, () -> account(each, key).<Long>ask(Get::new, LIMIT)));
                    }
                    boolean isCounted = seen.equals(Set.of(FIRST + 111));
                    boolean isLost = seen.equals(Set.of(FIRST + 101));
                    assertTrue(isCounted || (isLost && !isAcknowledged), seen::toString);
                });
    }

    @Test
    void A8_aNodeThatLosesItsLeaseInTheMiddleOfAWriteAnswersNothing() {
        run(
                2,
                this::start,
                cluster -> {
                    String key = Keys.on(cluster, "n2");
                    cluster.on(
                            "n1", () -> account("n1", key).<Long>ask(to -> new Add(1, to), LIMIT));
                    MemoryStore.current().cut("n2");
                    CompletionStage<Long> unknown =
                            cluster.on(
                                    "n1",
                                    () ->
                                            account("n1", key)
                                                    .<Long>askLater(to -> new Add(10, to), LIMIT));
                    Fiber.sleep(Duration.ofSeconds(8));
                    assertTrue(unknown.toCompletableFuture().isCompletedExceptionally());
                    assertEquals(
                            FIRST + 1,
                            cluster.on("n1", () -> account("n1", key).<Long>ask(Get::new, LIMIT)));
                    MemoryStore.current().heal("n2");
                });
    }

    @Test
    void A8_theNextOwnerDeliversWithoutAMessage() {
        run(
                3,
                this::start,
                cluster -> {
                    String from = Keys.on(cluster, "n2");
                    String to = Keys.on(cluster, "n3");
                    cluster.cut("n2", "n3");
                    Fiber.sleep(Duration.ofSeconds(5));
                    cluster.on(
                            "n1",
                            () -> account("n1", from).<Long>ask(r -> new Pay(7, to, r), LIMIT));
                    cluster.kill("n2");
                    Fiber.sleep(Duration.ofSeconds(15));
                    assertEquals(
                            FIRST + 7,
                            cluster.on("n1", () -> account("n1", to).<Long>ask(Get::new, LIMIT)));
                });
    }

    // ---------------------------------------------------------------- many

    @Test
    void A7_noAskFailsWhileANodeWithTenThousandLeaves() {
        run(
                2,
                this::start,
                cluster -> {
                    int count = 24_000;
                    cluster.on(
                            "n1",
                            () -> {
                                for (int i = 0; i < count; i++) {
                                    word("n1", "k" + i).tell(new Note("n1", 0, ""));
                                }
                                return true;
                            });
                    await("all run", () -> notes.size() == count);
                    assertTrue(Objects.requireNonNull(words.get("n2")).running() >= 10_000);
                    List<String> failures = new ArrayList<>();
                    int[] open = {0};
                    boolean[] isOver = {false};
                    Fiber<?> load =
                            Fiber.spin(
                                    "load",
                                    () ->
                                            cluster.on(
                                                    "n1",
                                                    () -> {
                                                        for (int i = 0; !isOver[0]; i++) {
                                                            open[0]++;
                                                            asks(i % count, failures, open);
                                                            Fiber.sleep(Duration.ofMillis(1));
                                                        }
                                                        return true;
                                                    }));
                    Fiber.sleep(Duration.ofMillis(300));
                    assertTrue(
                            cluster.on(
                                    "n2", () -> cluster.node("n2").leave(Duration.ofSeconds(20))));
                    Fiber.sleep(Duration.ofMillis(300));
                    isOver[0] = true;
                    load.awaitEnd(LONG);
                    await("all are answered", () -> open[0] == 0);
                    assertEquals(List.of(), failures);
                    assertEquals(List.of(), letters);
                });
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the code runs when it is complete
    private void asks(int number, List<String> failures, int[] open) {
        word("n1", "k" + number)
                .<String>askLater(Where::new, LIMIT)
                .whenComplete(
                        (_, failure) -> {
                            open[0]--;
                            if (failure != null) {
                                failures.add(String.valueOf(failure.getMessage()));
                            }
                        });
    }

    // ---------------------------------------------------------------- singletons

    private static final int SHARD = Shards.of("only");

    private final List<String> turns = new ArrayList<>();
    private long lastEpoch;
    private int failing;

    private Node startWithSingleton(NodeOptions given) {
        Node node = start(given);
        node.singleton("only", only(node));
        return node;
    }

    private Actor<Word> only(Node node) {
        return Actor.<Word>loop(
                self -> {
                    turns.add(node.name());
                    if (failing > 0) {
                        failing--;
                        throw new IllegalStateException("planted");
                    }
                    while (true) {
                        long epoch = node.entities().epoch(SHARD);
                        assertTrue(epoch >= lastEpoch && epoch > 0, epoch + " after " + lastEpoch);
                        lastEpoch = epoch;
                        Word word = self.receive(Duration.ofMillis(20));
                        if (word instanceof Note) {
                            return;
                        }
                        if (word instanceof Where where) {
                            where.replyTo.tell(node.name());
                        }
                    }
                });
    }

    private void runSingleton(int fails, SimCluster.Program program, SimCluster.Body body) {
        run(
                3,
                given -> {
                    if (given.name().equals("n1") && words.isEmpty()) {
                        turns.clear();
                        lastEpoch = 0;
                        failing = fails;
                    }
                    return program.start(given);
                },
                body);
    }

    @Test
    void A7_aSingletonThatFailsAtItsStartIsTriedAgain() {
        runSingleton(
                3,
                this::startWithSingleton,
                cluster -> {
                    await("it runs", () -> failing == 0 && turns.size() > 3);
                    assertEquals(turns.getLast(), where(cluster, "n2"));
                    int before = turns.size();
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertEquals(before, turns.size());
                });
    }

    @Test
    void A7_aSingletonThatEndsRunsAgain() {
        runSingleton(
                0,
                this::startWithSingleton,
                cluster -> {
                    assertEquals(turns.getLast(), where(cluster, "n1"));
                    int before = turns.size();
                    for (int i = 1; i < 4; i++) {
                        String node = "n" + i;
                        cluster.on(node, () -> ends(cluster.node(node)));
                        int count = before + i;
                        await("it runs again", () -> turns.size() == count);
                    }
                    Fiber.sleep(Duration.ofSeconds(5));
                    assertEquals(before + 3, turns.size());
                });
    }

    private static String where(SimCluster cluster, String node) throws Exception {
        return cluster.on(node, () -> where(singleton(cluster.node(node))));
    }

    @SuppressWarnings("unchecked") // it takes words
    private static ActorRef<Word> singleton(Node node) {
        return (ActorRef<Word>)
                Objects.requireNonNull(node.entities().home("singleton")).ref("only");
    }

    private static boolean ends(Node node) {
        singleton(node).tell(new Note("", 0, ""));
        return true;
    }

    @Test
    void A7_aSingletonDoesNotRunOnTwoNodes() {
        runSingleton(
                0,
                this::startWithSingleton,
                cluster -> {
                    await("it runs", () -> !turns.isEmpty());
                    for (int i = 0; i < 3; i++) {
                        String on = turns.getLast();
                        int before = turns.size();
                        MemoryStore.current().cut(on);
                        await("it runs elsewhere", () -> turns.size() > before);
                        assertFalse(on.equals(turns.getLast()));
                        MemoryStore.current().heal(on);
                        Fiber.sleep(Duration.ofSeconds(6));
                    }
                });
    }

    @Test
    void A7_aSingletonThatItsNodeDoesNotDefineWaitsThere() {
        runSingleton(
                0,
                given -> given.name().equals("n1") ? startWithSingleton(given) : start(given),
                cluster -> {
                    for (String each : List.of("n2", "n3")) {
                        cluster.on(each, () -> cluster.node(each).leave(LIMIT));
                    }
                    assertEquals("n1", where(cluster, "n1"));
                    assertEquals(Set.of("n1"), new HashSet<>(turns));
                });
    }

    // ---------------------------------------------------------------- two cords

    @Test
    void A7_messagesThatWereHeldComeFirstOnAnotherCordToo() {
        run(
                2,
                given -> {
                    Cord other = VirtualCords.current().start(given.name() + "-other");
                    ActorSystem system =
                            ActorSystem.start(
                                    Tree.oneForOne("system"),
                                    ActorSystemOptions.defaults()
                                            .over(List.of(Cord.current(), other))
                                            .withDeadLetters(letters::add));
                    Node node =
                            Node.start(
                                    system,
                                    given.withStore(MemoryStore.current())
                                            .withProtocol(Protocol.of(Word.class, Account.class)));
                    openWords(node);
                    for (Cord cord : List.of(Cord.current(), other)) {
                        String sender = cord.name();
                        cord.spin(
                                "tells",
                                () -> {
                                    Fiber.current().detach();
                                    for (int i = 0; i < 20_000; i++) {
                                        for (int k = 0; k < 4; k++) {
                                            word(node.name(), "k" + k)
                                                    .tell(new Note(sender, i, ""));
                                        }
                                        Fiber.snooze();
                                        if (i % 8 == 0) {
                                            Fiber.sleep(Duration.ofMillis(1));
                                        }
                                    }
                                });
                    }
                    return node;
                },
                cluster -> {
                    Fiber.sleep(Duration.ofSeconds(3));
                    assertFalse(notes.isEmpty());
                    notes.forEach(
                            (from, came) -> {
                                for (int i = 1; i < came.size(); i++) {
                                    assertTrue(
                                            came.get(i) > came.get(i - 1),
                                            from
                                                    + " at "
                                                    + i
                                                    + ": "
                                                    + came.get(i - 1)
                                                    + ", "
                                                    + came.get(i));
                                }
                            });
                });
    }

    // ---------------------------------------------------------------- a node without a store

    @SuppressWarnings("unchecked") // nothing is told to it
    private static Recipient<String> nobody(ActorRef<Object> actor) {
        return (Recipient<String>) (Recipient<?>) actor;
    }

    @Test
    void A7_aNodeWithoutAStoreSaysSo() {
        run(
                2,
                given ->
                        given.name().equals("n1")
                                ? start(given)
                                : Node.start(
                                        ActorSystem.start(
                                                Tree.oneForOne("system"),
                                                ActorSystemOptions.defaults()
                                                        .withDeadLetters(letters::add)),
                                        given.withProtocol(Protocol.of(Word.class, Account.class))),
                cluster -> {
                    Node node = cluster.node("n2");
                    IllegalStateException refused =
                            assertThrows(IllegalStateException.class, () -> openWords(node));
                    assertTrue(String.valueOf(refused.getMessage()).contains("withStore"));
                    List<Object> came = new ArrayList<>();
                    ActorRef<Object> ear =
                            cluster.on(
                                    "n2",
                                    () ->
                                            node.system()
                                                    .spin(
                                                            "ear",
                                                            Actor.<Object>handler(
                                                                    _ ->
                                                                            word -> {
                                                                                came.add(word);
                                                                                return Behavior
                                                                                        .same();
                                                                            })));
                    assertNotNull(ear);
                    cluster.on(
                            "n1",
                            () -> {
                                ActorRef<Object> far =
                                        Objects.requireNonNull(
                                                cluster.node("n1")
                                                        .at("n2")
                                                        .find("ear", Object.class));
                                far.tell(new Through(word("n1", "k"), nobody(far)));
                                return true;
                            });
                    await("it came", () -> !came.isEmpty());
                    ActorRef<Word> entity = ((Through) came.getFirst()).other;
                    cluster.on(
                            "n2",
                            () -> {
                                AskException failed =
                                        assertThrows(AskException.class, () -> where(entity));
                                String text = String.valueOf(failed.getMessage());
                                assertTrue(text.contains("withStore"), text);
                                return true;
                            });
                });
    }
}
