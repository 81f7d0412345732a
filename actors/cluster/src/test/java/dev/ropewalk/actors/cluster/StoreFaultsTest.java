package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.actors.cluster.store.StoreInFront;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

@Timeout(value = 40, threadMode = ThreadMode.SEPARATE_THREAD)
class StoreFaultsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(30);

    private static Node start(NodeOptions options) {
        return Node.start(
                ActorSystem.start("system"),
                options.withDiscovery(Discovery.of()).withStore(MemoryStore.current()));
    }

    private static NodeDump.Registration registration(SimCluster cluster, String node) {
        return Objects.requireNonNull(cluster.node(node).dump().registration());
    }

    private static boolean holdsLease(SimCluster cluster, String node) {
        try {
            return cluster.on(node, () -> registration(cluster, node).leaseLeft().isPositive());
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    private static void awaitLeases(SimCluster cluster) {
        for (String each : cluster.names()) {
            await(each + " holds a lease", () -> holdsLease(cluster, each));
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

    /** A write says something else than its result, and any call throws. */
    private record Odd(
            Store store, AtomicBoolean losesReplies, AtomicReference<@Nullable Error> error)
            implements StoreInFront {
        private void befall() {
            Error thrown = error.get();
            if (thrown != null) {
                throw thrown;
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
            WriteResult result = store.replace(key, revision, value);
            return losesReplies.get()
                    ? new WriteResult.Unknown(new StoreException("no reply", null))
                    : result;
        }

        @Override
        public List<StoreEntry> list(String prefix, String after, int max) {
            befall();
            return store.list(prefix, after, max);
        }
    }

    @Test
    void A7_aNodeThatLeavesWhileItsFirstWriteIsUnknownDoesNotSayThatTheStoreKnows() {
        SimCluster.run(
                1,
                options ->
                        Node.start(
                                ActorSystem.start("system"),
                                options.withStore(
                                        new Odd(
                                                MemoryStore.current(),
                                                new AtomicBoolean(true),
                                                new AtomicReference<>()))),
                cluster -> {
                    await("its register is there", () -> !register("n1").isEmpty());
                    boolean isTold = cluster.on("n1", () -> cluster.node("n1").leave(SECOND));
                    assertTrue(
                            !isTold || register("n1").startsWith("state: DEAD"),
                            () -> register("n1"));
                });
    }

    @Test
    void A7_aSecondLeaveSaysNothingElseThanTheFirst() {
        SimCluster.run(
                1,
                StoreFaultsTest::start,
                cluster -> {
                    awaitLeases(cluster);
                    MemoryStore.current().cut("n1");
                    assertFalse(cluster.on("n1", () -> cluster.node("n1").leave(SECOND)));
                    assertFalse(cluster.on("n1", () -> cluster.node("n1").leave(SECOND)));
                });
    }

    @Test
    void A7_nodesFindEachOtherInTheStoreAlsoWhenDnsIsDown() {
        SimCluster.run(
                2,
                options ->
                        Node.start(
                                ActorSystem.start("system"),
                                options.withDiscovery(
                                                () -> {
                                                    throw new UnknownHostException("nodes.local");
                                                })
                                        .withStore(MemoryStore.current())),
                cluster -> {
                    awaitLeases(cluster);
                    assertTrue(cluster.awaitPeers(LONG));
                });
    }

    @Test
    void A7_oneRegisterWithABadPortDoesNotKeepOtherNodesFromEachOther() {
        SimCluster.run(
                2,
                options -> {
                    oddRegister();
                    return start(options);
                },
                cluster -> {
                    Fiber<?> alive =
                            Fiber.spin(
                                    "renews",
                                    () -> {
                                        for (int i = 0; i < 60; i++) {
                                            oddRegister();
                                            Fiber.sleep(SECOND);
                                        }
                                    });
                    awaitLeases(cluster);
                    boolean arePeers = cluster.awaitPeers(LONG);
                    alive.terminate();
                    assertTrue(arePeers);
                });
    }

    private static void oddRegister() {
        MemoryStore store = MemoryStore.current();
        String text = "state: UP\nlife: 1\nhost: 10.0.0.9\nport: 70000\nby: odd\n";
        store.replace(
                "ropewalk/node/odd",
                store.read("ropewalk/node/odd").revision(),
                text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void A7_anEngineThatThrowsAnErrorStopsTheLeaseAndNotTheNode() {
        AtomicReference<@Nullable Error> error = new AtomicReference<>();
        SimCluster.run(
                1,
                1,
                false,
                options ->
                        Node.start(
                                ActorSystem.start("system"),
                                options.withStore(
                                        new Odd(
                                                MemoryStore.current(),
                                                new AtomicBoolean(),
                                                error))),
                cluster -> {
                    awaitLeases(cluster);
                    error.set(new NoClassDefFoundError("org/postgresql/Driver"));
                    Fiber.sleep(LONG);
                    assertFalse(holdsLease(cluster, "n1"));
                    String told = registration(cluster, "n1").trouble();
                    assertTrue(told.contains("org/postgresql/Driver"), told);
                    error.set(null);
                    awaitLeases(cluster);
                });
    }

    // ---------------------------------------------------------------- the run

    @Test
    void F14_aProgramThatThrowsAnErrorFailsTheRun() {
        AssertionError failed =
                assertThrows(
                        AssertionError.class,
                        () ->
                                SimCluster.run(
                                        2,
                                        1,
                                        true,
                                        options -> {
                                            if (options.name().equals("n2")) {
                                                throw new AssertionError("no disk");
                                            }
                                            return start(options);
                                        },
                                        _ -> {}));
        assertTrue(String.valueOf(failed.getMessage()).contains("no disk"), failed::toString);
    }

    @Test
    void F14_aNodeThatIsKilledWhileItStartsFailsItsRestart() {
        SimCluster.run(
                2,
                1,
                true,
                StoreFaultsTest::start,
                cluster -> {
                    SimCluster.Program slow =
                            options -> {
                                Fiber.sleep(SECOND);
                                return start(options);
                            };
                    Fiber<?> restart =
                            Fiber.spin(
                                    "restarts",
                                    () ->
                                            assertThrows(
                                                    IllegalStateException.class,
                                                    () -> cluster.restart("n2", slow)));
                    Fiber.sleep(Duration.ofMillis(500));
                    cluster.kill("n2");
                    assertTrue(restart.awaitEnd(LONG), "the restart waits for ever");
                    restart.await();
                });
    }

    @Test
    void F14_aRunInARunIsRefusedAndTheOuterOneGoesOn() {
        SimCluster.run(
                2,
                1,
                true,
                StoreFaultsTest::start,
                cluster -> {
                    MemoryStore store = MemoryStore.current();
                    assertThrows(
                            AssertionError.class,
                            () -> SimCluster.run(1, 1, true, StoreFaultsTest::start, _ -> {}));
                    assertEquals(store, MemoryStore.current());
                    awaitLeases(cluster);
                    assertTrue(cluster.awaitPeers(LONG));
                });
    }

    @Test
    void F14_runsThatFollowEachOtherShareNothing() {
        List<MemoryStore> stores = new ArrayList<>();
        SimCluster.run(
                2,
                StoreFaultsTest::start,
                cluster -> {
                    assertFalse(stores.contains(MemoryStore.current()));
                    stores.add(MemoryStore.current());
                    awaitLeases(cluster);
                });
        assertThrows(IllegalStateException.class, MemoryStore::current);
    }

    @Test
    void A7_aKilledNodesListenerIsNotCalled() {
        List<String> told = new ArrayList<>();
        SimCluster.run(
                1,
                1,
                true,
                options -> {
                    MemoryStore.current().watch("k/", told::add);
                    return start(options);
                },
                cluster -> {
                    cluster.kill("n1");
                    MemoryStore.current().replace("k/a", 0, new byte[1]);
                    Fiber.sleep(SECOND);
                    assertEquals(List.of(), told);
                });
    }

    @Test
    void misuse_aListOfNothingInARunIsAnErrorOfTheCaller() {
        SimCluster.run(
                1,
                1,
                true,
                StoreFaultsTest::start,
                _ ->
                        assertThrows(
                                NullPointerException.class,
                                () -> MemoryStore.current().list("", nothing(), 1)));
    }

    @SuppressWarnings("NullAway")
    private static String nothing() {
        return null;
    }

    @Test
    void A7_aStoreThatIsClosedWhileNodesRunIsNamedAndTheyLeaveInTime() {
        SimCluster.run(
                2,
                StoreFaultsTest::start,
                cluster -> {
                    awaitLeases(cluster);
                    MemoryStore.current().close();
                    Fiber.sleep(SECOND.multipliedBy(5));
                    assertFalse(holdsLease(cluster, "n1"));
                    String told = registration(cluster, "n1").trouble();
                    assertTrue(told.contains("closed"), told);
                    long beganNs = Cord.current().nanoTime();
                    assertFalse(cluster.on("n1", () -> cluster.node("n1").leave(SECOND)));
                    assertTrue(Cord.current().nanoTime() - beganNs < 1_500_000_000L);
                });
    }
}
