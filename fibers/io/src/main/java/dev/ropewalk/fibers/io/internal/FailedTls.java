package dev.ropewalk.fibers.io.internal;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.PromiseNotifier;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Between the socket and TLS. Where TLS fails, it tells the other side why, and closes the channel;
 * while that side still sends, the kernel would take back the answer (rule I2). So the connection
 * is asked to linger instead, and input is dropped before TLS sees it.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the promises tell
public final class FailedTls extends ChannelDuplexHandler {
    private final BooleanSupplier lingers;
    private final Consumer<Object> dropped;

    private boolean isLingering;

    /**
     * Of one connection.
     *
     * @param lingers whether TLS is known to have failed; then it is the connection that closes the
     *     channel
     * @param dropped takes over what comes then
     */
    public FailedTls(BooleanSupplier lingers, Consumer<Object> dropped) {
        this.lingers = lingers;
        this.dropped = dropped;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (isLingering) {
            dropped.accept(message);
        } else {
            context.fireChannelRead(message);
        }
    }

    /** Netty closes first, and tells of the failure then: so this looks twice. */
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        if (!context.channel().isActive() || context.executor().isShuttingDown()) {
            context.close(promise);
        } else if (!isLingering(context, promise)) {
            context.executor()
                    .execute(
                            () -> {
                                if (!isLingering(context, promise)) {
                                    context.close(promise);
                                }
                            });
        }
    }

    private boolean isLingering(ChannelHandlerContext context, ChannelPromise promise) {
        isLingering = isLingering || lingers.getAsBoolean();
        if (isLingering) {
            PromiseNotifier.cascade(false, context.channel().closeFuture(), promise);
        }
        return isLingering;
    }
}
