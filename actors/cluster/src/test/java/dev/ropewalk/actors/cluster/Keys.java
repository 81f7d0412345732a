package dev.ropewalk.actors.cluster;

import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.cluster.testing.SimCluster;

/** Keys of entities by the node that runs them now. */
final class Keys {
    private Keys() {}

    static String on(SimCluster cluster, String node) throws Exception {
        for (int i = 0; i < 1_000; i++) {
            String key = "x" + i;
            if (isOn(cluster, node, key)) {
                return key;
            }
        }
        throw new AssertionError("no key is on " + node);
    }

    static boolean isOn(SimCluster cluster, String node, String key) throws Exception {
        return cluster.on(node, () -> cluster.node(node).entities().mayWork(Shards.of(key)));
    }
}
