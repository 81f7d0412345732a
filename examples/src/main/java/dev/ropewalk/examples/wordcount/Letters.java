package dev.ropewalk.examples.wordcount;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * What belongs to a word, for one byte and for eight at a time.
 *
 * <p>Eight bytes are a long whose lowest byte comes first in the text. A word is kept as such
 * longs, its pieces: the last one is filled up with zero bytes, which no word contains.
 */
final class Letters {
    /** The high bit of each of eight bytes. */
    static final long HIGH_BITS = 0x8080_8080_8080_8080L;

    private static final long EACH_BYTE = 0x0101_0101_0101_0101L;
    private static final long CASE_BITS = 0x20 * EACH_BYTE;
    private static final long REACH_A = (0x80 - 'a') * EACH_BYTE;
    private static final long PASS_Z = (0x80 - 'z' - 1) * EACH_BYTE;

    private static final VarHandle EIGHT_BYTES =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Letters() {}

    static boolean isWordByte(byte b) {
        int folded = b | 0x20;
        return b < 0 || (folded >= 'a' && folded <= 'z');
    }

    /** The eight bytes at {@code at}; those from {@code end} on read as zero. */
    static long eightBytes(byte[] text, int at, int end) {
        if (at <= end - 8) {
            return (long) EIGHT_BYTES.get(text, at);
        }
        long eight = 0;
        for (int i = end - 1; i >= at; i--) {
            eight = (eight << 8) | (text[i] & 0xff);
        }
        return eight;
    }

    /** The high bit of each byte that belongs to a word; all other bits are zero. */
    static long wordBits(long eight) {
        // Seven bits a byte, so that no addition carries into the next byte.
        long folded = (eight & ~HIGH_BITS) | CASE_BITS;
        return (((folded + REACH_A) & ~(folded + PASS_Z)) | eight) & HIGH_BITS;
    }

    /** The same bytes with capitals made small; {@code wordBits} are those of {@code eight}. */
    static long lower(long eight, long wordBits) {
        return eight | ((wordBits & ~eight) >>> 2);
    }

    /**
     * How many of the eight bytes come before the first of the {@code marked} ones; 8 if none is.
     */
    static int bytesBefore(long marked) {
        return Long.numberOfTrailingZeros(marked) >>> 3;
    }

    /** The first {@code count} bytes, 0 to 7, the others made zero. */
    static long firstBytes(long eight, int count) {
        return eight & ~(-1L << (count << 3));
    }

    /** The hash of a word so far (0 at its start) and its next piece. */
    static long hash(long soFar, long piece) {
        long hash = (soFar ^ piece) * 0x9e37_79b9_7f4a_7c15L;
        // A product is well mixed at the top only: WordTable uses the top, shardOf the bottom.
        return hash ^ (hash >>> 32);
    }

    static int shardOf(long hash, int shards) {
        return (int) (((hash & 0xffff_ffffL) * shards) >>> 32);
    }
}
