package dev.ropewalk.actors.cluster.internal.store;

import dev.ropewalk.actors.cluster.store.StoreWatch;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The watches of an engine. One thread tells listeners, and is there as long as a watch is: a
 * listener that is slow, or that asks the store in spite of its contract, holds up other listeners,
 * and no write. Keys that wait to be told are a set, so it is bounded by the entries. For any
 * thread.
 */
public final class StoreWatches {
    private static final Log LOG = Logs.logger(StoreWatches.class);
    private static final long LOOK_MS = 500;

    private final String store;

    /** Null if all changes are told. */
    private final @Nullable Revisions revisions;

    private final List<Watch> watches = new CopyOnWriteArrayList<>();

    /** Keys that have changed and were not told yet, each once; guarded by this. */
    private Set<String> untold = new LinkedHashSet<>();

    private @Nullable ScheduledExecutorService teller;
    private boolean isClosed;

    /** The keys that an engine holds now. */
    @FunctionalInterface
    public interface Revisions {
        /**
         * {@return the revision of each key that begins with the prefix} May wait.
         *
         * @throws Exception if the engine cannot tell; it is asked again
         */
        Map<String, Long> below(String prefix) throws Exception;
    }

    private StoreWatches(String store, @Nullable Revisions revisions) {
        this.store = store;
        this.revisions = revisions;
    }

    /** Of an engine that tells of all changes; its name is for the log. */
    public static StoreWatches told(String store) {
        return new StoreWatches(store, null);
    }

    /** Of an engine that others change too, so that it is looked at twice a second. */
    public static StoreWatches looking(String store, Revisions revisions) {
        return new StoreWatches(store, revisions);
    }

    private final class Watch implements StoreWatch {
        private final String prefix;
        private final Consumer<String> changed;
        private volatile boolean isOver;
        private boolean isFailing;

        /** The revisions that were seen last; null before the first look. */
        private @Nullable Map<String, Long> seen;

        Watch(String prefix, Consumer<String> changed) {
            this.prefix = prefix;
            this.changed = changed;
        }

        void tell(String key) {
            if (isOver || !key.startsWith(prefix)) {
                return;
            }
            try {
                changed.accept(key);
            } catch (Throwable failure) { // of one listener; the others are told
                LOG.warn("{}: a listener of {} failed", store, prefix, failure);
            }
        }

        void look(Revisions from) {
            Map<String, Long> before = seen;
            Map<String, Long> now;
            try {
                now = from.below(prefix);
                isFailing = false;
            } catch (Exception failure) {
                if (!isFailing) {
                    LOG.warn("{}: no look at {}, tried again", store, prefix, failure);
                }
                isFailing = true;
                return;
            }
            seen = now;
            Map<String, Long> old = before == null ? Map.of() : before;
            now.forEach(
                    (key, revision) -> {
                        if (!revision.equals(old.get(key))) {
                            tell(key);
                        }
                    });
            old.keySet().stream().filter(key -> !now.containsKey(key)).forEach(this::tell);
        }

        @Override
        public void close() {
            isOver = true;
            watches.remove(this);
            stopIfIdle();
        }
    }

    /**
     * See {@link dev.ropewalk.actors.cluster.store.Store#watch}.
     *
     * @throws IllegalStateException if the store is closed
     */
    public synchronized StoreWatch watch(String prefix, Consumer<String> changed) {
        if (isClosed) {
            throw new IllegalStateException(store + " is closed; watch it before");
        }
        Watch made = new Watch(prefix, changed);
        watches.add(made);
        if (teller == null) {
            teller =
                    Executors.newSingleThreadScheduledExecutor(
                            Thread.ofVirtual().name("watches of " + store).factory());
            if (revisions != null) {
                ScheduledFuture<?> _ =
                        teller.scheduleWithFixedDelay(
                                () -> watches.forEach(each -> each.look(revisions)),
                                0,
                                LOOK_MS,
                                TimeUnit.MILLISECONDS);
            }
        }
        return made;
    }

    /** They have changed, or perhaps. */
    public synchronized void changed(Collection<String> keys) {
        if (teller != null && !watches.isEmpty() && !keys.isEmpty()) {
            if (untold.isEmpty()) {
                teller.execute(this::tell);
            }
            untold.addAll(keys);
        }
    }

    private void tell() {
        Set<String> keys;
        synchronized (this) {
            keys = untold;
            untold = new LinkedHashSet<>();
        }
        for (Watch each : watches) {
            keys.forEach(each::tell);
        }
    }

    private synchronized void stopIfIdle() {
        if (watches.isEmpty() && teller != null) {
            teller.shutdown();
            teller = null;
            untold = new LinkedHashSet<>();
        }
    }

    /** Nobody is told any more, and nobody watches. */
    public synchronized void close() {
        isClosed = true;
        watches.forEach(each -> each.isOver = true);
        watches.clear();
        stopIfIdle();
    }
}
