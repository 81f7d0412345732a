package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.cluster.entity.EntityException;
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

    public StateStore(Store store, String host) {
        this.store = new LimitedStore(store);
        this.prefix = host + "/";
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
        return store.list(full(keyPrefix), afterFull, max);
    }

    WriteResult replace(String key, long revision, byte @Nullable [] value) {
        return store.replace(full(key), revision, value);
    }
}
