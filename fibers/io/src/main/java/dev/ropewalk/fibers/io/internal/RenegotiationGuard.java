package dev.ropewalk.fibers.io.internal;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

import java.util.function.BooleanSupplier;

import javax.net.ssl.SSLException;

/**
 * Between the socket and TLS by the JDK: refuses requests that the other side may make of TLS as
 * often as it likes, because they cost this side work that the program does not see. BoringSSL
 * refuses them by itself.
 *
 * <p>In TLS 1.2 it may ask to agree anew. The type of a record and its length are sent in plain, so
 * that is refused before the work. In TLS 1.3 it may ask for new keys, each time with an answer,
 * which looks like data until it is decrypted; so records that bring no data are counted.
 */
public final class RenegotiationGuard extends ChannelInboundHandlerAdapter {
    /** A type of records. */
    private static final int HANDSHAKE = 22;

    /** So many records more may come without data than with it. */
    private static final int MAX_SILENT = 100;

    private final BooleanSupplier hasAgreed;

    /** How many bytes of the header of the next record have come. */
    private int headerBytes;

    /** The first half of the length that it tells. */
    private int lengthHigh;

    /** How many bytes of the record come behind its header. */
    private int left;

    /** Records behind the agreement that are whole with the bytes that are read now. */
    private int records;

    /** The records among them that have brought data. */
    private int withData;

    /** How many more have come without data than with it. */
    private int silent;

    /**
     * Of one connection.
     *
     * @param hasAgreed whether the sides have agreed the first time
     */
    public RenegotiationGuard(BooleanSupplier hasAgreed) {
        this.hasAgreed = hasAgreed;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf bytes && isAgreeingAgain(bytes)) {
            bytes.release();
            refuse(context, "to agree on TLS 1.2 anew");
            return;
        }
        context.fireChannelRead(message);
        silent = Math.max(0, silent + records - withData);
        records = 0;
        withData = 0;
        if (silent > MAX_SILENT) {
            silent = 0;
            refuse(context, "new keys again and again, and sends no data");
        }
    }

    private static void refuse(ChannelHandlerContext context, String what) {
        context.fireExceptionCaught(
                new SSLException("the other side wants " + what + ", which is refused"));
    }

    /** {@return the handler behind TLS, where its data comes} */
    public ChannelHandler behindTls() {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object data) {
                withData++;
                context.fireChannelRead(data);
            }
        };
    }

    private boolean isAgreeingAgain(ByteBuf bytes) {
        for (int at = bytes.readerIndex(); at < bytes.writerIndex(); ) {
            if (left > 0) {
                int count = Math.min(left, bytes.writerIndex() - at);
                left -= count;
                at += count;
                countIfWhole();
            } else if (isRefused(bytes.getUnsignedByte(at++))) {
                return true;
            }
        }
        return false;
    }

    private void countIfWhole() {
        if (left == 0 && hasAgreed.getAsBoolean()) {
            records++;
        }
    }

    /** By the next byte of a header: the type, the version, which has two, and the length. */
    private boolean isRefused(int next) {
        headerBytes++;
        switch (headerBytes) {
            case 1 -> {
                return next == HANDSHAKE && hasAgreed.getAsBoolean();
            }
            case 4 -> lengthHigh = next;
            case 5 -> {
                left = lengthHigh << 8 | next;
                headerBytes = 0;
                countIfWhole();
            }
            default -> {}
        }
        return false;
    }
}
