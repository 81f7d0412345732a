package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

@Timeout(60)
class SplitterTest {
    @Test
    void refusesALengthBeyondTheText() {
        WordTable table = new WordTable();
        IllegalArgumentException e =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Splitter.split(new byte[3], 4, table));
        assertEquals("length=4 is not in 0..3, the length of the text", e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> Splitter.split(new byte[3], -1, table));
        table.checkInvariants();
    }

    @Test
    void refusesToCountNowhere() {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> Splitter.split(new byte[3], 3));
        assertEquals("shards=0; give at least one table to count in", e.getMessage());
    }

    @Test
    void whatLiesBeyondTheLengthIsNotSeen() {
        WordTable table = new WordTable();
        Splitter.split(TestText.bytes("abc defghijklmnop"), 10, table);
        assertEquals(Map.of("abc", 1L, "defghi", 1L), TestText.counts(table));
        table.checkInvariants();
    }

    @Test
    void nothingAndSeparatorsOnlyAreNoWord() {
        for (String text : new String[] {"", " ", "123 456\n\t@[`{/\u0000\u007f ..........."}) {
            WordTable table = TestText.table(text);
            assertEquals(0, table.words(), text);
            assertEquals(0, table.distinct(), text);
            table.checkInvariants();
        }
    }

    @Test
    void onlyAsciiCapitalsBecomeSmall() {
        // In ISO-8859-1: 0xc9 and 0xe9 differ by the case bit but are no ASCII letters.
        assertEquals(
                Map.of("abcz", 2L, "\u00c9", 1L, "\u00e9", 1L),
                TestText.counts(TestText.table("ABCZ abcz \u00c9 \u00e9")));
    }

    @Test
    void wordsOfEachLengthAtEachPlaceAreFound() {
        for (int length = 1; length <= 40; length++) {
            String word = "abcdefghijklmnopqrstuvwxyz\u00ffabcdefghijklmnop".substring(0, length);
            for (int before = 0; before <= 9; before++) {
                String separators = " ".repeat(before);
                assertEquals(
                        Map.of(word, 1L),
                        TestText.counts(TestText.table(separators + word)),
                        separators + word);
                assertEquals(
                        Map.of(word, 2L),
                        TestText.counts(TestText.table(word + separators + " " + word + " ")),
                        "length=" + length + " before=" + before);
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shardsTogetherHaveTheWordsOfTheText(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 50; round++) {
            byte[] text = TestText.soup(random, random.nextInt(3000));
            WordTable[] shards = new WordTable[random.nextInt(1, 6)];
            Arrays.setAll(shards, i -> new WordTable(random.nextInt(100)));
            WordTable.splitInto(shards, text, text.length);
            Map<String, Long> together = new HashMap<>();
            for (WordTable shard : shards) {
                shard.checkInvariants();
                TestText.counts(shard)
                        .forEach((word, n) -> assertTrue(together.put(word, n) == null, word));
            }
            assertEquals(TestText.count(text), together, "seed=" + seed + " round=" + round);
        }
    }

    @Test
    void aWordStaysInItsShardWhateverTheText() {
        WordTable[] first = {new WordTable(), new WordTable(), new WordTable()};
        WordTable[] second = {new WordTable(), new WordTable(), new WordTable()};
        byte[] text = TextGenerator.text(20_000, 5);
        int half = TestText.latin1(text, text.length / 2).lastIndexOf('\n');
        WordTable.splitInto(first, text, text.length);
        WordTable.splitInto(second, text, half);
        for (int i = 0; i < first.length; i++) {
            assertTrue(
                    TestText.counts(first[i])
                            .keySet()
                            .containsAll(TestText.counts(second[i]).keySet()),
                    "shard=" + i);
        }
    }
}
