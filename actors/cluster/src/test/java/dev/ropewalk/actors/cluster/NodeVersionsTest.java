package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.fibers.Fiber;

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

/**
 * Rules A7 and A8: nodes are exchanged one by one by a program whose messages and states have a
 * component more.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class NodeVersionsTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int KEYS = 30;

    sealed interface OldWord {}

    sealed interface NewWord {}

    record OldAdd(long cents, Recipient<Long> replyTo) implements OldWord, Request<Long> {}

    record NewAdd(long cents, @Nullable String why, Recipient<Long> replyTo)
            implements NewWord, Request<Long> {}

    record OldSum(long cents) {}

    record NewSum(long cents, @Nullable String last) {}

    private enum Version {
        OLD,
        NEW
    }

    /** By node. */
    private final Map<String, Entities<OldWord>> older = new HashMap<>();

    private final Map<String, Entities<NewWord>> newer = new HashMap<>();
    private final Set<String> leaving = new HashSet<>();
    private final List<String> failures = new ArrayList<>();

    /** By key, as acknowledged. */
    private final Map<String, Long> sums = new HashMap<>();

    private Node start(NodeOptions given, Version version) {
        boolean isOld = version == Version.OLD;
        Protocol protocol = Protocol.of().named(isOld ? OldAdd.class : NewAdd.class, "add");
        Node node =
                Node.start(
                        ActorSystem.start("system"),
                        given.withDiscovery(Discovery.of())
                                .withStore(MemoryStore.current())
                                .withProgramVersion(isOld ? "1" : "2")
                                .withProtocol(protocol));
        older.remove(node.name());
        if (isOld) {
            older.put(node.name(), node.entities(older()));
        } else {
            newer.put(node.name(), node.entities(newer()));
        }
        return node;
    }

    private static EntityKind<OldWord, OldSum> older() {
        return EntityKind.<OldWord, OldSum>durable(
                        "sum",
                        OldWord.class,
                        OldSum.class,
                        _ ->
                                Server.<OldWord, OldSum>of(new OldSum(0))
                                        .call(
                                                OldAdd.class,
                                                (now, add) -> {
                                                    long sum = now.cents + add.cents;
                                                    return Reply.of(sum, new OldSum(sum));
                                                }))
                .named(OldSum.class, "state");
    }

    private static EntityKind<NewWord, NewSum> newer() {
        return EntityKind.<NewWord, NewSum>durable(
                        "sum",
                        NewWord.class,
                        NewSum.class,
                        _ ->
                                Server.<NewWord, NewSum>of(new NewSum(0, "none"))
                                        .call(
                                                NewAdd.class,
                                                (now, add) -> {
                                                    long sum = now.cents + add.cents;
                                                    return Reply.of(sum, new NewSum(sum, add.why));
                                                }))
                .named(NewSum.class, "state");
    }

    private long add(String node, String key, long cents) {
        Entities<OldWord> old = older.get(node);
        return old != null
                ? old.ref(key).<Long>ask(to -> new OldAdd(cents, to), LIMIT)
                : Objects.requireNonNull(newer.get(node), node)
                        .ref(key)
                        .<Long>ask(to -> new NewAdd(cents, "new", to), LIMIT);
    }

    private static String key(int i) {
        return "k" + i % KEYS;
    }

    /** From each node that is not about to leave, one after the other. */
    private void load(SimCluster cluster) throws Exception {
        for (int i = 0; ; i++) {
            String node = "n" + (1 + i % 3);
            String key = key(i);
            if (!leaving.contains(node)) {
                try {
                    long sum = cluster.on(node, () -> add(node, key, 1));
                    long expected = sums.merge(key, 1L, Long::sum);
                    if (sum != expected) {
                        failures.add(key + " has " + sum + ", and not " + expected);
                    }
                } catch (AskException failed) {
                    failures.add(node + " " + key + " " + failed);
                }
            }
            Fiber.sleep(Duration.ofMillis(5));
        }
    }

    private void exchange(SimCluster cluster, String node, Version by) throws Exception {
        leaving.add(node);
        assertTrue(cluster.on(node, () -> cluster.node(node).leave(Duration.ofSeconds(20))), node);
        cluster.restart(node, options -> start(options, by));
        Fiber.sleep(Duration.ofSeconds(6));
        leaving.remove(node);
    }

    private static int shares(SimCluster cluster, String node) {
        return Objects.requireNonNull(cluster.node(node).dump().shards()).own().size();
    }

    @Test
    void A8_aNewerProgramReadsTheStatesOfTheOlderOneAndAnOlderOneRefusesThoseOfTheNewer() {
        for (long seed : new long[] {1, 2}) {
            older.clear();
            newer.clear();
            failures.clear();
            sums.clear();
            SimCluster.run(
                    3,
                    seed,
                    seed != 1,
                    options -> start(options, Version.OLD),
                    cluster -> {
                        assertTrue(cluster.awaitPeers(LONG));
                        Fiber.sleep(Duration.ofSeconds(8));
                        Fiber<?> load = Fiber.spin("load", () -> load(cluster));
                        for (String each : List.of("n1", "n2", "n3")) {
                            exchange(cluster, each, Version.NEW);
                        }
                        load.terminate();
                        load.awaitEnd(LONG);
                        assertEquals(List.of(), failures);
                        assertEquals(KEYS, sums.size());
                        goBack(cluster);
                    });
        }
    }

    /** One node at first: it owns nothing while there is a newer one. */
    private void goBack(SimCluster cluster) throws Exception {
        exchange(cluster, "n1", Version.OLD);
        assertEquals(0, shares(cluster, "n1"));
        for (String each : List.of("n2", "n3")) {
            assertTrue(
                    cluster.on(each, () -> cluster.node(each).leave(Duration.ofSeconds(20))), each);
        }
        Fiber.sleep(Duration.ofSeconds(2));
        assertEquals(256, shares(cluster, "n1"));
        AskFailedException refused =
                assertThrows(
                        AskFailedException.class,
                        () -> cluster.on("n1", () -> add("n1", key(0), 1)));
        String why = String.valueOf(refused.getMessage());
        assertTrue(why.contains("last"), why);
        assertEquals(1L, cluster.on("n1", () -> add("n1", "other", 1)));
        cluster.restart("n2", options -> start(options, Version.NEW));
        Fiber.sleep(Duration.ofSeconds(8));
        assertTrue(cluster.on("n1", () -> cluster.node("n1").leave(LONG)));
        long sum = Objects.requireNonNull(sums.get(key(0)));
        assertEquals(sum + 1, cluster.on("n2", () -> add("n2", key(0), 1)));
    }
}
