package dev.ropewalk.examples.kv;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.MessageToMessageDecoder;
import io.netty.handler.codec.redis.ArrayHeaderRedisMessage;
import io.netty.handler.codec.redis.BulkStringHeaderRedisMessage;
import io.netty.handler.codec.redis.BulkStringRedisContent;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.InlineCommandRedisMessage;
import io.netty.handler.codec.redis.LastBulkStringRedisContent;
import io.netty.handler.codec.redis.RedisMessage;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Makes commands of the pieces that Netty decodes. Not by Netty's aggregators, which would take 512
 * MB of anybody.
 */
final class CommandDecoder extends MessageToMessageDecoder<RedisMessage> {
    static final int MAX_WORDS = 64 * 1_024;
    static final int MAX_WORD_BYTES = 16 * 1_024 * 1_024;

    /** Of all words of a command. */
    private static final long MAX_BYTES = 64L * 1_024 * 1_024;

    private static final int NONE = 0;

    private final List<byte[]> words = new ArrayList<>();

    /** How many words the command still lacks. */
    private int missing = NONE;

    /** The word that is coming; only as long as what has come of it. */
    private byte[] word = new byte[0];

    private int wordLength;
    private int filled;
    private long bytes;

    @Override
    protected void decode(ChannelHandlerContext context, RedisMessage piece, List<Object> out) {
        switch (piece) {
            case InlineCommandRedisMessage line -> inline(line, out);
            case ArrayHeaderRedisMessage array -> begin(array.length());
            case FullBulkStringRedisMessage whole when whole.isNull() ->
                    throw new DecoderException("a word is null");
            case BulkStringHeaderRedisMessage header -> beginWord(header.bulkStringLength());
            case BulkStringRedisContent part -> add(part, out);
            default -> throw new DecoderException("expected '$', got " + piece.getClass());
        }
    }

    private void inline(InlineCommandRedisMessage line, List<Object> out) {
        if (missing != NONE) {
            throw new DecoderException("expected '$', got a line");
        }
        String text = line.content().strip();
        if (!text.isEmpty()) {
            List<byte[]> all = new ArrayList<>();
            for (String each : text.split("\\s+", -1)) {
                all.add(each.getBytes(StandardCharsets.UTF_8)); // as it came
            }
            out.add(new Words(all));
        }
    }

    private void begin(long count) {
        if (missing != NONE) {
            throw new DecoderException("an array within a command");
        }
        if (count > MAX_WORDS) {
            throw new DecoderException("invalid multibulk length: " + count + " > " + MAX_WORDS);
        }
        missing = (int) Math.max(count, NONE); // an empty one is no command, and not answered
    }

    private void beginWord(long length) {
        if (missing == NONE) {
            throw new DecoderException("expected '*', got '$'");
        }
        if (length > MAX_WORD_BYTES || length < 0) {
            throw new DecoderException("invalid bulk length: " + length + " > " + MAX_WORD_BYTES);
        }
        bytes += length;
        if (bytes > MAX_BYTES) {
            throw new DecoderException("the command has more bytes than " + MAX_BYTES);
        }
        wordLength = (int) length;
        word = new byte[0];
        filled = 0;
    }

    private void add(BulkStringRedisContent part, List<Object> out) {
        if (missing == NONE) {
            throw new DecoderException("expected '*', got '$'");
        }
        ByteBuf content = part.content();
        int count = content.readableBytes();
        boolean isLast = part instanceof LastBulkStringRedisContent;
        if (filled == 0 && isLast) {
            word = ByteBufUtil.getBytes(content);
        } else {
            if (word.length < filled + count) {
                word =
                        Arrays.copyOf(
                                word, Math.min(wordLength, Math.max(2 * filled, filled + count)));
            }
            content.getBytes(content.readerIndex(), word, filled, count);
        }
        filled += count;
        if (isLast) {
            words.add(word.length == filled ? word : Arrays.copyOf(word, filled));
            word = new byte[0];
            filled = 0;
            missing--;
            if (missing == NONE) {
                out.add(new Words(List.copyOf(words)));
                words.clear();
                bytes = 0;
            }
        }
    }
}
