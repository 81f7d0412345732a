package dev.ropewalk.actors.cluster.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;

/**
 * PostgreSQL, for several processes, by a bounded pool of connections. Revisions come from a
 * sequence, so the writers of two batches do not wait for each other.
 */
final class PostgresqlDatabase implements Database {
    private static final Log LOG = Logs.logger(PostgresqlDatabase.class);
    private static final int TRIES = 3;

    /** Two that lock crosswise: the server has ended one of them, which has had no effect. */
    private static final Set<String> UNDONE = Set.of("40P01", "40001");

    /** A server that was demoted: its connections are of no use any more. */
    private static final String READ_ONLY = "25006";

    private final JdbcOptions options;
    private final Rows rows;
    private final HikariDataSource connections;

    private PostgresqlDatabase(JdbcOptions options, Rows rows, HikariDataSource connections) {
        this.options = options;
        this.rows = rows;
        this.connections = connections;
    }

    static PostgresqlDatabase open(JdbcOptions options, Rows rows) throws SQLException {
        HikariDataSource connections = connections(options);
        boolean isOpen = false;
        try {
            PostgresqlDatabase made = new PostgresqlDatabase(options, rows, connections);
            try (Connection connection = connections.getConnection()) {
                connection.setAutoCommit(false);
                made.check(connection);
                connection.commit();
            }
            isOpen = true;
            return made;
        } finally {
            if (!isOpen) {
                connections.close();
            }
        }
    }

    private static HikariDataSource connections(JdbcOptions options) throws SQLException {
        long limitMs = options.callLimit().toMillis();
        String seconds = Long.toString((limitMs + 999) / 1_000);
        HikariConfig config = new HikariConfig();
        config.setPoolName("ropewalk " + options.table());
        config.setJdbcUrl(options.url());
        config.setUsername(options.user());
        config.setPassword(options.password());
        config.setMaximumPoolSize(options.connections());
        config.setConnectionTimeout(limitMs);
        config.setValidationTimeout(Math.min(limitMs, 5_000));
        config.setInitializationFailTimeout(1); // a wrong password is not tried again
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.addDataSourceProperty("socketTimeout", seconds);
        config.addDataSourceProperty("connectTimeout", seconds);
        config.addDataSourceProperty("loginTimeout", seconds);
        config.addDataSourceProperty("tcpKeepAlive", "true");
        config.addDataSourceProperty("targetServerType", "primary"); // a standby's reads are old
        // A client that dies in a transaction must not keep its locks for hours.
        config.setConnectionInitSql(
                "set idle_in_transaction_session_timeout = "
                        + limitMs
                        + "; set lock_timeout = "
                        + limitMs
                        + "; set tcp_user_timeout = "
                        + limitMs);
        try {
            return new HikariDataSource(config);
        } catch (RuntimeException failure) {
            throw sqlCause(failure);
        }
    }

    private static SQLException sqlCause(RuntimeException failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof SQLException reason) {
                return reason;
            }
        }
        return new SQLException(failure);
    }

    private void check(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if ("off".equals(first(statement, "show fsync"))) {
                LOG.warn(
                        "{}: the server has fsync=off, so it may lose acknowledged writes when its"
                                + " machine fails",
                        options);
            }
            // Two processes that come at once would both make it.
            first(statement, "select pg_advisory_xact_lock(hashtext('" + options.table() + "'))");
            String made =
                    first(
                            statement,
                            "select to_regclass('"
                                    + rows.table()
                                    + "') is not null"
                                    + " and to_regclass('"
                                    + sequence()
                                    + "') is not null");
            if (!"t".equals(made)) {
                make(statement);
            }
            if (rows.isThere(connection)) {
                checkSequence(statement);
            } else {
                rows.write(
                        connection,
                        List.of(new PendingWrite(Rows.OWN, 0, Rows.FORMAT)),
                        revisions(connection, 1));
            }
        }
    }

    private static @Nullable String first(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    private void make(Statement statement) throws SQLException {
        statement.executeUpdate(
                "create table if not exists "
                        + rows.table()
                        + " (name text collate \"C\" not null primary key,"
                        + " revision bigint not null, crc bigint not null,"
                        + " value bytea not null)");
        statement.executeUpdate(
                "create sequence if not exists "
                        + sequence()
                        + " owned by "
                        + rows.table()
                        + ".revision");
    }

    /** A table that was restored without its sequence would give revisions a second time. */
    private void checkSequence(Statement statement) throws SQLException {
        String isBehind =
                first(
                        statement,
                        "select (select max(revision) from "
                                + rows.table()
                                + ") > (select last_value from "
                                + sequence()
                                + ")");
        if ("t".equals(isBehind)) {
            throw new StoreException(
                    options
                            + " is damaged: the sequence "
                            + sequence()
                            + " is behind the revisions of the table; restore both from one copy",
                    null);
        }
    }

    /** In quotes, like the table. */
    private String sequence() {
        return '"' + options.table() + "_revision\"";
    }

    // ---------------------------------------------------------------- writing

    @Override
    public long[] write(List<PendingWrite> batch) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                return writeOnce(batch);
            } catch (SQLException failure) {
                String state = String.valueOf(failure.getSQLState());
                if (tries == TRIES || !UNDONE.contains(state)) {
                    throw failure;
                }
            }
        }
    }

    private long[] writeOnce(List<PendingWrite> batch) throws SQLException {
        try (Connection connection = connections.getConnection()) {
            connection.setAutoCommit(false);
            try {
                long[] revisions = revisions(connection, batch.size());
                boolean[] done = rows.write(connection, batch, revisions);
                connection.commit();
                return Rows.withoutRefused(revisions, done);
            } catch (SQLException | RuntimeException failure) {
                rollBack(connection, failure);
                throw failure;
            }
        }
    }

    private void rollBack(Connection connection, Exception failure) {
        try {
            connection.rollback();
        } catch (SQLException again) {
            failure.addSuppressed(again);
        }
        if (failure instanceof SQLException sql && READ_ONLY.equals(sql.getSQLState())) {
            connections.evictConnection(connection);
        }
    }

    /**
     * Revisions that were never given. The same statement has the commit wait for the disk,
     * whatever the server's default, also where a pooler in between gives each transaction another
     * session.
     */
    private long[] revisions(Connection connection, int count) throws SQLException {
        long[] given = new long[count];
        try (PreparedStatement next =
                connection.prepareStatement(
                        "select nextval('"
                                + sequence()
                                + "'), set_config('synchronous_commit', 'on', true)"
                                + " from generate_series(1, ?)")) {
            next.setInt(1, count);
            try (ResultSet numbers = next.executeQuery()) {
                for (int i = 0; i < count; i++) {
                    if (!numbers.next()) {
                        throw new SQLException("the sequence gave " + i + " < " + count);
                    }
                    given[i] = numbers.getLong(1);
                }
            }
        }
        return given;
    }

    // ---------------------------------------------------------------- the rest

    @Override
    public <T> T query(Query<T> query) throws SQLException {
        try (Connection connection = connections.getConnection()) {
            return query.run(connection);
        }
    }

    @Override
    public int readers() {
        return options.connections() - writers();
    }

    @Override
    public int writers() {
        return options.connections() / 2;
    }

    @Override
    public boolean isShared() {
        return true;
    }

    /** Advice about a failure; empty if there is none. */
    static String remedy(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return switch (state) {
            case "28P01", "28000" -> "give another user or password with withUser";
            case "3D000" -> "make the database, or name another one";
            case "42501" ->
                    "let the user make tables, or make the table and the sequence for it, see the"
                            + " guide";
            case "53100" -> "the disk of the server is full; make room on it";
            case READ_ONLY -> "the server is read-only; name the one that is written to";
            default -> state.startsWith("08") ? "see whether the server is reached" : "";
        };
    }

    @Override
    public void close() {
        connections.close();
    }
}
