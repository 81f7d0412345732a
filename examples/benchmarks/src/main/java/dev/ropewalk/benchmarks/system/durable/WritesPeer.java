package dev.ropewalk.benchmarks.system.durable;

import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * As many writers as entities are asked at once, plain threads, without an actor: of a database the
 * same UPDATE by JDBC over as many connections as a store has for writes, and of Ratis its write.
 */
public final class WritesPeer implements Peer {
    /** As many as a store of PostgreSQL has. */
    private static final int CONNECTIONS = 2;

    private @Nullable Table table;
    private @Nullable Opened ratis;
    private long @Nullable [] revisions;

    @Override
    public Map<String, Program> programs() {
        return Opened.programs(n -> updates(n, true), this::writes, n -> updates(n, false));
    }

    @FunctionalInterface
    private interface Write {
        void of(int key) throws SQLException, InterruptedException;
    }

    private static long byAll(long n, Write write) throws InterruptedException {
        AtomicLong done = new AtomicLong();
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < Sizes.REMOTE_ASKERS; i++) {
            int key = i;
            writers.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (long k = 0; k < n / Sizes.REMOTE_ASKERS; k++) {
                                            writeOne(write, key);
                                            done.incrementAndGet();
                                        }
                                    }));
        }
        for (Thread each : writers) {
            each.join();
        }
        return done.get();
    }

    private static void writeOne(Write write, int key) {
        try {
            write.of(key);
        } catch (SQLException | InterruptedException broken) {
            throw new IllegalStateException("key " + key + " is not written", broken);
        }
    }

    // ---------------------------------------------------------------- JDBC

    private long updates(long n, boolean isSqlite) throws SQLException, InterruptedException {
        if (table == null) {
            table = new Table(isSqlite);
        }
        return byAll(n, table::update);
    }

    private static final class Table implements AutoCloseable {
        private final BlockingQueue<Connection> free = new ArrayBlockingQueue<>(CONNECTIONS);
        private final Path folder = Opened.newFolder();
        private final String name = folder.getFileName().toString();

        Table(boolean isSqlite) throws SQLException {
            String url =
                    isSqlite
                            ? "jdbc:sqlite:"
                                    + folder.resolve(Opened.SQLITE_FILE)
                                    + "?journal_mode=TRUNCATE&synchronous=FULL"
                            : Opened.postgresqlUrl();
            for (int i = 0; i < (isSqlite ? 1 : CONNECTIONS); i++) {
                Connection opened = DriverManager.getConnection(url);
                free.add(opened);
                if (!isSqlite) { // as a store does
                    try (Statement set = opened.createStatement()) {
                        set.execute("SET synchronous_commit = on");
                    }
                }
            }
            try (Statement made = free.element().createStatement()) {
                String bytes = isSqlite ? "BLOB" : "BYTEA";
                made.execute(
                        "CREATE TABLE "
                                + name
                                + " (k VARCHAR(80) PRIMARY KEY, revision BIGINT, value "
                                + bytes
                                + ")");
                for (int i = 0; i < Sizes.REMOTE_ASKERS; i++) {
                    made.execute("INSERT INTO " + name + " VALUES ('k" + i + "', 1, NULL)");
                }
            }
        }

        void update(int key) throws SQLException, InterruptedException {
            Connection connection = free.take();
            String update =
                    "UPDATE " + name + " SET revision = revision + 1, value = ? WHERE k = ?";
            try (PreparedStatement statement = connection.prepareStatement(update)) {
                statement.setBytes(1, new byte[2 * Sizes.PAYLOAD]);
                statement.setString(2, "k" + key);
                if (statement.executeUpdate() != 1) {
                    throw new SQLException("no row k" + key);
                }
            } finally {
                free.add(connection);
            }
        }

        @Override
        public void close() throws SQLException {
            try (Statement dropped = free.element().createStatement()) {
                dropped.execute("DROP TABLE " + name);
            }
            for (Connection each : free) {
                each.close();
            }
            Opened.delete(folder);
        }
    }

    // ---------------------------------------------------------------- Ratis

    private long writes(long n) throws InterruptedException {
        if (ratis == null) {
            ratis = Opened.ratis();
        }
        if (revisions == null) {
            revisions = new long[Sizes.REMOTE_ASKERS];
        }
        Store store = ratis.store();
        long[] of = revisions;
        return byAll(n, key -> of[key] = write(store, "k" + key, of[key]));
    }

    private static long write(Store store, String key, long revision) {
        WriteResult result = store.replace(key, revision, new byte[2 * Sizes.PAYLOAD]);
        if (result instanceof WriteResult.Written(long now)) {
            return now;
        }
        StoreEntry there = store.read(key); // the group was not there yet
        return write(store, key, there.revision());
    }

    @Override
    public void close() {
        if (ratis != null) {
            ratis.close();
        }
        if (table != null) {
            try {
                table.close();
            } catch (SQLException broken) {
                throw new IllegalStateException("the table is not closed", broken);
            }
        }
    }
}
