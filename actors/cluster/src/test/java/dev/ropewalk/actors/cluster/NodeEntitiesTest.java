package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
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
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/** Rules A7 and A8: entities whose shards belong to the nodes of a cluster. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class NodeEntitiesTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final long FIRST = 1_000;

    sealed interface Word {}

    record Where(Recipient<String> replyTo) implements Word {}

    record Note(String sender, long number) implements Word {}

    /** Waits so long, and replies. */
    record Slow(long ms, Recipient<String> replyTo) implements Word {}

    /** Needs longer for its clean-up than it has. */
    record Deaf() implements Word {}

    sealed interface Account {}

    record Transfer(long cents, String to, Recipient<Long> replyTo)
            implements Account, Request<Long> {}

    record Credit(long cents) implements Account {}

    record Get(Recipient<Long> replyTo) implements Account, Request<Long> {}

    record Fence(Recipient<Long> replyTo) implements Account, Request<Long> {}

    record Balance(long cents) {}

    /** The open kinds of a node. */
    private record Kinds(Entities<Word> words, Entities<Account> accounts) {}

    private final Map<String, Kinds> kinds = new ConcurrentHashMap<>();
    private final List<DeadLetter> letters = new CopyOnWriteArrayList<>();

    private int cleanUps;

    /** By key and sender, in the order in which they came. */
    private final Map<String, List<Long>> notes = new ConcurrentHashMap<>();

    private static Protocol protocol() {
        return Protocol.of(Word.class, Account.class);
    }

    private Node start(NodeOptions options) {
        ActorSystem system =
                ActorSystem.start(
                        Tree.oneForOne("system"),
                        ActorSystemOptions.defaults().withDeadLetters(letters::add));
        Node node =
                Node.start(
                        system,
                        options.withDiscovery(Discovery.of())
                                .withStore(MemoryStore.current())
                                .withProtocol(protocol()));
        kinds.put(
                node.name(),
                new Kinds(node.entities(words(node.name())), node.entities(accounts(node.name()))));
        return node;
    }

    private EntityKind<Word, ?> words(String node) {
        return EntityKind.of(
                "word",
                Word.class,
                key ->
                        Actor.<Word>handler(
                                () ->
                                        word -> {
                                            take(node, key, word);
                                            return Behavior.same();
                                        }));
    }

    private void take(String node, String key, Word word) {
        switch (word) {
            case Where(var replyTo) -> replyTo.tell(node);
            case Note(String sender, long number) ->
                    notes.computeIfAbsent(key + " " + sender, _ -> new CopyOnWriteArrayList<>())
                            .add(number);
            case Slow(long ms, var replyTo) -> {
                Fiber.sleep(Duration.ofMillis(ms));
                replyTo.tell(node);
            }
            case Deaf() -> {
                try {
                    Fiber.sleep(LONG);
                } finally {
                    cleanUps++;
                    CancelScope.shielded(LIMIT, () -> Fiber.sleep(Duration.ofMillis(2_500)));
                }
            }
        }
    }

    private EntityKind<Account, Balance> accounts(String node) {
        return EntityKind.durable(
                "account", Account.class, Balance.class, self -> functions(node, self));
    }

    private Server<Account, Balance> functions(String node, EntityContext<Account> self) {
        return Server.<Account, Balance>of(new Balance(FIRST))
                .call(
                        Transfer.class,
                        (now, transfer) -> {
                            ActorRef<Account> to =
                                    Objects.requireNonNull(kinds.get(node))
                                            .accounts
                                            .ref(transfer.to);
                            self.deliver(to, new Credit(transfer.cents));
                            long left = now.cents - transfer.cents;
                            return Reply.of(left, new Balance(left));
                        })
                .cast(Credit.class, (now, credit) -> new Balance(now.cents + credit.cents))
                .call(Get.class, (now, _) -> Reply.of(now.cents, now))
                .call(Fence.class, (now, _) -> Reply.of(self.fence(), now));
    }

    private void run(int nodes, SimCluster.Body body) {
        SimCluster.run(
                nodes,
                this::start,
                cluster -> {
                    letters.clear();
                    notes.clear();
                    assertTrue(cluster.awaitPeers(LONG));
                    body.run(cluster);
                    for (String each : cluster.names()) {
                        if (cluster.isRunning(each)) {
                            cluster.on(
                                    each,
                                    () -> {
                                        cluster.node(each).entities().checkInvariants();
                                        return null;
                                    });
                        }
                    }
                });
    }

    private Kinds of(String node) {
        return Objects.requireNonNull(kinds.get(node), node);
    }

    private static String where(ActorRef<Word> entity) {
        return entity.<String>ask(Where::new, LIMIT);
    }

    /** On which node each of the keys runs, as one node finds out. */
    private Map<String, String> where(SimCluster cluster, String node, int keys) throws Exception {
        return cluster.on(
                node,
                () -> {
                    Map<String, String> found = new TreeMap<>();
                    for (int i = 0; i < keys; i++) {
                        found.put("k" + i, where(of(node).words.ref("k" + i)));
                    }
                    return found;
                });
    }

    private static void await(String what, BooleanSupplier is) {
        long beganNs = Cord.current().nanoTime();
        while (!is.getAsBoolean()) {
            assertTrue(Cord.current().nanoTime() - beganNs < LONG.toNanos(), what);
            Fiber.sleep(Duration.ofMillis(20));
        }
    }

    private static void settle() {
        Fiber.sleep(Duration.ofSeconds(8));
    }

    // ---------------------------------------------------------------- one place for a key

    @Test
    void A7_allNodesFindAnEntityOnTheSameNodeAndEachHasItsShare() {
        run(
                3,
                cluster -> {
                    settle();
                    Map<String, String> seen = where(cluster, "n1", 300);
                    assertEquals(seen, where(cluster, "n2", 300));
                    assertEquals(seen, where(cluster, "n3", 300));
                    Map<String, Integer> shares = new HashMap<>();
                    seen.values().forEach(each -> shares.merge(each, 1, Integer::sum));
                    assertEquals(Set.of("n1", "n2", "n3"), shares.keySet());
                    assertTrue(shares.values().stream().allMatch(n -> n > 60), shares::toString);
                    assertEquals(List.of(), letters);
                });
    }

    @Test
    void A7_messagesOfTheFirstMomentWaitForTheFirstOwner() {
        SimCluster.run(
                3,
                this::start,
                cluster -> {
                    for (String each : cluster.names()) {
                        assertEquals(40, where(cluster, each, 40).size());
                    }
                });
    }

    @Test
    void A7_anAddressOfAnEntityGoesThroughMessages() {
        run(
                3,
                cluster -> {
                    ActorRef<Word> k = of("n1").words.ref("k");
                    assertEquals(k, of("n1").words.ref("k"));
                    String owner = cluster.on("n1", () -> where(k));
                    for (String each : cluster.names()) {
                        assertEquals(owner, cluster.on(each, () -> where(of(each).words.ref("k"))));
                    }
                });
    }

    // ---------------------------------------------------------------- moves

    private long firstEpoch(SimCluster cluster, String key) throws Exception {
        return cluster.on("n1", () -> of("n1").accounts.ref(key).<Long>ask(Fence::new, LIMIT));
    }

    @Test
    void A7_aNodeThatIsKilledIsFollowedByOthersWithinSeconds() {
        run(
                3,
                cluster -> {
                    settle();
                    Map<String, String> before = where(cluster, "n1", 100);
                    long epoch = firstEpoch(cluster, "a");
                    cluster.kill("n3");
                    long beganNs = Cord.current().nanoTime();
                    Map<String, String> after = where(cluster, "n1", 100);
                    long tookMs = (Cord.current().nanoTime() - beganNs) / 1_000_000;
                    assertTrue(tookMs < 5_000, () -> "ms: " + tookMs);
                    before.forEach(
                            (key, node) -> {
                                if (!node.equals("n3")) {
                                    assertEquals(node, after.get(key), key);
                                }
                            });
                    assertEquals(Set.of("n1", "n2"), new HashSet<>(after.values()));
                    assertTrue(firstEpoch(cluster, "a") >= epoch);
                });
    }

    @Test
    void A7_noAskFailsWhileNodesAreExchangedOneByOne() {
        run(
                3,
                cluster -> {
                    settle();
                    List<String> failures = new CopyOnWriteArrayList<>();
                    List<String> replies = new CopyOnWriteArrayList<>();
                    Fiber<?> load =
                            Fiber.spin(
                                    "load",
                                    () -> {
                                        for (int i = 0; ; i++) {
                                            ask(cluster, "n" + (1 + i % 3), i, failures, replies);
                                            Fiber.sleep(Duration.ofMillis(5));
                                        }
                                    });
                    for (String each : List.of("n1", "n2", "n3")) {
                        leaving.add(each);
                        assertTrue(
                                cluster.on(
                                        each,
                                        () -> cluster.node(each).leave(Duration.ofSeconds(20))),
                                each);
                        cluster.restart(each);
                        leaving.remove(each);
                        Fiber.sleep(Duration.ofSeconds(6));
                    }
                    load.terminate();
                    load.awaitEnd(LONG);
                    assertEquals(List.of(), failures);
                    assertTrue(replies.size() > 2_000, () -> "replies: " + replies.size());
                    assertEquals(List.of(), letters);
                });
    }

    private final Set<String> leaving = ConcurrentHashMap.newKeySet();

    /** From a node that is not about to leave, in a fiber of its own. */
    private void ask(
            SimCluster cluster,
            String node,
            int number,
            List<String> failures,
            List<String> replies) {
        if (leaving.contains(node)) {
            return;
        }
        ActorRef<Word> entity = of(node).words.ref("k" + number % 500);
        Fiber.spin(
                        "asks",
                        () -> {
                            try {
                                replies.add(cluster.on(node, () -> where(entity)));
                            } catch (AskException failed) {
                                failures.add(node + ": " + failed.getMessage());
                            } catch (IllegalStateException gone) {
                                replies.add("the asker's node has gone");
                            } catch (Exception other) {
                                failures.add(node + ": " + other);
                            }
                            return null;
                        })
                .detach();
    }

    @Test
    void A7_messagesComeInOrderAcrossMoves() {
        run(
                3,
                cluster -> {
                    settle();
                    int keys = 40;
                    List<Fiber<?>> senders = new ArrayList<>();
                    for (String each : List.of("n1", "n2")) {
                        senders.add(
                                Fiber.spin(
                                        "tells",
                                        () ->
                                                cluster.on(
                                                        each,
                                                        () -> {
                                                            tellNotes(each, keys);
                                                            return null;
                                                        })));
                    }
                    Fiber.sleep(Duration.ofMillis(500));
                    cluster.on("n3", () -> cluster.node("n3").leave(Duration.ofSeconds(20)));
                    cluster.restart("n3");
                    senders.forEach(each -> each.awaitEnd(LONG));
                    settle();
                    assertEquals(List.of(), letters);
                    assertEquals(2 * keys, notes.size());
                    assertEquals(
                            List.of(),
                            notes.entrySet().stream()
                                    .map(each -> disorder(each.getKey(), each.getValue()))
                                    .filter(each -> !each.isEmpty())
                                    .toList());
                });
    }

    private static String disorder(String from, List<Long> came) {
        for (int i = 0; i < came.size(); i++) {
            if (came.get(i) != i) {
                return from + ": " + came.subList(Math.max(0, i - 2), Math.min(came.size(), i + 5));
            }
        }
        return came.size() == 1_000 ? "" : from + ": " + came.size();
    }

    private void tellNotes(String node, int keys) {
        for (long i = 0; i < 1_000; i++) {
            for (int key = 0; key < keys; key++) {
                of(node).words.ref("k" + key).tell(new Note(node, i));
            }
            Fiber.sleep(Duration.ofMillis(10));
        }
    }

    @Test
    void A7_anEntityThatDoesNotEndIsStoppedAndItsShardGoesOn() {
        run(
                2,
                cluster -> {
                    settle();
                    Map<String, String> places = where(cluster, "n1", 100);
                    String key =
                            places.entrySet().stream()
                                    .filter(each -> each.getValue().equals("n2"))
                                    .findAny()
                                    .orElseThrow()
                                    .getKey();
                    List<String> outcomes = new CopyOnWriteArrayList<>();
                    Fiber<?> asker =
                            Fiber.spin(
                                    "asks",
                                    () ->
                                            cluster.on(
                                                    "n1",
                                                    () -> {
                                                        try {
                                                            outcomes.add(
                                                                    of("n1").words
                                                                            .ref(key)
                                                                            .<String>ask(
                                                                                    to ->
                                                                                            new Slow(
                                                                                                    600_000,
                                                                                                    to),
                                                                                    Duration
                                                                                            .ofMinutes(
                                                                                                    2)));
                                                        } catch (AskException failed) {
                                                            outcomes.add("failed");
                                                        }
                                                        return null;
                                                    }));
                    Fiber.sleep(Duration.ofMillis(200));
                    long beganNs = Cord.current().nanoTime();
                    cluster.on("n2", () -> cluster.node("n2").leave(Duration.ofSeconds(30)));
                    long tookMs = (Cord.current().nanoTime() - beganNs) / 1_000_000;
                    assertTrue(tookMs > 20_000 && tookMs < 28_000, () -> "ms: " + tookMs);
                    assertEquals("n1", cluster.on("n1", () -> where(of("n1").words.ref(key))));
                    asker.awaitEnd(LONG);
                    assertEquals(List.of("failed"), outcomes);
                });
    }

    /** Here nobody leaves: the shards go to a node that has come. */
    @Test
    void A7_aHandlerThatDoesNotEndHoldsItsShardBackForTenSecondsWhenANodeComes() {
        SimCluster.run(
                2,
                1,
                false,
                this::start,
                cluster -> {
                    assertTrue(cluster.awaitPeers(LONG));
                    cluster.kill("n2");
                    await("n1 has all", () -> shards(cluster, "n1").own().size() == 256);
                    Map<String, String> outcomes = new ConcurrentHashMap<>();
                    for (int i = 0; i < 8; i++) {
                        String key = "busy " + i;
                        cluster.on(
                                "n1",
                                () ->
                                        of("n1").words
                                                .ref(key)
                                                .<String>askLater(
                                                        to -> new Slow(600_000, to),
                                                        Duration.ofMinutes(9))
                                                .handle(
                                                        (reply, failure) ->
                                                                outcomes.put(
                                                                        key,
                                                                        failure == null
                                                                                ? reply
                                                                                : "failed")));
                    }
                    Fiber.sleep(Duration.ofMillis(200));
                    cluster.restart("n2");
                    await("a move waits", () -> outcomes.size() == 1);
                    int moved = shards(cluster, "n2").own().size();
                    long beganNs = Cord.current().nanoTime();
                    await("the next one", () -> outcomes.size() == 2);
                    long tookMs = (Cord.current().nanoTime() - beganNs) / 1_000_000;
                    assertTrue(tookMs >= 9_000, () -> "one waits for each other, ms: " + tookMs);
                    Fiber.sleep(Duration.ofMinutes(2));
                    assertEquals(128, shards(cluster, "n2").own().size(), () -> "of " + moved);
                    Set<String> gone = new TreeSet<>();
                    for (int i = 0; i < 8; i++) {
                        String key = "busy " + i;
                        if (isOwnedBy(cluster, "n2", key)) {
                            gone.add(key);
                        }
                    }
                    assertEquals(gone, new TreeSet<>(outcomes.keySet()));
                    assertEquals(Set.of("failed"), new HashSet<>(outcomes.values()));
                    for (String key : gone) {
                        assertEquals("n2", cluster.on("n1", () -> where(of("n1").words.ref(key))));
                    }
                });
    }

    private static boolean isOwnedBy(SimCluster cluster, String node, String key) {
        int shard = Shards.of(key);
        return shards(cluster, node).own().stream().anyMatch(each -> each.shard() == shard);
    }

    @Test
    void A7_anEntityWhoseCleanUpDoesNotEndDoesNotKeepItsShard() {
        SimCluster.run(
                2,
                1,
                false,
                this::start,
                cluster -> {
                    assertTrue(cluster.awaitPeers(LONG));
                    settle();
                    String key = Keys.on(cluster, "n2");
                    cluster.on(
                            "n1",
                            () -> {
                                of("n1").words.ref(key).tell(new Deaf());
                                return true;
                            });
                    Fiber.sleep(Duration.ofMillis(200));
                    try (LogLines lines = new LogLines()) {
                        long beganNs = Cord.current().nanoTime();
                        assertTrue(
                                cluster.on(
                                        "n2",
                                        () -> cluster.node("n2").leave(Duration.ofSeconds(12))));
                        long tookMs = (Cord.current().nanoTime() - beganNs) / 1_000_000;
                        assertTrue(tookMs < 12_000, () -> "ms: " + tookMs);
                        assertEquals(
                                1,
                                lines.with("does not end; it owns nothing").size(),
                                lines::toString);
                    }
                    assertEquals("n1", cluster.on("n1", () -> where(of("n1").words.ref(key))));
                    assertEquals(1, cleanUps);
                });
    }

    @Test
    void A7_aNodeIsNotReadyWhileItLeaves() {
        run(
                2,
                cluster -> {
                    settle();
                    String key = Keys.on(cluster, "n2");
                    Fiber<?> asker =
                            Fiber.spin(
                                    "asks",
                                    () ->
                                            cluster.on(
                                                    "n1",
                                                    () ->
                                                            of("n1").words
                                                                    .ref(key)
                                                                    .<String>ask(
                                                                            to ->
                                                                                    new Slow(
                                                                                            3_000,
                                                                                            to),
                                                                            LIMIT)));
                    Fiber.sleep(Duration.ofMillis(100));
                    assertTrue(cluster.node("n2").isReady());
                    Fiber<Boolean> leave =
                            Fiber.<Boolean>spin(
                                    "leaves",
                                    () -> cluster.on("n2", () -> cluster.node("n2").leave(LONG)));
                    Fiber.sleep(Duration.ofMillis(500));
                    assertNotEquals(FiberState.DEAD, leave.state());
                    assertFalse(cluster.node("n2").isReady());
                    assertTrue(cluster.node("n1").isReady());
                    assertTrue(leave.await());
                    asker.awaitEnd(LONG);
                });
    }

    @Test
    void A8_twoClustersInOneStoreHaveEntitiesOfTheirOwn() {
        SimCluster.run(
                2,
                options ->
                        start(options.withCluster(options.name().equals("n1") ? "one" : "other")),
                cluster -> {
                    for (String each : cluster.names()) {
                        await(each + " has all", () -> shards(cluster, each).own().size() == 256);
                    }
                    cluster.on(
                            "n1",
                            () ->
                                    of("n1").accounts
                                            .ref("a")
                                            .<Long>ask(to -> new Transfer(5, "b", to), LIMIT));
                    Fiber.sleep(Duration.ofSeconds(5));
                    assertEquals(List.of(FIRST - 5, FIRST + 5), balances(cluster, "n1"));
                    assertEquals(List.of(FIRST, FIRST), balances(cluster, "n2"));
                    for (String each : cluster.names()) {
                        assertEquals(
                                List.of(new NodeDump.Share(each, 256)),
                                shards(cluster, each).owners());
                    }
                });
    }

    private List<Long> balances(SimCluster cluster, String node) throws Exception {
        return cluster.on(
                node,
                () ->
                        List.of(
                                of(node).accounts.ref("a").<Long>ask(Get::new, LIMIT),
                                of(node).accounts.ref("b").<Long>ask(Get::new, LIMIT)));
    }

    // ---------------------------------------------------------------- without the store

    @Test
    void A7_withoutTheStoreOwnersStopAndGoOnWhenItIsBack() {
        run(
                2,
                cluster -> {
                    settle();
                    Map<String, String> before = where(cluster, "n1", 20);
                    MemoryStore.current().crash();
                    Fiber.sleep(Duration.ofSeconds(4));
                    for (String key : List.of("k0", "k1", "k2", "k3")) {
                        assertThrows(
                                AskTimeoutException.class,
                                () ->
                                        cluster.on(
                                                "n1",
                                                () ->
                                                        of("n1").words
                                                                .ref(key)
                                                                .<String>ask(
                                                                        Where::new,
                                                                        Duration.ofSeconds(1))));
                    }
                    of("n1").words.ref("k0").tell(new Note("t", 7));
                    MemoryStore.current().recover();
                    assertEquals(before, where(cluster, "n1", 20), "nothing has moved");
                    await("the note came", () -> notes.containsKey("k0 t"));
                });
    }

    @Test
    void A7_aNodeThatTheStoreDoesNotHearLosesItsEntities() {
        run(
                2,
                cluster -> {
                    settle();
                    MemoryStore.current().cut("n2");
                    settle();
                    Map<String, String> after = where(cluster, "n1", 50);
                    assertEquals(Set.of("n1"), new HashSet<>(after.values()));
                    MemoryStore.current().heal("n2");
                    settle();
                    assertEquals(where(cluster, "n1", 50), where(cluster, "n2", 50));
                });
    }

    @Test
    void A7_aClockThatIsSetBackADayMovesNothing() {
        AtomicReference<Duration> set = new AtomicReference<>(Duration.ZERO);
        SimCluster.run(
                2,
                options -> {
                    InstantSource clock = options.clock();
                    return start(options.withClock(() -> clock.instant().plus(set.get())));
                },
                cluster -> {
                    assertTrue(cluster.awaitPeers(LONG));
                    settle();
                    Map<Integer, Long> before = epochs(cluster);
                    List<String> lives = lives(cluster);
                    for (Duration next : List.of(Duration.ofDays(-1), Duration.ofDays(365))) {
                        set.set(next);
                        Fiber.sleep(Duration.ofSeconds(30));
                        assertEquals(before, epochs(cluster));
                        assertEquals(lives, lives(cluster));
                        assertEquals(20, where(cluster, "n1", 20).size());
                    }
                });
    }

    /** Of the shards of n1. */
    private static Map<Integer, Long> epochs(SimCluster cluster) {
        Map<Integer, Long> epochs = new TreeMap<>();
        shards(cluster, "n1").own().forEach(each -> epochs.put(each.shard(), each.epoch()));
        return epochs;
    }

    private static List<String> lives(SimCluster cluster) {
        return cluster.names().stream()
                .map(each -> Objects.requireNonNull(cluster.node(each).dump().registration()))
                .map(NodeDump.Registration::life)
                .toList();
    }

    // ---------------------------------------------------------------- seen

    private static NodeDump.Shards shards(SimCluster cluster, String node) {
        return Objects.requireNonNull(cluster.node(node).dump().shards());
    }

    @Test
    void A7_theDumpTellsOwnersEpochsMovesAndWritesAndANodeIsReadyWhenItOwns() {
        SimCluster.run(
                2,
                this::start,
                cluster -> {
                    assertFalse(cluster.node("n1").isReady(), "before the store has answered");
                    settle();
                    assertTrue(cluster.node("n1").isReady());
                    NodeDump.Shards one = shards(cluster, "n1");
                    NodeDump.Shards two = shards(cluster, "n2");
                    assertEquals(
                            List.of(new NodeDump.Share("n1", 128), new NodeDump.Share("n2", 128)),
                            one.owners());
                    assertEquals(one.owners(), two.owners());
                    Set<Integer> all = new HashSet<>();
                    one.own().forEach(each -> all.add(each.shard()));
                    two.own().forEach(each -> all.add(each.shard()));
                    assertEquals(256, all.size());
                    assertTrue(one.own().stream().allMatch(each -> each.epoch() > 0));
                    assertEquals(
                            List.of("account", "word"),
                            one.kinds().stream().map(NodeDump.Kind::name).toList());
                    cluster.on("n2", () -> cluster.node("n2").leave(LIMIT));
                    assertFalse(cluster.node("n2").isReady(), "it has left");
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(256, shards(cluster, "n1").own().size());
                    assertEquals(256 + one.given(), shards(cluster, "n1").taken());
                    NodeDump.StoreCalls calls =
                            Objects.requireNonNull(cluster.node("n1").dump().registration())
                                    .store();
                    assertTrue(calls.written() > 5 && calls.reads() > 5, calls::toString);
                    MemoryStore.current().crash();
                    Fiber.sleep(Duration.ofSeconds(4));
                    assertFalse(cluster.node("n1").isReady(), "its lease has ended");
                    of("n1").words.ref("k0").tell(new Note("t", 7));
                    Fiber.sleep(Duration.ofMillis(10));
                    assertEquals(1, shards(cluster, "n1").held());
                    assertEquals(256, shards(cluster, "n1").lost());
                });
    }

    // ---------------------------------------------------------------- durable

    @Test
    void A8_transfersBetweenNodesAreExactAcrossKillsAndMoves() {
        run(
                3,
                cluster -> {
                    settle();
                    int accounts = 12;
                    int[] done = {0};
                    for (int i = 0; i < 120; i++) {
                        String from = "a" + i % accounts;
                        String to = "a" + (i * 7 + 3) % accounts;
                        String node = "n" + (1 + i % 2);
                        long cents = i + 1L;
                        try {
                            cluster.on(
                                    node,
                                    () ->
                                            of(node).accounts
                                                    .ref(from)
                                                    .<Long>ask(
                                                            r -> new Transfer(cents, to, r),
                                                            LIMIT));
                            done[0]++;
                        } catch (AskException failed) {
                            // Its outcome is unknown, and the sum is exact nevertheless.
                        }
                        if (i == 40) {
                            cluster.kill("n3");
                        }
                        if (i == 80) {
                            cluster.restart("n3");
                        }
                    }
                    Fiber.sleep(Duration.ofSeconds(90));
                    assertTrue(done[0] > 100, () -> "done: " + done[0]);
                    long sum =
                            cluster.on(
                                    "n1",
                                    () -> {
                                        long all = 0;
                                        for (int i = 0; i < accounts; i++) {
                                            all +=
                                                    of("n1").accounts
                                                            .ref("a" + i)
                                                            .<Long>ask(Get::new, LIMIT);
                                        }
                                        return all;
                                    });
                    assertEquals(accounts * FIRST, sum);
                });
    }

    @Test
    void A8_theFenceGrowsWithEachOwner() {
        run(
                2,
                cluster -> {
                    settle();
                    List<Long> fences = new ArrayList<>();
                    fences.add(firstEpoch(cluster, "a"));
                    assertNotEquals(0L, fences.getFirst());
                    for (int i = 0; i < 4; i++) {
                        boolean isOnOne = Keys.isOn(cluster, "n1", "a");
                        String node = isOnOne ? "n1" : "n2";
                        String other = isOnOne ? "n2" : "n1";
                        cluster.on(node, () -> cluster.node(node).leave(LIMIT));
                        fences.add(
                                cluster.on(
                                        other,
                                        () ->
                                                of(other)
                                                        .accounts
                                                        .ref("a")
                                                        .<Long>ask(Fence::new, LIMIT)));
                        cluster.restart(node);
                        settle();
                    }
                    for (int i = 1; i < fences.size(); i++) {
                        assertTrue(fences.get(i) > fences.get(i - 1), fences::toString);
                    }
                });
    }

    // ---------------------------------------------------------------- singletons

    private final List<String> turns = new CopyOnWriteArrayList<>();

    private Node startWithSingleton(NodeOptions options) {
        Node node = start(options);
        node.singleton(
                "only",
                Actor.<Word>loop(
                        self -> {
                            turns.add(node.name());
                            while (true) {
                                take(node.name(), "only", self.receive());
                            }
                        }));
        return node;
    }

    @Test
    void A7_aSingletonRunsOnceByItselfAndGoesToAnotherNode() {
        SimCluster.run(
                3,
                this::startWithSingleton,
                cluster -> {
                    turns.clear();
                    await("it runs", () -> !turns.isEmpty());
                    settle();
                    String first = turns.getLast();
                    cluster.kill(first);
                    int before = turns.size();
                    await("it runs elsewhere", () -> turns.size() > before);
                    assertNotEquals(first, turns.getLast());
                    settle();
                    assertEquals(before + 1, turns.size());
                });
    }
}
