package dev.ropewalk.fibers.io.internal;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.PendingWriteQueue;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.util.Mapping;

import org.jspecify.annotations.Nullable;

import java.nio.channels.ClosedChannelException;

/**
 * TLS of a server with certificates for several hosts, until the client has named one: writes
 * before that wait for it. Netty's handler would let them through, in plain text.
 */
public final class NamedTls extends SniHandler {
    /** Counts as unsent: a writer waits. Null before this is in a pipeline. */
    private @Nullable PendingWriteQueue unsent;

    /** The client has named a host, or no host, and TLS stands here in place of this. */
    private boolean isReplaced;

    /**
     * Of one connection.
     *
     * @param byName what is used for each host
     */
    public NamedTls(Mapping<String, SslContext> byName) {
        super(byName, 0); // the limit is that of the whole agreement
    }

    private PendingWriteQueue unsent(ChannelHandlerContext context) {
        if (unsent == null) {
            unsent = new PendingWriteQueue(context);
        }
        return unsent;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        unsent(context).add(message, promise);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // each of them has a promise of its own
    protected void replaceHandler(
            ChannelHandlerContext context, @Nullable String host, SslContext tls) throws Exception {
        boolean isDone = false;
        isReplaced = true;
        try {
            super.replaceHandler(context, host, tls);
            isDone = true;
        } finally {
            isReplaced = isDone;
        }
        unsent(context).removeAndWriteAll(); // through what has replaced this
        context.flush();
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) throws Exception {
        if (!isReplaced) {
            unsent(context).removeAndFailAll(new ClosedChannelException());
        }
        super.handlerRemoved0(context);
    }
}
