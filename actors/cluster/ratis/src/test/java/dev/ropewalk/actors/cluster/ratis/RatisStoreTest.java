package dev.ropewalk.actors.cluster.ratis;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.LogLines;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.actors.cluster.store.StoreWatch;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** Rule A7: three servers in one process, and what befalls them. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class RatisStoreTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** On a machine that is so slow that leaders are missed while they work. */
    private static final int MAX_ELECTIONS = 5;

    private static final int ROUNDS_OF_THREADS = 5;

    @TempDir private Path folder;

    private Servers servers;

    @BeforeEach
    void makeServers() throws IOException {
        servers =
                new Servers(
                        folder,
                        options ->
                                options.withCallLimit(Duration.ofSeconds(1)).withSnapshotEvery(50));
    }

    @AfterEach
    void closeServers() {
        servers.checkInvariants();
        servers.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static String text(StoreEntry entry) {
        return new String(entry.value(), UTF_8);
    }

    // ---------------------------------------------------------------- leaders

    @Test
    void A7_aWriteIsSeenAtEachServer() {
        servers.openAll();
        long revision = 0;
        for (int i = 0; i < 20; i++) {
            Store writer = servers.get(Servers.NAMES.get(i % 3));
            WriteResult result = writer.replace("a", revision, bytes("value " + i));
            revision = assertInstanceOf(WriteResult.Written.class, result).revision();
            for (String each : Servers.NAMES) {
                assertEquals("value " + i, text(servers.get(each).read("a")), each);
                assertEquals(revision, servers.get(each).list("", "", 1).getFirst().revision());
            }
        }
    }

    @Test
    void A7_theLeaderIsClosedAndNoAcknowledgedWriteIsLost() {
        servers.openAll();
        String leader = servers.leader();
        String follower = servers.follower();
        Set<Long> revisions = ConcurrentHashMap.newKeySet();
        Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
        try (Cord cord = Cord.start("writes")) {
            List<Fiber<?>> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String key = "k" + i;
                all.add(
                        cord.spin(
                                "writes " + key,
                                () -> count(servers.get(follower), key, revisions, acknowledged)));
            }
            await().atMost(LIMIT).until(() -> revisions.size() > 50);
            servers.close(leader);
            for (Fiber<?> each : all) {
                each.await();
            }
        }
        assertEquals(8, acknowledged.size());
        acknowledged.forEach(
                (key, number) -> {
                    int there = Integer.parseInt(text(servers.get(follower).read(key)));
                    assertTrue(there >= number, () -> key + " is " + there + " < " + number);
                });
    }

    /** Otherwise the others miss it for a while, and leases may end meanwhile. */
    @Test
    @Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
    void A8_aLeaderThatIsClosedHandsOver() {
        servers.openAll();
        assertHandsOver();
    }

    /** An entry that comes meanwhile may cost the next leader its election. */
    @Test
    @Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
    void A8_aLeaderThatIsClosedWhileOthersWriteHandsOver() {
        servers.openAll();
        AtomicBoolean isOver = new AtomicBoolean();
        try (Cord cord = Cord.start("writes")) {
            List<Fiber<?>> all = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                String key = "k" + i;
                all.add(cord.spin("writes " + key, () -> writeUntil(isOver, key)));
            }
            for (int i = 0; i < 3; i++) {
                assertHandsOver();
            }
            isOver.set(true);
            all.forEach(Fiber::await);
        }
    }

    private void writeUntil(AtomicBoolean isOver, String key) {
        while (!isOver.get()) {
            for (String each : Servers.NAMES) {
                try {
                    WriteResult _ = servers.get(each).replace(key, 0, bytes(key));
                    WriteResult _ = servers.get(each).replace(key, 1, bytes(key));
                } catch (IllegalStateException | StoreException closed) {
                    Fiber.snooze();
                }
            }
        }
    }

    private void assertHandsOver() {
        List<String> told = List.of();
        for (int i = 0; told.isEmpty() && i < MAX_ELECTIONS; i++) {
            String leader = servers.leader();
            Servers.write(servers.get(leader), "a", bytes("value " + i));
            try (LogLines lines = new LogLines()) {
                servers.close(leader); // the others may have elected one just before
                told = lines.with(" leads from now on");
            }
            servers.open(leader);
        }
        assertEquals(1, told.size(), told::toString);
    }

    @Test
    void A8_aServerThatDoesNotLeadHandsNothingOver() {
        servers.openAll();
        String follower = servers.follower();
        try (LogLines lines = new LogLines()) {
            servers.close(follower);
            List<String> told = lines.with("server " + follower + " ");
            assertTrue(told.stream().noneMatch(each -> each.contains(" ends, ")), told::toString);
        }
    }

    @Test
    void A8_aLeaderHandsOverToTheOneThatIsThere() throws IOException {
        servers.openAll();
        String away = servers.follower();
        servers.close(away);
        String leader = servers.leader(); // perhaps the other one, if this has taken long
        EmbeddedServer leads = servers.get(leader).server();
        await().atMost(LIMIT)
                .until(
                        () -> {
                            List<String> next =
                                    leads.successors().stream().map(String::valueOf).toList();
                            return next.size() == 1 && !next.contains(away);
                        });
        try (LogLines lines = new LogLines()) {
            servers.close(leader);
            assertEquals(1, lines.with(" leads from now on").size(), lines::toString);
        }
    }

    private static void count(
            Store store, String key, Set<Long> revisions, Map<String, Integer> acknowledged) {
        for (int i = 0; i < 30; ) {
            StoreEntry now;
            try {
                now = store.read(key);
            } catch (StoreException noLeader) {
                continue;
            }
            int next = now.isPresent() ? Integer.parseInt(text(now)) + 1 : 1;
            if (store.replace(key, now.revision(), bytes(String.valueOf(next)))
                    instanceof WriteResult.Written(long revision)) {
                assertTrue(revisions.add(revision), () -> revision + " was given twice");
                acknowledged.merge(key, next, Math::max);
                i++;
            }
        }
    }

    @Test
    void A7_withoutAMajorityWritesAreUnknownAndReadsFailWithinTheLimit() {
        servers.openAll();
        String stays = servers.follower();
        Store store = servers.get(stays);
        long revision = Servers.write(store, "a", bytes("one"));
        Servers.NAMES.stream().filter(each -> !each.equals(stays)).forEach(servers::close);
        assertInstanceOf(WriteResult.Unknown.class, store.replace("a", revision, bytes("two")));
        assertInstanceOf(WriteResult.Unknown.class, store.replace("b", 0, bytes("one")));
        StoreException failed = assertThrows(StoreException.class, () -> store.read("a"));
        assertTrue(String.valueOf(failed.getMessage()).contains("majority"), failed::getMessage);
        assertThrows(StoreException.class, () -> store.list("", "", 10));
        String back = Servers.NAMES.stream().filter(each -> !each.equals(stays)).findAny().get();
        servers.open(back);
        assertTrue(Servers.write(store, "a", bytes("three")) > revision);
    }

    // ---------------------------------------------------------------- strangers

    @Test
    void A7_serversOfAnotherGroupAreNoMajority() throws IOException {
        servers.openAll();
        servers.leader();
        Map<String, String> mixed = new LinkedHashMap<>(servers.addresses());
        mixed.put("n1", Servers.addresses(List.of("n1")).get("n1"));
        RatisOptions stranger =
                RatisOptions.of("n1", mixed, folder.resolve("stranger"))
                        .withGroup("other")
                        .withCallLimit(Duration.ofSeconds(1));
        try (Store other = RatisStore.open(stranger)) {
            assertInstanceOf(WriteResult.Unknown.class, other.replace("a", 0, bytes("theirs")));
            assertThrows(StoreException.class, () -> other.read("a"));
            Servers.write(servers.get("n1"), "a", bytes("ours"));
        }
        assertEquals("ours", text(servers.get("n2").read("a")));
    }

    private static String refused(RatisOptions options) {
        return String.valueOf(
                assertThrows(StoreException.class, () -> RatisStore.open(options)).getMessage());
    }

    @Test
    void A7_aDirectoryOfAnotherServerOrGroupIsRefused() throws IOException {
        RatisOptions own = servers.options("n1");
        servers.open("n1");
        String open = refused(own);
        assertTrue(open.contains("has the directory open"), open);
        servers.close("n1");
        Map<String, String> moved = new LinkedHashMap<>(servers.addresses());
        moved.put("n2", "127.0.0.1:1");
        List<RatisOptions> others =
                List.of(
                        own.withGroup("other"),
                        RatisOptions.of("n2", servers.addresses(), own.directory()),
                        RatisOptions.of("n1", moved, own.directory()));
        for (RatisOptions each : others) {
            String why = refused(each);
            assertTrue(why.contains("of another server or group"), why);
            assertTrue(why.contains("server n1"), why);
        }
        Files.delete(own.directory().resolve("server"));
        String gone = refused(own);
        assertTrue(gone.contains("is gone"), gone);
    }

    @Test
    void A7_aPortThatIsTakenIsNamedAndTheProcessLives() throws IOException {
        RatisOptions options = servers.options("n1");
        try (ServerSocket _ =
                new ServerSocket(options.port(), 1, InetAddress.getLoopbackAddress())) {
            String why = refused(options);
            assertTrue(why.contains("127.0.0.1:" + options.port()), why);
        }
        servers.open("n1"); // nothing is left of the first attempt
    }

    @Test
    void A7_aDirectoryThatCannotBeWrittenToIsNamed() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        String why = refused(RatisOptions.of("n1", servers.addresses(), file));
        assertTrue(why.contains(file.toString()), why);
        Path readOnly = Path.of("/proc/ropewalk");
        Assumptions.assumeTrue(Files.isDirectory(Path.of("/proc")), "only Linux has one for root");
        String also = refused(RatisOptions.of("n1", servers.addresses(), readOnly));
        assertTrue(also.contains("/proc/ropewalk"), also);
        assertTrue(also.contains("may write to"), also);
    }

    // ---------------------------------------------------------------- snapshots

    @Test
    void A7_aSnapshotAndTheLogBehindItAreAllEntries() throws IOException {
        servers.openAll();
        Store store = servers.get("n1");
        Map<String, Long> revisions = new LinkedHashMap<>();
        for (int i = 0; i < 120; i++) {
            String key = "k" + i % 40;
            revisions.put(key, Servers.write(store, key, bytes("value " + i)));
        }
        for (String each : Servers.NAMES) {
            await().atMost(LIMIT).until(() -> !snapshots(each).isEmpty());
            assertTrue(snapshots(each).size() <= 2, () -> snapshots(each).toString());
        }
        servers.close();
        servers.openAll();
        Set<Long> given = new HashSet<>(revisions.values());
        for (String each : Servers.NAMES) {
            for (int i = 80; i < 120; i++) {
                String key = "k" + i % 40;
                StoreEntry there = Servers.read(servers.get(each), key);
                assertEquals("value " + i, text(there));
                assertEquals(revisions.get(key), there.revision());
            }
            servers.get(each).machine().entries().checkInvariants();
        }
        long next = Servers.write(servers.get("n2"), "k0", bytes("next"));
        assertTrue(given.stream().allMatch(each -> each < next), () -> next + " after " + given);
    }

    private List<Path> snapshots(String name) {
        return files(servers.ofRatis(name).resolve("sm"), "snapshot\\.\\d+_\\d+");
    }

    private List<Path> logs(String name) {
        return files(servers.ofRatis(name).resolve("current"), "log_.*");
    }

    private static List<Path> files(Path directory, String pattern) {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(each -> each.getFileName().toString().matches(pattern))
                    .sorted()
                    .toList();
        } catch (IOException none) {
            return List.of();
        }
    }

    @Test
    void A7_aServerThatWasAwayLongGetsASnapshotAndTellsItsWatches() {
        servers.openAll();
        Servers.write(servers.get("n3"), "gone", bytes("value"));
        servers.close("n3");
        Store store = servers.get("n1");
        StoreEntry gone = store.read("gone");
        assertInstanceOf(WriteResult.Written.class, store.replace("gone", gone.revision(), null));
        byte[] large = new byte[1 << 20];
        for (int i = 0; i < 60; i++) {
            Servers.write(store, "large", large);
        }
        Servers.write(store, "new", bytes("value"));
        for (String each : List.of("n1", "n2")) {
            await().atMost(LIMIT).until(() -> !logs(each).getFirst().toString().contains("_0"));
            assertTrue(logs(each).size() < 8, () -> "the log was not cut: " + logs(each));
        }
        Set<String> told = ConcurrentHashMap.newKeySet();
        servers.close(); // so that nobody tells n3 before it has a watch
        RatisStore back = servers.open("n3");
        try (StoreWatch _ = back.watch("", told::add)) {
            servers.open("n1");
            servers.open("n2");
            assertEquals("value", text(Servers.read(back, "new")));
            await().atMost(LIMIT).until(() -> told.containsAll(Set.of("gone", "large", "new")));
        }
        assertTrue(!back.read("gone").isPresent());
    }

    // ---------------------------------------------------------------- the disk, the end

    @Test
    void A7_aServerWhoseLogCannotBeWrittenEndsAndTheOthersGoOn() {
        servers.openAll();
        RatisStore full = servers.get(servers.leader());
        long revision = Servers.write(full, "a", bytes("one"));
        full.machine().notifyLogFailed(new IOException("No space left on device"), null);
        WriteResult.Unknown unknown =
                assertInstanceOf(
                        WriteResult.Unknown.class, full.replace("a", revision, bytes("two")));
        assertTrue(String.valueOf(unknown.cause().getMessage()).contains("No space"));
        StoreException failed = assertThrows(StoreException.class, () -> full.read("a"));
        assertTrue(String.valueOf(failed.getMessage()).contains("make room"), failed::getMessage);
        String other =
                Servers.NAMES.stream().filter(each -> servers.get(each) != full).findAny().get();
        assertTrue(Servers.write(servers.get(other), "a", bytes("three")) > revision);
    }

    @Test
    @Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
    void A7_closeEndsItsThreads() {
        for (int i = 0; i < ROUNDS_OF_THREADS; i++) {
            servers.open("n1");
            servers.open("n2");
            Servers.write(servers.get("n1"), "a", bytes("one"));
            servers.close(); // a leader may hand over to one that ends meanwhile
            await().atMost(LIMIT)
                    .untilAsserted(
                            () ->
                                    assertEquals(
                                            List.of(),
                                            Thread.getAllStackTraces().entrySet().stream()
                                                    .filter(each -> isOfAServer(each.getKey()))
                                                    .map(RatisStoreTest::withStack)
                                                    .toList()));
        }
    }

    private static String withStack(Map.Entry<Thread, StackTraceElement[]> thread) {
        return thread.getKey().getName() + List.of(thread.getValue());
    }

    private static boolean isOfAServer(Thread thread) {
        return thread.getName().matches("(n[123]|requests of|watches of|ends server).*");
    }
}
