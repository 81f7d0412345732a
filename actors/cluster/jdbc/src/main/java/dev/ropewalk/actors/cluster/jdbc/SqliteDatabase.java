package dev.ropewalk.actors.cluster.jdbc;

import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * SQLite in a file that this process has alone, by one connection.
 *
 * <p>With a rollback journal and not with a write-ahead log: of a damaged log SQLite drops the rest
 * without a word, and with it acknowledged writes. A damaged file is found when it is opened: all
 * of it is read then.
 *
 * <p>Transactions are begun and ended by statements, and not by the driver: after a full disk
 * SQLite has rolled back by itself, and the driver would take the next statements for a part of the
 * transaction that is gone.
 */
final class SqliteDatabase implements Database {
    private static final Log LOG = Logs.logger(SqliteDatabase.class);
    private static final long CLOSE_LIMIT_MS = 5_000;

    // From sqlite3.h
    private static final int BUSY = 5;
    private static final int READONLY = 8;
    private static final int IOERR = 10;
    private static final int CORRUPT = 11;
    private static final int FULL = 13;
    private static final int CANTOPEN = 14;
    private static final int NOTADB = 26;

    private static final String WRITABLE = "make the file and its folder writable for this process";

    private final Rows rows;
    private final String store;
    private final Connection connection;

    /** Held for each statement, and for a whole transaction. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Path file;

    /** The identity of the file that was opened; null where the system has none. */
    private @Nullable Object identity;

    /** Keeps others from the path, whatever becomes of the file. */
    private final FileLock path;

    private volatile boolean isClosing;

    /** The last one given; guarded by the lock. */
    private long revision;

    private SqliteDatabase(
            Rows rows, JdbcOptions options, Path file, Connection connection, FileLock path) {
        this.rows = rows;
        this.store = options.toString();
        this.file = file;
        this.connection = connection;
        this.path = path;
    }

    private static @Nullable Object identity(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (IOException gone) {
            return null;
        }
    }

    static SqliteDatabase open(JdbcOptions options, Path file, Rows rows) throws SQLException {
        FileLock path = lockOf(options, file);
        boolean isNew = false;
        boolean isOpen = false;
        try {
            checkNotEmpty(options, file);
            isNew = !Files.exists(file);
            SqliteDatabase made = connect(options, file, rows, path);
            isOpen = true;
            return made;
        } finally {
            if (!isOpen) {
                if (isNew) {
                    deleteIfEmpty(file);
                }
                release(path);
            }
        }
    }

    /** SQLite's own lock is lost when this process closes a copy that it has made of the file. */
    private static FileLock lockOf(JdbcOptions options, Path file) {
        Path beside = file.resolveSibling(file.getFileName() + ".lock");
        FileChannel channel = null;
        FileLock lock = null;
        try {
            channel = FileChannel.open(beside, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            lock = channel.tryLock();
        } catch (OverlappingFileLockException here) {
            lock = null;
        } catch (IOException failure) {
            throw new StoreException(
                    options
                            + " cannot be opened: "
                            + failure
                            + "; make its folder, writable for this process",
                    failure);
        } finally {
            if (lock == null && channel != null) {
                closeQuietly(channel);
            }
        }
        if (lock == null) {
            throw new StoreException(
                    options
                            + " cannot be opened: another process or store has the file open; give"
                            + " each a file of its own",
                    null);
        }
        return lock;
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException ignored) {
            // It has nothing that could be lost.
        }
    }

    private static void release(FileLock lock) {
        if (lock.acquiredBy() instanceof FileChannel channel) {
            closeQuietly(channel);
        }
    }

    /** One that this process has made and not filled: the next opening must not find it empty. */
    private static void deleteIfEmpty(Path file) {
        try {
            if (Files.size(file) == 0) {
                Files.delete(file);
            }
        } catch (IOException ignored) {
            // The next opening says what to do with it.
        }
    }

    private static SqliteDatabase connect(JdbcOptions options, Path file, Rows rows, FileLock path)
            throws SQLException {
        Properties settings = new Properties();
        settings.setProperty("journal_mode", "TRUNCATE");
        settings.setProperty("synchronous", "FULL");
        settings.setProperty("locking_mode", "EXCLUSIVE");
        settings.setProperty("busy_timeout", "1000");
        Connection connection = DriverManager.getConnection(options.url(), settings);
        boolean isOpen = false;
        try {
            SqliteDatabase made = new SqliteDatabase(rows, options, file, connection, path);
            made.begin();
            made.identity = identity(file);
            made.check();
            made.execute("commit");
            isOpen = true;
            return made;
        } finally {
            if (!isOpen) {
                connection.close();
            }
        }
    }

    /** SQLite takes an empty file for a new database, and all that was in it would be forgotten. */
    private static void checkNotEmpty(JdbcOptions options, Path file) {
        try {
            if (Files.isRegularFile(file) && Files.size(file) == 0) {
                throw new StoreException(
                        options
                                + " is damaged: the file is empty; restore it from a copy, or"
                                + " delete it to begin anew",
                        null);
            }
        } catch (IOException unreadable) {
            throw new StoreException(
                    options + " cannot be opened: " + unreadable.getMessage(), unreadable);
        }
    }

    private void begin() throws SQLException {
        execute("begin immediate");
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void check() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try (ResultSet found = statement.executeQuery("pragma integrity_check")) {
                String first = found.next() ? found.getString(1) : "nothing";
                if (!first.equals("ok")) {
                    throw damaged(first);
                }
            }
            statement.execute(
                    "create table if not exists "
                            + rows.table()
                            + " (name text not null primary key, revision integer not null,"
                            + " crc integer not null, value blob not null)");
        }
        if (rows.isThere(connection)) {
            revision = rows.read(connection, Rows.OWN).revision();
            long greatest = rows.check(connection);
            if (greatest > revision) {
                throw damaged("it is at revision " + revision + ", and has one of " + greatest);
            }
        }
        writeOwn(revision, revision + 1); // only a write takes the file for this process
        revision++;
    }

    private StoreException damaged(String how) {
        return new StoreException(
                store + " is damaged: " + how + "; restore the file from a copy", null);
    }

    /** The store's own row has the last revision that was given. */
    private void writeOwn(long from, long to) throws SQLException {
        PendingWrite own = new PendingWrite(Rows.OWN, from, Rows.FORMAT);
        if (!rows.write(connection, List.of(own), new long[] {to})[0]) {
            throw damaged("its own row cannot be written");
        }
    }

    @Override
    public long[] write(List<PendingWrite> batch) throws SQLException {
        lock.lock();
        try {
            checkWritable();
            begin();
            try {
                long[] written = writeIn(batch);
                checkInPlace();
                execute("commit");
                return written;
            } catch (SQLException | RuntimeException failure) {
                rollBack(failure);
                throw failure;
            }
        } finally {
            unlock();
        }
    }

    /**
     * The file may become read-only, and a commit that finds it so leaves pages to be restored,
     * without which SQLite reads nothing.
     */
    private void checkWritable() throws SQLException {
        if (Files.exists(file) && !Files.isWritable(file)) {
            throw new SQLException("the file is read-only", null, READONLY);
        }
    }

    /** The file may be deleted, moved or replaced, which SQLite does not see any more. */
    private void checkInPlace() throws SQLException {
        if (!Objects.equals(identity(file), identity)) {
            throw new SQLException(
                    "the file was deleted, moved or replaced while it was open; put it back, or"
                            + " open the store again");
        }
    }

    private long[] writeIn(List<PendingWrite> batch) throws SQLException {
        long[] revisions = new long[batch.size()];
        for (int i = 0; i < revisions.length; i++) {
            revisions[i] = ++revision; // those of a transaction that fails are given to nobody
        }
        writeOwn(rows.read(connection, Rows.OWN).revision(), revision);
        return Rows.withoutRefused(revisions, rows.write(connection, batch, revisions));
    }

    private void rollBack(Exception failure) {
        try {
            execute("rollback");
        } catch (SQLException alreadyDone) { // by SQLite itself, as after a full disk
            failure.addSuppressed(alreadyDone);
        }
    }

    @Override
    public <T> T query(Query<T> query) throws SQLException {
        try {
            lock.lockInterruptibly(); // its caller may leave while the disk is stuck
        } catch (InterruptedException left) {
            Thread.currentThread().interrupt();
            throw new SQLException("the read was left", left);
        }
        try {
            return query.run(connection);
        } finally {
            unlock();
        }
    }

    /** A close that has waited in vain is left to the one that had the lock. */
    private void unlock() {
        try {
            if (isClosing) {
                closeHere();
            }
        } catch (SQLException failure) {
            LOG.warn("{} was closed late, and failed", store, failure);
        } finally {
            lock.unlock();
        }
    }

    private void closeHere() throws SQLException {
        try {
            connection.close();
        } finally {
            release(path);
        }
    }

    @Override
    public int readers() {
        return 1;
    }

    @Override
    public int writers() {
        return 1;
    }

    @Override
    public boolean isShared() {
        return false;
    }

    /** Advice about a failure; empty if there is none. */
    static String remedy(Path file, SQLException failure) {
        return switch (failure.getErrorCode() & 0xFF) {
            case BUSY -> "another process or store has the file open; give each a file of its own";
            case READONLY -> WRITABLE;
            // In the middle of a write SQLite says no more than that.
            case IOERR ->
                    Files.exists(file) && !Files.isWritable(file)
                            ? WRITABLE
                            : "the system refused to read or write the file; look into its log";
            case CORRUPT, NOTADB -> "the file is damaged, or no database; restore it from a copy";
            case FULL -> "the disk is full; make room on it";
            case CANTOPEN -> "make the folder, or name another one";
            default -> "";
        };
    }

    @Override
    public void close() throws SQLException {
        isClosing = true;
        boolean isMine = false;
        try {
            isMine = lock.tryLock(CLOSE_LIMIT_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException again) {
            Thread.currentThread().interrupt();
        }
        if (isMine) {
            try {
                closeHere();
            } finally {
                lock.unlock();
            }
        }
    }
}
