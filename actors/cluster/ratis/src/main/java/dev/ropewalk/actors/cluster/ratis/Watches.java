package dev.ropewalk.actors.cluster.ratis;

import dev.ropewalk.actors.cluster.store.StoreWatch;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * The watches of a store. One thread tells listeners of what this server has carried out, and is
 * there as long as a watch is: a listener that is slow holds up other listeners, and neither the
 * log nor a write. Keys that wait to be told are a set, so it is bounded by the entries.
 */
final class Watches {
    private static final Log LOG = Logs.logger(Watches.class);

    private final String store;
    private final List<Watch> watches = new CopyOnWriteArrayList<>();

    /** Keys that have changed and were not told yet, each once; guarded by this. */
    private Set<String> untold = new LinkedHashSet<>();

    private @Nullable ExecutorService teller;
    private boolean isClosed;

    private final class Watch implements StoreWatch {
        private final String prefix;
        private final Consumer<String> changed;
        private volatile boolean isOver;

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

        @Override
        public void close() {
            isOver = true;
            watches.remove(this);
            stopIfIdle();
        }
    }

    Watches(String store) {
        this.store = store;
    }

    synchronized StoreWatch watch(String prefix, Consumer<String> changed) {
        if (isClosed) {
            throw new IllegalStateException(store + " is closed; watch it before");
        }
        Watch made = new Watch(prefix, changed);
        watches.add(made);
        if (teller == null) {
            teller =
                    Executors.newSingleThreadExecutor(
                            Thread.ofVirtual().name("watches of " + store).factory());
        }
        return made;
    }

    synchronized void changed(Collection<String> keys) {
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

    synchronized void close() {
        isClosed = true;
        watches.forEach(each -> each.isOver = true);
        watches.clear();
        stopIfIdle();
    }
}
