package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.examples.cli.Plain;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

@Timeout(60)
class SummaryTest {
    private static WordCount word(String text, long count) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return new WordCount(utf8, utf8.length, count);
    }

    private static Summary of(WordCount... top) {
        return new Summary(1, 0, 2, 3, 4, 1_000_000_000, 0, 0, 0, false, List.of(top));
    }

    @Test
    void malformedWordsAreShownAsReplacements() {
        byte[] malformed = {'a', (byte) 0xff};
        Summary summary = of(new WordCount(malformed, 2, 1));
        assertTrue(summary.toText().contains("    1  a\ufffd\n"), summary.toText());
        assertTrue(summary.toJson().contains("{\"word\":\"a\ufffd\",\"count\":1}"));
    }

    @Test
    void wordsThatMoveTheCursorAreEscaped() {
        // Beyond ASCII there are control characters, too.
        Summary summary = of(word("a\u009b2J\u202e\u2028", 1));
        assertTrue(summary.toText().contains("  a\\u009b2J\\u202e\\u2028\n"), summary.toText());
        assertTrue(summary.toJson().contains("\"a\\u009b2J\\u202e\\u2028\""), summary.toJson());
    }

    @Test
    void jsonStringsAreEscaped() {
        StringBuilder json = new StringBuilder();
        Summary.quote(json, "a\"b\\c/\n\t\u0000é\ud834\udd1e");
        assertEquals("\"a\\\"b\\\\c/\\u000a\\u0009\\u0000é\ud834\udd1e\"", json.toString());
    }

    @Test
    void anEmptyRunHasNoTableAndNoThroughput() {
        Summary empty = new Summary(0, 0, 0, 0, 0, 0, 0, 0, 0, false, List.of());
        assertEquals(
                """
                0 files: 0 words, 0 different words
                0 bytes in 0.000 s: 0.0 MB/s, 0.0 million words/s
                0 restarts, 0 problems
                """,
                empty.toText());
        assertEquals(
                "{\"files\":0,\"partial\":0,\"bytes\":0,\"words\":0,\"distinct\":0,\"elapsedNs\":0,"
                        + "\"bytesPerSecond\":0,\"wordsPerSecond\":0,\"restarts\":0,"
                        + "\"problems\":0,\"warnings\":0,\"interrupted\":false,\"top\":[]}\n",
                empty.toJson());
    }

    @Test
    void anInterruptedRunSaysSo() {
        Summary summary = new Summary(1, 1, 1, 1, 1, 1, 1, 1, 0, true, List.of());
        assertTrue(
                summary.toText()
                        .endsWith(
                                "1 restart, 1 problem\n"
                                        + "interrupted: the numbers cover what was counted until"
                                        + " then\n"),
                summary.toText());
        assertTrue(summary.toJson().contains("\"interrupted\":true"));
        assertFalse(of().toText().contains("interrupted"));
    }

    @Test
    void filesInPartAndWarningsAreSaidIfThereAreAny() {
        Summary summary = new Summary(3, 2, 9, 5, 4, 1_000_000, 0, 1, 1, false, List.of());
        assertEquals(
                """
                3 files and 2 in part: 5 words, 4 different words
                9 bytes in 0.001 s: 0.0 MB/s, 0.0 million words/s
                0 restarts, 1 problem, 1 warning
                """,
                summary.toText());
    }

    @Test
    void aTableAndTotalsForPeople() {
        Summary summary =
                new Summary(
                        1,
                        0,
                        100_000_000,
                        14_677_981,
                        50_000,
                        625_000_000,
                        12,
                        2,
                        0,
                        false,
                        List.of(word("the", 1_234_567), word("naïve", 89), word("a", 7)));
        assertEquals(
                """
                    count  word
                1,234,567  the
                       89  naïve
                        7  a

                1 file: 14,677,981 words, 50,000 different words
                100,000,000 bytes in 0.625 s: 160.0 MB/s, 23.5 million words/s
                12 restarts, 2 problems
                """,
                summary.toText());
    }

    @Test
    void oneObjectOnOneLineForPrograms() {
        Summary summary =
                new Summary(
                        3,
                        2,
                        2_000,
                        300,
                        40,
                        500_000_000,
                        5,
                        6,
                        7,
                        false,
                        List.of(word("the", 20), word("naïve", 10)));
        assertEquals(
                "{\"files\":3,\"partial\":2,\"bytes\":2000,\"words\":300,\"distinct\":40,"
                        + "\"elapsedNs\":500000000,\"bytesPerSecond\":4000,\"wordsPerSecond\":600,"
                        + "\"restarts\":5,\"problems\":6,\"warnings\":7,\"interrupted\":false,"
                        + "\"top\":[{\"word\":\"the\",\"count\":20},"
                        + "{\"word\":\"naïve\",\"count\":10}]}\n",
                summary.toJson());
    }

    @Test
    void numbersAreTheSameInEveryLocale() {
        Summary summary = of(word("the", 1_234_567));
        String text = summary.toText();
        Locale before = Locale.getDefault();
        try {
            for (String tag : List.of("de", "ar-EG-u-nu-arab", "hi-IN-u-nu-deva")) {
                Locale.setDefault(Locale.forLanguageTag(tag));
                assertEquals(text, summary.toText(), tag);
                assertEquals("a\\u000a", Plain.text("a\n"), tag);
            }
        } finally {
            Locale.setDefault(before);
        }
    }
}
