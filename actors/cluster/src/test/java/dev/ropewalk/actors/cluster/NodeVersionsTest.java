package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.fibers.Fiber;

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
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int KEYS = 30;

    /** By node. */
    private final Map<String, RollingSums.Adder> adders = new HashMap<>();

    private final Set<String> leaving = new HashSet<>();
    private final List<String> failures = new ArrayList<>();

    /** By key, as acknowledged. */
    private final Map<String, Long> sums = new HashMap<>();

    private Node start(NodeOptions given, RollingSums version) {
        Node node =
                version.start(given.withDiscovery(Discovery.of()).withStore(MemoryStore.current()));
        adders.put(node.name(), version.entities(node));
        return node;
    }

    private long add(String node, String key) {
        return Objects.requireNonNull(adders.get(node), node).add(key);
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
                    long sum = cluster.on(node, () -> add(node, key));
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

    private void exchange(SimCluster cluster, String node, RollingSums by) throws Exception {
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
            adders.clear();
            failures.clear();
            sums.clear();
            SimCluster.run(
                    3,
                    seed,
                    seed != 1,
                    options -> start(options, RollingSums.OLD),
                    cluster -> {
                        assertTrue(cluster.awaitPeers(LONG));
                        Fiber.sleep(Duration.ofSeconds(8));
                        Fiber<?> load = Fiber.spin("load", () -> load(cluster));
                        for (String each : List.of("n1", "n2", "n3")) {
                            exchange(cluster, each, RollingSums.NEW);
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
        exchange(cluster, "n1", RollingSums.OLD);
        assertEquals(0, shares(cluster, "n1"));
        for (String each : List.of("n2", "n3")) {
            assertTrue(
                    cluster.on(each, () -> cluster.node(each).leave(Duration.ofSeconds(20))), each);
        }
        Fiber.sleep(Duration.ofSeconds(2));
        assertEquals(256, shares(cluster, "n1"));
        AskFailedException refused =
                assertThrows(
                        AskFailedException.class, () -> cluster.on("n1", () -> add("n1", key(0))));
        String why = String.valueOf(refused.getMessage());
        assertTrue(why.contains("last"), why);
        assertEquals(1L, cluster.on("n1", () -> add("n1", "other")));
        cluster.restart("n2", options -> start(options, RollingSums.NEW));
        Fiber.sleep(Duration.ofSeconds(8));
        assertTrue(cluster.on("n1", () -> cluster.node("n1").leave(LONG)));
        long sum = Objects.requireNonNull(sums.get(key(0)));
        assertEquals(sum + 1, cluster.on("n2", () -> add("n2", key(0))));
    }
}
