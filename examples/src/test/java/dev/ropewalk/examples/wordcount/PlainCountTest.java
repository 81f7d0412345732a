package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

@Timeout(60)
class PlainCountTest {
    @TempDir private Path directory;

    @Test
    void aMissingFileIsAnError() {
        List<Path> missing = List.of(directory.resolve("missing"));
        assertThrows(NoSuchFileException.class, () -> PlainCount.count(missing));
    }

    @Test
    void aFileBoundaryEndsAWord() throws IOException {
        Path one = Files.writeString(directory.resolve("one"), "a word");
        Path two = Files.writeString(directory.resolve("two"), "word b");
        assertEquals(Map.of("a", 1L, "word", 2L, "b", 1L), PlainCount.count(List.of(one, two)));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void countsTheSameWordsAsTables(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 20; round++) {
            byte[] text =
                    round % 2 == 0
                            ? TestText.soup(random, random.nextInt(20_000))
                            : TextGenerator.text(random.nextInt(100_000), random.nextLong());
            WordTable table = new WordTable();
            table.addAll(text, text.length);
            Map<String, Long> counts = TestText.counts(table);
            String where = "seed=" + seed + " round=" + round;
            assertEquals(counts, PlainCount.count(text), where);
            Path file = Files.write(directory.resolve("text"), text);
            assertEquals(counts, PlainCount.count(List.of(file)), where);
            Map<String, Long> concurrent = new HashMap<>();
            PlainCount.countConcurrently(List.of(file))
                    .forEach((word, count) -> concurrent.put(word, count.sum()));
            assertEquals(counts, concurrent, where);
        }
    }
}
