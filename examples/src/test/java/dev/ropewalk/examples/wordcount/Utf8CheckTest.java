package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

@Timeout(60)
class Utf8CheckTest {
    /** Where the JDK's decoder, given all at once, stops. */
    private static long decoderStopsAt(byte[] text) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(text);
        CoderResult result = decoder.decode(in, CharBuffer.allocate(text.length + 1), true);
        return result.isError() ? in.position() : -1;
    }

    /** Gives the text in parts of random length, 1 to {@code most}. */
    private static long check(byte[] text, SplittableRandom random, int most) {
        Utf8Check check = new Utf8Check();
        int at = 0;
        while (at < text.length) {
            int to = Math.min(text.length, at + random.nextInt(1, most + 1));
            check.next(text, at, to);
            at = to;
        }
        check.end();
        return check.malformedAt();
    }

    @ParameterizedTest(name = "{0}: {2}")
    @CsvSource({
        "80, 0, continuation first",
        "61 bf 62, 1, continuation after a letter",
        "c0 80, 0, NUL in two bytes",
        "c1 bf, 0, letter in two bytes",
        "e0 9f bf, 0, two-byte character in three",
        "ed a0 80, 0, surrogate",
        "61 ed bf bf, 1, surrogate",
        "f0 8f bf bf, 0, three-byte character in four",
        "f4 90 80 80, 0, beyond U+10FFFF",
        "f5 80 80 80, 0, impossible first byte",
        "fe, 0, impossible byte",
        "61 62 ff, 2, impossible byte",
        "61 c3, 1, ends within two bytes",
        "61 e2 82, 1, ends within three bytes",
        "61 f0 9d 84, 1, ends within four bytes",
        "61 c3 28, 1, letter within two bytes",
        "61 e2 82 28, 1, letter within three bytes",
        "e2 e2 82 ac, 0, next character too early",
        "61 62 63 64 65 66 67 68 69 c3 a9 ff ff, 11, only the first fault counts",
        "c2 80 df bf e0 a0 80 ed 9f bf ee 80 80 ef bf bf f0 90 80 80 f4 8f bf bf, -1, all limits",
    })
    void findsTheFirstFault(String hex, long malformedAt, String what) {
        byte[] text = new byte[(hex.length() + 1) / 3];
        for (int i = 0; i < text.length; i++) {
            text[i] = (byte) Integer.parseInt(hex.substring(3 * i, 3 * i + 2), 16);
        }
        assertEquals(malformedAt, decoderStopsAt(text), what);
        for (int most = 1; most <= text.length; most++) {
            assertEquals(malformedAt, check(text, new SplittableRandom(most), most), what);
        }
    }

    @Test
    void anEmptyTextIsWellFormed() {
        assertEquals(-1, check(new byte[0], new SplittableRandom(1), 1));
    }

    @Test
    void offsetsGoBeyondTheRangeOfAnInt() {
        Utf8Check check = new Utf8Check();
        byte[] part = new byte[1 << 20];
        long parts = 2049;
        for (int i = 0; i < parts; i++) {
            check.next(part, 0, part.length);
        }
        check.next(new byte[] {'a', (byte) 0xff}, 0, 2);
        assertEquals(parts * part.length + 1, check.malformedAt());
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void agreesWithTheDecoderOfTheJdk(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 3000; round++) {
            StringBuilder text = new StringBuilder();
            int characters = random.nextInt(40);
            for (int i = 0; i < characters; i++) {
                int limit = new int[] {0x80, 0x80, 0x800, 0xd800, 0x110000}[random.nextInt(5)];
                text.appendCodePoint(random.nextInt(limit));
            }
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            for (int fault = random.nextInt(3); fault > 0 && bytes.length > 0; fault--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            assertEquals(
                    decoderStopsAt(bytes),
                    check(bytes, random, 1 + random.nextInt(20)),
                    "seed=" + seed + " round=" + round);
        }
    }
}
