package dev.ropewalk.examples.wordcount;

import java.util.Arrays;
import java.util.List;

/**
 * Counts words without an object per word. Confined to one thread at a time.
 *
 * <p>Words are numbered in the order they came: number e is an entry, and entries lie densely in a
 * few arrays. A hash table with linear probing finds the entry of a word. A word is kept as its
 * pieces (see {@link Letters}): the first in {@code firsts[e]}, the others in {@code
 * more[moreStart[e]..moreStart[e + 1])}. A first piece whose last byte is zero is the whole word,
 * so comparing that one long is enough for words of up to seven bytes.
 */
final class WordTable {
    private static final int FIRST_ENTRIES = 64;
    private static final int MAX_ENTRIES = 1 << 29;
    private static final long[] NO_MORE = {};

    /** Entry + 1, or 0 where free; at most half of it is used, so that probes stay short. */
    private int[] slots;

    /** The top bits of a hash, shifted right by this, are its slot. */
    private int slotShift;

    private long[] firsts;
    private long[] counts;
    private int[] moreStart;
    private long[] more = NO_MORE;
    private int distinct;
    private long words;

    WordTable() {
        this(FIRST_ENTRIES);
    }

    /** A table that takes {@code distinct} different words before it grows. */
    WordTable(int distinct) {
        if (distinct < 0 || distinct > MAX_ENTRIES) {
            throw new IllegalArgumentException(
                    "distinct=" + distinct + " is not in 0.." + MAX_ENTRIES);
        }
        int entries = Math.max(2, Integer.highestOneBit(Math.max(1, distinct - 1)) << 1);
        firsts = new long[entries];
        counts = new long[entries];
        moreStart = new int[entries + 1];
        slots = new int[2 * entries];
        slotShift = Integer.numberOfLeadingZeros(slots.length) + 33;
    }

    /** Counts the words of {@code text[0..length)}. */
    void addAll(byte[] text, int length) {
        Splitter.split(text, length, this);
    }

    /** Counts the words of {@code text[0..length)}, each in the table of its shard. */
    static void splitInto(WordTable[] shards, byte[] text, int length) {
        Splitter.split(text, length, shards);
    }

    /** Adds the counts of all words of {@code other}. */
    void merge(WordTable other) {
        for (int e = 0; e < other.distinct; e++) {
            add(entryFor(other, e), other.counts[e]);
        }
    }

    /** How many words were counted, repeats included. */
    long words() {
        return words;
    }

    /** How many different words were counted. */
    int distinct() {
        return distinct;
    }

    /** The {@code n} most frequent words: by count downwards, then by their bytes. */
    List<WordCount> top(int n) {
        TopWords top = new TopWords(n);
        top.addAll(this);
        return top.toList();
    }

    /** Shows all words in the order they were first seen. */
    void forEach(WordVisitor visitor) {
        byte[] buffer = new byte[64];
        for (int e = 0; e < distinct; e++) {
            int most = 8 * (1 + moreStart[e + 1] - moreStart[e]);
            if (most > buffer.length) {
                buffer = new byte[Math.max(most, 2 * buffer.length)];
            }
            visitor.word(buffer, copyWord(e, buffer), counts[e]);
        }
    }

    /** Forgets all words and keeps the memory. */
    void clear() {
        Arrays.fill(slots, 0);
        distinct = 0;
        words = 0;
    }

    /*
     * Entries, for the classes that fill tables. A new entry has count 0 until its first add.
     */

    /** The entry of a word of at most seven bytes, made if need be. */
    int shortEntry(long first, long hash) {
        int mask = slots.length - 1;
        for (int slot = (int) (hash >>> slotShift); ; slot = (slot + 1) & mask) {
            int e = slots[slot] - 1;
            if (e < 0) {
                return newEntry(first, NO_MORE, 0, 0, hash);
            }
            if (firsts[e] == first) {
                return e;
            }
        }
    }

    /** The entry of the word {@code first, rest[from..to)}, made if need be. */
    int entry(long first, long[] rest, int from, int to, long hash) {
        int mask = slots.length - 1;
        for (int slot = (int) (hash >>> slotShift); ; slot = (slot + 1) & mask) {
            int e = slots[slot] - 1;
            if (e < 0) {
                return newEntry(first, rest, from, to, hash);
            }
            if (firsts[e] == first
                    && Arrays.equals(more, moreStart[e], moreStart[e + 1], rest, from, to)) {
                return e;
            }
        }
    }

    /** The entry here of the word that is entry {@code e} of {@code other}, made if need be. */
    int entryFor(WordTable other, int e) {
        long first = other.firsts[e];
        return entry(
                first, other.more, other.moreStart[e], other.moreStart[e + 1], other.hashOf(e));
    }

    void add(int e, long count) {
        counts[e] += count;
        words += count;
    }

    long count(int e) {
        return counts[e];
    }

    /** Sets a count back to what it was. */
    void restore(int e, long count) {
        words += count - counts[e];
        counts[e] = count;
    }

    /** Removes the entries that were made last, so that {@code keep} are left. */
    void truncate(int keep) {
        // With linear probing the newest entry lies behind no other's way: its slot can be freed.
        while (distinct > keep) {
            int newest = distinct - 1;
            slots[slotOf(newest)] = 0;
            words -= counts[newest];
            distinct = newest;
        }
    }

    /** Copies the word of an entry, returns its length. */
    private int copyWord(int e, byte[] to) {
        int length = copyPiece(firsts[e], to, 0);
        for (int i = moreStart[e]; i < moreStart[e + 1]; i++) {
            length = copyPiece(more[i], to, length);
        }
        return length;
    }

    private static int copyPiece(long piece, byte[] to, int at) {
        int end = at;
        for (long left = piece; left != 0; left >>>= 8) {
            to[end++] = (byte) left;
        }
        return end;
    }

    private long hashOf(int e) {
        long hash = Letters.hash(0, firsts[e]);
        for (int i = moreStart[e]; i < moreStart[e + 1]; i++) {
            hash = Letters.hash(hash, more[i]);
        }
        return hash;
    }

    private int slotOf(int e) {
        int slot = (int) (hashOf(e) >>> slotShift);
        while (slots[slot] != e + 1) {
            slot = (slot + 1) & (slots.length - 1);
        }
        return slot;
    }

    private int newEntry(long first, long[] rest, int from, int to, long hash) {
        if (distinct == firsts.length) {
            growEntries();
        }
        int e = distinct;
        int start = moreStart[e];
        int end = Math.addExact(start, to - from);
        if (end > more.length) {
            more =
                    Arrays.copyOf(
                            more, Math.max(end, Math.max(16, more.length + (more.length >> 1))));
        }
        System.arraycopy(rest, from, more, start, to - from);
        firsts[e] = first;
        counts[e] = 0;
        moreStart[e + 1] = end;
        occupy(e, hash);
        distinct = e + 1;
        return e;
    }

    private void growEntries() {
        if (distinct == MAX_ENTRIES) {
            throw new IllegalStateException(
                    "distinct="
                            + distinct
                            + " words are the most one table holds; use more shards");
        }
        // All that can run out of memory comes first: a table that cannot grow is still whole.
        int entries = 2 * distinct;
        int[] doubled = new int[2 * entries];
        long[] newFirsts = Arrays.copyOf(firsts, entries);
        long[] newCounts = Arrays.copyOf(counts, entries);
        moreStart = Arrays.copyOf(moreStart, entries + 1);
        firsts = newFirsts;
        counts = newCounts;
        slots = doubled;
        slotShift--;
        for (int e = 0; e < distinct; e++) {
            occupy(e, hashOf(e));
        }
    }

    private void occupy(int e, long hash) {
        int slot = (int) (hash >>> slotShift);
        while (slots[slot] != 0) {
            slot = (slot + 1) & (slots.length - 1);
        }
        slots[slot] = e + 1;
    }

    void checkInvariants() {
        int used = 0;
        for (int slot : slots) {
            used += slot == 0 ? 0 : 1;
        }
        long sum = 0;
        for (int e = 0; e < distinct; e++) {
            sum += counts[e];
            checkWord(e);
            // Found by its bytes, so no word lies in two entries and none is unreachable.
            int found = entryFor(this, e);
            if (found != e) {
                throw new IllegalStateException(
                        "entry=" + e + " is found as " + found + ": " + this);
            }
        }
        boolean sizesFit = 2L * distinct <= slots.length && slots.length == 1L << (64 - slotShift);
        if (used != distinct || sum != words || !sizesFit) {
            throw new IllegalStateException(
                    "used slots=" + used + ", sum of counts=" + sum + ": " + this);
        }
    }

    private void checkWord(int e) {
        byte[] buffer = new byte[8 * (1 + moreStart[e + 1] - moreStart[e])];
        int length = copyWord(e, buffer);
        WordTable again = new WordTable(1);
        again.addAll(buffer, length);
        boolean same =
                again.words == 1
                        && again.firsts[0] == firsts[e]
                        && Arrays.equals(
                                again.more,
                                0,
                                again.moreStart[1],
                                more,
                                moreStart[e],
                                moreStart[e + 1]);
        if (!same || counts[e] < 0) {
            throw new IllegalStateException(
                    "entry="
                            + e
                            + " word="
                            + Arrays.toString(buffer)
                            + " count="
                            + counts[e]
                            + ": "
                            + this);
        }
    }

    @Override
    public String toString() {
        return "WordTable[distinct="
                + distinct
                + " words="
                + words
                + " slots="
                + slots.length
                + "]";
    }
}
