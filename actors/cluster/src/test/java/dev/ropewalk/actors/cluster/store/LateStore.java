package dev.ropewalk.actors.cluster.store;

import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.Function;

/**
 * A store far away: a write is on its way for a while, and comes also if its writer is ended
 * meanwhile.
 *
 * @param store behind it
 * @param late how long, of a write that begins now, by its key
 */
public record LateStore(Store store, Function<String, Duration> late) implements StoreInFront {
    @Override
    public WriteResult replace(String key, long revision, byte @Nullable [] value) {
        Duration way = late.apply(key);
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
}
