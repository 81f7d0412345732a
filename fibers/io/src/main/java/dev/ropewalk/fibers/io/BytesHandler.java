package dev.ropewalk.fibers.io;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Between the socket and a codec: bytes that make no message yet are life too. */
final class BytesHandler extends ChannelInboundHandlerAdapter {
    private final TcpConnection connection;

    BytesHandler(TcpConnection connection) {
        this.connection = connection;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        if (connection.drops()) {
            connection.dropped(bytes);
        } else {
            connection.touch();
            context.fireChannelRead(bytes);
        }
    }
}
