package dev.ropewalk.examples.wordcount;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Writes text that is like English to a counter of words: 50,000 words, the n-th most frequent of
 * which comes about 1/n times as often as the first; the frequent ones are short; some capitals,
 * digits and punctuation; lines of about 80 columns. The same seed and length give the same bytes.
 */
final class TextGenerator {
    private static final int VOCABULARY = 50_000;
    private static final int COLUMNS = 80;
    private static final String[] ONSETS = {
        "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "w", "st", "th", "tr", "ch"
    };
    private static final String[] VOWELS = {"a", "e", "i", "o", "u", "ea", "ou", "io", "ee", "y"};
    private static final String[] CODAS = {"", "", "", "n", "r", "s", "t", "l", "nd", "ng", "st"};
    private static final String[] BEYOND_ASCII = {"é", "ü", "ñ", "å", "ж", "λ", "語", "𝄞"};
    private static final byte[] SPACE = utf8(" ");
    private static final byte[] FULL_STOP = utf8(". ");
    private static final byte[][] BETWEEN = {
        utf8(", "),
        utf8("; "),
        utf8(": "),
        utf8(" - "),
        utf8(" ("),
        utf8(") "),
        utf8("'"),
        utf8(" 1789 ")
    };

    private final SplittableRandom random;
    private final byte[][] words = new byte[VOCABULARY][];

    /** Alias table: word i is kept with probability {@code keep[i]}, else it is alias[i]. */
    private final double[] keep = new double[VOCABULARY];

    private final int[] alias = new int[VOCABULARY];
    private final byte[] line = new byte[4 * COLUMNS];

    private TextGenerator(long seed) {
        random = new SplittableRandom(seed);
        makeWords();
        makeAliases();
    }

    /** Writes exactly {@code bytes} bytes. */
    static void write(OutputStream out, long bytes, long seed) throws IOException {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes=" + bytes + " < 0; ask for 0 bytes or more");
        }
        new TextGenerator(seed).write(out, bytes);
    }

    /** Makes a file of exactly {@code bytes} bytes. */
    static void write(Path file, long bytes, long seed) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)) {
            write(out, bytes, seed);
        }
    }

    /** The text in memory. */
    static byte[] text(int bytes, long seed) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(Math.max(0, bytes));
        try {
            write(out, bytes, seed);
        } catch (IOException e) {
            throw new UncheckedIOException("memory does not fail", e);
        }
        return out.toByteArray();
    }

    private void write(OutputStream out, long bytes) throws IOException {
        long left = bytes;
        boolean sentenceStart = true;
        while (left > 0) {
            int length = 0;
            while (length < COLUMNS) {
                length = append(nextWord(), length, sentenceStart);
                sentenceStart = random.nextInt(12) == 0;
                length = append(separator(sentenceStart), length, false);
            }
            line[length - 1] = '\n';
            if (length > left) {
                // Not even the last line may end within a character.
                length = (int) left;
                Arrays.fill(line, 0, length, (byte) '\n');
            }
            out.write(line, 0, length);
            left -= length;
        }
    }

    private byte[] nextWord() {
        int i = random.nextInt(VOCABULARY);
        return words[random.nextDouble() < keep[i] ? i : alias[i]];
    }

    private byte[] separator(boolean sentenceEnd) {
        if (sentenceEnd) {
            return FULL_STOP;
        }
        return random.nextInt(10) == 0 ? BETWEEN[random.nextInt(BETWEEN.length)] : SPACE;
    }

    /** Appends to the line and returns its new length. */
    private int append(byte[] text, int at, boolean sentenceStart) {
        System.arraycopy(text, 0, line, at, text.length);
        boolean capital = sentenceStart || random.nextInt(40) == 0;
        if (capital && line[at] >= 'a' && line[at] <= 'z') {
            line[at] = (byte) (line[at] - ('a' - 'A'));
        }
        return at + text.length;
    }

    private void makeWords() {
        Set<String> made = new HashSet<>();
        while (made.size() < VOCABULARY) {
            int rank = made.size();
            String word = syllables(rank);
            if (rank % 97 == 40) {
                word += pick(BEYOND_ASCII) + pick(CODAS);
            }
            if (made.add(word)) {
                words[rank] = word.getBytes(StandardCharsets.UTF_8);
            }
        }
    }

    private String syllables(int rank) {
        if (rank < 60) {
            return pick(ONSETS) + pick(VOWELS);
        }
        int count = rank < 300 ? 1 : rank < 5000 ? 2 : random.nextInt(2, 5);
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < count; i++) {
            word.append(pick(ONSETS)).append(pick(VOWELS)).append(pick(CODAS));
        }
        return word.toString();
    }

    private String pick(String[] parts) {
        return parts[random.nextInt(parts.length)];
    }

    /** Walker's alias method as Vose builds it: each word is drawn in constant time. */
    private void makeAliases() {
        double sum = 0;
        for (int i = 0; i < VOCABULARY; i++) {
            sum += 1.0 / (i + 1);
        }
        int[] under = new int[VOCABULARY];
        int[] over = new int[VOCABULARY];
        int unders = 0;
        int overs = 0;
        for (int i = 0; i < VOCABULARY; i++) {
            keep[i] = VOCABULARY / (sum * (i + 1));
            alias[i] = i;
            if (keep[i] < 1) {
                under[unders++] = i;
            } else {
                over[overs++] = i;
            }
        }
        while (unders > 0 && overs > 0) {
            int poor = under[--unders];
            int rich = over[overs - 1];
            alias[poor] = rich;
            keep[rich] -= 1 - keep[poor];
            if (keep[rich] < 1) {
                overs--;
                under[unders++] = rich;
            }
        }
        // What rounding has left over is 1 but for the rounding.
        while (unders > 0) {
            keep[under[--unders]] = 1;
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
