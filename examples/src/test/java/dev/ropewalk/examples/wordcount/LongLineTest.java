package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Files that are one line, or one word, larger than the heap. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
class LongLineTest {
    private static final int BLOCK = 1 << 20;

    @TempDir private Path directory;

    /** As often as wanted the same block. */
    private String repeated(byte[] block, int times) throws IOException {
        Path file = directory.resolve("line");
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < times; i++) {
                out.write(block);
            }
        }
        return file.toString();
    }

    private Ran count(String heap, String file) throws IOException, InterruptedException {
        List<String> arguments = Ran.wholeTable(List.of("--cords", "2"), List.of(file));
        return Program.run(directory, directory, List.of(heap), arguments);
    }

    /** Text without a line end, counted whole. */
    private void countLine(String heap, int mebibytes) throws IOException, InterruptedException {
        byte[] block = TextGenerator.text(BLOCK, 1);
        for (int i = 0; i < BLOCK; i++) {
            block[i] = block[i] == '\n' ? (byte) ' ' : block[i];
        }
        block[BLOCK - 1] = ' ';
        Map<String, Long> expected = new TreeMap<>();
        TestText.count(block)
                .forEach((word, n) -> expected.put(ChaosTest.utf8(word), n * mebibytes));
        Ran ran = count(heap, repeated(block, mebibytes));
        Counted counted = ran.allCounted();
        counted.assertSame(expected, heap);
        assertEquals((long) BLOCK * mebibytes, counted.bytes());
    }

    private void skipWord(String heap, int mebibytes) throws IOException, InterruptedException {
        byte[] block = new byte[BLOCK];
        Arrays.fill(block, (byte) 'w');
        String file = repeated(block, mebibytes);
        Ran ran = count(heap, file);
        assertEquals(
                List.of(
                        "wordcount: "
                                + file
                                + ": word of "
                                + (long) BLOCK * mebibytes
                                + " bytes at byte offset 0 is longer than 1048576 bytes, skipped"),
                ran.problems());
        assertEquals(0, ran.counted().words());
        assertEquals(1, ran.counted().files());
        assertEquals(1, ran.status());
    }

    @Test
    void aLineOf64MebibytesInAHeapOf32() throws IOException, InterruptedException {
        countLine("-Xmx32m", 64);
    }

    @Test
    void aWordOf64MebibytesInAHeapOf32() throws IOException, InterruptedException {
        skipWord("-Xmx32m", 64);
    }

    @Test
    @Tag("stress")
    void aLineOfOneGibibyteInAHeapOf256() throws IOException, InterruptedException {
        countLine("-Xmx256m", 1024);
    }

    @Test
    @Tag("stress")
    void aWordOfThreeGibibytesInAHeapOf256() throws IOException, InterruptedException {
        skipWord("-Xmx256m", 3072);
    }
}
