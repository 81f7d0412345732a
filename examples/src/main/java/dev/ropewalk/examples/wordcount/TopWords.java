package dev.ropewalk.examples.wordcount;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;

/** Keeps the n most frequent of the words it is shown, each of which it must be shown only once. */
final class TopWords {
    private final int n;

    /** The last in order is at the head, to be thrown out first. */
    private final PriorityQueue<WordCount> kept = new PriorityQueue<>(Collections.reverseOrder());

    TopWords(int n) {
        if (n < 0) {
            throw new IllegalArgumentException("n=" + n + " < 0; ask for 0 words or more");
        }
        this.n = n;
    }

    void addAll(WordTable table) {
        table.forEach(this::add);
    }

    /** The tops of several shards: no word is in two of them, so this is the top of all. */
    void addAll(Collection<WordCount> topOfShard) {
        topOfShard.forEach(this::add);
    }

    List<WordCount> toList() {
        List<WordCount> sorted = new ArrayList<>(kept);
        Collections.sort(sorted);
        return List.copyOf(sorted);
    }

    private void add(byte[] buffer, int length, long count) {
        WordCount last = kept.peek();
        // No object for the many words that are too rare.
        if (n > 0 && (last == null || kept.size() < n || count >= last.count())) {
            add(new WordCount(buffer, length, count));
        }
    }

    private void add(WordCount word) {
        kept.add(word);
        if (kept.size() > n) {
            kept.remove();
        }
    }
}
