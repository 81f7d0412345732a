package dev.ropewalk.actors.cluster.jdbc;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreContract;
import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Rule A7: PostgreSQL, and what befalls its server and those that write to it. */
class PostgresqlStoreTest extends StoreContract {
    private static PostgresqlServer server;
    private static int tables;

    @TempDir private Path folder;

    private final String table = "t" + ++tables;

    @BeforeAll
    static void startServer() throws IOException, InterruptedException {
        server = PostgresqlServer.start();
    }

    @AfterAll
    static void stopServer() throws IOException, InterruptedException {
        if (server != null) {
            server.stop();
        }
    }

    @Override
    protected Store open() {
        return JdbcStore.open(options());
    }

    private JdbcOptions options() {
        return JdbcOptions.postgresql(server.url()).withTable(table);
    }

    private static long write(Store to, String key, long revision, String value) {
        return assertInstanceOf(
                        WriteResult.Written.class, to.replace(key, revision, value.getBytes(UTF_8)))
                .revision();
    }

    // ---------------------------------------------------------------- several stores

    @Test
    void A7_twoStoresOfATableAreOne() {
        try (Store other = open()) {
            long a = write(store(), "a", 0, "one");
            assertEquals(a, other.read("a").revision());
            long b = write(other, "a", a, "two");
            assertInstanceOf(
                    WriteResult.Refused.class, store().replace("a", a, "three".getBytes(UTF_8)));
            assertEquals(b, store().read("a").revision());
        }
    }

    @Test
    void A7_manyThatOpenAtOnceMakeOneTable() {
        JdbcOptions fresh = options().withTable(table + "_new").withConnections(2);
        try (Cord one = Cord.start("one")) {
            List<Fiber<JdbcStore>> all = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                all.add(one.spin("opens", () -> JdbcStore.open(fresh)));
            }
            for (Fiber<JdbcStore> each : all) {
                each.await().close();
            }
        }
    }

    @Test
    void A7_writesOfCrossedBatchesAreAllAnswered() {
        int keys = 40;
        AtomicLong written = new AtomicLong();
        try (Store other = open();
                Cord one = Cord.start("one");
                Cord two = Cord.start("two")) {
            List<Fiber<?>> all = new ArrayList<>();
            for (int i = 0; i < 2 * keys; i++) {
                String key = "k" + i % keys;
                Store to = i < keys ? store() : other;
                all.add(
                        (i < keys ? one : two)
                                .spin("writes", () -> written.addAndGet(writeOften(to, key))));
            }
            for (Fiber<?> each : all) {
                each.await();
            }
        }
        long sum = 0;
        for (int i = 0; i < keys; i++) {
            sum += Long.parseLong(new String(store().read("k" + i).value(), UTF_8));
        }
        assertEquals(written.get(), sum);
    }

    @Test
    void A7_aStoreOpensNoMoreConnectionsThanItMay() throws SQLException {
        String url = server.url() + "&ApplicationName=counted";
        int most = 0;
        try (Store counted =
                        JdbcStore.open(
                                JdbcOptions.postgresql(url).withTable(table).withConnections(3));
                Cord one = Cord.start("one")) {
            List<Fiber<?>> all = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                String key = "k" + i;
                all.add(one.spin("writes", () -> writeOften(counted, key)));
            }
            do {
                most = Math.max(most, connections("counted"));
            } while (all.stream().anyMatch(each -> each.state() != FiberState.DEAD));
            for (Fiber<?> each : all) {
                each.await();
            }
        }
        assertTrue(most >= 1 && most <= 3, "connections=" + most);
    }

    private static int connections(String application) throws SQLException {
        try (Connection plain = DriverManager.getConnection(server.url());
                PreparedStatement statement =
                        plain.prepareStatement(
                                "select count(*) from pg_stat_activity"
                                        + " where application_name = ?")) {
            statement.setString(1, application);
            try (ResultSet row = statement.executeQuery()) {
                assertTrue(row.next());
                return row.getInt(1);
            }
        }
    }

    private static int writeOften(Store to, String key) {
        int written = 0;
        for (int i = 0; i < 20; i++) {
            var now = to.read(key);
            long next = now.isPresent() ? Long.parseLong(new String(now.value(), UTF_8)) + 1 : 1;
            switch (to.replace(key, now.revision(), String.valueOf(next).getBytes(UTF_8))) {
                case WriteResult.Written _ -> written++;
                case WriteResult.Refused() -> {}
                case WriteResult.Unknown(Throwable cause) -> throw new AssertionError(cause);
            }
        }
        return written;
    }

    // ---------------------------------------------------------------- what survives

    @Test
    void A7_killMinus9OfTheServerLosesNothingAcknowledged()
            throws IOException, InterruptedException {
        killServer(3);
    }

    @Test
    @Tag("stress")
    @Timeout(600)
    void A7_killMinus9OfTheServerLosesNothingAcknowledgedAgainAndAgain()
            throws IOException, InterruptedException {
        killServer(50);
    }

    private void killServer(int rounds) throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(rounds);
        long[] acknowledged = new long[WritingProcess.KEYS];
        for (int i = 0; i < rounds; i++) {
            try (WritingProcess process = process()) {
                process.read(100 + random.nextInt(400));
                server.kill();
                process.kill();
                process.addTo(acknowledged);
            } finally {
                server.startAgain();
            }
            try (Store after = JdbcStore.open(JdbcOptions.postgresql(server.url()))) {
                WritingProcess.check(after, acknowledged);
            }
        }
    }

    private WritingProcess process() throws IOException {
        return new WritingProcess(folder.resolve("errors"), "postgresql", server.url());
    }

    @Test
    void A7_theStoreGoesOnWhenTheServerIsBack() throws IOException, InterruptedException {
        long a = write(store(), "a", 0, "one");
        server.kill();
        try {
            assertInstanceOf(
                    WriteResult.Unknown.class, store().replace("a", a, "two".getBytes(UTF_8)));
            assertThrows(StoreException.class, () -> store().read("a"));
        } finally {
            server.startAgain();
        }
        assertEquals(a, store().read("a").revision());
        write(store(), "a", a, "two");
    }

    // ---------------------------------------------------------------- bad input and faults

    @Test
    void A7_aServerThatIsStoppedGivesAnUnknownOutcome() throws IOException, InterruptedException {
        try (Store hasty = JdbcStore.open(options().withCallLimit(Duration.ofSeconds(1)))) {
            long a = write(hasty, "a", 0, "one");
            server.signal("STOP");
            try {
                assertInstanceOf(
                        WriteResult.Unknown.class, hasty.replace("a", a, "two".getBytes(UTF_8)));
                assertThrows(StoreException.class, () -> hasty.read("a"));
            } finally {
                server.signal("CONT");
            }
            var now = hasty.read("a");
            assertTrue(now.revision() >= a);
            write(hasty, "a", now.revision(), "three");
        }
    }

    @Test
    void A7_aServerThatIsNotThereIsNamed() {
        JdbcOptions nobody =
                JdbcOptions.postgresql("jdbc:postgresql://127.0.0.1:1/none?user=u&password=secret")
                        .withCallLimit(Duration.ofSeconds(1));
        StoreException refused = assertThrows(StoreException.class, () -> JdbcStore.open(nobody));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("127.0.0.1:1/none"), message);
        assertTrue(message.contains("is reached"), message);
        assertTrue(!message.contains("secret"), message);
    }

    @Test
    void A7_aDatabaseThatIsNotThereIsNamed() {
        JdbcOptions none =
                JdbcOptions.postgresql(server.url().replace("/postgres?", "/nothing?"))
                        .withCallLimit(Duration.ofSeconds(1));
        StoreException refused = assertThrows(StoreException.class, () -> JdbcStore.open(none));
        assertTrue(
                String.valueOf(refused.getMessage()).contains("make the database"),
                refused::getMessage);
    }

    private static void sql(String text) throws SQLException {
        try (Connection plain = DriverManager.getConnection(server.url());
                Statement statement = plain.createStatement()) {
            statement.executeUpdate(text);
        }
    }

    @Test
    void A7_aTableThatWasRestoredWithoutItsSequenceIsRefused() throws SQLException {
        write(store(), "a", 0, "one");
        sql("drop sequence " + table + "_revision");
        StoreException refused = assertThrows(StoreException.class, this::open);
        assertTrue(String.valueOf(refused.getMessage()).contains("behind"), refused::getMessage);
    }

    @Test
    void A7_aServerThatIsReadOnlyGivesAnUnknownOutcomeAndRecovers() throws SQLException {
        long a = write(store(), "a", 0, "one");
        readOnly("= on");
        try {
            WriteResult result = store().replace("a", a, "two".getBytes(UTF_8));
            assertInstanceOf(WriteResult.Unknown.class, result);
        } finally {
            readOnly("= off");
        }
        await().atMost(Duration.ofSeconds(30))
                .until(
                        () ->
                                store().replace("a", a, "two".getBytes(UTF_8))
                                        instanceof WriteResult.Written);
    }

    /** A file that may not grow is to the server as a disk that is full. */
    @Test
    @Timeout(300)
    void A7_onAFullDiskWritesAreUnknownAndReadsWorkAndAfterwardsAllDoes()
            throws IOException, InterruptedException {
        PostgresqlServer full = PostgresqlServer.start(); // whose files are small so far
        try (Store store = JdbcStore.open(JdbcOptions.postgresql(full.url()))) {
            full.kill();
            full.startWithFilesOf(PostgresqlServer.LARGEST_LOG + 1_000_000);
            awaitRead(store); // the first read may meet a connection of before
            assertEquals(0, store.read("k0").revision());
            Map<String, Long> written = fill(store);
            assertAllThere(store, written);
            full.kill();
            full.startAgain();
            awaitRead(store);
            assertAllThere(store, written);
            write(store, "k0", Objects.requireNonNull(written.get("k0")), "fits again");
        } finally {
            full.stop();
        }
    }

    /** Writes until that is unknown three times; the revisions of the others. */
    private static Map<String, Long> fill(Store store) {
        byte[] large = new byte[100_000];
        Map<String, Long> written = new HashMap<>();
        int unknown = 0;
        for (int i = 0; i < 400 && unknown < 3; i++) {
            new SplittableRandom(i).nextBytes(large); // so that nothing is compressed away
            switch (store.replace("k" + i, 0, large)) {
                case WriteResult.Written(long revision) -> written.put("k" + i, revision);
                case WriteResult.Unknown _ -> unknown++;
                case WriteResult.Refused() -> throw new AssertionError("k" + i);
            }
        }
        assertEquals(3, unknown, written::toString);
        return written;
    }

    private static void awaitRead(Store store) {
        await().atMost(Duration.ofSeconds(60))
                .ignoreException(StoreException.class)
                .until(() -> !store.read("none").isPresent());
    }

    private static void assertAllThere(Store store, Map<String, Long> written) {
        assertTrue(written.size() > 10, written::toString);
        written.forEach((key, revision) -> assertEquals(revision, store.read(key).revision()));
    }

    /** For new sessions; the present ones end, as those of a server that was demoted. */
    private static void readOnly(String value) throws SQLException {
        String url = server.url() + "&options=-c%20default_transaction_read_only=off";
        try (Connection plain = DriverManager.getConnection(url);
                Statement statement = plain.createStatement()) {
            statement.execute("alter database postgres set default_transaction_read_only " + value);
            statement.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity"
                            + " where pid <> pg_backend_pid() and backend_type = 'client backend'");
        }
    }

    @Test
    void A7_aRowThatWasChangedByHandIsRefused() throws SQLException {
        write(store(), "a", 0, "one");
        write(store(), "b", 0, "two");
        sql("update " + table + " set value = 'x' where name = 'a'");
        assertThrows(StoreException.class, () -> store().read("a"));
        assertThrows(StoreException.class, () -> store().list("", "", 10));
        assertEquals("two", new String(store().read("b").value(), UTF_8));
    }

    @Test
    void A7_aWriteIsOnTheDiskWhateverTheServersDefault()
            throws IOException, InterruptedException, SQLException {
        try (var plain = DriverManager.getConnection(server.url());
                var statement = plain.createStatement();
                var row = statement.executeQuery("show synchronous_commit")) {
            assertTrue(row.next());
            assertEquals("off", row.getString(1), "the server's own setting");
        }
        killServer(1); // with off, the last 0.2 to 0.6 s would be gone
    }
}
