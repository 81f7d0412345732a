package dev.ropewalk.actors.cluster.store;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

/**
 * A fault for games: some values are written over whatever is there, without compare-and-set.
 *
 * @param store behind it
 * @param isOver which ones, by the key and the value
 * @param late these are on their way for so long at most, and are not called back if their writer
 *     is ended meanwhile
 */
public record CarelessStore(
        Store store, BiPredicate<String, byte @Nullable []> isOver, Duration late)
        implements Store {
    /** One that is not late. */
    public CarelessStore(Store store, BiPredicate<String, byte @Nullable []> isOver) {
        this(store, isOver, Duration.ZERO);
    }

    @Override
    public WriteResult replace(String key, long revision, byte @Nullable [] value) {
        if (!late.isPositive() || !isOver.test(key, value)) {
            return write(key, revision, value);
        }
        Fiber<WriteResult> onItsWay =
                Fiber.spin(
                        "writes " + key,
                        () -> {
                            int ms = Cord.current().nextInt((int) late.toMillis());
                            Fiber.sleep(Duration.ofMillis(ms));
                            return write(key, revision, value);
                        });
        onItsWay.detach();
        return onItsWay.await();
    }

    private WriteResult write(String key, long revision, byte @Nullable [] value) {
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

    @Override
    public StoreEntry read(String key) {
        return store.read(key);
    }

    @Override
    public List<StoreEntry> list(String prefix, String after, int max) {
        return store.list(prefix, after, max);
    }

    @Override
    public StoreWatch watch(String prefix, Consumer<String> changed) {
        return store.watch(prefix, changed);
    }

    @Override
    public void close() {
        store.close();
    }
}
