package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.List;

/**
 * Starts the entities of a kind that have messages to deliver, when a process begins with their
 * states: an actor, which ends when it has seen them all. So many a second that the process has
 * time for its other work.
 */
public final class Wakes {
    private static final Log LOG = Logs.logger(Wakes.class);
    private static final int PAGE = 100;

    /** 100 a second at most. */
    private static final Duration EACH = Duration.ofMillis(10);

    private static final Duration AGAIN = Duration.ofSeconds(5);

    private Wakes() {}

    /** The actor. */
    public static Actor<Object> actor(StateStore store, EntityHome<?> home) {
        return Actor.loop(_ -> run(store, home));
    }

    private static void run(StateStore store, EntityHome<?> home) {
        String prefix = DurableDefinitions.prefix(home.kind());
        String after = "";
        while (true) {
            List<StoreEntry> page = page(store, prefix, after);
            for (StoreEntry each : page) {
                after = each.key();
                if (StateFile.isWaiting(each)) {
                    home.wake(DurableDefinitions.keyOf(store.within(after), home.kind()));
                    Fiber.sleep(EACH);
                }
            }
            if (page.size() < PAGE) {
                return;
            }
        }
    }

    /** Waits for a store that does not answer. */
    private static List<StoreEntry> page(StateStore store, String prefix, String after) {
        while (true) {
            try {
                return store.list(prefix, after, PAGE);
            } catch (RuntimeException failure) {
                Waits.throwIfSignal(failure);
                LOG.warn("the entities below {} are not woken yet", prefix, failure);
            }
            Fiber.sleep(AGAIN);
        }
    }
}
