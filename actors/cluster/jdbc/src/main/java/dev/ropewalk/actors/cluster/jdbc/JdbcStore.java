package dev.ropewalk.actors.cluster.jdbc;

import dev.ropewalk.actors.cluster.internal.store.StoreWatches;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.actors.cluster.store.StoreWatch;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.blocking.BlockingOptions;
import dev.ropewalk.fibers.blocking.BlockingPool;
import dev.ropewalk.fibers.blocking.BlockingRejectedException;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A store in a table of a database, SQLite or PostgreSQL.
 *
 * {@snippet file="dev/ropewalk/actors/cluster/jdbc/JdbcSnippetsTest.java" region="open"}
 *
 * <p>Calls wait on other threads, for one of a bounded number of connections; cords go on
 * meanwhile. Writes that wait together share a transaction, so those of one turn are in two at
 * most. A write is acknowledged when the database has committed it to the disk. A read that is left
 * is interrupted; a write that is left is carried out if it has begun.
 *
 * <p>SQLite checks the whole file when it is opened, which takes longer the larger it is, and holds
 * it until it is closed or the process ends. Not for fibers on a virtual clock: the database is
 * real, and its answers come from other threads.
 */
public final class JdbcStore implements Store {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private final JdbcOptions options;
    private final Rows rows;
    private final Database database;
    private final BlockingPool readers;
    private final WriteQueue writes;
    private final StoreWatches watches;
    private volatile boolean isClosed;

    private JdbcStore(JdbcOptions options) {
        this.options = options;
        this.rows = new Rows(options.toString(), options.table());
        this.database = open(options, rows);
        this.readers =
                new BlockingPool(
                        BlockingOptions.named("store").withMaxConcurrency(database.readers()));
        this.writes = new WriteQueue(options.toString(), database.writers(), this::write);
        this.watches =
                database.isShared()
                        ? StoreWatches.looking(options.toString(), this::revisions)
                        : StoreWatches.told(options.toString());
    }

    private static Database open(JdbcOptions options, Rows rows) {
        Path file = options.file();
        try {
            return file == null
                    ? PostgresqlDatabase.open(options, rows)
                    : SqliteDatabase.open(options, file, rows);
        } catch (SQLException failure) {
            throw failed(options, "cannot be opened", failure);
        }
    }

    private static StoreException failed(JdbcOptions options, String how, SQLException failure) {
        String remedy = remedy(options, failure);
        return new StoreException(
                options
                        + " "
                        + how
                        + ": "
                        + failure.getMessage()
                        + (remedy.isEmpty() ? "" : "; " + remedy),
                failure);
    }

    private static String remedy(JdbcOptions options, SQLException failure) {
        if (String.valueOf(failure.getMessage()).startsWith("No suitable driver")) {
            return "add the driver of the database to the class path";
        }
        Path file = options.file();
        return file == null
                ? PostgresqlDatabase.remedy(failure)
                : SqliteDatabase.remedy(file, failure);
    }

    /**
     * Opens the database, makes the table if it is not there, and checks what is. A switchpoint.
     *
     * @param options which database
     * @return the store
     * @throws StoreException if the database is not reached, is damaged, is written with another
     *     format, or is a file that another process has
     */
    public static JdbcStore open(JdbcOptions options) {
        Objects.requireNonNull(options, "options");
        return Blocking.call(() -> new JdbcStore(options));
    }

    // ---------------------------------------------------------------- reading

    @Override
    public StoreEntry read(String key) {
        Store.checkKey(key);
        return query("cannot read " + key, connection -> rows.read(connection, key));
    }

    @Override
    public List<StoreEntry> list(String prefix, String after, int max) {
        Objects.requireNonNull(prefix, "prefix");
        Objects.requireNonNull(after, "after");
        if (max < 1) {
            throw new IllegalArgumentException("max=" + max + " < 1");
        }
        return query(
                "cannot list " + prefix, connection -> rows.page(connection, prefix, after, max));
    }

    private <T> T query(String how, Database.Query<T> query) {
        try {
            return readers.call(() -> database.query(query));
        } catch (SQLException failure) {
            throw failed(options, how, failure);
        } catch (BlockingRejectedException | IllegalStateException failure) {
            if (!isClosed) {
                throw failure; // of the caller: no fiber runs there
            }
            throw new StoreException(options + " is closed, and " + how, failure);
        }
    }

    // ---------------------------------------------------------------- writing

    @Override
    public WriteResult replace(String key, long revision, byte @Nullable [] value) {
        Store.checkWrite(key, revision, value);
        Waits.switchpoint();
        // A copy, because a caller that leaves may use its array again while this is written.
        byte[] copy = value == null ? null : value.clone();
        return writes.write(new PendingWrite(key, revision, copy));
    }

    /** One transaction; on a thread of the queue. */
    private void write(List<PendingWrite> batch) {
        try {
            long[] written = database.write(batch);
            for (int i = 0; i < written.length; i++) {
                batch.get(i)
                        .give(
                                written[i] == 0
                                        ? new WriteResult.Refused()
                                        : new WriteResult.Written(written[i]));
            }
        } catch (SQLException failure) {
            WriteQueue.giveUp(batch, failed(options, "cannot write", failure));
        } finally {
            watches.changed(batch.stream().map(each -> each.key).toList());
        }
    }

    // ---------------------------------------------------------------- the rest

    /**
     * Tells of changes. Those of this process are told at once; those of others within half a
     * second, which costs a look at all keys of the prefix each time.
     *
     * @throws IllegalStateException if the store is closed
     */
    @Override
    public StoreWatch watch(String prefix, Consumer<String> changed) {
        return watches.watch(
                Objects.requireNonNull(prefix, "prefix"),
                Objects.requireNonNull(changed, "changed"));
    }

    private Map<String, Long> revisions(String prefix) throws SQLException {
        return database.query(connection -> rows.revisions(connection, prefix));
    }

    /** {@return whether it is SQLite's, which locks its file} */
    @Override
    public boolean isOfOneProcess() {
        return !database.isShared();
    }

    /**
     * Ends its connections, when the writes that are under way are over, or after five seconds;
     * calls that wait fail, with an unknown outcome. A switchpoint.
     */
    @Override
    public void close() {
        Waits.cleanUp(
                () -> {
                    Blocking.run(this::closeAll);
                    return true;
                });
    }

    private void closeAll() {
        isClosed = true;
        try (Database _ = database) {
            watches.close();
            writes.close(CLOSE_LIMIT.toMillis());
            readers.close(Duration.ofSeconds(1));
        } catch (InterruptedException again) {
            Thread.currentThread().interrupt();
        } catch (SQLException failure) {
            throw failed(options, "cannot be closed", failure);
        }
    }

    /** For tests. */
    Database database() {
        return database;
    }

    /** For tests. */
    void checkInvariants() {
        writes.checkInvariants();
    }

    @Override
    public String toString() {
        return options.toString();
    }
}
