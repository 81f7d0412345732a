package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.examples.wordcount.SourceReader.Part;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Rule A5 in the program: counters crash before, inside and after their updates, are restarted with
 * the state they committed, and the failed message is tried again. So no number changes.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class ChaosTest {
    /** Files that share a chunk. */
    private static final int TINY_FILES = 50;

    private static final int TINY_BYTES = 400;

    /** Many files of one chunk: each is an update of each counter. */
    private static final int SMALL_FILES = 60;

    private static final int SMALL_BYTES = 66_000;
    private static final int LARGE_BYTES = 400_000;

    /** With this seed and its multiples some of the few updates crash, at the lowest rate too. */
    private static final long FIRST_SEED = 106;

    private static final List<String> PATHS = new ArrayList<>();
    private static final Map<String, Long> EXPECTED = new TreeMap<>();

    @TempDir private static Path directory;

    private static int chunks;

    @BeforeAll
    static void writeText() throws IOException {
        byte[] tiny = TextGenerator.text(TINY_BYTES, 3);
        String tinyPath = Files.write(directory.resolve("tiny"), tiny).toString();
        byte[] small = TextGenerator.text(SMALL_BYTES, 1);
        byte[] large = TextGenerator.text(LARGE_BYTES, 2);
        String smallPath = Files.write(directory.resolve("small"), small).toString();
        for (int i = 0; i < SMALL_FILES; i++) {
            PATHS.add(smallPath);
        }
        PATHS.add(SMALL_FILES / 2, Files.write(directory.resolve("large"), large).toString());
        for (int i = 0; i < TINY_FILES; i++) {
            PATHS.add(tinyPath);
        }
        expect(tiny, TINY_FILES);
        expect(small, SMALL_FILES);
        expect(large, 1);
        chunks = countChunks();
        assertTrue(chunks > SMALL_FILES && chunks < SMALL_FILES + 10, "chunks=" + chunks);
    }

    /** The word as the program shows it. */
    static String utf8(String latin1) {
        return new String(TestText.bytes(latin1), StandardCharsets.UTF_8);
    }

    private static void expect(byte[] text, int times) {
        TestText.count(text).forEach((word, n) -> EXPECTED.merge(utf8(word), n * times, Long::sum));
    }

    private static int countChunks() throws IOException {
        Consumer<Problem> none = p -> assertEquals("none", p.line());
        TextFiles files = TextFiles.named(PATHS, none);
        int count = 0;
        for (List<Source> batch = files.nextBatch(); !batch.isEmpty(); batch = files.nextBatch()) {
            SourceReader reader = new SourceReader(batch, none);
            for (Part part = reader.next(); part != null; part = reader.next()) {
                count += part.chunk() == null ? 0 : 1;
            }
        }
        return count;
    }

    /**
     * Whether a counter must crash, and none could otherwise: its updates draw from its seed one
     * after the other, and each chunk has words for each counter.
     */
    private static boolean mustCrash(double rate, long seed, int shards) {
        for (int shard = 0; shard < shards; shard++) {
            Chaos chaos = new Chaos(rate, seed + shard);
            for (int update = 0; update < chunks; update++) {
                if (chaos.next() != Chaos.Point.NONE) {
                    return true;
                }
            }
        }
        return false;
    }

    private static Counted count(double rate, long seed, int cords, int shards) {
        List<String> options =
                List.of(
                        "--chaos=" + rate,
                        "--seed=" + seed,
                        "--cords=" + cords,
                        "--shards=" + shards);
        Counted counted = Ran.here(false, Ran.wholeTable(options, PATHS)).allCounted();
        counted.assertSame(EXPECTED, options.toString());
        assertEquals(PATHS.size(), counted.files(), options::toString);
        assertEquals(
                TINY_FILES * TINY_BYTES + SMALL_FILES * SMALL_BYTES + LARGE_BYTES,
                counted.bytes(),
                options::toString);
        assertEquals(
                mustCrash(rate, seed, shards),
                counted.restarts() > 0,
                () -> options + ", restarts=" + counted.restarts());
        return counted;
    }

    @ParameterizedTest(name = "rate {0}")
    @ValueSource(doubles = {0.001, 0.1, 0.9})
    void A5_noNumberChanges(double rate) {
        int crashed = 0;
        for (long seed = 1; seed <= 3; seed++) {
            for (int cords = 1; cords <= 4; cords++) {
                for (int shards = 1; shards <= 4; shards++) {
                    crashed += count(rate, FIRST_SEED * seed, cords, shards).restarts() > 0 ? 1 : 0;
                }
            }
        }
        assertTrue(crashed > 0, "crashed=" + crashed);
    }

    @Test
    void A5_theRateIsTheRate() {
        // At 0.9 each update of each counter is tried 10 times on average.
        long restarts = count(0.9, 7, 2, 4).restarts();
        long expected = 9L * chunks * 4;
        assertTrue(
                restarts > expected / 2 && restarts < 2 * expected,
                "restarts=" + restarts + ", expected about " + expected);
    }

    @Test
    void A5_extremesOfTheOptions() {
        count(0, 1, 2, 2);
        count(0.1, 1, Options.MAX_CORDS, 1);
        List<String> options = List.of("--shards=" + Options.MAX_SHARDS, "--chaos=0.1");
        Counted counted = Ran.here(false, Ran.wholeTable(options, PATHS)).allCounted();
        counted.assertSame(EXPECTED, options.toString());
        assertTrue(counted.restarts() > 0, "restarts=" + counted.restarts());
    }
}
