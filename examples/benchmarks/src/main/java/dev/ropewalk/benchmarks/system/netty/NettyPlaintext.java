package dev.ropewalk.benchmarks.system.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;

import java.util.concurrent.TimeUnit;

/**
 * A web server of one page, on one event loop of Netty without anything above it: what the example
 * http is measured beside. Takes a port and how many seconds it is to live.
 */
public final class NettyPlaintext {
    private static final byte[] TEXT = "Hello, World!".getBytes(US_ASCII);

    private NettyPlaintext() {}

    /** Serves for so long. */
    public static void main(String[] arguments) throws InterruptedException {
        int port = Integer.parseInt(arguments[0]);
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        Channel server =
                new ServerBootstrap()
                        .group(loop)
                        .channel(EpollServerSocketChannel.class)
                        .option(ChannelOption.SO_BACKLOG, 4_096)
                        .childHandler(new Pipeline())
                        .bind("127.0.0.1", port)
                        .sync()
                        .channel();
        server.closeFuture().await(Long.parseLong(arguments[1]), TimeUnit.SECONDS);
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    }

    private static final class Pipeline extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel client) {
            client.pipeline().addLast(new HttpServerCodec(), new Page());
        }
    }

    /** Answers each request, and flushes when there is no more. */
    @SuppressWarnings("FutureReturnValueIgnored") // what fails comes to the handler
    private static final class Page extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof HttpRequest) {
                FullHttpResponse response =
                        new DefaultFullHttpResponse(
                                HttpVersion.HTTP_1_1,
                                HttpResponseStatus.OK,
                                Unpooled.wrappedBuffer(TEXT));
                response.headers()
                        .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
                        .set(HttpHeaderNames.SERVER, "netty---")
                        .setInt(HttpHeaderNames.CONTENT_LENGTH, TEXT.length);
                context.write(response, context.voidPromise());
            }
            ReferenceCountUtil.release(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close(); // the client has gone
        }
    }
}
