package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.cluster.entity.EntityException;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.FiberTimeoutException;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/**
 * The part of a store that belongs to one host of entities. Each call has a limit: an entity whose
 * store does not answer fails, and does not wait for ever.
 */
public final class StateStore {
    /** A call without an answer is left after so long; its outcome is unknown then. */
    static final Duration CALL_LIMIT = Duration.ofSeconds(10);

    private final Store store;
    private final String prefix;

    public StateStore(Store store, String host) {
        this.store = store;
        this.prefix = host + "/";
    }

    /** The key in the store. */
    public String full(String key) {
        return prefix + key;
    }

    StoreEntry read(String key) {
        try {
            return CancelScope.cancelAfter(CALL_LIMIT, () -> store.read(full(key)));
        } catch (FiberTimeoutException left) {
            throw new EntityException(
                    full(key) + " was not read: the store gave no answer within " + CALL_LIMIT,
                    left);
        }
    }

    /** The key that {@link #full} has made it of. */
    String within(String full) {
        return full.substring(prefix.length());
    }

    List<StoreEntry> list(String keyPrefix, String afterFull, int max) {
        return CancelScope.cancelAfter(
                CALL_LIMIT, () -> store.list(full(keyPrefix), afterFull, max));
    }

    WriteResult replace(String key, long revision, byte @Nullable [] value) {
        try {
            return CancelScope.cancelAfter(
                    CALL_LIMIT, () -> store.replace(full(key), revision, value));
        } catch (FiberTimeoutException left) {
            return new WriteResult.Unknown(left);
        }
    }
}
