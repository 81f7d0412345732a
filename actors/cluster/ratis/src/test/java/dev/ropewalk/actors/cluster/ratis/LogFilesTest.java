package dev.ropewalk.actors.cluster.ratis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreException;

import org.apache.ratis.util.MD5FileUtil;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Rule A7: the files of a server that are damaged are refused by name, and not read. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class LogFilesTest {
    private static final int ENTRIES = 30;

    @TempDir private static Path filled;

    private static Map<String, String> one;

    @TempDir private Path folder;

    private RatisOptions options;
    private Path root;

    /** One server, opened twice, so that its log is in a closed file and an open one. */
    @BeforeAll
    static void fill() throws IOException {
        one = Servers.addresses(List.of("n1"));
        for (int round = 0; round < 2; round++) {
            try (RatisStore store = RatisStore.open(RatisOptions.of("n1", one, filled))) {
                for (int i = 0; i < ENTRIES; i++) {
                    Servers.write(store, "k" + i, ("value " + round).getBytes(UTF_8));
                }
            }
        }
    }

    /** Each test damages a copy. */
    @BeforeEach
    void copy() throws IOException {
        options = RatisOptions.of("n1", one, folder.resolve("n1"));
        root = options.directory().resolve(ServerDirectory.idOf(options.group()).toString());
        try (Stream<Path> all = Files.walk(filled)) {
            for (Path each : all.toList()) {
                Path to = options.directory().resolve(filled.relativize(each).toString());
                Files.copy(each, to);
            }
        }
    }

    private Path file(String below, String pattern) throws IOException {
        try (Stream<Path> all = Files.list(root.resolve(below))) {
            return all.filter(each -> each.getFileName().toString().matches(pattern))
                    .min(Path::compareTo)
                    .orElseThrow();
        }
    }

    private Path closedFile() throws IOException {
        return file("current", "log_\\d+-\\d+");
    }

    private Path openFile() throws IOException {
        return file("current", "log_inprogress_\\d+");
    }

    private void assertRefused(Path file) {
        String why =
                String.valueOf(
                        assertThrows(
                                        StoreException.class,
                                        () -> LogFiles.check(options, root),
                                        file::toString)
                                .getMessage());
        assertTrue(why.contains(file.toString()), why);
    }

    @Test
    void A7_aDamagedLogIsRefusedWhenTheStoreIsOpened() throws IOException {
        Path file = openFile();
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
        StoreException refused = assertThrows(StoreException.class, () -> RatisStore.open(options));
        String why = String.valueOf(refused.getMessage());
        assertTrue(why.contains(file.toString()) && why.contains("is damaged"), why);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
        try (RatisStore store = RatisStore.open(options)) {
            assertEquals("value 1", new String(Servers.read(store, "k7").value(), UTF_8));
        }
    }

    @Test
    void A7_anyBitThatFlipsIsFound() throws IOException {
        SplittableRandom random = new SplittableRandom(7);
        for (Path file : List.of(closedFile(), openFile())) {
            byte[] good = Files.readAllBytes(file);
            for (int i = 0; i < 300; i++) {
                byte[] bad = good.clone();
                // Not of the last length: then the rest of the file may be an entry that was cut.
                int at =
                        random.nextInt(file.equals(closedFile()) ? good.length : good.length - 200);
                bad[at] ^= (byte) (1 << random.nextInt(8));
                Files.write(file, bad);
                int where = at;
                assertThrows(
                        StoreException.class,
                        () -> LogFiles.check(options, root),
                        () -> file + " at " + where);
            }
            Files.write(file, good);
        }
        LogFiles.check(options, root);
    }

    @Test
    void A7_anEntryThatIsHalfZeroIsRefused() throws IOException {
        for (Path file : List.of(closedFile(), openFile())) {
            byte[] bytes = Files.readAllBytes(file);
            byte[] bad = bytes.clone();
            Arrays.fill(bad, bad.length - 20, bad.length, (byte) 0);
            Files.write(file, bad);
            assertRefused(file);
            Files.write(file, bytes);
        }
    }

    @Test
    void A7_aClosedFileThatIsCutOrGoneIsRefused() throws IOException {
        Path closed = closedFile();
        byte[] bytes = Files.readAllBytes(closed);
        for (int left : new int[] {bytes.length - 1, bytes.length / 2, 8, 3, 0}) {
            Files.write(closed, Arrays.copyOf(bytes, left));
            assertRefused(closed);
        }
        Files.delete(closed);
        assertRefused(openFile());
    }

    /** As by kill -9 in the middle of a write, before it was acknowledged. */
    @Test
    void A7_anOpenFileMayEndInTheMiddleOfAnEntry() throws IOException {
        byte[] bytes = Files.readAllBytes(openFile());
        for (int cut = 0; cut < 40; cut++) {
            Files.write(openFile(), Arrays.copyOf(bytes, bytes.length - cut));
            LogFiles.check(options, root);
        }
        for (int left = 0; left < 9; left++) {
            Files.write(openFile(), Arrays.copyOf(bytes, left));
            LogFiles.check(options, root);
        }
    }

    @Test
    void A7_aServerWithoutItsVoteIsRefused() throws IOException {
        Path meta = root.resolve("current").resolve("raft-meta");
        Files.delete(meta);
        assertRefused(meta);
    }

    // ---------------------------------------------------------------- snapshots

    private Path snapshot() throws IOException {
        Path file = root.resolve("sm").resolve("snapshot.9_5");
        Files.createDirectories(file.getParent());
        Entries entries = new Entries();
        for (int i = 0; i < 5; i++) {
            entries.put(new StoreEntry("k" + i, i + 1L, ("value " + i).getBytes(UTF_8)));
        }
        SnapshotFile.write(file, entries);
        return file;
    }

    @Test
    void A7_aSnapshotIsReadAsItWasWritten() throws IOException {
        Entries read = SnapshotFile.read(snapshot());
        assertEquals(5, read.count());
        assertEquals("value 3", new String(read.read("k3").value(), UTF_8));
        assertEquals(4, read.read("k3").revision());
        read.checkInvariants();
        LogFiles.check(options, root);
    }

    @Test
    void A7_aDamagedSnapshotIsRefused() throws IOException {
        Path file = snapshot();
        byte[] bytes = Files.readAllBytes(file);
        for (int i = 0; i < bytes.length; i++) {
            byte[] bad = bytes.clone();
            bad[i] ^= 4;
            Files.write(file, bad);
            assertRefused(file);
            Files.write(file, Arrays.copyOf(bytes, i));
            assertRefused(file);
        }
        Files.write(file, Arrays.copyOf(bytes, bytes.length + 1));
        assertRefused(file);
        Files.write(file, bytes);
        LogFiles.check(options, root);
        Files.delete(MD5FileUtil.getDigestFileForFile(file.toFile()).toPath());
        assertRefused(file);
    }

    @Test
    void A7_aSnapshotThatIsGoneIsMissedIfTheLogNeedsIt() throws IOException {
        Path file = snapshot();
        Files.delete(closedFile());
        assertRefused(openFile()); // it ends at 5, and the open file begins behind the closed one
        Files.delete(file);
        assertRefused(openFile());
    }
}
