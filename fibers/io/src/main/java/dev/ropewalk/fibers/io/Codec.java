package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.io.internal.Utf8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.DelimiterBasedFrameDecoder;
import io.netty.handler.codec.EncoderException;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.MessageToMessageDecoder;
import io.netty.handler.codec.MessageToMessageEncoder;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.bytes.ByteArrayDecoder;
import io.netty.handler.codec.bytes.ByteArrayEncoder;
import io.netty.handler.codec.string.LineEncoder;
import io.netty.handler.codec.string.LineSeparator;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * How the bytes of a connection become messages, and messages bytes. Immutable; it makes new
 * handlers of Netty for each connection, so one codec serves a whole listener.
 *
 * <p>The framings here have a limit each; a frame above it, or one that the end of the input cuts
 * off, is a {@link CodecException}. {@link #of} takes any codec of Netty.
 *
 * @param <M> the type of the messages
 */
public final class Codec<M> {
    private final Class<M> type;
    private final Supplier<List<ChannelHandler>> handlers;

    private Codec(Class<M> type, Supplier<List<ChannelHandler>> handlers) {
        this.type = type;
        this.handlers = handlers;
    }

    /**
     * {@return a codec that consists of handlers of Netty}
     *
     * <p>They run on the cord, between the fibers: a handler must not wait, and an exception while
     * it decodes ends the input.
     *
     * @param <M> the type of the messages
     * @param type what the handlers make of bytes; another result is a {@link CodecException}
     * @param handlers each makes a new handler; the first one stands next to the socket
     * @throws IllegalArgumentException if the list is empty
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the list copies them
    public static <M> Codec<M> of(Class<M> type, Supplier<? extends ChannelHandler>... handlers) {
        Objects.requireNonNull(type, "type");
        List<Supplier<? extends ChannelHandler>> made = List.of(handlers);
        if (made.isEmpty()) {
            throw new IllegalArgumentException("handlers=[]: a codec needs one at least");
        }
        return new Codec<>(type, () -> made.stream().<ChannelHandler>map(Supplier::get).toList());
    }

    /**
     * {@return lines of UTF-8 without their ends} They end with LF or CR LF, the last one also with
     * the input, and are written with LF. A line that is no UTF-8 is a {@link CodecException}, also
     * one that is to be written and has half a character; for those that may have other bytes, take
     * {@link #delimited}.
     *
     * @param maxBytes how long a line may be
     * @throws IllegalArgumentException if that is less than 1
     */
    public static Codec<String> lines(int maxBytes) {
        checkLimit(maxBytes);
        return new Codec<>(
                String.class,
                () -> List.of(new LineDecoder(maxBytes), new TextDecoder(), new TextEncoder()));
    }

    /**
     * {@return frames that begin with their length, a big-endian number without sign, which does
     * not count itself}
     *
     * @param lengthBytes how many bytes the length has: 1, 2, 3, 4 or 8
     * @param maxBytes how long a frame may be, without its length
     * @throws IllegalArgumentException if there is no such length, or the limit is less than 1
     */
    public static Codec<byte[]> lengthPrefixed(int lengthBytes, int maxBytes) {
        checkLimit(maxBytes);
        if (Stream.of(1, 2, 3, 4, 8).noneMatch(it -> it == lengthBytes)) {
            throw new IllegalArgumentException(
                    "lengthBytes=" + lengthBytes + " is none of 1, 2, 3, 4, 8");
        }
        return new Codec<>(
                byte[].class,
                () ->
                        List.of(
                                new LengthDecoder(maxBytes, lengthBytes),
                                new ByteArrayDecoder(),
                                new LengthFieldPrepender(lengthBytes),
                                new ByteArrayEncoder()));
    }

    /**
     * {@return frames that end with a delimiter, which is not part of them}
     *
     * @param delimiter the bytes, which no frame contains in this order
     * @param maxBytes how long a frame may be, without its delimiter
     * @throws IllegalArgumentException if the delimiter is empty, or the limit is less than 1
     */
    public static Codec<byte[]> delimited(byte[] delimiter, int maxBytes) {
        checkLimit(maxBytes);
        byte[] end = delimiter.clone();
        if (end.length == 0) {
            throw new IllegalArgumentException("delimiter=[]: no frame would end");
        }
        return new Codec<>(
                byte[].class,
                () ->
                        List.of(
                                new DelimiterDecoder(maxBytes, end),
                                new ByteArrayDecoder(),
                                new DelimiterEncoder(end)));
    }

    private static void checkLimit(int maxBytes) {
        if (maxBytes < 1) {
            throw new IllegalArgumentException("maxBytes=" + maxBytes + " < 1: no frame would fit");
        }
    }

    Class<M> type() {
        return type;
    }

    /** New ones. */
    List<ChannelHandler> handlers() {
        return handlers.get();
    }

    @Override
    public String toString() {
        return "codec of " + type.getSimpleName();
    }

    // ---------------------------------------------------------------- ends of the input

    /** Netty's decoders drop a frame that the end of the input cuts off, and do not tell. */
    private static void checkWhole(ByteBuf rest) {
        int count = rest.readableBytes();
        if (count > 0) {
            rest.skipBytes(count);
            throw new CorruptedFrameException(
                    "the input ended within a frame, after " + count + " bytes of it");
        }
    }

    /** A frame that is found; Netty's limit is looser by the end of the frame. */
    private static @Nullable Object checkFrame(@Nullable Object found, int maxBytes) {
        if (found instanceof ByteBuf frame && frame.readableBytes() > maxBytes) {
            int count = frame.readableBytes();
            frame.release();
            throw tooLong(count, maxBytes);
        }
        return found;
    }

    private static TooLongFrameException tooLong(int count, int maxBytes) {
        return new TooLongFrameException("frame of " + count + " bytes > maxBytes=" + maxBytes);
    }

    /** The text behind the last end of a line is a line too. */
    private static final class LineDecoder extends LineBasedFrameDecoder {
        private final int maxBytes;

        LineDecoder(int maxBytes) {
            super(Math.addExact(maxBytes, 1), true, true); // with a CR whose LF has not come
            this.maxBytes = maxBytes;
        }

        @Override
        protected @Nullable Object decode(ChannelHandlerContext context, ByteBuf bytes)
                throws Exception {
            return checkFrame(super.decode(context, bytes), maxBytes);
        }

        @Override
        protected void decodeLast(ChannelHandlerContext context, ByteBuf in, List<Object> out)
                throws Exception {
            super.decodeLast(context, in, out);
            int count = in.readableBytes();
            if (count > maxBytes) {
                in.skipBytes(count);
                throw tooLong(count, maxBytes);
            }
            if (count > 0) {
                out.add(in.readRetainedSlice(count));
            }
        }
    }

    /** Netty's decoder puts U+FFFD in the place of bytes that are no UTF-8. */
    private static final class TextDecoder extends MessageToMessageDecoder<ByteBuf> {
        TextDecoder() {
            super(ByteBuf.class);
        }

        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf line, List<Object> out) {
            String text = line.toString(StandardCharsets.UTF_8);
            String fault = Utf8.fault(line, line.readerIndex(), line.readableBytes(), text);
            if (fault != null) {
                throw new CorruptedFrameException("of a line, " + fault);
            }
            out.add(text);
        }
    }

    /** Netty's encoder writes a question mark in the place of characters that have no bytes. */
    private static final class TextEncoder extends LineEncoder {
        TextEncoder() {
            super(LineSeparator.UNIX, StandardCharsets.UTF_8);
        }

        @Override
        protected void encode(ChannelHandlerContext context, CharSequence line, List<Object> out)
                throws Exception {
            String fault = Utf8.fault(line);
            if (fault != null) {
                throw new EncoderException("of a line, " + fault);
            }
            super.encode(context, line, out);
        }
    }

    private static final class LengthDecoder extends LengthFieldBasedFrameDecoder {
        LengthDecoder(int maxBytes, int lengthBytes) {
            // Its limit counts the length too.
            super(Math.addExact(maxBytes, lengthBytes), 0, lengthBytes, 0, lengthBytes, true);
        }

        @Override
        protected void decodeLast(ChannelHandlerContext context, ByteBuf in, List<Object> out)
                throws Exception {
            super.decodeLast(context, in, out);
            checkWhole(in);
        }
    }

    private static final class DelimiterDecoder extends DelimiterBasedFrameDecoder {
        private final int maxBytes;

        DelimiterDecoder(int maxBytes, byte[] delimiter) {
            // With a delimiter whose last byte has not come.
            super(
                    Math.addExact(maxBytes, delimiter.length - 1),
                    true,
                    true,
                    Unpooled.wrappedBuffer(delimiter));
            this.maxBytes = maxBytes;
        }

        @Override
        protected @Nullable Object decode(ChannelHandlerContext context, ByteBuf bytes)
                throws Exception {
            return checkFrame(super.decode(context, bytes), maxBytes);
        }

        @Override
        protected void decodeLast(ChannelHandlerContext context, ByteBuf in, List<Object> out)
                throws Exception {
            super.decodeLast(context, in, out);
            checkWhole(in);
        }
    }

    private static final class DelimiterEncoder extends MessageToMessageEncoder<byte[]> {
        private final byte[] delimiter;

        DelimiterEncoder(byte[] delimiter) {
            super(byte[].class);
            this.delimiter = delimiter;
        }

        @Override
        protected void encode(ChannelHandlerContext context, byte[] frame, List<Object> out) {
            out.add(Unpooled.wrappedBuffer(frame, delimiter));
        }
    }
}
