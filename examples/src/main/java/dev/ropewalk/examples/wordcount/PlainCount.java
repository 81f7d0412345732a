package dev.ropewalk.examples.wordcount;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The same words counted with parallel streams and hash maps only: what wordcount is measured
 * against.
 *
 * <p>Text is read as ISO-8859-1, in which each byte is one char, so a word here is the bytes of a
 * word there. Nothing is skipped or reported.
 */
final class PlainCount {
    private PlainCount() {}

    /** Counts the words of all files; a word's chars are its bytes. */
    static Map<String, Long> count(List<Path> files) throws IOException {
        Map<String, Long> total = new HashMap<>();
        for (Path file : files) {
            try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
                merge(total, count(lines));
            }
        }
        return total;
    }

    /** Counts the words of a text that is in memory. */
    static Map<String, Long> count(byte[] text) {
        return count(new String(text, StandardCharsets.ISO_8859_1).lines());
    }

    private static Map<String, Long> count(Stream<String> lines) {
        return lines.parallel().collect(HashMap::new, PlainCount::countLine, PlainCount::merge);
    }

    private static void countLine(Map<String, Long> counts, String line) {
        forEachWord(line, word -> counts.merge(word, 1L, Long::sum));
    }

    /** The same with one concurrent map for all: less plain, and no merging. */
    static Map<String, LongAdder> countConcurrently(List<Path> files) throws IOException {
        Map<String, LongAdder> total = new ConcurrentHashMap<>();
        for (Path file : files) {
            try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
                lines.parallel().forEach(line -> addLine(total, line));
            }
        }
        return total;
    }

    private static void addLine(Map<String, LongAdder> counts, String line) {
        forEachWord(line, word -> counts.computeIfAbsent(word, _ -> new LongAdder()).increment());
    }

    private static void forEachWord(String line, Consumer<String> consumer) {
        int end = line.length();
        int start = 0;
        for (int at = 0; at <= end; at++) {
            if (at == end || !isWordChar(line.charAt(at))) {
                if (at > start) {
                    consumer.accept(lowerAscii(line.substring(start, at)));
                }
                start = at + 1;
            }
        }
    }

    private static void merge(Map<String, Long> into, Map<String, Long> from) {
        from.forEach((word, count) -> into.merge(word, count, Long::sum));
    }

    private static boolean isWordChar(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
    }

    /** String.toLowerCase would change letters beyond ASCII, which are parts of characters here. */
    private static String lowerAscii(String word) {
        for (int i = 0; i < word.length(); i++) {
            if (word.charAt(i) >= 'A' && word.charAt(i) <= 'Z') {
                char[] lower = word.toCharArray();
                for (int j = i; j < lower.length; j++) {
                    if (lower[j] >= 'A' && lower[j] <= 'Z') {
                        lower[j] = Character.toLowerCase(lower[j]);
                    }
                }
                return new String(lower);
            }
        }
        return word;
    }
}
