package dev.ropewalk.examples.wordcount;

import java.util.Arrays;

/**
 * Splits text into words and counts each in the table of its shard.
 *
 * <p>It looks at eight bytes at a time: most words of most languages end within them, and then one
 * long is the whole word, with no loop over its letters and no copy.
 */
final class Splitter {
    private final WordTable[] shards;

    /** Pieces of the present word after its first; grows to the longest word. */
    private long[] more = new long[8];

    private Splitter(WordTable[] shards) {
        this.shards = shards;
    }

    /** Counts the words of {@code text[0..length)}; both ends of it end a word. */
    static void split(byte[] text, int length, WordTable... shards) {
        if (length < 0 || length > text.length) {
            throw new IllegalArgumentException(
                    "length="
                            + length
                            + " is not in 0.."
                            + text.length
                            + ", the length of the text");
        }
        if (shards.length == 0) {
            throw new IllegalArgumentException("shards=0; give at least one table to count in");
        }
        new Splitter(shards).split(text, length);
    }

    private void split(byte[] text, int length) {
        int at = 0;
        while (at < length) {
            long eight = Letters.eightBytes(text, at, length);
            long word = Letters.wordBits(eight);
            if ((word & 0x80) == 0) {
                at += Letters.bytesBefore(word);
                continue;
            }
            long ends = word ^ Letters.HIGH_BITS;
            long lower = Letters.lower(eight, word);
            if (ends == 0) {
                at = splitLong(text, at + 8, length, lower);
            } else {
                int used = Letters.bytesBefore(ends);
                long piece = Letters.firstBytes(lower, used);
                long hash = Letters.hash(0, piece);
                WordTable table = tableOf(hash);
                table.add(table.shortEntry(piece, hash), 1);
                at += used + 1;
            }
        }
    }

    /** Counts a word of at least eight bytes; returns where to go on. */
    private int splitLong(byte[] text, int second, int length, long first) {
        long hash = Letters.hash(0, first);
        int pieces = 0;
        int at = second;
        int used;
        do {
            long eight = Letters.eightBytes(text, at, length);
            long word = Letters.wordBits(eight);
            long lower = Letters.lower(eight, word);
            long ends = word ^ Letters.HIGH_BITS;
            used = Letters.bytesBefore(ends);
            if (used > 0) {
                long piece = used == 8 ? lower : Letters.firstBytes(lower, used);
                hash = Letters.hash(hash, piece);
                if (pieces == more.length) {
                    more = Arrays.copyOf(more, 2 * pieces);
                }
                more[pieces++] = piece;
            }
            at += used;
        } while (used == 8);
        WordTable table = tableOf(hash);
        table.add(table.entry(first, more, 0, pieces, hash), 1);
        return at + 1;
    }

    private WordTable tableOf(long hash) {
        return shards[Letters.shardOf(hash, shards.length)];
    }
}
