package dev.ropewalk.actors.cluster.store;

import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A store far away: a write is on its way for a while, and comes also if its writer is ended
 * meanwhile. All else is as behind it.
 *
 * @param store behind it
 * @param late how long, of a write that begins now
 */
public record LateStore(Store store, Supplier<Duration> late) implements Store {
    @Override
    public WriteResult replace(String key, long revision, byte @Nullable [] value) {
        Duration way = late.get();
        if (!way.isPositive()) {
            return store.replace(key, revision, value);
        }
        Fiber<WriteResult> onItsWay =
                Fiber.spin(
                        "writes " + key,
                        () -> {
                            Fiber.sleep(way);
                            return store.replace(key, revision, value);
                        });
        onItsWay.detach();
        return onItsWay.await();
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
