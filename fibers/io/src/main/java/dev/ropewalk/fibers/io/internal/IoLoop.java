package dev.ropewalk.fibers.io.internal;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.io.CordIo;
import dev.ropewalk.fibers.internal.reactor.Reactor;
import dev.ropewalk.fibers.spi.Waits;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;

import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A cord's event loop of Netty, and the channels that fit it: the {@link Reactor} that it polls, or
 * the loop in memory of a virtual clock, whose tasks are messages of the cord.
 */
@SuppressWarnings("FutureReturnValueIgnored") // failures are told to the handler
public abstract sealed class IoLoop {
    public final EventLoop eventLoop;

    private IoLoop(EventLoop eventLoop) {
        this.eventLoop = eventLoop;
    }

    /** Of the current cord. A switchpoint if the library must be loaded first. */
    public static IoLoop current() {
        Cord cord = Cord.current();
        if (CordIo.isVirtual(cord)) {
            return new Memory(MemoryLoop.of(cord));
        }
        Reactor reactor = CordIo.reactor();
        return switch (reactor.kind()) {
            case EPOLL -> new Epoll(reactor);
            case IO_URING -> new Uring(reactor);
            case NIO -> new Nio(reactor);
        };
    }

    public abstract Channel newConnection(SocketAddress to);

    public abstract ServerChannel newListener(SocketAddress at);

    public abstract Channel newDatagramSocket();

    /** Spelled as the channels of this loop want it. */
    public SocketAddress address(SocketAddress given) {
        return given;
    }

    /** Netty takes the path of another listener away, and that hears nothing of it. */
    public boolean isTaken(SocketAddress address) {
        return false;
    }

    /** Whether the kernel takes bytes from a file by itself. */
    public boolean sendsFiles() {
        return true;
    }

    /** Lets several sockets share the port; false where that cannot be. */
    public boolean sharePort(Channel socket) {
        return false;
    }

    /** Has the loop serve the channel from now on. From any thread. */
    public ChannelFuture register(Channel channel) {
        return eventLoop.register(channel);
    }

    /** By a fiber or a handler: has it flushed once in this turn. */
    public abstract void flushLater(Reactor.Unflushed written);

    /** Of a channel that was not opened, or whose opening was left. */
    public static void close(Channel channel) {
        if (channel.isRegistered()) {
            channel.close();
        } else {
            channel.unsafe().closeForcibly(); // close() would wait for a loop
        }
    }

    /** Makes the fiber wait until it is done. A switchpoint. */
    public static <T> void await(Future<T> future, String reason) {
        Waits.switchpoint();
        if (!future.isDone()) {
            Fiber<?> waiting = Fiber.current();
            long number = Waits.nextNumber();
            GenericFutureListener<Future<T>> done = _ -> Waits.resume(waiting, number, null);
            future.addListener(done);
            try {
                Waits.park(reason);
            } finally {
                future.removeListener(done); // it may end later than the fiber, and than the cord
            }
        }
    }

    /** The sockets of a reactor. */
    private abstract static sealed class Real extends IoLoop {
        private final Reactor reactor;

        Real(Reactor reactor) {
            super(reactor.eventLoop());
            this.reactor = reactor;
        }

        /** Of Netty's Unix-domain sockets only those of epoll can end one half alone. */
        final void checkTcp(SocketAddress address) {
            if (address instanceof UnixDomainSocketAddress) {
                throw new IllegalArgumentException(
                        "the Unix-domain socket "
                                + address
                                + " needs epoll, and "
                                + Cord.current()
                                + " runs on "
                                + reactor.kind()
                                + "; run on Linux without -Dropewalk.reactor, or use TCP");
            }
        }

        /** The reactor counts its sockets, on its own thread. */
        @Override
        public ChannelFuture register(Channel channel) {
            return eventLoop.register(channel).addListener((ChannelFutureListener) this::opened);
        }

        private void opened(ChannelFuture registered) {
            if (registered.isSuccess()) {
                reactor.opened();
                registered.channel().closeFuture().addListener(_ -> reactor.closed());
            }
        }

        @Override
        public void flushLater(Reactor.Unflushed written) {
            reactor.flushLater(written);
        }
    }

    private static final class Epoll extends Real {
        Epoll(Reactor reactor) {
            super(reactor);
        }

        @Override
        public Channel newConnection(SocketAddress to) {
            return to instanceof UnixDomainSocketAddress
                    ? new EpollDomainSocketChannel()
                    : new EpollSocketChannel();
        }

        @Override
        public ServerChannel newListener(SocketAddress at) {
            return at instanceof UnixDomainSocketAddress
                    ? new EpollServerDomainSocketChannel()
                    : new EpollServerSocketChannel();
        }

        @Override
        public Channel newDatagramSocket() {
            return new EpollDatagramChannel();
        }

        @Override
        public SocketAddress address(SocketAddress given) {
            return given instanceof UnixDomainSocketAddress unix
                    ? new DomainSocketAddress(unix.getPath().toString())
                    : given;
        }

        @Override
        public boolean isTaken(SocketAddress address) {
            return address instanceof UnixDomainSocketAddress unix
                    && Files.exists(unix.getPath(), LinkOption.NOFOLLOW_LINKS);
        }

        @Override
        public boolean sharePort(Channel socket) {
            return socket.config().setOption(UnixChannelOption.SO_REUSEPORT, true);
        }
    }

    private static final class Uring extends Real {
        Uring(Reactor reactor) {
            super(reactor);
        }

        @Override
        public Channel newConnection(SocketAddress to) {
            checkTcp(to);
            return new IoUringSocketChannel();
        }

        @Override
        public ServerChannel newListener(SocketAddress at) {
            checkTcp(at);
            return new IoUringServerSocketChannel();
        }

        @Override
        public Channel newDatagramSocket() {
            return new IoUringDatagramChannel();
        }

        @Override
        public boolean sharePort(Channel socket) {
            return socket.config().setOption(UnixChannelOption.SO_REUSEPORT, true);
        }
    }

    private static final class Nio extends Real {
        Nio(Reactor reactor) {
            super(reactor);
        }

        @Override
        public Channel newConnection(SocketAddress to) {
            checkTcp(to);
            return new NioSocketChannel();
        }

        @Override
        public ServerChannel newListener(SocketAddress at) {
            checkTcp(at);
            return new NioServerSocketChannel();
        }

        @Override
        public Channel newDatagramSocket() {
            return new NioDatagramChannel();
        }

        @Override
        public boolean sharePort(Channel socket) {
            return socket.config()
                    .setOption(NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT), true);
        }
    }

    private static final class Memory extends IoLoop {
        private final MemoryLoop loop;
        private List<Reactor.Unflushed> unflushed = new ArrayList<>();

        Memory(MemoryLoop loop) {
            super(loop);
            this.loop = loop;
        }

        @Override
        public Channel newConnection(SocketAddress to) {
            return loop.newConnection();
        }

        @Override
        public ServerChannel newListener(SocketAddress at) {
            return loop.newListener();
        }

        @Override
        public boolean sendsFiles() {
            return false;
        }

        @Override
        public Channel newDatagramSocket() {
            return loop.newDatagramSocket();
        }

        /** The turn of a virtual cord ends with a message. */
        @Override
        public void flushLater(Reactor.Unflushed written) {
            unflushed.add(written);
            if (unflushed.size() == 1) {
                eventLoop.execute(this::flush);
            }
        }

        private void flush() {
            List<Reactor.Unflushed> written = unflushed;
            unflushed = new ArrayList<>();
            written.forEach(Reactor.Unflushed::flush);
        }
    }
}
