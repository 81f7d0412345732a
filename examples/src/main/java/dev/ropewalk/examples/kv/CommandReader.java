package dev.ropewalk.examples.kv;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** Reads the commands of a log. */
final class CommandReader {
    /** Tells that bytes are no command. */
    static final class MalformedException extends IOException {
        private static final long serialVersionUID = 1L;

        MalformedException(String message) {
            super(message);
        }
    }

    /** More are too large for anything that has a number. */
    private static final int MAX_DIGITS = 10;

    private final InputStream in;
    private long position;

    CommandReader(InputStream in) {
        this.in = in;
    }

    /** Behind the last byte that was read. */
    long position() {
        return position;
    }

    /**
     * The next command; null at the end.
     *
     * @throws EOFException if the end comes within it
     * @throws MalformedException if it is none
     */
    @Nullable Words next() throws IOException {
        int first = in.read();
        if (first < 0) {
            return null;
        }
        position++;
        int count = number(first, '*', CommandDecoder.MAX_WORDS);
        if (count == 0) {
            throw new MalformedException("a command of no words");
        }
        List<byte[]> words = new ArrayList<>(Math.min(count, 1_024));
        for (int i = 0; i < count; i++) {
            int length = number(read(), '$', CommandDecoder.MAX_WORD_BYTES);
            byte[] word = in.readNBytes(length);
            position += word.length;
            if (word.length < length) {
                throw new EOFException();
            }
            expect(read(), '\r');
            expect(read(), '\n');
            words.add(word);
        }
        return new Words(words);
    }

    private int number(int kind, char wanted, int max) throws IOException {
        expect(kind, wanted);
        int next = read();
        int most = next == '0' ? 1 : MAX_DIGITS; // not 007: there is one way to write a command
        long number = 0;
        int digits = 0;
        for (; next >= '0' && next <= '9' && digits < most; next = read()) {
            number = number * 10 + next - '0';
            digits++;
        }
        if (digits == 0) {
            throw new MalformedException("a byte " + next + " where a digit was due");
        }
        if (number > max) {
            throw new MalformedException(number + " > " + max);
        }
        expect(next, '\r');
        expect(read(), '\n');
        return (int) number;
    }

    private int read() throws IOException {
        int next = in.read();
        if (next < 0) {
            throw new EOFException();
        }
        position++;
        return next;
    }

    private static void expect(int got, char wanted) throws IOException {
        if (got != wanted) {
            throw new MalformedException("a byte " + got + " where " + (int) wanted + " was due");
        }
    }
}
