package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.charset.StandardCharsets;

@Timeout(60)
class WordCountTest {
    private static WordCount word(String latin1, long count) {
        return new WordCount(TestText.bytes(latin1), latin1.length(), count);
    }

    @Test
    void malformedBytesAreShownAsReplacements() {
        assertEquals("a\ufffdb", word("a\u00ffb", 1).text());
        assertEquals("\ufffd", word("\u00e2\u0082", 1).text());
        assertNotEquals(word("\u00ff", 1), word("\u00fe", 1));
    }

    @Test
    void isNotChangedThroughWhatItWasMadeFromOrGives() {
        byte[] buffer = TestText.bytes("word and more");
        WordCount count = new WordCount(buffer, 4, 3);
        buffer[0] = 'x';
        count.bytes()[1] = 'x';
        assertArrayEquals(TestText.bytes("word"), count.bytes());
        assertEquals("3 word", count.toString());
    }

    @Test
    void sortsByCountDownwardsThenByUnsignedBytes() {
        assertTrue(word("z", 2).compareTo(word("a", 1)) < 0);
        assertTrue(word("a", 1).compareTo(word("b", 1)) < 0);
        assertTrue(word("z", 1).compareTo(word("\u0080", 1)) < 0);
        assertTrue(word("a", 1).compareTo(word("aa", 1)) < 0);
        assertEquals(0, word("a", 1).compareTo(word("a", 1)));
    }

    @Test
    void equalWordsAndCountsAreEqual() {
        WordCount one = word("na\u00efve", 2);
        assertEquals(one, word("na\u00efve", 2));
        assertEquals(one.hashCode(), word("na\u00efve", 2).hashCode());
        assertNotEquals(one, word("na\u00efve", 3));
        byte[] utf8 = "naïve".getBytes(StandardCharsets.UTF_8);
        assertEquals("naïve", new WordCount(utf8, utf8.length, 1).text());
    }
}
