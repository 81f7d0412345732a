package dev.ropewalk.actors.cluster.store;

import org.jspecify.annotations.Nullable;

import java.util.function.BiPredicate;

/**
 * A fault for games: some values are written over whatever is there, without compare-and-set.
 *
 * @param store behind it
 * @param isOver which ones, by the key and the value
 */
public record CarelessStore(Store store, BiPredicate<String, byte @Nullable []> isOver)
        implements StoreInFront {
    @Override
    public WriteResult replace(String key, long revision, byte @Nullable [] value) {
        WriteResult result = store.replace(key, revision, value);
        while (result instanceof WriteResult.Refused && isOver.test(key, value)) {
            try {
                result = store.replace(key, store.read(key).revision(), value);
            } catch (StoreException down) {
                return new WriteResult.Unknown(down);
            }
        }
        return result;
    }
}
