package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Starts the entities of a kind that have messages to deliver, when a process begins with their
 * states: an actor, which ends when it has seen them all. So many a second that the process has
 * time for its other work.
 */
public final class Wakes {
    private static final Log LOG = Logs.logger(Wakes.class);

    /** Few, because a state may be large. */
    private static final int PAGE = 16;

    /** 100 a second at most. */
    private static final Duration EACH = Duration.ofMillis(10);

    private static final Duration AGAIN = Duration.ofSeconds(5);

    private Wakes() {}

    /** The actor. */
    public static Actor<Object> actor(StateStore store, EntityHome<?> home) {
        return Actor.loop(_ -> run(store, home));
    }

    private static void run(StateStore store, EntityHome<?> home) {
        List<Integer> shards = IntStream.range(0, Shards.COUNT).boxed().toList();
        while (!shards.isEmpty()) {
            List<Integer> failed = new ArrayList<>();
            for (int shard : shards) {
                if (!isSeen(store, home, shard)) {
                    failed.add(shard); // the others need not wait for it
                }
            }
            shards = failed;
            if (!failed.isEmpty()) {
                Fiber.sleep(AGAIN);
            }
        }
    }

    /** False if the store gave no answer, or has damaged entries in that shard. */
    private static boolean isSeen(StateStore store, EntityHome<?> home, int shard) {
        String prefix = DurableDefinitions.prefix(home.kind(), shard);
        String after = "";
        while (true) {
            List<StoreEntry> page;
            try {
                page = store.list(prefix, after, PAGE);
            } catch (RuntimeException failure) {
                Waits.throwIfSignal(failure);
                LOG.warn("the entities below {} are not all woken yet", prefix, failure);
                return false;
            }
            for (StoreEntry each : page) {
                after = each.key();
                if (StateFile.isWaiting(each)) {
                    home.wake(DurableDefinitions.keyOf(store.within(after), home.kind()));
                    Fiber.sleep(EACH);
                }
            }
            if (page.size() < PAGE) {
                return true;
            }
        }
    }
}
