package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.cluster.internal.lease.Lease;
import dev.ropewalk.actors.cluster.internal.lease.Membership;
import dev.ropewalk.actors.cluster.store.LateStore;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreInFront;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.WaitCell;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Rule A7: nodes with a store. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class StoreNodesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(30);

    /** Without addresses: they find each other in the store alone. */
    private static Node start(NodeOptions options) {
        return Node.start(
                ActorSystem.start("system"),
                options.withDiscovery(Discovery.of()).withStore(MemoryStore.current()));
    }

    private static NodeDump.Registration registration(SimCluster cluster, String node) {
        return Objects.requireNonNull(cluster.node(node).dump().registration());
    }

    private static boolean holdsLease(SimCluster cluster, String node) throws Exception {
        return cluster.on(node, () -> registration(cluster, node).leaseLeft().isPositive());
    }

    private static Membership membership(SimCluster cluster, String node) {
        return Objects.requireNonNull(cluster.node(node).membership());
    }

    private static List<String> lives(SimCluster cluster) {
        return cluster.names().stream().map(each -> registration(cluster, each).life()).toList();
    }

    private static void awaitLeases(SimCluster cluster) throws Exception {
        for (String each : cluster.names()) {
            await(each + " holds a lease", () -> isTrue(() -> holdsLease(cluster, each)));
        }
    }

    private static boolean isTrue(Callable<Boolean> is) {
        try {
            return is.call();
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    private static void await(String what, BooleanSupplier is) {
        long beganNs = Cord.current().nanoTime();
        while (!is.getAsBoolean()) {
            assertTrue(Cord.current().nanoTime() - beganNs < LONG.toNanos(), what);
            Fiber.sleep(Duration.ofMillis(20));
        }
    }

    private static String register(String node) {
        return new String(
                MemoryStore.current().peek("ropewalk/node/" + node).value(),
                StandardCharsets.UTF_8);
    }

    @Test
    void A7_nodesFindEachOtherInTheStore() {
        SimCluster.run(
                3,
                StoreNodesTest::start,
                cluster -> {
                    assertTrue(cluster.awaitPeers(LONG));
                    awaitLeases(cluster);
                    for (String each : cluster.names()) {
                        await(
                                each + " sees all",
                                () ->
                                        registration(cluster, each)
                                                .nodes()
                                                .equals(List.of("n1", "n2", "n3")));
                    }
                });
    }

    @Test
    void A7_aNodeThatIsKilledIsDeclaredDeadAndOneThatLeavesSaysSo() {
        SimCluster.run(
                3,
                StoreNodesTest::start,
                cluster -> {
                    awaitLeases(cluster);
                    cluster.kill("n3");
                    long killedNs = Cord.current().nanoTime();
                    await("n3 is DEAD", () -> register("n3").startsWith("state: DEAD"));
                    long tookMs = (Cord.current().nanoTime() - killedNs) / 1_000_000;
                    // Not before its lease ends, which was renewed a second before at most.
                    assertTrue(tookMs >= 2_000 && tookMs < 5_000, () -> "ms: " + tookMs);
                    assertFalse(register("n3").contains("by: n3"), () -> register("n3"));

                    cluster.on("n2", () -> cluster.node("n2").leave(SECOND));
                    assertTrue(register("n2").startsWith("state: DEAD"), () -> register("n2"));
                    assertTrue(register("n2").contains("by: n2"), () -> register("n2"));
                    await(
                            "n1 is alone",
                            () -> registration(cluster, "n1").nodes().equals(List.of("n1")));
                });
    }

    @Test
    void A7_aNodeThatComesBackWaitsForTheLeaseOfItsEarlierLife() {
        SimCluster.run(
                1,
                StoreNodesTest::start,
                cluster -> {
                    awaitLeases(cluster);
                    String before = registration(cluster, "n1").life();
                    cluster.restart("n1");
                    Fiber.sleep(SECOND);
                    assertFalse(holdsLease(cluster, "n1"), "before the other lease has ended");
                    assertTrue(
                            registration(cluster, "n1").trouble().contains("its name is taken"),
                            () -> registration(cluster, "n1").trouble());
                    awaitLeases(cluster);
                    assertNotEquals(before, registration(cluster, "n1").life());
                    assertEquals("", registration(cluster, "n1").trouble());
                });
    }

    @Test
    void A7_withoutTheStoreALeaseEndsAndNothingMoves() {
        SimCluster.run(
                2,
                StoreNodesTest::start,
                cluster -> {
                    awaitLeases(cluster);
                    List<String> lives = lives(cluster);
                    // Not in step: one of them reaches the store again before the other.
                    cluster.freeze("n2", Duration.ofMillis(1_700));
                    Fiber.sleep(SECOND.multipliedBy(3));
                    for (int i = 0; i < 5; i++) {
                        MemoryStore.current().crash();
                        Fiber.sleep(Duration.ofMillis(3_500 + 700 * i));
                        assertFalse(holdsLease(cluster, "n1"));
                        assertFalse(holdsLease(cluster, "n2"));
                        assertTrue(registration(cluster, "n1").trouble().contains("is down"));
                        MemoryStore.current().recover();
                        awaitLeases(cluster);
                    }
                    Fiber.sleep(LONG);
                    assertEquals(lives, lives(cluster), "nothing moved");
                });
    }

    @Test
    void A7_aNodeThatTheStoreDoesNotHearLosesItsLifeAndComesAgain() {
        SimCluster.run(
                2,
                StoreNodesTest::start,
                cluster -> {
                    awaitLeases(cluster);
                    String life = registration(cluster, "n1").life();
                    MemoryStore.current().cut("n1");
                    await("n1 is DEAD", () -> register("n1").startsWith("state: DEAD"));
                    assertFalse(holdsLease(cluster, "n1"), "its lease had ended before");
                    MemoryStore.current().heal("n1");
                    awaitLeases(cluster);
                    assertNotEquals(life, registration(cluster, "n1").life());
                });
    }

    @Test
    void A7_aNodeThatSleepsInTheMiddleOfAWriteHasNoLeaseWhenItWakes() {
        SimCluster.run(
                2,
                StoreNodesTest::start,
                cluster -> {
                    MemoryStore.current().delay(Duration.ofMillis(800), Duration.ofMillis(900));
                    awaitLeases(cluster);
                    Lease before = membership(cluster, "n1").lease();
                    cluster.freeze("n1", LONG); // nearly always a call is under way
                    Fiber.sleep(LONG.minusSeconds(1));
                    assertTrue(register("n1").startsWith("state: DEAD"), () -> register("n1"));
                    assertFalse(cluster.on("n1", before::isHeld), "at the first look");
                    awaitLeases(cluster);
                    assertNotEquals(before.life(), membership(cluster, "n1").lease().life());
                    assertFalse(cluster.on("n1", before::isHeld), "its lease is not held again");
                });
    }

    @Test
    void A7_aStoreThatTakesFiveSecondsACallGivesNoLease() {
        SimCluster.run(
                1,
                StoreNodesTest::start,
                cluster -> {
                    MemoryStore.current().delay(Duration.ofSeconds(5), Duration.ofSeconds(5));
                    Fiber.sleep(LONG);
                    assertFalse(holdsLease(cluster, "n1"));
                    assertTrue(
                            registration(cluster, "n1").trouble().contains("longer than a lease"),
                            () -> registration(cluster, "n1").trouble());
                    MemoryStore.current().delay(Duration.ZERO, Duration.ZERO);
                    awaitLeases(cluster);
                });
    }

    @Test
    void A7_aCallThatIsNeverAnsweredCostsNoLease() {
        AtomicBoolean isLost = new AtomicBoolean();
        SimCluster.run(
                1,
                options ->
                        Node.start(
                                ActorSystem.start("system"),
                                options.withStore(
                                        new LateStore(
                                                MemoryStore.current(),
                                                _ ->
                                                        isLost.getAndSet(false)
                                                                ? LONG
                                                                : Duration.ZERO))),
                cluster -> {
                    awaitLeases(cluster);
                    List<String> lives = lives(cluster);
                    for (int i = 0; i < 120; i++) {
                        isLost.compareAndSet(false, i % 50 == 0);
                        Fiber.sleep(Duration.ofMillis(100));
                        assertTrue(holdsLease(cluster, "n1"), "after " + i);
                    }
                    assertFalse(isLost.get());
                    assertEquals(lives, lives(cluster));
                });
    }

    @Test
    void A7_aStoreThatIsReadOnlyGivesNoLeaseAndIsNotAskedAllTheTime() {
        SimCluster.run(
                1,
                StoreNodesTest::start,
                cluster -> {
                    awaitLeases(cluster);
                    MemoryStore.current().failWrites();
                    Fiber.sleep(LONG);
                    assertFalse(holdsLease(cluster, "n1"));
                    assertTrue(registration(cluster, "n1").trouble().contains("no write works"));
                    MemoryStore.current().recover();
                    awaitLeases(cluster);
                });
    }

    /** An engine with a defect of its own. */
    private record Odd(Store store, AtomicBoolean hangs, AtomicBoolean throwsAny)
            implements StoreInFront {
        private void befall() {
            if (throwsAny.get()) {
                throw new IllegalStateException("a defect of the engine");
            }
            if (hangs.get()) {
                new WaitCell().await("an answer that never comes");
            }
        }

        @Override
        public StoreEntry read(String key) {
            befall();
            return store.read(key);
        }

        @Override
        public WriteResult replace(String key, long revision, byte @Nullable [] value) {
            befall();
            return store.replace(key, revision, value);
        }

        @Override
        public List<StoreEntry> list(String prefix, String after, int max) {
            befall();
            return store.list(prefix, after, max);
        }
    }

    private static void withOddStore(Function<Odd, AtomicBoolean> fault, String trouble) {
        AtomicBoolean hangs = new AtomicBoolean();
        AtomicBoolean throwsAny = new AtomicBoolean();
        SimCluster.run(
                1,
                options ->
                        Node.start(
                                ActorSystem.start("system"),
                                options.withStore(
                                        new Odd(MemoryStore.current(), hangs, throwsAny))),
                cluster -> {
                    awaitLeases(cluster);
                    AtomicBoolean is =
                            fault.apply(new Odd(MemoryStore.current(), hangs, throwsAny));
                    is.set(true);
                    Fiber.sleep(LONG);
                    assertFalse(holdsLease(cluster, "n1"));
                    String told = registration(cluster, "n1").trouble();
                    assertTrue(told.contains(trouble), told);
                    is.set(false);
                    awaitLeases(cluster);
                });
    }

    @Test
    void A7_anEngineThatNeverAnswersStopsTheLeaseAndNotTheNode() {
        withOddStore(Odd::hangs, "PT10S");
    }

    @Test
    void A7_anEngineThatThrowsStopsTheLeaseAndNotTheNode() {
        withOddStore(Odd::throwsAny, "a defect of the engine");
    }

    @Test
    void A7_ofTwoLiveNodesOfOneNameOneHoldsALease() {
        SimCluster.run(
                2,
                options -> {
                    NodeOptions twin =
                            NodeOptions.named("twin")
                                    .withAddress(options.host(), options.port())
                                    .withoutTls();
                    return start(twin);
                },
                cluster -> {
                    await(
                            "one has it",
                            () ->
                                    isTrue(
                                            () ->
                                                    holdsLease(cluster, "n1")
                                                            || holdsLease(cluster, "n2")));
                    for (int i = 0; i < 100; i++) {
                        assertFalse(holdsLease(cluster, "n1") && holdsLease(cluster, "n2"));
                        Fiber.sleep(Duration.ofMillis(300));
                    }
                    String first = holdsLease(cluster, "n1") ? "n1" : "n2";
                    String other = first.equals("n1") ? "n2" : "n1";
                    String told = registration(cluster, other).trouble();
                    assertTrue(told.contains("its name is taken"), told);
                    cluster.kill(first);
                    await("the other has it", () -> isTrue(() -> holdsLease(cluster, other)));
                });
    }

    @Test
    void A7_aNodeLeavesInTimeAlsoWithoutItsStore() {
        SimCluster.run(
                1,
                StoreNodesTest::start,
                cluster -> {
                    awaitLeases(cluster);
                    MemoryStore.current().cut("n1");
                    long beganNs = Cord.current().nanoTime();
                    assertFalse(cluster.on("n1", () -> cluster.node("n1").leave(SECOND)));
                    long tookMs = (Cord.current().nanoTime() - beganNs) / 1_000_000;
                    assertTrue(tookMs < 1_500, () -> "ms: " + tookMs);
                });
    }

    @Test
    void A7_twoClustersMayShareAStore() {
        SimCluster.run(
                2,
                options ->
                        start(options.withCluster(options.name().equals("n1") ? "one" : "other")),
                cluster -> {
                    awaitLeases(cluster);
                    Fiber.sleep(LONG);
                    assertEquals(List.of("n1"), registration(cluster, "n1").nodes());
                    assertEquals(List.of("n2"), registration(cluster, "n2").nodes());
                    assertEquals(List.of(), cluster.node("n1").peers());
                });
    }

    @Test
    void A7_anEntryThatIsNoRegisterIsLeftAlone() {
        SimCluster.run(
                1,
                StoreNodesTest::start,
                cluster -> {
                    MemoryStore store = MemoryStore.current();
                    store.replace("ropewalk/node/odd", 0, new byte[] {1, 2, 3});
                    awaitLeases(cluster);
                    Fiber.sleep(LONG);
                    assertEquals(3, store.read("ropewalk/node/odd").value().length);
                    assertEquals(List.of("n1"), registration(cluster, "n1").nodes());
                });
    }

    @Test
    void A7_aDeadRegisterIsForgotten() {
        SimCluster.run(
                2,
                StoreNodesTest::start,
                cluster -> {
                    awaitLeases(cluster);
                    cluster.kill("n2");
                    await("n2 is DEAD", () -> register("n2").startsWith("state: DEAD"));
                    Fiber.sleep(Duration.ofMinutes(9));
                    assertFalse(register("n2").isEmpty());
                    Fiber.sleep(Duration.ofMinutes(2));
                    assertEquals("", register("n2"));
                });
    }

    @Test
    void A7_namesThatFitIntoNoKeyAreRefusedAtTheStart() {
        NodeOptions tooLong = NodeOptions.named("\u20AC".repeat(180));
        try (ActorSystem system = ActorSystem.start("system");
                MemoryStore store = new MemoryStore()) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Node.start(system, tooLong.withStore(store)));
            Node.start(system, tooLong).close();
        }
        assertThrows(IllegalArgumentException.class, () -> NodeOptions.named("a\nb"));
    }

    @Test
    void A7_withoutAStoreThereIsNoRegistration() {
        SimCluster.run(
                1,
                options -> Node.start(ActorSystem.start("system"), options),
                cluster -> {
                    assertNull(cluster.node("n1").dump().registration());
                    assertNull(cluster.node("n1").membership());
                    assertFalse(cluster.node("n1").dump().toJson().contains("lease"));
                });
    }
}
