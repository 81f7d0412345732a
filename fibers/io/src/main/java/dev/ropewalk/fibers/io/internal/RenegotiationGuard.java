package dev.ropewalk.fibers.io.internal;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

import java.util.function.BooleanSupplier;

import javax.net.ssl.SSLException;

/**
 * Between the socket and TLS by the JDK: refuses to agree a second time. In TLS 1.2 the other side
 * may ask for that as often as it likes, and each time is work for this one, before anybody sees
 * it. The type of a record and its length are sent in plain, so it is refused before that work.
 *
 * <p>BoringSSL refuses by itself, and TLS 1.3 has nothing like it: what it still agrees on later
 * looks like data.
 */
public final class RenegotiationGuard extends ChannelInboundHandlerAdapter {
    /** A type of records. */
    private static final int HANDSHAKE = 22;

    private final BooleanSupplier hasAgreed;

    /** How many bytes of the header of the next record have come. */
    private int headerBytes;

    /** The first half of the length that it tells. */
    private int lengthHigh;

    /** How many bytes of the record come behind its header. */
    private int left;

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
            context.fireExceptionCaught(
                    new SSLException(
                            "the other side wants to agree on TLS 1.2 anew, which is refused"));
        } else {
            context.fireChannelRead(message);
        }
    }

    private boolean isAgreeingAgain(ByteBuf bytes) {
        for (int at = bytes.readerIndex(); at < bytes.writerIndex(); ) {
            if (left > 0) {
                int count = Math.min(left, bytes.writerIndex() - at);
                left -= count;
                at += count;
            } else if (isRefused(bytes.getUnsignedByte(at++))) {
                return true;
            }
        }
        return false;
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
            }
            default -> {}
        }
        return false;
    }
}
