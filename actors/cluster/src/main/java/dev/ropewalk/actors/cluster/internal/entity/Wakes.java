package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.List;

/**
 * Starts the entities of a kind that have messages to deliver, or are remembered, when a process
 * begins with their states: an actor that is told shards. So many a second that the process has
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

    /** In all shards: this process owns them for ever. */
    public static void all(Supervisor above, StateStore store, EntityHome<?> home) {
        ActorRef<Integer> wakes = start(above, store, home);
        for (int shard = 0; shard < Shards.COUNT; shard++) {
            wakes.tell(shard);
        }
    }

    /** An actor that is told shards of this process. */
    static ActorRef<Integer> start(Supervisor above, StateStore store, EntityHome<?> home) {
        return above.spin(
                "wakes " + home.kind(), Actor.<Integer>loop(self -> run(self, store, home)));
    }

    private static void run(ActorContext<Integer> self, StateStore store, EntityHome<?> home) {
        while (true) {
            int shard = self.receive();
            if (!isSeen(store, home, shard)) {
                self.timers().once(AGAIN, shard); // the others need not wait for it
            }
        }
    }

    /**
     * False if the store gave no answer, or has damaged entries in that shard, or the lease is not
     * held at this moment.
     */
    private static boolean isSeen(StateStore store, EntityHome<?> home, int shard) {
        Ownership ownership = home.ownership();
        String prefix = DurableDefinitions.prefix(home.kind(), shard);
        String after = "";
        while (true) {
            if (!ownership.mayWork(shard)) {
                return ownership.epoch(shard) == 0; // its next owner sees them
            }
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
                if (home.isRemembered() ? StateFile.isAny(each) : StateFile.isWaiting(each)) {
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
