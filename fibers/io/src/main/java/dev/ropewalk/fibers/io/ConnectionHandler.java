package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.io.internal.BytesHandler;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SniCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

import javax.net.ssl.SSLException;

/** Where Netty tells a connection what has come: the last handler of its pipeline. */
@SuppressWarnings("FutureReturnValueIgnored") // failures are told to the handler
final class ConnectionHandler extends ChannelInboundHandlerAdapter implements BytesHandler.Owner {
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
        if (connection.drops()) {
            connection.dropped(message);
        } else {
            connection.received(message);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        connection.writabilityChanged();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        switch (event) {
            case SslHandshakeCompletionEvent done -> connection.agreed(done.cause());
            case SniCompletionEvent named when !named.isSuccess() ->
                    connection.agreed(named.cause());
            default -> ReferenceCountUtil.release(event);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        connection.channelClosed();
    }

    /** Netty closes the channel after some of them and not after others: here it always is. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        switch (cause) {
            case BytesHandler.CutOff _ -> {} // BytesHandler tells by itself; the output works on
            case DecoderException wrong when wrong.getCause() instanceof SSLException tls ->
                    connection.failed(tls);
            case DecoderException undecodable -> connection.undecodable(undecodable);
            default -> connection.failed(IoErrors.asIo(cause));
        }
    }

    // ---------------------------------------------------------------- by the first handler

    @Override
    public boolean isOpen() {
        return connection.isOpen();
    }

    @Override
    public boolean drops() {
        return connection.dropsBytes();
    }

    @Override
    public void dropped(Object bytes) {
        connection.dropped(bytes);
    }

    @Override
    public void touch() {
        connection.touch();
    }

    @Override
    public void inputEnded(@Nullable IOException why) {
        connection.inputEnded(why);
    }

    @Override
    public void inputShut() {
        connection.inputShut();
    }
}
