package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.internal.IoLoop;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Receivable;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DatagramPacket;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

/**
 * A UDP socket in blocking style: its calls make the fiber wait, and its cord runs the others.
 *
 * {@snippet file="dev/ropewalk/fibers/io/IoSnippetsTest.java" region="udp"}
 *
 * <p>It belongs to the cord that made it, and is used by that cord's fibers: any number of fibers
 * may receive, each datagram goes to one of them, and any number may send, because a datagram is
 * sent whole or not at all.
 *
 * <p>Datagrams are received as from a channel, one by one, in a loop that ends when the socket is
 * closed, in a select, or by a pipeline that begins with it. Unreceived datagrams are bounded
 * ({@link UdpOptions#maxDatagrams}): above that the system keeps those that come, and drops those
 * that it has no room for, as UDP always may.
 *
 * <p>Receiving and sending calls are switchpoints even if they do not wait: if the fiber is
 * terminated or cancelled, they throw. A receive that ends early, by its limit or otherwise, takes
 * no datagram. {@link #close} never waits; a socket that is open when its cord ends is closed by
 * it.
 *
 * <p>Made by {@link #connect(InetSocketAddress, UdpOptions)}, it has one other side, and hears no
 * other. When the system reports that no socket has the port there, a send, or the next receive,
 * throws a {@link ConnectionException}, once for each report; the socket works on.
 */
@SuppressWarnings("FutureReturnValueIgnored") // failures are told to the handler
public final class UdpSocket implements Receivable<Datagram>, AutoCloseable {
    /** How many bytes a datagram to an IPv4 address has at most. */
    public static final int MAX_BYTES_IPV4 = 65_507;

    /** How many bytes a datagram to an IPv6 address has at most. */
    public static final int MAX_BYTES_IPV6 = 65_527;

    private static final Log LOG = Logs.logger(UdpSocket.class);

    /** Given to senders: look again. */
    private static final Object ROOM = new Object();

    /** To be read by tests. */
    final MessageQueue<Datagram> in;

    private final Cord cord;
    private final IoLoop loop;
    private final UdpOptions options;
    private final Channel channel;
    private final IoErrors errors;
    private final Exclusion guard =
            Exclusion.byCord("send on its own cord, and pass datagrams to it through a channel");
    private final WaitQueue<Object> senders = new WaitQueue<>();

    /** With the port that was free. */
    private InetSocketAddress local;

    /** The one that is heard; null if all are. */
    private final @Nullable InetSocketAddress remote;

    private long dropped;
    private boolean isClosedHere;

    private UdpSocket(
            IoLoop loop,
            InetSocketAddress local,
            @Nullable InetSocketAddress remote,
            UdpOptions options) {
        this.cord = Cord.current();
        this.errors = IoErrors.of(this, cord);
        this.loop = loop;
        this.local = local;
        this.remote = remote;
        this.options = options;
        this.channel = loop.newDatagramSocket();
        this.in =
                new MessageQueue<>(
                        new Datagrams(),
                        channel,
                        Datagram.class,
                        options.maxDatagrams(),
                        options.receiveLimit());
        channel.pipeline().addLast(new Handler());
    }

    // ---------------------------------------------------------------- binding

    /**
     * Makes a socket that hears and sends to all, with the default options.
     *
     * @param host an address of this machine, or its name
     * @param port the port; 0 for one that is free, see {@link #port}
     * @return the socket
     * @throws ConnectionException as {@link #bind(InetSocketAddress, UdpOptions)}
     */
    public static UdpSocket bind(String host, int port) {
        return bind(host, port, UdpOptions.defaults());
    }

    /**
     * Makes a socket that hears and sends to all.
     *
     * @param host an address of this machine, or its name
     * @param port the port; 0 for one that is free, see {@link #port}
     * @param options how
     * @return the socket
     * @throws ConnectionException as {@link #bind(InetSocketAddress, UdpOptions)}
     */
    public static UdpSocket bind(String host, int port, UdpOptions options) {
        return bind(Addresses.of(host, port), options);
    }

    /**
     * Makes a socket that hears and sends to all. A switchpoint.
     *
     * @param address an address of this machine; port 0 for one that is free, see {@link #port}
     * @param options how
     * @return the socket, of the current cord
     * @throws ConnectionException if the port is in use, or the system refuses
     * @throws IllegalArgumentException if the host of the address was not looked up, or a port is
     *     to be shared, and cannot be here
     * @throws IllegalStateException if no fiber runs here
     */
    public static UdpSocket bind(InetSocketAddress address, UdpOptions options) {
        Datagram.resolved(address);
        Objects.requireNonNull(options, "options");
        Waits.switchpoint();
        UdpSocket made = new UdpSocket(IoLoop.current(), address, null, options);
        made.open("cannot bind a UDP socket to " + Addresses.text(address), address);
        return made;
    }

    /**
     * Makes a socket with one other side, with the default options.
     *
     * @param host the other side: an address, or a name, which is looked up on another thread
     * @param port its port
     * @return the socket
     * @throws ConnectionException as {@link #connect(InetSocketAddress, UdpOptions)}, or if the
     *     name is unknown
     */
    public static UdpSocket connect(String host, int port) {
        return connect(host, port, UdpOptions.defaults());
    }

    /**
     * Makes a socket with one other side.
     *
     * @param host the other side: an address, or a name, which is looked up on another thread
     * @param port its port
     * @param options how
     * @return the socket
     * @throws ConnectionException as {@link #connect(InetSocketAddress, UdpOptions)}, or if the
     *     name is unknown
     */
    public static UdpSocket connect(String host, int port, UdpOptions options) {
        return connect(Addresses.of(host, port), options);
    }

    /**
     * Makes a socket of a free port with one other side: only datagrams from there are received,
     * and {@link #send(byte[])} sends there. Nothing is sent by this, so the other side need not be
     * there. A switchpoint.
     *
     * @param address the other side
     * @param options how
     * @return the socket, of the current cord
     * @throws ConnectionException if the system refuses, for example for want of a route
     * @throws IllegalArgumentException if the host of the address was not looked up, or a port is
     *     to be shared
     * @throws IllegalStateException if no fiber runs here
     */
    public static UdpSocket connect(InetSocketAddress address, UdpOptions options) {
        Datagram.resolved(address);
        Objects.requireNonNull(options, "options");
        if (options.reusePort()) {
            throw new IllegalArgumentException(
                    "reusePort of a UDP socket to "
                            + Addresses.text(address)
                            + ", which takes a free port; leave it out");
        }
        Waits.switchpoint();
        UdpSocket made =
                new UdpSocket(IoLoop.current(), new InetSocketAddress(0), address, options);
        made.open("cannot connect a UDP socket to " + Addresses.text(address), address);
        return made;
    }

    private void open(String what, InetSocketAddress address) {
        boolean isOpened = false;
        try {
            configure();
            IoLoop.await(loop.register(channel), "a socket");
            ChannelFuture opened =
                    remote == null ? channel.bind(address) : channel.connect(address);
            IoLoop.await(opened, "the port of " + Addresses.text(address));
            Throwable failure = opened.cause();
            if (failure != null) {
                String remedy =
                        remote == null ? "; is the port in use? Port 0 takes a free one" : "";
                throw IoErrors.notOpened(what, failure, remedy);
            }
            local = (InetSocketAddress) channel.localAddress();
            isOpened = true;
        } finally {
            if (!isOpened) {
                isClosedHere = true;
                IoLoop.close(channel);
            }
        }
    }

    private void configure() {
        if (options.reusePort() && !loop.sharePort(channel)) {
            throw new IllegalArgumentException(
                    "reusePort needs UDP sockets of Linux, and those of "
                            + cord
                            + " for "
                            + Addresses.text(local)
                            + " are none; leave it out, and receive on one cord");
        }
        int mark = options.highWaterMark();
        int low = Math.max(1, mark / 2); // Netty waits until less than that is unsent
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(low, mark));
        // One byte more than is allowed: so a datagram that the system has cut off is seen.
        channel.config()
                .setRecvByteBufAllocator(
                        new FixedRecvByteBufAllocator(options.maxDatagramBytes() + 1));
        channel.config().setOption(ChannelOption.SO_BROADCAST, options.broadcast());
        options.receiveBufferBytes()
                .ifPresent(n -> channel.config().setOption(ChannelOption.SO_RCVBUF, n));
        options.sendBufferBytes()
                .ifPresent(n -> channel.config().setOption(ChannelOption.SO_SNDBUF, n));
    }

    // ---------------------------------------------------------------- receiving

    /**
     * {@inheritDoc}
     *
     * @throws ClosedException if it is closed
     * @throws ConnectionTimeoutException if no datagram came within {@link UdpOptions#receiveLimit}
     * @throws ConnectionException if it is {@linkplain #connect(InetSocketAddress, UdpOptions)
     *     connected}, and the system reports that no socket has the port of the other side; or it
     *     cannot receive for another reason, once
     * @throws WrongThreadException if this is not its cord
     */
    @Override
    public Datagram receive() {
        return in.receive();
    }

    /**
     * {@inheritDoc}
     *
     * @throws ConnectionException as {@link #receive()}
     * @throws WrongThreadException if this is not its cord
     */
    @Override
    public @Nullable Datagram receive(Duration limit) {
        return in.receive(limit);
    }

    /**
     * {@inheritDoc}
     *
     * @throws ConnectionException as {@link #receive()}
     * @throws WrongThreadException if this is not its cord
     */
    @Override
    public @Nullable Datagram tryReceive() {
        return in.tryReceive();
    }

    @Override
    public <R extends @Nullable Object> Clause<R> onReceive(
            Function<? super Datagram, ? extends R> taken) {
        return in.onReceive(taken);
    }

    /**
     * Receives nothing more: datagrams that are there, and those that still come, are dropped.
     * Sending works on.
     *
     * @throws WrongThreadException if this is not its cord
     */
    @Override
    public void cancel() {
        checkCord("cancel");
        in.close();
    }

    // ---------------------------------------------------------------- sending

    /**
     * Sends a datagram; returns when the system has taken it. UDP does not confirm that it arrives.
     * Waits while the system has no room, or more than {@link UdpOptions#highWaterMark} is unsent
     * before it. A switchpoint: if the fiber is terminated or cancelled, this throws. The datagram
     * is not sent then, unless it waits for the system already.
     *
     * @param datagram what is sent, and where to
     * @return this socket
     * @throws ConnectionException if the system refuses this datagram, for example for want of a
     *     route; it was not sent, and the socket works on
     * @throws ConnectionClosedException if this side has closed it
     * @throws IllegalArgumentException if the datagram is empty, or longer than UDP allows ({@link
     *     #MAX_BYTES_IPV4}, {@link #MAX_BYTES_IPV6}), or not to the other side of a socket that is
     *     {@linkplain #connect(InetSocketAddress, UdpOptions) connected}
     * @throws WrongThreadException if this is not its cord
     */
    public UdpSocket send(Datagram datagram) {
        sendTo(datagram.content(), datagram.address());
        return this;
    }

    /**
     * Sends bytes as one datagram, as {@link #send(Datagram)} does.
     *
     * @param bytes what is sent; they may be changed when it returns
     * @param address where to
     * @return this socket
     * @throws ConnectionException as {@link #send(Datagram)}
     * @throws ConnectionClosedException as {@link #send(Datagram)}
     * @throws IllegalArgumentException as {@link #send(Datagram)}, or if the host of the address
     *     was not looked up
     * @throws WrongThreadException as {@link #send(Datagram)}
     */
    public UdpSocket send(byte[] bytes, InetSocketAddress address) {
        sendTo(bytes, Datagram.resolved(address));
        return this;
    }

    /**
     * Sends text as one datagram of UTF-8, as {@link #send(Datagram)} does.
     *
     * @param text what is sent
     * @param address where to
     * @return this socket
     * @throws CodecException if it has one half of a character alone, which is nothing in UTF-8
     * @throws ConnectionException as {@link #send(Datagram)}
     * @throws ConnectionClosedException as {@link #send(Datagram)}
     * @throws IllegalArgumentException as {@link #send(byte[], InetSocketAddress)}
     * @throws WrongThreadException as {@link #send(Datagram)}
     */
    public UdpSocket send(String text, InetSocketAddress address) {
        return send(CodecException.encoded(text, this), address);
    }

    /**
     * Sends bytes as one datagram to the other side, as {@link #send(Datagram)} does.
     *
     * @param bytes what is sent; they may be changed when it returns
     * @return this socket
     * @throws ConnectionException as {@link #send(Datagram)}, or if the system reports that no
     *     socket has the port there: for this datagram, which was not sent, or for an earlier one
     * @throws ConnectionClosedException as {@link #send(Datagram)}
     * @throws IllegalArgumentException as {@link #send(Datagram)}
     * @throws IllegalStateException if it is not {@linkplain #connect(InetSocketAddress,
     *     UdpOptions) connected}
     * @throws WrongThreadException as {@link #send(Datagram)}
     */
    public UdpSocket send(byte[] bytes) {
        if (remote == null) {
            throw new IllegalStateException(
                    this + " has no other side; give the address, or make it with connect");
        }
        sendTo(bytes, remote);
        return this;
    }

    /**
     * Sends text as one datagram of UTF-8 to the other side, as {@link #send(byte[])} does.
     *
     * @param text what is sent
     * @return this socket
     * @throws CodecException as {@link #send(String, InetSocketAddress)}
     * @throws ConnectionException as {@link #send(byte[])}
     * @throws ConnectionClosedException as {@link #send(Datagram)}
     * @throws IllegalArgumentException as {@link #send(Datagram)}
     * @throws IllegalStateException as {@link #send(byte[])}
     * @throws WrongThreadException as {@link #send(Datagram)}
     */
    public UdpSocket send(String text) {
        return send(CodecException.encoded(text, this));
    }

    private void sendTo(byte[] bytes, InetSocketAddress to) {
        checkOpen("send");
        checkLength(bytes.length, to);
        if (remote != null && !remote.equals(to)) {
            throw new IllegalArgumentException(
                    "cannot send to "
                            + Addresses.text(to)
                            + " from "
                            + this
                            + ", which has another side; make a socket with bind for that");
        }
        Waits.switchpoint();
        checkOpen("send");
        awaitRoom();
        ByteBuf buffer = channel.alloc().ioBuffer(bytes.length).writeBytes(bytes);
        ChannelFuture sent =
                channel.writeAndFlush(remote == null ? new DatagramPacket(buffer, to) : buffer);
        if (!sent.isDone()) { // the system has no room, or this is a virtual thread
            IoLoop.await(sent, "the system to take a datagram of " + this);
        }
        Throwable failure = sent.cause();
        if (failure != null) {
            checkOpen("send");
            throw notSent(bytes.length, to, IoErrors.asIo(failure));
        }
    }

    private void checkLength(int length, InetSocketAddress to) {
        boolean isIpv4 = to.getAddress() instanceof Inet4Address;
        int max = isIpv4 ? MAX_BYTES_IPV4 : MAX_BYTES_IPV6;
        if (length > max) {
            throw new IllegalArgumentException(
                    "cannot send bytes="
                            + length
                            + " > "
                            + max
                            + " to "
                            + Addresses.text(to)
                            + " in one datagram; send several, or use TCP");
        }
        if (length == 0) { // Netty would drop it, and say that it was sent
            throw new IllegalArgumentException(
                    "cannot send bytes=0 to "
                            + Addresses.text(to)
                            + ": a datagram has one byte at least");
        }
    }

    private void awaitRoom() {
        while (!channel.isWritable()) {
            WaitNode<Object> me = guard.node(null);
            senders.add(me);
            guard.await(me, "room to send from " + this, Long.MAX_VALUE);
            checkOpen("send");
        }
    }

    private ConnectionException notSent(int length, InetSocketAddress to, IOException cause) {
        String message =
                "the system refused bytes="
                        + length
                        + " to "
                        + Addresses.text(to)
                        + " from "
                        + this
                        + ": "
                        + IoErrors.reason(cause)
                        + "; this datagram was not sent, others can be";
        return new ConnectionException(message, cause);
    }

    private void tellSenders() {
        WaitQueue.wakeAll(senders.claimAll(ROOM));
    }

    // ---------------------------------------------------------------- the end

    /**
     * Closes it: unreceived datagrams are dropped, loops over it end, fibers that wait to receive
     * get a {@link ClosedException}, and those that wait to send a {@link
     * ConnectionClosedException}. The datagrams of completed sends are still sent. The port is free
     * after the cord's turn at the latest. Never waits, and may be called in a fiber that is being
     * ended; to close twice is harmless.
     *
     * @throws WrongThreadException if this is not its cord
     */
    @Override
    public void close() {
        checkCord("close");
        if (!isClosedHere) {
            isClosedHere = true;
            in.close();
            channel.close(); // and tells the senders
        }
    }

    // ---------------------------------------------------------------- looking

    /** {@return whether this side has not closed it, and neither has the end of its cord} */
    public boolean isOpen() {
        return !isClosedHere;
    }

    /** {@return the cord that it belongs to} */
    public Cord cord() {
        return cord;
    }

    /** {@return the address of this side, with the port that was taken} */
    public InetSocketAddress localAddress() {
        return local;
    }

    /** {@return the port of this side} */
    public int port() {
        return local.getPort();
    }

    /** {@return the only other side; null if there are many} */
    public @Nullable InetSocketAddress remoteAddress() {
        return remote;
    }

    /**
     * {@return how many datagrams came that were longer than {@link UdpOptions#maxDatagramBytes},
     * and so were dropped} Datagrams that the system dropped are not counted. On its cord.
     */
    public long dropped() {
        return dropped;
    }

    /** The number of unreceived datagrams; for tests. */
    int unread() {
        return in.unread();
    }

    // ---------------------------------------------------------------- Netty's side

    /** The handler that Netty tells of datagrams. */
    private final class Handler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            DatagramPacket packet = (DatagramPacket) message;
            try {
                received(packet.content(), packet.sender());
            } finally {
                packet.release();
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            tellSenders();
        }

        /** Netty passes on the system's report when it asks for the next datagram. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            LOG.debug("{} cannot receive", UdpSocket.this, cause);
            in.tell(IoErrors.asIo(cause));
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            gone();
        }
    }

    private void received(ByteBuf content, InetSocketAddress sender) {
        int length = content.readableBytes();
        if (length > options.maxDatagramBytes()) {
            drop(sender);
            return;
        }
        byte[] bytes = new byte[length];
        content.readBytes(bytes);
        // Netty's own type of address is larger, and has room for this side's.
        InetSocketAddress from = new InetSocketAddress(sender.getAddress(), sender.getPort());
        in.received(Datagram.owning(bytes, from));
    }

    /** The system has cut it off, and half a datagram is useless. */
    private void drop(InetSocketAddress sender) {
        dropped++;
        if (dropped == 1) { // its sender may send many
            LOG.warn(
                    "{} dropped a datagram from {} that is longer than maxDatagramBytes={};"
                            + " dropped() counts those that follow",
                    this,
                    Addresses.text(sender),
                    options.maxDatagramBytes());
        }
    }

    /** Closed here, by the end of the cord, or by Netty after a failure that is told by now. */
    private void gone() {
        isClosedHere = true;
        in.ended(null);
        tellSenders();
        if (loop.eventLoop.isShuttingDown()) {
            in.close(); // the cord has ended: no fiber will
        }
    }

    /** The errors of this socket, for its queue. */
    private final class Datagrams implements MessageQueue.Source {
        @Override
        public ConnectionException broken(String what, IOException why) {
            return errors.refused(what, why);
        }

        @Override
        public ConnectionTimeoutException silent(long limitNs) {
            return errors.silent("receive", "got", limitNs, "its receiveLimit");
        }

        @Override
        public void undecodable(Throwable cause) {
            throw new AssertionError(cause); // datagrams are all that comes
        }

        @Override
        public String toString() {
            return UdpSocket.this.toString();
        }
    }

    // ---------------------------------------------------------------- checks

    private void checkOpen(String call) {
        checkCord(call);
        if (isClosedHere) {
            throw errors.closed(call, "is closed");
        }
    }

    private void checkCord(String call) {
        if (!cord.isCurrent()) {
            throw errors.wrongThread(call);
        }
    }

    @Override
    public String toString() {
        return "UDP socket on "
                + Addresses.text(local)
                + (remote == null ? "" : " to " + Addresses.text(remote));
    }
}
