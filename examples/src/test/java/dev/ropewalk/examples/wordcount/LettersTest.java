package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;

@Timeout(60)
class LettersTest {
    private static final long SEED = 7;

    @Test
    void bytesBeyondTheEndReadAsZero() {
        byte[] text = TestText.bytes("abcdefghij");
        for (int end = 0; end <= text.length; end++) {
            for (int at = 0; at <= end; at++) {
                byte[] expected =
                        Arrays.copyOf(Arrays.copyOfRange(text, at, Math.min(end, at + 8)), 8);
                long eight = Letters.eightBytes(text, at, end);
                assertEquals(
                        ByteBuffer.wrap(expected).order(ByteOrder.LITTLE_ENDIAN).getLong(),
                        eight,
                        "at=" + at + " end=" + end);
            }
        }
    }

    @Test
    void eightBytesAtOnceAreTheSameAsOneByOne() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int b = 0; b < 256; b++) {
            for (int place = 0; place < 8; place++) {
                // The neighbours are random: no byte may change how another one is seen.
                int shift = 8 * place;
                long eight = (random.nextLong() & ~(0xffL << shift)) | ((long) b << shift);
                checkEight(eight);
            }
        }
    }

    private static void checkEight(long eight) {
        long word = Letters.wordBits(eight);
        long lower = Letters.lower(eight, word);
        for (int place = 0; place < 8; place++) {
            int b = (int) (eight >>> (8 * place)) & 0xff;
            String where = "byte " + b + " of " + Long.toHexString(eight) + " seed=" + SEED;
            boolean capital = b >= 'A' && b <= 'Z';
            boolean letter = capital || (b >= 'a' && b <= 'z') || b >= 0x80;
            assertEquals(letter ? 0x80 : 0, (int) (word >>> (8 * place)) & 0xff, where);
            assertEquals(letter, Letters.isWordByte((byte) b), where);
            if (letter) {
                assertEquals(
                        capital ? b + 'a' - 'A' : b, (int) (lower >>> (8 * place)) & 0xff, where);
            }
        }
    }

    @Test
    void countsAndKeepsTheFirstBytes() {
        assertEquals(8, Letters.bytesBefore(0));
        for (int place = 0; place < 8; place++) {
            assertEquals(place, Letters.bytesBefore((0x80L << (8 * place)) | Long.MIN_VALUE));
            long first = Letters.firstBytes(-1L, place);
            assertEquals(place == 0 ? 0 : -1L >>> (64 - 8 * place), first, "place=" + place);
        }
    }

    @Test
    void shardsAreUsedEvenly() {
        int shards = 7;
        int[] used = new int[shards];
        int words = 26 * 26 * 26;
        for (int i = 0; i < words; i++) {
            byte[] word = {
                (byte) ('a' + i % 26), (byte) ('a' + i / 26 % 26), (byte) ('a' + i / 676)
            };
            used[Letters.shardOf(Letters.hash(0, Letters.eightBytes(word, 0, 3)), shards)]++;
        }
        for (int shard = 0; shard < shards; shard++) {
            int fair = words / shards;
            assertEquals(fair, used[shard], 0.2 * fair, "shard=" + shard);
        }
    }
}
