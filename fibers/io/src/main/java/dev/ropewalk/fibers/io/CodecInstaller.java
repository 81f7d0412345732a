package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.io.internal.EndHandler;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.embedded.EmbeddedChannel;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts a codec between the bytes of a connection and its messages: bytes that have come go through
 * it first. So does the end if it has come, as {@link EndHandler} passes on later ends.
 *
 * <p>On Netty's side.
 */
final class CodecInstaller {
    private static final String BYTES_HANDLER = "bytes";

    private final TcpConnection connection;
    private final ChannelPipeline pipeline;
    private final Inbound bytes;
    private final Outbound out;

    CodecInstaller(
            TcpConnection connection, ChannelPipeline pipeline, Inbound bytes, Outbound out) {
        this.connection = connection;
        this.pipeline = pipeline;
        this.bytes = bytes;
        this.out = out;
    }

    void install(MessageQueue<?> messages, List<ChannelHandler> handlers) {
        if (pipeline.context(TcpConnection.LAST_HANDLER) == null) {
            decodeRest(messages, handlers);
            return;
        }
        addAll(handlers);
        connection.receiveInto(messages);
        ChannelHandlerContext below = pipeline.context(BYTES_HANDLER);
        out.writeFrom(below);
        ByteBuf rest = bytes.takeAll();
        if (rest != null) {
            below.fireChannelRead(rest).fireChannelReadComplete();
        }
        if (bytes.isEnded()) {
            EndHandler.tell(below, bytes.failure());
            messages.ended(bytes.failure());
        }
        messages.begin();
    }

    /** Adds all of them, or none of them. */
    private void addAll(List<ChannelHandler> handlers) {
        List<ChannelHandler> added = new ArrayList<>();
        try {
            ChannelHandler first = new BytesHandler(connection);
            pipeline.addBefore(TcpConnection.LAST_HANDLER, BYTES_HANDLER, first);
            added.add(first);
            for (ChannelHandler each : handlers) {
                pipeline.addBefore(TcpConnection.LAST_HANDLER, null, each);
                added.add(each);
            }
        } catch (RuntimeException refused) { // one stands in another pipeline already
            added.forEach(pipeline::remove);
            throw refused;
        }
    }

    /** Of a connection that is gone, and whose pipeline is with it. */
    private void decodeRest(MessageQueue<?> messages, List<ChannelHandler> handlers) {
        EmbeddedChannel alone = new EmbeddedChannel();
        alone.pipeline().addLast(handlers.toArray(new ChannelHandler[0]));
        alone.pipeline()
                .addLast(
                        new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext context, Object what) {
                                messages.received(what);
                            }

                            @Override
                            public void exceptionCaught(
                                    ChannelHandlerContext context, Throwable cause) {
                                connection.undecodable(cause);
                            }
                        });
        connection.receiveInto(messages);
        ByteBuf rest = bytes.takeAll();
        if (rest != null) {
            alone.writeInbound(rest);
        }
        @Nullable IOException failure = bytes.failure();
        if (failure != null) {
            messages.ended(failure); // so that no part of the cut-off input is received
        }
        alone.finishAndReleaseAll();
        messages.ended(null);
    }
}
