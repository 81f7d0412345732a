package dev.ropewalk.examples.kv;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Makes commands of bytes, as Redis does: an array of words, or a line for people. All stays bytes,
 * so that no key or value is taken for another one. Netty's decoder makes text of lines, and four
 * objects of a word.
 */
final class CommandDecoder extends ByteToMessageDecoder {
    static final int MAX_WORDS = 64 * 1_024;
    static final int MAX_WORD_BYTES = 16 * 1_024 * 1_024;

    /** Of all words of a command. */
    private static final long MAX_BYTES = 64L * 1_024 * 1_024;

    private static final int MAX_LINE_BYTES = 64 * 1_024;

    /** More digits make no {@code long}, or none that is allowed. */
    private static final int MAX_DIGITS = 18;

    private static final int NONE = 0;

    /** The head of the next word is to come. */
    private static final int NO_WORD = -1;

    /** Words that a list has room for before any has come: a head may promise a million. */
    private static final int MAX_ROOM = 16;

    private static final byte[] NOTHING = {};

    private List<byte[]> words = List.of();

    /** How many words the command still lacks. */
    private int missing = NONE;

    /** The word that is coming; only as long as what has come of it. */
    private byte[] word = NOTHING;

    private int wordLength = NO_WORD;
    private int filled;
    private long bytes;

    /** What follows what is no command is none either. */
    private boolean isBroken;

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        try {
            while (!isBroken && in.isReadable() && out.isEmpty() && step(in, out)) {
                // until a command is whole
            }
        } catch (DecoderException malformed) {
            isBroken = true;
            throw malformed;
        } finally {
            if (isBroken) {
                in.skipBytes(in.readableBytes());
            }
        }
    }

    /** False if there is too little for one. */
    private boolean step(ByteBuf in, List<Object> out) {
        if (missing == NONE) {
            return in.getByte(in.readerIndex()) == '*' ? begin(in) : line(in, out);
        }
        return wordLength == NO_WORD ? beginWord(in) : fill(in, out);
    }

    // ---------------------------------------------------------------- arrays

    private boolean begin(ByteBuf in) {
        int end = lineEnd(in, "too big mbulk count string");
        if (end < 0) {
            return false;
        }
        long count = number(in, end, MAX_WORDS, "invalid multibulk length");
        missing = (int) Math.max(count, NONE); // an empty one is no command, and not answered
        words = new ArrayList<>(Math.min(missing, MAX_ROOM));
        return true;
    }

    private boolean beginWord(ByteBuf in) {
        byte kind = in.getByte(in.readerIndex());
        if (kind != '$') {
            throw new DecoderException("expected '$', got '" + (char) (kind & 0xFF) + "'");
        }
        int end = lineEnd(in, "too big bulk count string");
        if (end < 0) {
            return false;
        }
        long length = number(in, end, MAX_WORD_BYTES, "invalid bulk length");
        if (length < 0) {
            throw new DecoderException("invalid bulk length");
        }
        bytes += length;
        if (bytes > MAX_BYTES) {
            throw new DecoderException("the command has more bytes than " + MAX_BYTES);
        }
        wordLength = (int) length;
        word = NOTHING;
        filled = 0;
        return true;
    }

    /** What has come of a word, and the line end behind it. */
    private boolean fill(ByteBuf in, List<Object> out) {
        int count = Math.min(wordLength - filled, in.readableBytes());
        if (count > 0) {
            if (filled + count > word.length) {
                word =
                        Arrays.copyOf(
                                word, Math.min(wordLength, Math.max(2 * filled, filled + count)));
            }
            in.readBytes(word, filled, count);
            filled += count;
        }
        if (filled < wordLength || in.readableBytes() < 2) {
            return false;
        }
        if (in.readByte() != '\r' || in.readByte() != '\n') {
            throw new DecoderException(
                    "no line end behind a word of " + wordLength + " bytes, as its head says");
        }
        words.add(word);
        word = NOTHING;
        wordLength = NO_WORD;
        missing--;
        if (missing == NONE) {
            out.add(new Words(words));
            words = List.of();
            bytes = 0;
        }
        return true;
    }

    /** Takes the line; its number, behind the first letter, is below 0 or up to {@code max}. */
    private static long number(ByteBuf in, int end, int max, String complaint) {
        int at = in.readerIndex() + 1;
        int last = end - 1; // the CR
        boolean isMinus = last > at && in.getByte(at) == '-';
        at += isMinus ? 1 : 0;
        boolean isNumber = at < last && last - at <= MAX_DIGITS && in.getByte(last) == '\r';
        isNumber &= (last - at == 1 && !isMinus) || in.getByte(at) != '0'; // neither 007 nor -0
        long number = 0;
        for (; isNumber && at < last; at++) {
            int digit = in.getByte(at) - '0';
            isNumber = digit >= 0 && digit <= 9;
            number = number * 10 + digit;
        }
        if (!isNumber) {
            throw new DecoderException(complaint);
        }
        if (!isMinus && number > max) {
            throw new DecoderException(complaint + ": " + number + " > " + max);
        }
        in.readerIndex(end + 1);
        return isMinus ? -number : number;
    }

    // ---------------------------------------------------------------- lines

    private static boolean line(ByteBuf in, List<Object> out) {
        int end = lineEnd(in, "too big inline request");
        if (end < 0) {
            return false;
        }
        byte[] line = ByteBufUtil.getBytes(in, in.readerIndex(), end - in.readerIndex());
        in.readerIndex(end + 1);
        List<byte[]> words = LineWords.of(line);
        if (!words.isEmpty()) {
            out.add(new Words(words));
        }
        return true;
    }

    /** Where the LF is; -1 if it is to come. */
    private static int lineEnd(ByteBuf in, String complaint) {
        int limit = (int) Math.min(in.writerIndex(), in.readerIndex() + (long) MAX_LINE_BYTES);
        int end = in.indexOf(in.readerIndex(), limit, (byte) '\n');
        if (end < 0 && in.readableBytes() >= MAX_LINE_BYTES) {
            throw new DecoderException(complaint);
        }
        return end;
    }
}
