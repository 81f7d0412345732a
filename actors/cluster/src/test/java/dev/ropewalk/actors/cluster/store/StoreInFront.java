package dev.ropewalk.actors.cluster.store;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Consumer;

/** A store in front of another one, which does all that a test does not change. */
public interface StoreInFront extends Store {
    /** The one behind. */
    Store store();

    @Override
    default StoreEntry read(String key) {
        return store().read(key);
    }

    @Override
    default WriteResult replace(String key, long revision, byte @Nullable [] value) {
        return store().replace(key, revision, value);
    }

    @Override
    default List<StoreEntry> list(String prefix, String after, int max) {
        return store().list(prefix, after, max);
    }

    @Override
    default StoreWatch watch(String prefix, Consumer<String> changed) {
        return store().watch(prefix, changed);
    }

    @Override
    default void close() {
        store().close();
    }
}
