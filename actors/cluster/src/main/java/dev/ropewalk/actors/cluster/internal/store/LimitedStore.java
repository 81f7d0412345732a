package dev.ropewalk.actors.cluster.internal.store;

import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.FiberTimeoutException;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/**
 * A store whose calls have a limit, so that an engine that gives no answer keeps nobody waiting. A
 * read or a list that is left throws {@link FiberTimeoutException}; a write that is left is one of
 * unknown outcome, because it may take effect. For any thread.
 */
public final class LimitedStore {
    /** A call without an answer is left after so long. */
    public static final Duration LIMIT = Duration.ofSeconds(10);

    private final Store store;
    private final Duration limit;

    public LimitedStore(Store store) {
        this(store, LIMIT);
    }

    /** With another limit. */
    public LimitedStore(Store store, Duration limit) {
        this.store = store;
        this.limit = limit;
    }

    public StoreEntry read(String key) {
        return CancelScope.cancelAfter(limit, () -> store.read(key));
    }

    public WriteResult replace(String key, long revision, byte @Nullable [] value) {
        try {
            return CancelScope.cancelAfter(limit, () -> store.replace(key, revision, value));
        } catch (FiberTimeoutException left) {
            return new WriteResult.Unknown(left);
        }
    }

    public List<StoreEntry> list(String prefix, String after, int max) {
        return CancelScope.cancelAfter(limit, () -> store.list(prefix, after, max));
    }
}
