package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.internal.reactor.Reactor;
import dev.ropewalk.fibers.io.internal.IoLoop;
import dev.ropewalk.fibers.io.internal.Turnstile;
import dev.ropewalk.fibers.spi.Waits;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultFileRegion;
import io.netty.handler.codec.EncoderException;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * The half of a connection that is written (rule I3).
 *
 * <p>Bytes are copied into buffers of Netty, which keeps them until the kernel takes them, and are
 * flushed once in a turn of the loop. Above the high-water mark the writer waits, before it hands
 * anything over: an exception means that the piece was not written.
 *
 * <p>Confined to the cord.
 */
@SuppressWarnings("FutureReturnValueIgnored") // failures are told to the handler
final class Outbound implements Reactor.Unflushed, ChannelFutureListener {
    /** So much of a file is written at once: the write limit is that of one piece. */
    private static final long MAX_REGION = 1 << 20;

    private final TcpConnection connection;
    private final Channel channel;
    private final IoLoop loop;

    /** The largest piece: a write of many megabytes is no buffer of many megabytes. */
    private final int maxPiece;

    private final long limitNs;

    /** Made for the first fiber that waits, because connections are many and few have one. */
    private @Nullable Turnstile writer;

    private ChannelHandlerContext wire;

    /** It stands in the list of connections that this turn flushes. */
    private boolean isUnflushed;

    /** The failure of the codec to encode, until the writer is told. */
    private @Nullable EncoderException encodingFailure;

    /** Why nothing can be written any more; null if it can. */
    private @Nullable IOException failure;

    Outbound(TcpConnection connection, Channel channel, IoLoop loop, TcpOptions options) {
        this.connection = connection;
        this.channel = channel;
        this.loop = loop;
        this.maxPiece = options.highWaterMark();
        this.limitNs = Waits.nanos(options.writeLimit());
        this.wire = channel.pipeline().firstContext();
    }

    // ---------------------------------------------------------------- the fiber's side

    void write(byte[] bytes, int offset, int length) {
        begin();
        int end = offset + length;
        for (int from = offset; from < end; ) {
            int count = Math.min(end - from, maxPiece);
            awaitRoom();
            ByteBuf piece = channel.alloc().ioBuffer(count);
            piece.writeBytes(bytes, from, count);
            hand(piece);
            from += count;
        }
    }

    /** Takes the bytes over; {@link #awaitRoom} comes before. */
    void hand(ByteBuf piece) {
        wire.write(piece, channel.voidPromise());
        flushLater();
    }

    /** Of a file that stays open until this returns; the kernel takes it from there. */
    void writeRegion(FileChannel file, long position, long count) throws IOException {
        begin();
        long end = position + count;
        for (long from = position; from < end; ) {
            long piece = Math.min(end - from, MAX_REGION);
            awaitRoom();
            ChannelPromise taken = channel.newPromise();
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
            wire.write(new Region(file, from, piece), taken);
            flushLater();
            taken.addListener(this::regionTaken);
            while (!taken.isDone()) {
                await("the kernel to take a file for ");
            }
            if (!taken.isSuccess() && file.size() < end) {
                throw shorter(file.size(), end);
            }
            checkWritable();
            if (taken.cause() instanceof IOException cause) {
                throw connection.errors.broken("write a file", cause);
            }
            from += piece;
        }
    }

    /**
     * Netty's side. A file that has become shorter has Netty close the connection, which is to be a
     * reset until then.
     */
    private void regionTaken(Future<?> taken) {
        if (taken.isSuccess()) {
            channel.config().setOption(ChannelOption.SO_LINGER, -1);
        }
        wake();
    }

    /** As {@link #writeRegion}, where the bytes are not the kernel's alone. */
    void writeCopied(FileChannel file, long position, long count) throws IOException {
        byte[] piece = new byte[(int) Math.min(count, maxPiece)];
        long end = position + count;
        for (long from = position; from < end; ) {
            int length = (int) Math.min(end - from, piece.length);
            int read = file.read(ByteBuffer.wrap(piece, 0, length), from);
            if (read < 0) {
                connection.reset();
                throw shorter(from, end);
            }
            write(piece, 0, read);
            from += read;
        }
    }

    /** No fault of the other side. */
    private ConnectionResetException shorter(long size, long end) {
        return new ConnectionResetException(
                "cannot write a file: "
                        + connection
                        + " was broken off, because the file ended at "
                        + size
                        + ", before "
                        + end,
                new EOFException());
    }

    /** Netty closes the file of a region that is sent, but this file belongs to its owner. */
    private static final class Region extends DefaultFileRegion {
        Region(FileChannel file, long position, long count) {
            super(file, position, count);
        }

        @Override
        protected void deallocate() {
            // nothing of it is Netty's
        }
    }

    /** Takes the message over, also if it throws. */
    void writeMessage(Object message) {
        boolean isHanded = false;
        try {
            begin();
            awaitRoom(message);
            isHanded = true;
        } finally {
            if (!isHanded) {
                ReferenceCountUtil.release(message);
            }
        }
        ChannelFuture encoded = channel.write(message);
        flushLater();
        if (encoded.isDone()) {
            checkEncoded(encoded);
        } else {
            encoded.addListener(this); // of a virtual thread, or of bytes that are on their way
        }
    }

    /** Netty's side. */
    @Override
    public void operationComplete(ChannelFuture encoded) {
        if (encoded.cause() instanceof EncoderException unsuited && encodingFailure == null) {
            encodingFailure = unsuited;
        }
    }

    private void checkEncoded(ChannelFuture encoded) {
        operationComplete(encoded);
        checkWritable();
    }

    private void flushLater() {
        if (!isUnflushed) {
            isUnflushed = true;
            loop.flushLater(this);
        }
    }

    /** Waits until the kernel has taken all that was written. */
    void flushAndAwait() {
        begin();
        ChannelFuture taken = flushAll();
        taken.addListener(_ -> wake());
        while (!taken.isDone()) {
            await("the flush of ");
        }
        checkWritable();
        Throwable refused = taken.cause(); // TLS tells it nowhere else
        if (refused != null) {
            throw connection.errors.broken("flush", IoErrors.asIo(refused));
        }
    }

    /** Done when the kernel has taken all that was written; also by Netty's side. */
    ChannelFuture flushAll() {
        return wire.writeAndFlush(Unpooled.EMPTY_BUFFER);
    }

    /** Bytes go from here to the socket: below the codec, if there is one. */
    void writeFrom(ChannelHandlerContext below) {
        wire = below;
    }

    /** A switchpoint. */
    void begin() {
        checkWritable();
        if (writer != null) {
            writer.checkFree();
        }
        Waits.switchpoint();
        checkWritable();
    }

    private void checkWritable() {
        connection.checkWritable();
        EncoderException unsuited = encodingFailure;
        if (unsuited != null) {
            encodingFailure = null;
            throw new CodecException(
                    "cannot write to " + connection + ": " + unsuited.getMessage(),
                    new IOException(unsuited));
        }
        if (failure != null) {
            throw connection.errors.broken("write", failure);
        }
    }

    /** Before anything is handed over. */
    void awaitRoom() {
        awaitRoom(null);
    }

    private void awaitRoom(@Nullable Object message) {
        while (!channel.isWritable()) {
            checkWritable();
            flushLater();
            await("room to write to ", message);
        }
        checkWritable();
    }

    private void await(String what) {
        await(what, null);
    }

    private void await(String what, @Nullable Object message) {
        Turnstile waits = writer;
        if (waits == null) {
            waits = new Turnstile(connection, "writer");
            writer = waits;
        }
        if (!waits.await(what + connection, limitNs, message)) {
            throw connection.errors.silent("write", "took", limitNs, "the writeLimit");
        }
    }

    private void wake() {
        if (writer != null) {
            writer.wake();
        }
    }

    // ---------------------------------------------------------------- Netty's side

    /** In the reactor's turn. */
    @Override
    public void flush() {
        isUnflushed = false;
        channel.flush();
    }

    void writabilityChanged() {
        wake();
    }

    void ended(@Nullable IOException why) {
        if (failure == null) {
            failure = why;
        }
        wake();
    }
}
