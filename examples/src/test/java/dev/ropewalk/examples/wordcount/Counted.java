package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The object that {@code --json} prints, checked while it is read. */
record Counted(
        long files,
        long partial,
        long bytes,
        long words,
        long distinct,
        long restarts,
        long problems,
        long warnings,
        boolean interrupted,
        Map<String, Long> top) {
    private static final List<String> NAMES =
            List.of(
                    "files",
                    "partial",
                    "bytes",
                    "words",
                    "distinct",
                    "elapsedNs",
                    "bytesPerSecond",
                    "wordsPerSecond",
                    "restarts",
                    "problems",
                    "warnings",
                    "interrupted",
                    "top");

    static Counted of(String json) {
        assertTrue(json.endsWith("}\n") && json.indexOf('\n') == json.length() - 1, "one line");
        Map<?, ?> object = assertInstanceOf(Map.class, Json.parse(json));
        assertEquals(NAMES, List.copyOf(object.keySet()));
        for (String rate : List.of("elapsedNs", "bytesPerSecond", "wordsPerSecond")) {
            assertTrue(number(object, rate) >= 0, rate);
        }
        return new Counted(
                number(object, "files"),
                number(object, "partial"),
                number(object, "bytes"),
                number(object, "words"),
                number(object, "distinct"),
                number(object, "restarts"),
                number(object, "problems"),
                number(object, "warnings"),
                assertInstanceOf(Boolean.class, object.get("interrupted")),
                top(assertInstanceOf(List.class, object.get("top"))));
    }

    /** Words that look the same, as malformed ones may, are one here. */
    private static Map<String, Long> top(List<?> entries) {
        Map<String, Long> top = new TreeMap<>();
        long before = Long.MAX_VALUE;
        for (Object entry : entries) {
            Map<?, ?> pair = assertInstanceOf(Map.class, entry);
            assertEquals(List.of("word", "count"), List.copyOf(pair.keySet()));
            long count = number(pair, "count");
            assertTrue(count <= before, "the most frequent come first: " + pair);
            before = count;
            top.merge(assertInstanceOf(String.class, pair.get("word")), count, Long::sum);
        }
        return top;
    }

    private static long number(Map<?, ?> object, String name) {
        @Nullable Object value = object.get(name);
        return assertInstanceOf(Long.class, value, name);
    }

    /** The same whole table and totals, whatever was restarted. */
    void assertSame(Map<String, Long> expected, String message) {
        // First the totals: when tables differ, the message of assertEquals shows both.
        assertEquals(expected.size(), distinct, message);
        assertEquals(TestText.sum(expected), words, message);
        assertTrue(expected.equals(top), () -> message + ": " + firstDifference(expected));
    }

    private String firstDifference(Map<String, Long> expected) {
        Map<String, Long> all = new TreeMap<>(expected);
        all.putAll(top);
        for (String word : all.keySet()) {
            @Nullable Long wanted = expected.get(word);
            @Nullable Long got = top.get(word);
            if (wanted == null || !wanted.equals(got)) {
                return word + ": expected " + wanted + " but counted " + got;
            }
        }
        return "no difference";
    }
}
