package dev.ropewalk.fibers.io.internal;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslCloseCompletionEvent;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;

/**
 * Between the socket, or its TLS, and a codec, if there is one: what comes as bytes, and the end of
 * that. Bytes are life, also if they make no message yet, and are dropped when this side has closed
 * the connection or broken it off.
 *
 * <p>It makes one end of the input out of all that Netty tells of it (rule I2). The codec is told
 * of that end first, so that the messages that the end completes are received before it; then the
 * connection is told. Codecs know two ends: {@link ChannelInputShutdownEvent}, at which they take
 * what they have for all, and an exception, at which they do not. TLS has a third, its own, which
 * they do not know; and where TLS is, the one that they know tells of a cut.
 */
public final class BytesHandler extends ChannelInboundHandlerAdapter {
    private final boolean isEncrypted;
    private final Owner owner;

    /** The first one counts: Netty tells of a shut input behind a reset too. */
    private boolean isEnded;

    /** Of one connection. */
    public BytesHandler(boolean isEncrypted, Owner owner) {
        this.isEncrypted = isEncrypted;
        this.owner = owner;
    }

    /** The connection. */
    public interface Owner {
        /** {@return whether this side has not closed it, and neither side has broken it off} */
        boolean isOpen();

        /** {@return whether it wants no more input} */
        boolean drops();

        /** Releases input that it does not want. */
        void dropped(Object bytes);

        /** Bytes have come. */
        void touch();

        /**
         * The input has ended, and the codec has been told.
         *
         * @param why null if that was in order
         */
        void inputEnded(@Nullable IOException why);

        /** The socket brings nothing more, which behind an end of TLS comes later. */
        void inputShut();
    }

    /** The input of TLS ended without the end of TLS. */
    public static final class CutOff extends EOFException {
        private static final long serialVersionUID = 1L;

        CutOff() {
            super("its input ended without the end of TLS");
        }
    }

    /**
     * Tells the codec above how the input has ended.
     *
     * @param why null if that was in order
     */
    public static void tell(ChannelHandlerContext below, @Nullable IOException why) {
        if (why == null) {
            below.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        } else {
            below.fireExceptionCaught(why);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        if (owner.drops()) {
            owner.dropped(bytes);
        } else {
            owner.touch();
            context.fireChannelRead(bytes);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        switch (event) {
            case ChannelInputShutdownEvent _ -> {
                ended(context, isEncrypted ? new CutOff() : null);
                owner.inputShut();
            }
            case SslCloseCompletionEvent closed when closed.isSuccess() -> ended(context, null);
            default -> context.fireUserEventTriggered(event);
        }
    }

    private void ended(ChannelHandlerContext context, @Nullable IOException why) {
        if (!isEnded) {
            isEnded = true;
            tell(context, why);
            owner.inputEnded(why);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        isEnded = true;
        context.fireExceptionCaught(cause);
    }

    /** Without an end of the input before it, as after a write that failed, it was broken off. */
    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (!isEnded && owner.isOpen()) {
            isEnded = true;
            context.fireExceptionCaught(new ClosedChannelException());
        }
        context.fireChannelInactive();
    }
}
