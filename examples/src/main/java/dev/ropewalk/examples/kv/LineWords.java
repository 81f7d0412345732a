package dev.ropewalk.examples.kv;

import io.netty.handler.codec.DecoderException;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * The words of a line: blanks are between them, unless they stand in quotes. In double quotes
 * {@code \n}, {@code \r}, {@code \t}, {@code \b}, {@code \a} and {@code \xff} stand for a byte, and
 * {@code \} keeps what follows; in single ones {@code \'} is a quote.
 */
final class LineWords {
    private static final int HEX = 16;
    private static final int VERTICAL_TAB = 11;

    private final byte[] line;
    private int at;

    private LineWords(byte[] line) {
        this.line = line;
    }

    /**
     * As bytes; none if it is empty.
     *
     * @throws DecoderException if it is none that a client of Redis sends
     */
    static List<byte[]> of(byte[] line) {
        LineWords rest = new LineWords(line);
        List<byte[]> words = new ArrayList<>();
        while (rest.skipBlanks()) {
            words.add(rest.word());
        }
        return words;
    }

    /** False if nothing is behind them. */
    private boolean skipBlanks() {
        while (at < line.length && isBlank(line[at])) {
            at++;
        }
        return at < line.length;
    }

    private static boolean isBlank(byte of) {
        return of == ' ' || (of >= '\t' && of <= '\r');
    }

    /** Of those that separate words, these two are letters within one, as for Redis. */
    private static boolean isEnd(byte of) {
        return isBlank(of) && of != '\f' && of != VERTICAL_TAB;
    }

    private byte[] word() {
        ByteArrayOutputStream word = new ByteArrayOutputStream();
        while (at < line.length && !isEnd(line[at])) {
            byte next = line[at++];
            switch (next) {
                case '"', '\'' -> quoted(next, word);
                case 0 -> throw new DecoderException("a line has a zero byte");
                default -> word.write(next);
            }
        }
        return word.toByteArray();
    }

    /** Up to the other quote, which ends the word. */
    private void quoted(byte quote, ByteArrayOutputStream word) {
        while (at < line.length && line[at] != quote) {
            byte next = line[at++];
            if (next != '\\' || at == line.length) {
                word.write(next);
            } else if (quote == '"') {
                word.write(escaped());
            } else if (line[at] == '\'') {
                word.write(line[at++]);
            } else {
                word.write(next);
            }
        }
        at++;
        if (at > line.length || (at < line.length && !isBlank(line[at]))) {
            throw new DecoderException("unbalanced quotes in request");
        }
    }

    private int escaped() {
        byte kind = line[at++];
        return switch (kind) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'b' -> '\b';
            case 'a' -> 7;
            case 'x' -> hex(kind);
            default -> kind;
        };
    }

    private int hex(byte kind) {
        int high = at + 1 < line.length ? Character.digit(line[at], HEX) : -1;
        int low = at + 1 < line.length ? Character.digit(line[at + 1], HEX) : -1;
        if (high < 0 || low < 0) {
            return kind;
        }
        at += 2;
        return high * HEX + low;
    }
}
