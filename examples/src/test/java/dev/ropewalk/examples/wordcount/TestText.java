package dev.ropewalk.examples.wordcount;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Texts to count, and the plainest way to count them; a byte is a char of ISO-8859-1. */
final class TestText {
    private static final String SOME_OF_ALL =
            "aaabbcdetxyzABCZé\u0080ÿÃ@[`{/0 9 \n\t\r\u0000.,-'  ";

    private TestText() {}

    static byte[] bytes(String latin1) {
        return latin1.getBytes(StandardCharsets.ISO_8859_1);
    }

    static String latin1(byte[] buffer, int length) {
        return new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
    }

    /** Bytes of every kind, in runs that make words short and long. */
    static byte[] soup(SplittableRandom random, int length) {
        byte[] soup = new byte[length];
        int at = 0;
        while (at < length) {
            int kind = random.nextInt(8);
            int run = Math.min(length - at, 1 + random.nextInt(kind == 0 ? 40 : 6));
            for (int i = 0; i < run; i++) {
                soup[at++] =
                        switch (kind) {
                            case 0, 1, 2 -> (byte) ('a' + random.nextInt(4));
                            case 3 -> (byte) ('A' + random.nextInt(26));
                            case 4 -> (byte) random.nextInt(256);
                            default ->
                                    (byte) SOME_OF_ALL.charAt(random.nextInt(SOME_OF_ALL.length()));
                        };
            }
        }
        return soup;
    }

    /** The words of a text, letter by letter. */
    static Map<String, Long> count(byte[] text) {
        Map<String, Long> counts = new TreeMap<>();
        StringBuilder word = new StringBuilder();
        for (int i = 0; i <= text.length; i++) {
            int b = i == text.length ? ' ' : text[i] & 0xff;
            if (b >= 'A' && b <= 'Z') {
                b += 'a' - 'A';
            }
            if ((b >= 'a' && b <= 'z') || b >= 0x80) {
                word.append((char) b);
            } else if (!word.isEmpty()) {
                counts.merge(word.toString(), 1L, Long::sum);
                word.setLength(0);
            }
        }
        return counts;
    }

    static Map<String, Long> counts(WordTable table) {
        Map<String, Long> counts = new TreeMap<>();
        table.forEach((buffer, length, count) -> counts.put(latin1(buffer, length), count));
        return counts;
    }

    static Map<String, Long> counts(CountTable table) {
        Map<String, Long> counts = new TreeMap<>();
        table.forEach((buffer, length, count) -> counts.put(latin1(buffer, length), count));
        return counts;
    }

    static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    static WordTable table(String latin1) {
        WordTable table = new WordTable();
        byte[] text = bytes(latin1);
        table.addAll(text, text.length);
        return table;
    }
}
