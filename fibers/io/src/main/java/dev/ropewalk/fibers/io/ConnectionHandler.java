package dev.ropewalk.fibers.io;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;

import java.io.IOException;

/** Where Netty tells a connection what has come: the last handler of its pipeline. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the handler
final class ConnectionHandler extends ChannelInboundHandlerAdapter {
    private final TcpConnection connection;

    ConnectionHandler(TcpConnection connection) {
        this.connection = connection;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        connection.opened();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf bytes && connection.isOpen()) {
            connection.received(bytes);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        connection.writabilityChanged();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            connection.inputEnded();
        } else {
            ReferenceCountUtil.release(event);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        connection.channelClosed();
    }

    /** Netty closes the channel after some of them and not after others: here it always is. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        connection.failed(cause instanceof IOException io ? io : new IOException(cause));
    }
}
