package dev.ropewalk.examples.wordcount;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A word and how often it was seen. Sorts the most frequent first, then by the word's bytes. */
final class WordCount implements Comparable<WordCount> {
    private final byte[] word;
    private final long count;

    /** Copies the first {@code length} bytes. */
    WordCount(byte[] buffer, int length, long count) {
        this.word = Arrays.copyOf(buffer, length);
        this.count = count;
    }

    /** The word for people: malformed UTF-8 becomes U+FFFD, so two words may look the same. */
    String text() {
        return new String(word, StandardCharsets.UTF_8);
    }

    byte[] bytes() {
        return word.clone();
    }

    long count() {
        return count;
    }

    @Override
    public int compareTo(WordCount other) {
        int byCount = Long.compare(other.count, count);
        return byCount != 0 ? byCount : Arrays.compareUnsigned(word, other.word);
    }

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof WordCount other
                && count == other.count
                && Arrays.equals(word, other.word);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(word) + Long.hashCode(count);
    }

    @Override
    public String toString() {
        return count + " " + text();
    }
}
