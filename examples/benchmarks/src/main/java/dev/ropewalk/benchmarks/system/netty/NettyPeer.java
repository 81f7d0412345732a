package dev.ropewalk.benchmarks.system.netty;

import dev.ropewalk.benchmarks.measure.EchoLoad;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Netty with epoll and one event loop, which accepts too. */
public final class NettyPeer implements Peer {
    private final EventLoopGroup loop =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

    @Override
    public Map<String, Program> programs() {
        return Map.of(
                "echo_64", n -> echo(n, Sizes.ECHO),
                "echo_64_cpu", n -> echo(n, Sizes.ECHO),
                "echo_1024", n -> echo(n, Sizes.ECHO_MANY),
                "echo_1024_cpu", n -> echo(n, Sizes.ECHO_MANY));
    }

    private long echo(long n, int connections) throws IOException {
        Channel server =
                new ServerBootstrap()
                        .group(loop)
                        .channel(EpollServerSocketChannel.class)
                        .option(ChannelOption.SO_BACKLOG, 4_096)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childHandler(new Clients())
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .syncUninterruptibly()
                        .channel();
        try {
            int port = ((InetSocketAddress) server.localAddress()).getPort();
            return EchoLoad.run(n, connections, port);
        } finally {
            server.close().syncUninterruptibly();
        }
    }

    /** Each gets an echo of its own. */
    private static final class Clients extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel client) {
            client.pipeline().addLast(new Echo());
        }
    }

    /** Writes what it reads, and flushes when there is no more. */
    @SuppressWarnings("FutureReturnValueIgnored") // what fails comes to the handler
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close(); // the clients of a round have gone
        }
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
