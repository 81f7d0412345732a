package dev.ropewalk.actors.cluster.jdbc;

import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreException;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The rows of a store's table: the statements, and the checksum that each row carries, over its
 * name, revision and value. A database finds most damage by itself; what it does not find is no
 * entry either.
 *
 * <p>The row of the empty name is the store's own: its value names the format.
 */
final class Rows {
    /** No key is empty. */
    static final String OWN = "";

    static final byte[] FORMAT = "ropewalk store 1".getBytes(StandardCharsets.UTF_8);

    private final String store;

    /** In quotes, because it may be a word of the language. */
    private final String table;

    Rows(String store, String table) {
        this.store = store;
        this.table = '"' + table + '"';
    }

    String table() {
        return table;
    }

    /**
     * Checks the store's own row.
     *
     * @return false if the table is empty, so that the store is new
     */
    boolean isThere(Connection connection) throws SQLException {
        StoreEntry own = read(connection, OWN);
        if (own.isPresent()) {
            checkFormat(own);
            return true;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select 1 from " + table + " limit 1")) {
            if (row.next()) {
                throw new StoreException(
                        store
                                + " is damaged: it has entries, and no row of its own; restore the"
                                + " database from a copy",
                        null);
            }
        }
        return false;
    }

    private void checkFormat(StoreEntry own) {
        if (!Arrays.equals(own.value(), FORMAT)) {
            throw new StoreException(
                    store
                            + " has the format \""
                            + new String(own.value(), StandardCharsets.UTF_8)
                            + "\"; this version reads \""
                            + new String(FORMAT, StandardCharsets.UTF_8)
                            + "\"",
                    null);
        }
    }

    // ---------------------------------------------------------------- reading

    StoreEntry read(Connection connection, String name) throws SQLException {
        try (PreparedStatement read =
                connection.prepareStatement(
                        "select name, revision, crc, value from " + table + " where name = ?")) {
            read.setString(1, name);
            try (ResultSet row = read.executeQuery()) {
                return row.next() ? entry(row) : StoreEntry.absent(name);
            }
        }
    }

    List<StoreEntry> page(Connection connection, String prefix, String after, int max)
            throws SQLException {
        String end = endOf(prefix);
        try (PreparedStatement page =
                connection.prepareStatement(
                        "select name, revision, crc, value from "
                                + table
                                + " where name >= ? and name > ?"
                                + (end == null ? "" : " and name < ?")
                                + " order by name limit ?")) {
            page.setString(1, prefix);
            page.setString(2, after); // the store's own row is not above it
            if (end != null) {
                page.setString(3, end);
            }
            page.setInt(end == null ? 3 : 4, max);
            List<StoreEntry> all = new ArrayList<>();
            try (ResultSet row = page.executeQuery()) {
                while (row.next()) {
                    all.add(entry(row));
                }
            }
            return all;
        }
    }

    /** The revisions of all keys below a prefix, without their values. */
    Map<String, Long> revisions(Connection connection, String prefix) throws SQLException {
        String end = endOf(prefix);
        Map<String, Long> all = new HashMap<>();
        try (PreparedStatement keys =
                connection.prepareStatement(
                        "select name, revision from "
                                + table
                                + " where name >= ? and name <> ''"
                                + (end == null ? "" : " and name < ?"))) {
            keys.setString(1, prefix);
            if (end != null) {
                keys.setString(2, end);
            }
            try (ResultSet row = keys.executeQuery()) {
                while (row.next()) {
                    all.put(row.getString(1), row.getLong(2));
                }
            }
        }
        return all;
    }

    /** Reads each row, and checks it. Returns the greatest revision. */
    long check(Connection connection) throws SQLException {
        long greatest = 0;
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("select name, revision, crc, value from " + table)) {
            while (row.next()) {
                greatest = Math.max(greatest, entry(row).revision());
            }
        }
        return greatest;
    }

    /**
     * The first text that is greater than all that begin with the prefix; null if there is none.
     */
    static @Nullable String endOf(String prefix) {
        int end = prefix.length();
        while (end > 0) {
            int last = prefix.codePointBefore(end);
            end -= Character.charCount(last);
            if (last < Character.MAX_CODE_POINT) {
                int next = last + 1 == Character.MIN_SURROGATE ? 0xE000 : last + 1;
                return prefix.substring(0, end) + Character.toString(next);
            }
        }
        return null;
    }

    private StoreEntry entry(ResultSet row) throws SQLException {
        String name = row.getString(1);
        long revision = row.getLong(2);
        byte[] value = row.getBytes(4);
        if (name == null || value == null || row.getLong(3) != checksum(name, revision, value)) {
            throw new StoreException(
                    "the row of \""
                            + name
                            + "\" in "
                            + store
                            + " is damaged: its checksum is another one; restore the database from"
                            + " a copy",
                    null);
        }
        return new StoreEntry(name, revision, value);
    }

    private static long checksum(String name, long revision, byte[] value) {
        CRC32C sum = new CRC32C();
        sum.update(name.getBytes(StandardCharsets.UTF_8));
        sum.update(ByteBuffer.allocate(Long.BYTES).putLong(0, revision));
        sum.update(value);
        return sum.getValue();
    }

    // ---------------------------------------------------------------- writing

    /**
     * Writes those that find the revision that they were made from.
     *
     * @param revisions a new one for each
     * @return of each write whether it did
     */
    boolean[] write(Connection connection, List<PendingWrite> writes, long[] revisions)
            throws SQLException {
        boolean[] done = new boolean[writes.size()];
        // Rows are locked in the order of their names, so that two batches seldom lock crosswise.
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < writes.size(); i++) {
            order.add(i);
        }
        order.sort(Comparator.comparing(i -> writes.get(i).key));
        try (Statements update =
                        new Statements(
                                connection,
                                "update "
                                        + table
                                        + " set revision = ?, crc = ?, value = ?"
                                        + " where name = ? and revision = ?");
                Statements insert =
                        new Statements(
                                connection,
                                "insert into "
                                        + table
                                        + " (revision, crc, value, name) values (?, ?, ?, ?)"
                                        + " on conflict (name) do nothing");
                Statements delete =
                        new Statements(
                                connection,
                                "delete from " + table + " where name = ? and revision = ?")) {
            for (int i : order) {
                PendingWrite each = writes.get(i);
                if (each.value == null) {
                    PreparedStatement made = delete.next(i);
                    made.setString(1, each.key);
                    made.setLong(2, each.revision);
                    made.addBatch();
                } else {
                    PreparedStatement made = (each.revision == 0 ? insert : update).next(i);
                    made.setLong(1, revisions[i]);
                    made.setLong(2, checksum(each.key, revisions[i], each.value));
                    made.setBytes(3, each.value);
                    made.setString(4, each.key);
                    if (each.revision != 0) {
                        made.setLong(5, each.revision);
                    }
                    made.addBatch();
                }
            }
            update.run(done);
            insert.run(done);
            delete.run(done);
        }
        return done;
    }

    /** The revisions of those that were done, and 0 of the others. */
    static long[] withoutRefused(long[] revisions, boolean[] done) {
        long[] written = revisions.clone();
        for (int i = 0; i < done.length; i++) {
            written[i] = done[i] ? revisions[i] : 0;
        }
        return written;
    }

    /** The statements of one kind in a batch, made when the first one comes. */
    private static final class Statements implements AutoCloseable {
        private final Connection connection;
        private final String sql;
        private final List<Integer> writes = new ArrayList<>();
        private @Nullable PreparedStatement prepared;

        Statements(Connection connection, String sql) {
            this.connection = connection;
            this.sql = sql;
        }

        PreparedStatement next(int write) throws SQLException {
            writes.add(write);
            if (prepared == null) {
                prepared = connection.prepareStatement(sql);
            }
            return prepared;
        }

        void run(boolean[] done) throws SQLException {
            if (prepared == null) {
                return;
            }
            int[] counts = prepared.executeBatch();
            for (int i = 0; i < counts.length; i++) {
                if (counts[i] != 0 && counts[i] != 1) { // nothing is committed yet
                    throw new SQLException("the driver counts " + counts[i] + " rows of a write");
                }
                done[writes.get(i)] = counts[i] == 1;
            }
        }

        @Override
        public void close() throws SQLException {
            if (prepared != null) {
                prepared.close();
            }
        }
    }
}
