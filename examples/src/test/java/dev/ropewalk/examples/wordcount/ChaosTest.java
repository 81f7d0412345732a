package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

/**
 * Rule A5 in the program: counters crash before, inside and after their updates, are restarted with
 * the state they committed, and the failed message is tried again. So no number changes.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class ChaosTest {
    /** Many files of one chunk: each is an update of each counter. */
    private static final int SMALL_FILES = 100;

    private static final int SMALL_BYTES = 4_000;
    private static final int LARGE_BYTES = 400_000;
    private static final List<String> PATHS = new ArrayList<>();
    private static final Map<String, Long> EXPECTED = new TreeMap<>();

    @TempDir private static Path directory;

    private static int chunks;

    @BeforeAll
    static void writeText() throws IOException {
        byte[] small = TextGenerator.text(SMALL_BYTES, 1);
        byte[] large = TextGenerator.text(LARGE_BYTES, 2);
        String smallPath = Files.write(directory.resolve("small"), small).toString();
        for (int i = 0; i < SMALL_FILES; i++) {
            PATHS.add(smallPath);
        }
        PATHS.add(SMALL_FILES / 2, Files.write(directory.resolve("large"), large).toString());
        TestText.count(small).forEach((word, n) -> EXPECTED.put(utf8(word), n * SMALL_FILES));
        TestText.count(large).forEach((word, n) -> EXPECTED.merge(utf8(word), n, Long::sum));
        chunks = SMALL_FILES + chunksOf(directory.resolve("large"));
    }

    /** The word as the program shows it. */
    static String utf8(String latin1) {
        return new String(TestText.bytes(latin1), StandardCharsets.UTF_8);
    }

    private static int chunksOf(Path file) throws IOException {
        int chunks = 0;
        try (ChunkReader reader = new ChunkReader(file, p -> assertEquals("none", p.line()))) {
            while (reader.next() != null) {
                chunks++;
            }
        }
        return chunks;
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
                SMALL_FILES * (long) SMALL_BYTES + LARGE_BYTES, counted.bytes(), options::toString);
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
                    crashed += count(rate, 100 * seed, cords, shards).restarts() > 0 ? 1 : 0;
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
