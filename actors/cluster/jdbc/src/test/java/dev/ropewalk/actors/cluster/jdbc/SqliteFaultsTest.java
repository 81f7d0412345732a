package dev.ropewalk.actors.cluster.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

@Timeout(value = 40, threadMode = ThreadMode.SEPARATE_THREAD)
class SqliteFaultsTest {
    @TempDir private Path temp;
    private Path folder = Path.of("");
    private Path file = Path.of("");
    private JdbcStore store;

    @BeforeEach
    void open() throws IOException {
        folder = Files.createDirectory(temp.resolve("data"));
        file = folder.resolve("store.db");
        store = JdbcStore.open(JdbcOptions.sqlite(file));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static long write(Store to, String key) {
        return assertInstanceOf(WriteResult.Written.class, to.replace(key, 0, "v".getBytes(UTF_8)))
                .revision();
    }

    // ---------------------------------------------------------------- the file goes away

    /** An acknowledged write is in the file that the options name, or it is none. */
    private void assertNoneIsLost(WriteResult result) {
        store.close();
        if (result instanceof WriteResult.Written) {
            try (Store again = JdbcStore.open(JdbcOptions.sqlite(file))) {
                assertTrue(again.read("b").isPresent(), "acknowledged, and lost: " + result);
            }
        }
    }

    @Test
    void A7_aWriteToAFileThatWasDeletedIsNotAcknowledged() throws IOException {
        write(store, "a");
        Files.delete(file);
        assertNoneIsLost(store.replace("b", 0, new byte[1]));
    }

    @Test
    void A7_aWriteToAFileThatWasReplacedIsNotAcknowledged() throws IOException {
        Path other = folder.resolve("other.db");
        JdbcStore.open(JdbcOptions.sqlite(other)).close();
        write(store, "a");
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        assertNoneIsLost(store.replace("b", 0, new byte[1]));
    }

    @Test
    void A7_aWriteToAFolderThatWasMovedIsNotAcknowledged() throws IOException {
        write(store, "a");
        Files.move(folder, temp.resolve("moved"));
        Files.createDirectory(folder);
        assertNoneIsLost(store.replace("b", 0, new byte[1]));
    }

    @Test
    void A7_twoStoresOfOnePathAreNotOpenAtOnceAlsoWhenTheFileWasDeleted() throws IOException {
        write(store, "a");
        Files.delete(file);
        try (Store second = JdbcStore.open(JdbcOptions.sqlite(file))) {
            WriteResult one = store.replace("owner", 0, new byte[1]);
            WriteResult other = second.replace("owner", 0, new byte[1]);
            assertFalse(
                    one instanceof WriteResult.Written && other instanceof WriteResult.Written,
                    "both own it");
        } catch (StoreException refused) {
            // well
        }
    }

    // ---------------------------------------------------------------- the file is read-only

    /** As SQLite says it of a file that it has opened so. */
    @Test
    void A7_onAFileThatBecomesReadOnlyWritesAreUnknownAndReadsWorkAndAfterwardsAllDoes()
            throws Exception {
        assertReadOnlyIsSaid(() -> queryOnly(true), () -> queryOnly(false));
    }

    private void queryOnly(boolean on) throws SQLException {
        Database.Query<Boolean> pragma =
                connection -> {
                    try (Statement statement = connection.createStatement()) {
                        return statement.execute("pragma query_only = " + on);
                    }
                };
        store.database().query(pragma);
    }

    @Test
    void A7_onAFileThatTheSystemMakesReadOnlyWritesAreUnknownAndReadsWorkAndAfterwardsAllDoes()
            throws Exception {
        try {
            makeWritable(false);
            assumeTrue(!Files.isWritable(file), "root, and no chattr +i here");
            makeWritable(true);
            assertReadOnlyIsSaid(() -> makeWritable(false), () -> makeWritable(true));
        } finally {
            makeWritable(true);
        }
    }

    /** Mode bits do not bind root, and the attribute is root's alone. */
    private void makeWritable(boolean on) throws IOException, InterruptedException {
        if (on) {
            attribute("-i"); // first: the mode of an immutable file cannot be set
        }
        String mode = on ? "rw-------" : "r--------";
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        if (!on) {
            attribute("+i");
        }
    }

    private void attribute(String change) throws InterruptedException {
        try {
            new ProcessBuilder("chattr", change, file.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException noChattr) {
            // The mode bits are what there is.
        }
    }

    /** A change of the machine. */
    @FunctionalInterface
    private interface Change {
        void make() throws Exception;
    }

    private void assertReadOnlyIsSaid(Change begin, Change end) throws Exception {
        long kept = write(store, "kept");
        begin.make();
        for (int i = 0; i < 3; i++) {
            WriteResult result = store.replace("a", 0, new byte[100_000]);
            String why =
                    String.valueOf(
                            assertInstanceOf(WriteResult.Unknown.class, result)
                                    .cause()
                                    .getMessage());
            assertTrue(why.contains(file.toString()), why);
            assertTrue(why.contains("make the file and its folder writable"), why);
            assertFalse(store.read("a").isPresent());
            assertEquals(kept, store.read("kept").revision());
        }
        end.make();
        long a = write(store, "a");
        store.checkInvariants();
        store.close();
        try (Store again = JdbcStore.open(JdbcOptions.sqlite(file))) {
            assertEquals(a, again.read("a").revision());
        }
    }

    // ---------------------------------------------------------------- opening

    @Test
    void A7_aFirstOpeningThatFailsLeavesNothingThatIsTakenForDamage() throws IOException {
        JdbcOptions options = JdbcOptions.sqlite(folder.resolve("new.db"));
        Path inTheWay = Files.createDirectory(folder.resolve("new.db-journal"));
        Files.createFile(inTheWay.resolve("x"));
        assertThrows(StoreException.class, () -> JdbcStore.open(options));
        Files.delete(inTheWay.resolve("x"));
        Files.delete(inTheWay);
        JdbcStore.open(options).close();
    }

    @Test
    void A7_aLinkToTheFileIsTheSameFile() throws IOException, InterruptedException {
        for (String each : List.of("symbolic.db", "hard.db")) {
            Path link = folder.resolve(each);
            if (each.startsWith("s")) {
                Files.createSymbolicLink(link, file);
            } else {
                Files.createLink(link, file);
            }
            assertThrows(StoreException.class, () -> JdbcStore.open(JdbcOptions.sqlite(link)));
            try (WritingProcess process =
                    new WritingProcess(temp.resolve("errors"), "sqlite", link.toString())) {
                assertThrows(IOException.class, () -> process.read(1));
            }
        }
        write(store, "a");
    }

    @Test
    void A7_aCopyMadeInTheProcessDoesNotLetOthersIn() throws IOException, InterruptedException {
        write(store, "a");
        Files.copy(file, temp.resolve("backup.db"));
        try (WritingProcess process =
                new WritingProcess(temp.resolve("errors"), "sqlite", file.toString())) {
            assertThrows(IOException.class, () -> process.read(1));
        }
    }

    @Test
    void A7_ofOpeningsAtOnceOneSucceeds() throws InterruptedException, Exception {
        Path other = folder.resolve("other.db");
        List<JdbcStore> opened = new CopyOnWriteArrayList<>();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            opened.add(JdbcStore.open(JdbcOptions.sqlite(other)));
                                        } catch (StoreException refused) {
                                            // as expected
                                        }
                                    }));
        }
        for (Thread each : all) {
            each.join();
        }
        opened.forEach(JdbcStore::close);
        assertEquals(1, opened.size());
    }

    // ---------------------------------------------------------------- closing, leaving

    private Thread stuckDisk(JdbcStore of, CountDownLatch begun, CountDownLatch ends) {
        return Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                of.database()
                                        .query(
                                                _ -> {
                                                    begun.countDown();
                                                    try {
                                                        ends.await();
                                                    } catch (InterruptedException e) {
                                                        throw new AssertionError(e);
                                                    }
                                                    return 1;
                                                });
                            } catch (Exception e) {
                                throw new AssertionError(e);
                            }
                        });
    }

    @Test
    void A7_closeHasALimitAlsoWhenTheDiskIsStuck() throws InterruptedException, Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        Thread disk = stuckDisk(store, begun, ends);
        begun.await();
        Thread closer = Thread.ofPlatform().daemon().start(store::close);
        boolean isClosed = closer.join(Duration.ofSeconds(12));
        ends.countDown();
        disk.join();
        closer.join();
        assertTrue(isClosed, "it waits for the disk without a limit");
    }

    @Test
    void A7_closeFromSeveralThreadsAtOnceIsOneClose() throws InterruptedException, Exception {
        write(store, "a");
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            store.close();
                                        } catch (Throwable t) {
                                            failures.add(t);
                                        }
                                    }));
        }
        for (Thread each : all) {
            each.join();
        }
        assertEquals(List.of(), failures);
        JdbcStore.open(JdbcOptions.sqlite(file)).close();
    }

    @Test
    void A7_aCloseThatIsInterruptedClosesAndKeepsTheInterrupt()
            throws InterruptedException, Exception {
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread.ofPlatform()
                .start(
                        () -> {
                            Thread.currentThread().interrupt();
                            store.close();
                            interrupted.complete(Thread.interrupted());
                        });
        assertTrue(interrupted.get());
        JdbcStore.open(JdbcOptions.sqlite(file)).close();
    }

    // ---------------------------------------------------------------- mistakes

    @Test
    void A7_oddPrefixesAndPlaces() {
        write(store, "p/a");
        write(store, "p/b");
        assertEquals(List.of(), store.list("p\0", "", 10));
        assertEquals(List.of(), store.list("p/\uD83D", "", 10));
        assertEquals(2, store.list("p", "p", 10).size());
        assertEquals(1, store.list("p/", "p/a", 10).size());
        assertEquals(1, store.list("p/", "p/a\0", 10).size());
        assertEquals(2, store.list("", "", 10).size());
        assertEquals(List.of(), store.list("", "\uDBFF\uDFFF", 10));
    }

    @Test
    void A7_watchesThatComeAndGoLoseNoWord() throws InterruptedException, Exception {
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        List<Thread> all = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            int number = t;
            all.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            comeAndGo(number);
                                        } catch (InterruptedException
                                                | RuntimeException
                                                | Error failure) {
                                            failures.add(failure);
                                        }
                                    }));
        }
        for (Thread each : all) {
            each.join();
        }
        assertEquals(List.of(), failures);
    }

    private void comeAndGo(int number) throws InterruptedException {
        for (int i = 0; i < 60; i++) {
            String key = "w" + number + "/" + i;
            CountDownLatch told = new CountDownLatch(1);
            var watch =
                    store.watch(
                            "w" + number + "/",
                            changed -> {
                                if (changed.equals(key)) {
                                    told.countDown();
                                }
                            });
            write(store, key);
            assertTrue(told.await(5, TimeUnit.SECONDS), key);
            watch.close();
            watch.close();
        }
    }

    @Test
    void A7_aCallWhereNoFiberRunsDoesNotSayThatTheStoreIsClosed()
            throws InterruptedException, Exception {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        try (Cord cord = Cord.start("cord")) {
            cord.post(
                    new CordMessage() {
                        @Override
                        public void onCord() {
                            try {
                                store.read("a");
                            } catch (RuntimeException failure) {
                                thrown.complete(failure);
                            }
                        }

                        @Override
                        public void onClosed() {}
                    });
            String told = String.valueOf(thrown.get().getMessage());
            assertFalse(told.contains("is closed"), told);
        }
    }
}
