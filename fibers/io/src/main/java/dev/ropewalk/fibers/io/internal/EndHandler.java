package dev.ropewalk.fibers.io.internal;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslCloseCompletionEvent;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Between the socket, or its TLS, and a codec: makes one end of the input out of all that Netty
 * tells of it (rule I2). The codec is told of that end first, so that the messages that the end
 * completes are received before it; then the connection is told.
 *
 * <p>Codecs know two ends: {@link ChannelInputShutdownEvent}, at which they take what they have for
 * all, and an exception, at which they do not. TLS has a third, its own, which they do not know;
 * and where TLS is, the one that they know tells of a cut.
 */
public final class EndHandler extends ChannelInboundHandlerAdapter {
    private final boolean isEncrypted;
    private final BooleanSupplier isOpen;
    private final Consumer<@Nullable IOException> ended;
    private final Runnable shut;

    /** The first one counts: Netty tells of a shut input behind a reset too. */
    private boolean isEnded;

    /**
     * Of one connection.
     *
     * @param isOpen whether this side has not closed it
     * @param ended told of the end behind the codec, and why it is not in order; null if it is
     * @param shut told when the socket brings nothing more, which behind an end of TLS comes later
     */
    public EndHandler(
            boolean isEncrypted,
            BooleanSupplier isOpen,
            Consumer<@Nullable IOException> ended,
            Runnable shut) {
        this.isEncrypted = isEncrypted;
        this.isOpen = isOpen;
        this.ended = ended;
        this.shut = shut;
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
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        switch (event) {
            case ChannelInputShutdownEvent _ -> {
                ended(context, isEncrypted ? new CutOff() : null);
                shut.run();
            }
            case SslCloseCompletionEvent closed when closed.isSuccess() -> ended(context, null);
            default -> context.fireUserEventTriggered(event);
        }
    }

    private void ended(ChannelHandlerContext context, @Nullable IOException why) {
        if (!isEnded) {
            isEnded = true;
            tell(context, why);
            ended.accept(why);
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
        if (!isEnded && isOpen.getAsBoolean()) {
            isEnded = true;
            context.fireExceptionCaught(new ClosedChannelException());
        }
        context.fireChannelInactive();
    }
}
