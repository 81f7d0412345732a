package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

@Timeout(60)
class WordTableTest {
    private final WordTable table = new WordTable(0);

    @AfterEach
    void invariantsHold() {
        table.checkInvariants();
    }

    private void count(String latin1) {
        byte[] text = TestText.bytes(latin1);
        table.addAll(text, text.length);
    }

    @Test
    void refusesImpossibleSizes() {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> new WordTable(-1));
        assertEquals("distinct=-1 is not in 0..536870912", e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> new WordTable(1 + (1 << 29)));
    }

    @Test
    void checkInvariantsFindsWhatIsWrong() {
        count("a b b");
        table.restore(0, 7);
        table.checkInvariants();
        table.restore(0, -1);
        assertThrows(IllegalStateException.class, table::checkInvariants);
        table.restore(0, 1);
    }

    @Test
    void anEmptyTableHasNothing() {
        assertEquals(0, table.words());
        assertEquals(0, table.distinct());
        assertEquals(List.of(), table.top(10));
        table.forEach((buffer, length, count) -> assertEquals(0, 1, "an empty table has a word"));
    }

    @Test
    void wordsThatBeginAlikeAreDifferent() {
        count("abcdefg abcdefgh abcdefghi abcdefghijklmnop abcdefghijklmnopq abcdefgh");
        assertEquals(
                Map.of(
                        "abcdefg", 1L,
                        "abcdefgh", 2L,
                        "abcdefghi", 1L,
                        "abcdefghijklmnop", 1L,
                        "abcdefghijklmnopq", 1L),
                TestText.counts(table));
    }

    @Test
    void showsWordsInTheOrderTheyCame() {
        count("zebra apple zebra internationalization mango");
        List<String> seen = new ArrayList<>();
        table.forEach((buffer, length, n) -> seen.add(TestText.latin1(buffer, length) + n));
        assertEquals(List.of("zebra2", "apple1", "internationalization1", "mango1"), seen);
    }

    @Test
    void holdsAWordOfAMegabyte() {
        String word = "x".repeat(1 << 20);
        count(word + " y " + word);
        assertEquals(Map.of(word, 2L, "y", 1L), TestText.counts(table));
    }

    @Test
    void clearForgetsAllWords() {
        count("one two internationalization one");
        table.clear();
        assertEquals(0, table.words());
        assertEquals(Map.of(), TestText.counts(table));
        table.checkInvariants();
        count("two internationalisation");
        assertEquals(Map.of("two", 1L, "internationalisation", 1L), TestText.counts(table));
    }

    @Test
    void truncateRemovesTheNewestWords() {
        count("one two internationalization");
        int keep = table.distinct();
        Map<String, Long> before = TestText.counts(table);
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            many.append(" w").append("abcdefghij".repeat(1 + i % 3)).append((char) ('a' + i % 26));
            many.append((char) ('a' + i / 26));
        }
        count(many.toString());
        table.truncate(keep);
        assertEquals(before, TestText.counts(table));
        assertEquals(3, table.words());
    }

    @Test
    void topIsByCountAndThenByBytes() {
        count("b b a a \u00ff \u00ff z internationalization internationalizatiom c c c");
        List<String> top = new ArrayList<>();
        table.top(6).forEach(w -> top.add(TestText.latin1(w.bytes(), w.bytes().length)));
        assertEquals(
                List.of("c", "a", "b", "\u00ff", "internationalizatiom", "internationalization"),
                top);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void countsAndMergesLikeAMap(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, Long> expected = new TreeMap<>();
        for (int round = 0; round < 40; round++) {
            byte[] text = TestText.soup(random, random.nextInt(5000));
            TestText.count(text).forEach((word, n) -> expected.merge(word, n, Long::sum));
            if (random.nextBoolean()) {
                table.addAll(text, text.length);
            } else {
                WordTable other = new WordTable(random.nextInt(50));
                other.addAll(text, text.length);
                table.merge(other);
                other.checkInvariants();
            }
        }
        assertEquals(expected, TestText.counts(table), "seed=" + seed);
        assertEquals(expected.size(), table.distinct(), "seed=" + seed);
        assertEquals(TestText.sum(expected), table.words(), "seed=" + seed);
    }
}
