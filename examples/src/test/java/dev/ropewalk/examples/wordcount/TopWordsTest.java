package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;

@Timeout(60)
class TopWordsTest {
    @Test
    void refusesANegativeNumber() {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> new TopWords(-1));
        assertEquals("n=-1 < 0; ask for 0 words or more", e.getMessage());
    }

    @Test
    void ofNothingAndOfZeroWordsIsEmpty() {
        TopWords none = new TopWords(0);
        none.addAll(TestText.table("a b a"));
        none.addAll(TestText.table("c").top(1));
        assertEquals(List.of(), none.toList());
        assertEquals(List.of(), new TopWords(5).toList());
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void topsOfShardsGiveTheTopOfAll(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] text = TestText.soup(random, 20_000);
        WordTable whole = new WordTable();
        whole.addAll(text, text.length);
        List<WordCount> all = new ArrayList<>();
        whole.forEach((buffer, length, n) -> all.add(new WordCount(buffer, length, n)));
        Collections.sort(all);
        WordTable[] shards = new WordTable[5];
        Arrays.setAll(shards, i -> new WordTable());
        WordTable.splitInto(shards, text, text.length);
        for (int n : new int[] {1, 2, 10, 100, all.size(), all.size() + 1}) {
            List<WordCount> expected = all.subList(0, Math.min(n, all.size()));
            TopWords fromTops = new TopWords(n);
            TopWords fromTables = new TopWords(n);
            for (WordTable shard : shards) {
                fromTops.addAll(shard.top(n));
                fromTables.addAll(shard);
            }
            assertEquals(expected, fromTops.toList(), "seed=" + seed + " n=" + n);
            assertEquals(expected, fromTables.toList(), "seed=" + seed + " n=" + n);
            assertEquals(expected, whole.top(n), "seed=" + seed + " n=" + n);
        }
    }
}
