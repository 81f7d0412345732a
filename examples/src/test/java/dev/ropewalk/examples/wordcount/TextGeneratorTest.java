package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

@Timeout(60)
class TextGeneratorTest {
    @TempDir private Path directory;

    @Test
    void refusesANegativeLength() {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> TextGenerator.text(-1, 1));
        assertEquals("bytes=-1 < 0; ask for 0 bytes or more", e.getMessage());
    }

    @Test
    void hasExactlyTheLengthAskedForAndNoHalfCharacter() {
        byte[] longest = TextGenerator.text(5_000, 3);
        for (int length = 0; length < 5_000; length += 241) {
            byte[] text = TextGenerator.text(length, 3);
            assertEquals(length, text.length);
            Utf8Check check = new Utf8Check();
            check.next(text, 0, length);
            check.end();
            assertEquals(-1, check.malformedAt(), "length=" + length);
            int lines = Math.max(0, length - 400);
            assertArrayEquals(Arrays.copyOf(longest, lines), Arrays.copyOf(text, lines));
        }
    }

    @Test
    void theSameSeedGivesTheSameFile() throws IOException {
        Path file = directory.resolve("text");
        TextGenerator.write(file, 300_000, 11);
        assertArrayEquals(TextGenerator.text(300_000, 11), Files.readAllBytes(file));
        assertFalse(Arrays.equals(TextGenerator.text(300_000, 12), Files.readAllBytes(file)));
    }

    @Test
    void isLikeEnglishToACounterOfWords() {
        byte[] text = TextGenerator.text(4_000_000, 1);
        WordTable table = new WordTable();
        table.addAll(text, text.length);
        List<WordCount> top = table.top(10_000);
        double perWord = (double) text.length / table.words();
        assertTrue(perWord > 5 && perWord < 8, "bytes per word=" + perWord);
        assertTrue(
                table.distinct() > 30_000 && table.distinct() <= 50_000,
                "distinct=" + table.distinct());
        assertEquals(10, (double) top.get(0).count() / top.get(9).count(), 2, "first to tenth");
        assertEquals(10, (double) top.get(99).count() / top.get(999).count(), 2, "100th to 1000th");
        assertTrue(top.stream().anyMatch(w -> w.text().length() < w.bytes().length), "all ASCII");
        assertTrue(top.getFirst().text().length() <= 3, "first=" + top.getFirst());
        String asText = new String(text, StandardCharsets.UTF_8);
        int longest = asText.lines().mapToInt(String::length).max().orElse(0);
        assertTrue(longest >= 80 && longest < 130, "longest line=" + longest);
    }
}
