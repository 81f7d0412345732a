package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.cluster.entity.EntityException;
import dev.ropewalk.actors.cluster.internal.shard.ShardHead;
import dev.ropewalk.actors.cluster.internal.store.LimitedStore;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.fibers.FiberTimeoutException;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The part of a store that belongs to one host of entities. Each call has a limit: an entity whose
 * store does not answer fails, and does not wait for ever.
 */
public final class StateStore {
    private final LimitedStore store;
    private final String prefix;

    /** Whether the shards of the keys that are there are those of this program. */
    private volatile boolean isChecked;

    private StateStore(Store store, String prefix, boolean isChecked) {
        this.store = new LimitedStore(store);
        this.prefix = prefix + "/";
        this.isChecked = isChecked;
    }

    /** Of a process that owns all; the first call looks at the table of shards, or makes it. */
    public static StateStore ofHost(Store store, String host) {
        return new StateStore(store, host, false);
    }

    /** Of a node, which owns shards by the table of its cluster. */
    public static StateStore ofCluster(Store store, String cluster) {
        return new StateStore(store, cluster, true);
    }

    /**
     * Waits for the store, once.
     *
     * @throws EntityException if the states that are there are found by other shards
     */
    private void check() {
        if (isChecked) {
            return;
        }
        String key = full(ShardHead.KEY);
        StoreEntry table = store.read(key);
        if (!table.isPresent()) {
            WriteResult _ = store.replace(key, table.revision(), ShardHead.bytes());
            table = store.read(key); // whatever came of it, or of that of another fiber
        }
        String refusal = table.isPresent() ? ShardHead.refusal(table) : key + " was not written";
        if (refusal != null) {
            throw new EntityException(refusal);
        }
        isChecked = true;
    }

    /** The key in the store. */
    public String full(String key) {
        return prefix + key;
    }

    /** The key that {@link #full} has made it of. */
    String within(String full) {
        return full.substring(prefix.length());
    }

    StoreEntry read(String key) {
        try {
            check();
            return store.read(full(key));
        } catch (FiberTimeoutException left) {
            throw new EntityException(
                    full(key)
                            + " was not read: the store gave no answer within "
                            + LimitedStore.LIMIT,
                    left);
        }
    }

    List<StoreEntry> list(String keyPrefix, String afterFull, int max) {
        check();
        return store.list(full(keyPrefix), afterFull, max);
    }

    WriteResult replace(String key, long revision, byte @Nullable [] value) {
        check();
        return store.replace(full(key), revision, value);
    }
}
