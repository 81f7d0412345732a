package dev.ropewalk.examples.wordcount;

/**
 * Finds the first byte at which a text, given in parts, is not well-formed UTF-8.
 *
 * <p>The bytes that may follow each other are those of table 3-7 of the Unicode standard. Beyond
 * the first fault nothing is looked at.
 */
final class Utf8Check {
    private static final int NEVER = -1;

    /** Offset of the first byte of the character that is being read. */
    private long characterStart;

    /** Bytes that are missing from that character; 0 between characters. */
    private int missing;

    /** Limits of the next byte of that character. */
    private int low;

    private int high;

    private long offset;
    private long malformedAt = NEVER;

    /** Offset of the first byte of the first malformed sequence, or -1 if none was seen. */
    long malformedAt() {
        return malformedAt;
    }

    /** The text goes on with {@code text[from..to)}. */
    void next(byte[] text, int from, int to) {
        int at = from;
        while (at < to && malformedAt == NEVER) {
            if (missing == 0) {
                at = skipAscii(text, at, to);
            }
            if (at < to) {
                take(text[at] & 0xff, offset + (at - from));
                at++;
            }
        }
        offset += to - from;
    }

    /** The text is over: a character that is not complete is malformed. */
    void end() {
        if (missing > 0 && malformedAt == NEVER) {
            malformedAt = characterStart;
        }
    }

    private static int skipAscii(byte[] text, int from, int to) {
        int at = from;
        while (at < to) {
            long high = Letters.eightBytes(text, at, to) & Letters.HIGH_BITS;
            at += Letters.bytesBefore(high);
            if (high != 0) {
                return at;
            }
        }
        return to;
    }

    private void take(int b, long at) {
        if (missing == 0) {
            characterStart = at;
            start(b);
        } else if (b < low || b > high) {
            malformedAt = characterStart;
        } else {
            low = 0x80;
            high = 0xbf;
            missing--;
        }
    }

    /** The first byte decides the length and, for four of them, narrows the second byte. */
    private void start(int b) {
        low = 0x80;
        high = 0xbf;
        if (b < 0x80) {
            return;
        }
        if (b >= 0xc2 && b <= 0xdf) {
            missing = 1;
        } else if (b >= 0xe0 && b <= 0xef) {
            missing = 2;
            low = b == 0xe0 ? 0xa0 : 0x80; // no overlong form
            high = b == 0xed ? 0x9f : 0xbf; // no surrogate
        } else if (b >= 0xf0 && b <= 0xf4) {
            missing = 3;
            low = b == 0xf0 ? 0x90 : 0x80; // no overlong form
            high = b == 0xf4 ? 0x8f : 0xbf; // nothing above U+10FFFF
        } else {
            malformedAt = characterStart;
        }
    }
}
