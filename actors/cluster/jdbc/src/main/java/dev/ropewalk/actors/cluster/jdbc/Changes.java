package dev.ropewalk.actors.cluster.jdbc;

import dev.ropewalk.actors.cluster.store.StoreWatch;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;

import java.sql.SQLException;
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
 * The watches of a store. One thread tells listeners, and is there as long as a watch is: a
 * listener that asks the store in spite of its contract holds up other listeners, and no write.
 * Writes of this process are told at once; where others write too, the thread looks at the
 * revisions below each watched prefix twice a second.
 */
final class Changes {
    private static final Log LOG = Logs.logger(Changes.class);
    private static final long LOOK_MS = 500;

    private final Database database;
    private final Rows rows;
    private final String store;
    private final List<Watch> watches = new CopyOnWriteArrayList<>();

    /** Keys that were written and not told yet, each once; guarded by this. */
    private Set<String> written = new LinkedHashSet<>();

    private @Nullable ScheduledExecutorService teller;
    private boolean isClosed;

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

        void look() {
            Map<String, Long> before = seen;
            Map<String, Long> now;
            try {
                now = database.query(connection -> rows.revisions(connection, prefix));
                isFailing = false;
            } catch (SQLException | RuntimeException failure) {
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

    Changes(Database database, Rows rows, String store) {
        this.database = database;
        this.rows = rows;
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
                    Executors.newSingleThreadScheduledExecutor(
                            Thread.ofVirtual().name("watches of " + store).factory());
            if (database.isShared()) {
                ScheduledFuture<?> _ =
                        teller.scheduleWithFixedDelay(
                                this::look, 0, LOOK_MS, TimeUnit.MILLISECONDS);
            }
        }
        return made;
    }

    /** This process has written them, or perhaps. */
    synchronized void wrote(Collection<String> keys) {
        if (teller != null && !watches.isEmpty()) {
            if (written.isEmpty()) {
                teller.execute(this::tellWritten);
            }
            written.addAll(keys);
        }
    }

    private void tellWritten() {
        Set<String> keys;
        synchronized (this) {
            keys = written;
            written = new LinkedHashSet<>();
        }
        for (Watch each : watches) {
            keys.forEach(each::tell);
        }
    }

    private void look() {
        watches.forEach(Watch::look);
    }

    private synchronized void stopIfIdle() {
        if (watches.isEmpty() && teller != null) {
            teller.shutdown();
            teller = null;
            written = new LinkedHashSet<>();
        }
    }

    synchronized void close() {
        isClosed = true;
        watches.forEach(each -> each.isOver = true);
        watches.clear();
        stopIfIdle();
    }
}
