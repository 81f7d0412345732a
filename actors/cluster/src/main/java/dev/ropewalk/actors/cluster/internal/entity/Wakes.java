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
import java.util.concurrent.atomic.AtomicLong;

/**
 * Starts the entities of a kind that have messages to deliver, or are remembered, when a process
 * begins with their states: an actor that is told shards. So many a second that the process has
 * time for its other work.
 */
public final class Wakes {
    private static final Log LOG = Logs.logger(Wakes.class);

    /** Few, because a state may be large. */
    private static final int PAGE = 16;

    private static final Duration AGAIN = Duration.ofSeconds(5);

    private final StateStore store;
    private final EntityHome<?> home;
    private final Pace pace;

    /** Not before then again. */
    private long complainNs = Waits.nanoTime();

    private Wakes(StateStore store, EntityHome<?> home, Pace pace) {
        this.store = store;
        this.home = home;
        this.pace = pace;
    }

    /** The starts of all kinds of a host, 100 a second at most. For any thread. */
    public static final class Pace {
        private static final long EACH_NS = Duration.ofMillis(10).toNanos();

        private final AtomicLong nextNs = new AtomicLong(Waits.nanoTime());

        /** Waits for its turn, and begins that of the next one. */
        void await() {
            long nowNs = Waits.nanoTime();
            long turnNs = nextNs.getAndUpdate(next -> Math.max(next - nowNs, 0) + nowNs + EACH_NS);
            long leftNs = turnNs - nowNs;
            if (leftNs > 0) {
                Fiber.sleep(Duration.ofNanos(leftNs));
            }
        }
    }

    /** In all shards: this process owns them for ever. */
    public static void all(Supervisor above, StateStore store, EntityHome<?> home, Pace pace) {
        ActorRef<Integer> wakes = start(above, store, home, pace);
        for (int shard = 0; shard < Shards.COUNT; shard++) {
            wakes.tell(shard);
        }
    }

    /** An actor that is told shards of this process. */
    static ActorRef<Integer> start(
            Supervisor above, StateStore store, EntityHome<?> home, Pace pace) {
        return above.spin(
                "wakes " + home.kind(),
                Actor.<Integer>loop(self -> new Wakes(store, home, pace).run(self)));
    }

    private void run(ActorContext<Integer> self) {
        while (true) {
            int shard = self.receive();
            if (!isSeen(shard)) {
                self.timers().once(AGAIN, shard); // the others need not wait for it
            }
        }
    }

    /**
     * False if the store gave no answer, or has damaged entries in that shard, or the lease is not
     * held at this moment.
     */
    private boolean isSeen(int shard) {
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
                complain(prefix, failure);
                return false;
            }
            for (StoreEntry each : page) {
                after = each.key();
                if (home.isRemembered() ? StateFile.isAny(each) : StateFile.isWaiting(each)) {
                    pace.await();
                    home.wake(DurableDefinitions.keyOf(store.within(after), home.kind()));
                }
            }
            if (page.size() < PAGE) {
                return true;
            }
        }
    }

    /** Of one shard of those that fail together. */
    private void complain(String prefix, RuntimeException failure) {
        long nowNs = Waits.nanoTime();
        if (nowNs - complainNs >= 0) {
            complainNs = nowNs + AGAIN.toNanos();
            LOG.warn("the entities below {} are not all woken yet", prefix, failure);
        }
    }
}
