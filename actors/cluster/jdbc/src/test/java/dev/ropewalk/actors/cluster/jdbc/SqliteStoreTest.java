package dev.ropewalk.actors.cluster.jdbc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreContract;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.actors.cluster.store.WriteResult;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.SplittableRandom;

/** Rule A7: SQLite in a file of this process. */
class SqliteStoreTest extends StoreContract {
    @TempDir private Path folder;

    @Override
    protected Store open() {
        return JdbcStore.open(JdbcOptions.sqlite(file()));
    }

    private Path file() {
        return folder.resolve("store.db");
    }

    private static long write(Store to, String key, long revision, String value) {
        return assertInstanceOf(
                        WriteResult.Written.class, to.replace(key, revision, value.getBytes(UTF_8)))
                .revision();
    }

    // ---------------------------------------------------------------- what survives

    @Test
    void A7_entriesAndRevisionsOutliveTheStore() {
        long a = write(store(), "a", 0, "one");
        long b = write(store(), "b", 0, "gone");
        assertInstanceOf(WriteResult.Written.class, store().replace("b", b, null));
        store().close();
        try (Store again = open()) {
            assertEquals("one", new String(again.read("a").value(), UTF_8));
            assertEquals(a, again.read("a").revision());
            assertFalse(again.read("b").isPresent());
            assertTrue(write(again, "b", 0, "new") > b, "a revision was given twice");
            assertTrue(write(again, "a", a, "two") > a);
        }
    }

    @Test
    void A7_killMinus9OfTheProcessLosesNothingAcknowledged()
            throws IOException, InterruptedException {
        kill(3);
    }

    @Test
    @Tag("stress")
    @Timeout(600)
    void A7_killMinus9OfTheProcessLosesNothingAcknowledgedAgainAndAgain()
            throws IOException, InterruptedException {
        kill(50);
    }

    private void kill(int rounds) throws IOException, InterruptedException {
        Path other = folder.resolve("killed.db");
        SplittableRandom random = new SplittableRandom(rounds);
        long[] acknowledged = new long[WritingProcess.KEYS];
        for (int i = 0; i < rounds; i++) {
            try (WritingProcess process =
                    new WritingProcess(folder.resolve("errors"), "sqlite", other.toString())) {
                process.killAfter(20 + random.nextInt(400));
                process.addTo(acknowledged);
            }
            try (Store after = JdbcStore.open(JdbcOptions.sqlite(other))) {
                WritingProcess.check(after, acknowledged);
            }
        }
    }

    // ---------------------------------------------------------------- bad input and faults

    @Test
    void A7_aSecondStoreOfTheFileIsRefused() {
        StoreException refused = assertThrows(StoreException.class, this::open);
        assertTrue(
                String.valueOf(refused.getMessage()).contains("another process or store"),
                refused::getMessage);
        write(store(), "a", 0, "the first goes on");
    }

    @Test
    void A7_aFolderThatIsNotThereIsNamed() {
        Path none = folder.resolve("none").resolve("store.db");
        StoreException refused =
                assertThrows(StoreException.class, () -> JdbcStore.open(JdbcOptions.sqlite(none)));
        assertTrue(String.valueOf(refused.getMessage()).contains(none.toString()));
    }

    @Test
    void A7_aFileThatIsNoDatabaseIsRefused() throws IOException {
        Path text = folder.resolve("text.db");
        Files.writeString(text, "this is no database, and long enough to be looked at ".repeat(20));
        StoreException refused =
                assertThrows(StoreException.class, () -> JdbcStore.open(JdbcOptions.sqlite(text)));
        assertTrue(
                String.valueOf(refused.getMessage()).contains("no database"), refused::getMessage);
    }

    @Test
    void A7_anEmptyFileIsRefused() throws IOException {
        Path empty = Files.createFile(folder.resolve("empty.db"));
        StoreException refused =
                assertThrows(StoreException.class, () -> JdbcStore.open(JdbcOptions.sqlite(empty)));
        assertTrue(String.valueOf(refused.getMessage()).contains("delete it"), refused::getMessage);
    }

    @Test
    void A7_entriesWithoutTheStoresOwnRowAreRefused() throws SQLException {
        write(store(), "a", 0, "one");
        store().close();
        sql("delete from ropewalk_store where name = ''");
        StoreException refused = assertThrows(StoreException.class, this::open);
        assertTrue(
                String.valueOf(refused.getMessage()).contains("no row of its own"),
                refused::getMessage);
    }

    private void sql(String... statements) throws SQLException {
        try (Connection plain = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = plain.createStatement()) {
            for (String each : statements) {
                statement.executeUpdate(each);
            }
        }
    }

    @Test
    void A7_onAFullDiskWritesAreUnknownAndReadsWorkAndAfterwardsAllDoes() throws SQLException {
        JdbcStore full = (JdbcStore) store();
        long a = write(full, "a", 0, "one");
        byte[] large = new byte[100_000];
        pragma(full, "pragma max_page_count = 12");
        for (int i = 0; i < 3; i++) {
            WriteResult result = full.replace("large", 0, large);
            Throwable cause = assertInstanceOf(WriteResult.Unknown.class, result).cause();
            assertTrue(String.valueOf(cause.getMessage()).contains("full"), cause::toString);
            assertEquals(a, full.read("a").revision());
            assertFalse(full.read("large").isPresent());
        }
        pragma(full, "pragma max_page_count = 100000");
        assertInstanceOf(WriteResult.Written.class, full.replace("large", 0, large));
        write(full, "a", a, "two");
        full.checkInvariants();
    }

    private static void pragma(JdbcStore store, String text) throws SQLException {
        store.database()
                .query(
                        connection -> {
                            try (Statement statement = connection.createStatement()) {
                                return statement.execute(text);
                            }
                        });
    }

    @Test
    void A7_aCommitWaitsForTheDiskAndLeavesNoLogOfItsOwn() throws SQLException {
        Database database = ((JdbcStore) store()).database();
        assertEquals("truncate", database.query(of -> first(of, "pragma journal_mode")));
        assertEquals("2", database.query(of -> first(of, "pragma synchronous")), "FULL");
        assertEquals("exclusive", database.query(of -> first(of, "pragma locking_mode")));
    }

    private static String first(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            assertTrue(row.next(), sql);
            return row.getString(1);
        }
    }

    @Test
    void A7_aWordOfTheLanguageIsATableToo() {
        Path other = folder.resolve("other.db");
        try (Store order = JdbcStore.open(JdbcOptions.sqlite(other).withTable("order"))) {
            write(order, "a", 0, "one");
            assertEquals("one", new String(order.read("a").value(), UTF_8));
        }
    }

    @Test
    void A7_anotherFormatIsRefused() throws SQLException {
        write(store(), "a", 0, "one");
        store().close();
        sql(
                "drop table ropewalk_store",
                "create table ropewalk_store (name text primary key, revision integer,"
                        + " crc integer, value blob)",
                "insert into ropewalk_store values ('', 7, 1234, x'727761')");
        assertThrows(StoreException.class, this::open);
    }

    /** Any byte of the file; a changed one is found, or does not matter. */
    @Test
    void A7_damageIsRefusedAndNotRead() throws IOException {
        SplittableRandom random = new SplittableRandom(39);
        int entries = 300;
        for (int i = 0; i < entries; i++) {
            write(store(), "key" + i, 0, ("value of " + i + " ").repeat(1 + i % 40));
        }
        store().close();
        int refused = 0;
        int harmless = 0;
        Path copy = folder.resolve("damaged.db");
        for (int i = 0; i < 200; i++) {
            Files.copy(file(), copy, StandardCopyOption.REPLACE_EXISTING);
            damage(copy, random);
            try (Store damaged = JdbcStore.open(JdbcOptions.sqlite(copy))) {
                for (int k = 0; k < entries; k++) {
                    StoreEntry read = damaged.read("key" + k);
                    byte[] whole = ("value of " + k + " ").repeat(1 + k % 40).getBytes(UTF_8);
                    assertArrayEquals(whole, read.value(), "damage " + i + " of key" + k);
                }
                harmless++; // unused space of a page
            } catch (StoreException found) {
                refused++;
            }
        }
        assertTrue(refused > 20 && harmless < 180, "refused=" + refused + " of 200");
    }

    private static void damage(Path file, SplittableRandom random) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            switch (random.nextInt(3)) {
                case 0 -> {
                    long at = random.nextLong(bytes.length());
                    bytes.seek(at);
                    int was = bytes.read();
                    bytes.seek(at);
                    bytes.write(was ^ (1 << random.nextInt(8)));
                }
                case 1 -> {
                    bytes.seek(random.nextLong(bytes.length() - 200));
                    bytes.write(new byte[random.nextInt(1, 200)]);
                }
                default -> bytes.setLength(random.nextLong(0, bytes.length()));
            }
        }
    }

    @Test
    void A7_aRowThatWasChangedByHandIsRefused() throws SQLException {
        write(store(), "a", 0, "one");
        write(store(), "b", 0, "two");
        store().close();
        sql("update ropewalk_store set value = x'00' where name = 'a'");
        StoreException refused = assertThrows(StoreException.class, this::open);
        assertTrue(String.valueOf(refused.getMessage()).contains("\"a\""), refused::getMessage);
    }

    @Test
    void A7_aReadOnlyFileIsRefused() throws IOException {
        write(store(), "a", 0, "one");
        store().close();
        assumeTrue(!System.getProperty("user.name").equals("root"), "root writes everything");
        assertTrue(file().toFile().setReadOnly());
        StoreException refused = assertThrows(StoreException.class, this::open);
        assertTrue(String.valueOf(refused.getMessage()).contains("writable"), refused::getMessage);
    }
}
