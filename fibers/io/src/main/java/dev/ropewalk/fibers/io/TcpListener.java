package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.internal.IoLoop;
import dev.ropewalk.fibers.io.internal.Placement;
import dev.ropewalk.fibers.io.internal.SpareDescriptor;
import dev.ropewalk.fibers.io.internal.Turnstile;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.Waits;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannel;

import org.jspecify.annotations.Nullable;

import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Accepts TCP connections, one after the other:
 *
 * {@snippet file="dev/ropewalk/fibers/io/IoSnippetsTest.java" region="echo"}
 *
 * <p>It belongs to the cord that made it, and so do its connections, unless {@link
 * TcpOptions#cords} names others. Only one fiber may accept at a time.
 *
 * <p>It accepts no more while {@link TcpOptions#maxConnections} are open, while {@link
 * #MAX_UNTAKEN} have not been taken by a fiber, and for a while when the process has no file
 * descriptor left; clients wait in the kernel then, {@link TcpOptions#backlog} of them.
 *
 * <p>A loop over it ends when it is closed. Connections that were not taken are reset then; those
 * that were taken go on, and {@link #drain} waits for them.
 */
@SuppressWarnings("FutureReturnValueIgnored") // failures are told to the handler
public final class TcpListener implements Iterable<TcpConnection>, AutoCloseable {
    /** How many accepted connections wait for a fiber at most. */
    public static final int MAX_UNTAKEN = 64;

    static final Log LOG = Logs.logger(TcpListener.class);

    /** The pause after an accept that failed, for example for want of a file descriptor. */
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Cord cord;
    private final IoLoop loop;
    private final TcpOptions options;
    private final ServerChannel channel;
    private final IoErrors errors;
    private final Turnstile acceptor = new Turnstile(this, "acceptor");
    private final Turnstile drainer = new Turnstile(this, "drainer");
    private final SpareDescriptor spare = new SpareDescriptor();
    private final ArrayDeque<Arrival> untaken = new ArrayDeque<>();

    /** Accepted while there was no room: NIO accepts some at once. */
    private final ArrayDeque<Channel> beyond = new ArrayDeque<>();

    /** Accepted and not closed, without those beyond. Written on the cord alone. */
    private final AtomicInteger open = new AtomicInteger();

    private boolean isClosed;

    /** Netty accepts no more for now. */
    private boolean isPaused;

    /** Ends the pause after an accept that failed, or null. */
    private @Nullable Alarm afterFailure;

    /** It was logged that accepts fail, and no accept has succeeded since. */
    private boolean isFailureTold;

    /** Kept because a closed channel has no address. */
    private SocketAddress address;

    private TcpListener(IoLoop loop, SocketAddress address, TcpOptions options) {
        this.cord = Cord.current();
        this.errors = IoErrors.of(this, cord);
        this.loop = loop;
        this.address = address;
        this.options = options;
        this.channel = loop.newListener(address);
        channel.config().setOption(ChannelOption.SO_BACKLOG, options.backlog());
        channel.config().setOption(ChannelOption.SO_REUSEADDR, true);
        // An accept waits behind all sockets that are ready: clients that come at once overflow the
        // queue of the kernel otherwise, and try again after a second.
        RecvByteBufAllocator perRead = channel.config().getRecvByteBufAllocator();
        if (perRead instanceof MaxMessagesRecvByteBufAllocator accepts) {
            accepts.maxMessagesPerRead(MAX_UNTAKEN);
        }
        channel.pipeline().addLast(new Acceptor());
    }

    // ---------------------------------------------------------------- binding

    /**
     * Listens with the default options.
     *
     * @param host an address of this machine, or its name
     * @param port the port; 0 for one that is free, see {@link #port}
     * @return the listener
     * @throws ConnectionException as {@link #bind(SocketAddress, TcpOptions)}
     */
    public static TcpListener bind(String host, int port) {
        return bind(host, port, TcpOptions.defaults());
    }

    /**
     * Listens.
     *
     * @param host an address of this machine, or its name
     * @param port the port; 0 for one that is free, see {@link #port}
     * @param options how
     * @return the listener
     * @throws ConnectionException as {@link #bind(SocketAddress, TcpOptions)}
     */
    public static TcpListener bind(String host, int port, TcpOptions options) {
        return bind(Addresses.of(host, port), options);
    }

    /**
     * Listens. A switchpoint.
     *
     * <p>A {@link UnixDomainSocketAddress} is a path: the listener makes that file, with the
     * permissions that the process's umask leaves, and deletes it when it is closed. It needs
     * Linux.
     *
     * @param address an address of this machine, or a path
     * @param options how, also for the connections that it accepts
     * @return the listener, of the current cord
     * @throws ConnectionException if the port is in use or the file is there, or the system refuses
     * @throws IllegalArgumentException if a port is to be shared, and cannot be here, or it is a
     *     path and the reactor is NIO's, or the TLS is that of a client
     * @throws IllegalStateException if no fiber runs here
     */
    public static TcpListener bind(SocketAddress address, TcpOptions options) {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(options, "options");
        Waits.switchpoint();
        IoLoop loop = IoLoop.current();
        if (options.tls().isPresent() && !options.tls().get().isServer()) {
            throw new IllegalArgumentException(
                    "cannot listen on "
                            + Addresses.text(address)
                            + " with the TLS of a client; make one with Tls.server(...)");
        }
        TcpListener made = new TcpListener(loop, address, options);
        boolean isBound = false;
        try {
            made.bind();
            isBound = true;
        } finally {
            if (!isBound) {
                IoLoop.close(made.channel);
            }
        }
        return made;
    }

    private void bind() {
        if (options.reusePort() && !loop.sharePort(channel)) {
            throw new IllegalArgumentException(
                    "reusePort needs TCP sockets of Linux, and those of "
                            + Cord.current()
                            + " for "
                            + Addresses.text(address)
                            + " are none; leave it out, and accept on one cord");
        }
        IoLoop.await(loop.register(channel), "a socket");
        if (loop.isTaken(address)) {
            throw notBound(new BindException("Address already in use"));
        }
        ChannelFuture bound = channel.bind(loop.address(address));
        IoLoop.await(bound, "the port of " + Addresses.text(address));
        Throwable failure = bound.cause();
        if (failure != null) {
            throw notBound(failure);
        }
        if (address instanceof InetSocketAddress) {
            address = channel.localAddress(); // with the port that was free
        }
        spare.open();
    }

    private ConnectionException notBound(Throwable failure) {
        String remedy =
                address instanceof UnixDomainSocketAddress
                        ? "; if no server listens there, a process that was killed has left the"
                                + " file: delete it"
                        : "; is the port in use? Port 0 takes a free one";
        return IoErrors.notOpened("cannot listen on " + Addresses.text(address), failure, remedy);
    }

    // ---------------------------------------------------------------- accepting

    /**
     * Takes the next connection; waits for it. A switchpoint.
     *
     * @return the connection, which the caller closes
     * @throws ConnectionClosedException if the listener is closed
     * @throws IllegalStateException if another fiber accepts, or its connections go to {@link
     *     TcpOptions#cords}
     * @throws WrongThreadException if this is not its cord
     */
    public TcpConnection accept() {
        checkHere("accept");
        if (!awaitNext()) {
            throw new ConnectionClosedException(
                    this + " is closed and accepts nobody", new ClosedChannelException());
        }
        return takeHere();
    }

    /** False if it is closed. */
    private boolean awaitNext() {
        checkCord("accept");
        acceptor.checkFree();
        Waits.switchpoint();
        while (untaken.isEmpty() && !isClosed) {
            acceptor.await(this, Long.MAX_VALUE);
        }
        return !untaken.isEmpty();
    }

    private Arrival take() {
        Arrival taken = untaken.removeFirst();
        resumeIfRoom();
        return taken;
    }

    private TcpConnection takeHere() {
        return take().openElsewhere(); // it is open
    }

    /** Waits for it; null if it is closed. A switchpoint. */
    @Nullable Arrival next() {
        return awaitNext() ? take() : null;
    }

    /**
     * {@return the connections, as they come} {@code hasNext} waits for a connection, as {@link
     * #accept} does, and is false when the listener is closed.
     *
     * @throws IllegalStateException if its connections go to {@link TcpOptions#cords}
     */
    @Override
    public Iterator<TcpConnection> iterator() {
        checkHere("a loop");
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return awaitNext();
            }

            @Override
            public TcpConnection next() {
                if (untaken.isEmpty() && !awaitNext()) {
                    throw new NoSuchElementException(TcpListener.this + " is closed");
                }
                return takeHere();
            }
        };
    }

    /**
     * Serves each connection in a fiber of its own, a child of this fiber, until the listener is
     * closed, and all of them have ended. The fiber is on this cord, or on the cord of {@link
     * TcpOptions#cords} that serves the fewest, and the connection belongs to the fiber's cord. A
     * connection is closed when the service returns, and reset when it throws. Such a failure does
     * not end other connections. It is logged as an ERROR, or as DEBUG if the client {@linkplain
     * TcpConnection#hasCaused has caused} it, by its data, by silence or by leaving. A client for
     * which the cord has no place is reset; a WARN tells of the first in a row. A switchpoint.
     *
     * @param name of the fibers, shown in reports
     * @param service what is done with each connection
     * @throws IllegalStateException if another fiber accepts
     * @throws WrongThreadException if this is not its cord
     */
    public void serve(String name, Service service) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(service, "service");
        Serving.ofConnections(this, placement(), name, service).run();
    }

    /**
     * Serves the messages of each connection, one after the other, until the listener is closed,
     * and all connections have ended. Each connection has a fiber, a child of this fiber, which
     * runs for a message and keeps no stack between two of them: an idle connection is a few
     * objects.
     *
     * {@snippet file="dev/ropewalk/fibers/io/IoSnippetsTest.java" region="serveMessages"}
     *
     * <p>A connection is closed when its input has ended and all messages before that are handled,
     * or when this side closes it; and reset when its handler throws, or the limit {@link
     * TcpOptions#readLimit} passes without a message while none is being handled. Where the fibers
     * are, and where a failure is told, is as for {@link #serve}. A switchpoint.
     *
     * @param <M> the type of the messages
     * @param name of the fibers, shown in reports
     * @param codec makes messages of bytes, and bytes of messages
     * @param service makes the handler of each connection
     * @throws IllegalStateException if another fiber accepts
     * @throws WrongThreadException if this is not its cord
     */
    public <M> void serveMessages(String name, Codec<M> codec, MessageService<M> service) {
        Objects.requireNonNull(codec, "codec");
        serveMessages(name, connection -> connection.messages(codec), service);
    }

    /**
     * Like {@link #serveMessages(String, Codec, MessageService)}, for protocols that do not begin
     * with messages, as a WebSocket begins with lines. A connection has a stack until its messages
     * begin.
     *
     * @param <M> the type of the messages
     * @param name of the fibers, shown in reports
     * @param opening reads and answers what comes before the messages, and makes them by {@link
     *     TcpConnection#messages(Codec)}; null closes the connection; an exception breaks it off
     * @param service makes the handler of each connection
     * @throws IllegalStateException if another fiber accepts
     * @throws WrongThreadException if this is not its cord
     */
    public <M> void serveMessages(
            String name,
            Function<? super TcpConnection, ? extends @Nullable MessageConnection<M>> opening,
            MessageService<M> service) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(opening, "opening");
        Objects.requireNonNull(service, "service");
        Serving.ofMessages(this, placement(), name, opening, service).run();
    }

    private Placement placement() {
        return new Placement(isPlacing() ? options.cords() : List.of(cord));
    }

    // ---------------------------------------------------------------- the end

    /**
     * Accepts no client any more: clients are refused, after the cord's turn at the latest, and
     * connections that were not taken are reset. Never waits; to close twice is harmless.
     *
     * @throws WrongThreadException if this is not its cord
     */
    @Override
    public void close() {
        checkCord("close");
        if (!isClosed) {
            isClosed = true;
            channel.close();
            endPause();
            dropUntaken();
            dropBeyond();
            acceptor.wake();
        }
    }

    /**
     * Closes it, and waits until the connections that were taken are closed. A switchpoint.
     *
     * @param limit how long to wait at most
     * @return whether all are closed
     * @throws IllegalStateException if another fiber drains it
     * @throws WrongThreadException if this is not its cord
     */
    public boolean drain(Duration limit) {
        long limitNs = Waits.nanos(limit);
        close();
        drainer.checkFree();
        Waits.switchpoint();
        long beganNs = cord.nanoTime();
        while (open() > 0) {
            long leftNs =
                    limitNs == Long.MAX_VALUE ? limitNs : limitNs - (cord.nanoTime() - beganNs);
            if (leftNs <= 0 || !drainer.await(this, leftNs)) {
                return open() == 0;
            }
        }
        return true;
    }

    // ---------------------------------------------------------------- looking

    Cord cord() {
        return cord;
    }

    TcpOptions options() {
        return options;
    }

    /** {@return where it listens} */
    public SocketAddress localAddress() {
        return address;
    }

    /**
     * {@return the port on which it listens}
     *
     * @throws IllegalStateException if its address has no port
     */
    public int port() {
        if (address instanceof InetSocketAddress inet) {
            return inet.getPort();
        }
        throw new IllegalStateException(this + " has no port");
    }

    /** {@return how many of its connections are open; it can change at once} From any thread. */
    public int open() {
        return open.get();
    }

    // ---------------------------------------------------------------- Netty's side

    /** The handler that Netty tells of accepted clients. */
    private final class Acceptor extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            accepted((Channel) message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            spare.lend(() -> failed(cause));
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            isClosed = true; // by close(), or the cord has ended, and no fiber waits any more
            spare.close();
            if (isPlacing()) {
                dropUntaken(); // no loop knows them, so no loop closes them
            }
            dropBeyond();
        }
    }

    private void accepted(Channel client) {
        isFailureTold = false;
        if (isClosed) {
            client.unsafe().closeForcibly();
        } else if (isFull()) {
            beyond.addLast(client); // not registered: nothing is read, nothing is held but it
        } else {
            begin(client);
        }
    }

    private void begin(Channel client) {
        open.incrementAndGet();
        Arrival arrival = new Arrival(this, client);
        if (!isPlacing() && !arrival.openHere(loop)) {
            return;
        }
        untaken.addLast(arrival);
        acceptor.wake();
        if (!isPaused && isFull()) {
            isPaused = true;
            channel.config().setAutoRead(false);
        }
    }

    private void dropUntaken() {
        while (!untaken.isEmpty()) {
            untaken.removeFirst().drop();
        }
    }

    private void dropBeyond() {
        for (Channel each = beyond.poll(); each != null; each = beyond.poll()) {
            each.unsafe().closeForcibly();
        }
    }

    /** One of its connections has closed. */
    void closed() {
        int left = open.decrementAndGet();
        resumeIfRoom();
        if (left == 0) {
            drainer.wake();
        }
    }

    private boolean isFull() {
        return open() >= options.maxConnections()
                || untaken.size() >= MAX_UNTAKEN
                || afterFailure != null;
    }

    /** By Netty's side or a fiber. */
    private void resumeIfRoom() {
        if (!beyond.isEmpty() && !loop.eventLoop.inEventLoop()) {
            loop.eventLoop.execute(this::resumeIfRoom); // from a virtual thread
            return;
        }
        while (!beyond.isEmpty() && !isFull()) {
            begin(beyond.removeFirst());
        }
        if (isPaused && !isClosed && !isFull()) {
            isPaused = false;
            channel.config().setAutoRead(true);
        }
    }

    /** An accept that fails at once fails again at once. */
    private void failed(Throwable cause) {
        if (afterFailure == null && !isClosed) {
            isPaused = true;
            channel.config().setAutoRead(false);
            afterFailure = Alarm.after(PAUSE_NS, this::tryAgain);
        }
        if (!isFailureTold) {
            isFailureTold = true;
            LOG.warn(
                    "{} cannot accept, with {} open connections; it tries again: {}",
                    this,
                    open(),
                    cause.toString());
        }
    }

    private void tryAgain() {
        afterFailure = null;
        resumeIfRoom();
    }

    private void endPause() {
        if (afterFailure != null) {
            afterFailure.cancel();
            afterFailure = null;
        }
    }

    private boolean isPlacing() {
        return !options.cords().isEmpty();
    }

    private void checkHere(String call) {
        if (isPlacing()) {
            throw new IllegalStateException(
                    call
                            + " takes connections of "
                            + cord
                            + ", and those of "
                            + this
                            + " go to "
                            + options.cords()
                            + "; use serve, or leave TcpOptions.withCords out");
        }
    }

    private void checkCord(String call) {
        if (!cord.isCurrent()) {
            throw errors.wrongThread(call);
        }
    }

    @Override
    public String toString() {
        return "listener on " + Addresses.text(address);
    }
}
