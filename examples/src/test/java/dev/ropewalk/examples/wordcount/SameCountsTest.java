package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What the program prints is what tr, sort and uniq -c give, on real and on much text. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class SameCountsTest {
    /** With this seed one of the first updates at the rate of 0.001 crashes. */
    private static final long SEED_OF_A_CRASH = 1;

    @TempDir private Path directory;

    @BeforeEach
    void theToolsAreThere() throws InterruptedException {
        Tools.assume(directory);
    }

    @Test
    void onTheRepositorysOwnFiles() throws IOException, InterruptedException {
        Path root = Program.root();
        for (int attempt = 1; ; attempt++) {
            List<String> files = Tools.ownFiles(root, directory);
            Map<String, Long> expected = Tools.count(root, directory, files);
            Ran ran = Program.run(root, directory, List.of(), Ran.wholeTable(List.of(), List.of()));
            boolean same =
                    files.equals(Tools.ownFiles(root, directory))
                            && expected.equals(Tools.count(root, directory, files));
            if (!same) {
                // Somebody works on the files just now.
                assumeTrue(attempt < 5, "the files do not stay the same");
                continue;
            }
            assertTrue(files.contains("./README.md") && files.contains("./docs/design.md"));
            Counted counted = ran.allCounted();
            counted.assertSame(expected, "in " + root);
            assertEquals(files.size(), counted.files());
            assertEquals(sizes(root, files), counted.bytes());
            assertTrue(counted.words() > 10_000, "words=" + counted.words());
            return;
        }
    }

    @Test
    void onAGeneratedFileOf100Megabytes() throws IOException, InterruptedException {
        Path file = directory.resolve("text");
        TextGenerator.write(file, 100_000_000, 1);
        List<String> files = List.of(file.toString());
        Map<String, Long> expected = Tools.count(directory, directory, files);
        assertEquals(50_000, expected.size());
        // With --json there is no progress line, on a terminal or not.
        Counted quiet = Ran.here(true, Ran.wholeTable(List.of(), files)).allCounted();
        quiet.assertSame(expected, "without chaos");
        assertEquals(1, quiet.files());
        assertEquals(100_000_000, quiet.bytes());
        assertEquals(0, quiet.restarts());

        List<String> chaos = List.of("--chaos", "0.001", "--seed", "" + SEED_OF_A_CRASH);
        Counted wild = Ran.here(false, Ran.wholeTable(chaos, files)).allCounted();
        wild.assertSame(expected, "with " + chaos);
        assertTrue(wild.restarts() > 0, "restarts=" + wild.restarts());
    }

    private static long sizes(Path root, List<String> files) throws IOException {
        long sum = 0;
        for (String file : files) {
            sum += Files.size(root.resolve(file));
        }
        return sum;
    }
}
