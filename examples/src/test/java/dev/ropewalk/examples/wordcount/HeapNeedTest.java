package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.examples.cli.BadOption;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A heap that is too small is refused, and one that is called large enough is. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
class HeapNeedTest {
    private static final long MEBIBYTE = 1024 * 1024;

    @TempDir private Path directory;
    @TempDir private Path scratch;

    private Ran run(List<String> flags, String... arguments)
            throws IOException, InterruptedException {
        return Program.run(directory, scratch, flags, List.of(arguments));
    }

    @Test
    void aSmallHeapIsRefusedBeforeAnythingIsCounted() throws IOException, InterruptedException {
        Files.writeString(directory.resolve("text"), "text");
        Ran ran = run(List.of("-Xmx8m"), "--cords=2", "missing", "text");
        String line =
                "wordcount: the heap of 8 MiB is too small for 2 cords;"
                        + " start java with -Xmx14m or more\n";
        assertEquals(new Ran(2, "", line), ran);
        assertEquals(new Ran(0, Options.USAGE, ""), run(List.of("-Xmx8m"), "--help"));
    }

    @Test
    void moreCordsNeedMore() throws BadOption {
        Options one = Options.parse(List.of("--cords=1"));
        assertEquals(
                "the heap of 5 MiB is too small for 1 cord; start java with -Xmx12m or more",
                HeapNeed.complaint(one, 5 * MEBIBYTE));
        assertNull(HeapNeed.complaint(one, 12 * MEBIBYTE));
        Options all = Options.parse(List.of("--cords=64"));
        assertEquals(
                "the heap of 64 MiB is too small for 64 cords; start java with -Xmx138m or more",
                HeapNeed.complaint(all, 64 * MEBIBYTE));
        assertNull(HeapNeed.complaint(all, 138 * MEBIBYTE));
        assertNull(HeapNeed.complaint(all, Long.MAX_VALUE));
    }

    /** Whatever the collector leaves out of what it says. */
    @ParameterizedTest(name = "{0}, {1} cords in {2} MiB")
    @CsvSource({
        "SerialGC, 1, 12",
        "SerialGC, 16, 42",
        "ParallelGC, 2, 14",
        "G1GC, 2, 14",
        "G1GC, 16, 42"
    })
    void theHeapItAsksForIsEnough(String collector, int cords, int heap)
            throws IOException, InterruptedException {
        TextGenerator.write(directory.resolve("text"), 10_000_000, 1);
        List<String> flags = List.of("-XX:+Use" + collector, "-Xmx" + heap + "m");
        Counted counted = run(flags, "--json", "--cords=" + cords, "text").allCounted();
        assertEquals(10_000_000, counted.bytes());
        assertEquals(20, counted.top().size());
    }

    /** Trying again makes no room, so the run does not wait for it. */
    @ParameterizedTest(name = "chaos {0}")
    @ValueSource(strings = {"0", "0.1"})
    void aTextOfTooManyWordsIsOneLine(String chaos) throws IOException, InterruptedException {
        try (BufferedWriter out = Files.newBufferedWriter(directory.resolve("text"))) {
            for (int i = 0; i < 2_000_000; i++) {
                String word = Integer.toString(i, 26);
                for (int at = 0; at < word.length(); at++) {
                    out.write('a' + Character.digit(word.charAt(at), 26));
                }
                out.write("withanend ");
            }
        }
        Ran ran = run(List.of("-Xmx64m"), "--cords=2", "--chaos", chaos, "text");
        assertEquals(1, ran.problems().size(), ran.err());
        assertTrue(ran.err().endsWith(" very long; start java with a larger -Xmx\n"), ran.err());
        assertEquals("", ran.out());
        assertEquals(1, ran.status());
    }

    @Test
    void aFullHeapIsFoundBelowOtherFailures() {
        assertTrue(HeapNeed.isFull(new OutOfMemoryError()));
        assertTrue(HeapNeed.isFull(new IllegalStateException(new OutOfMemoryError())));
        assertFalse(HeapNeed.isFull(new IllegalStateException(new IOException())));
    }
}
