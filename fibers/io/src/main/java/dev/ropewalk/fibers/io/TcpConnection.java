package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.Waits;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannel;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A TCP connection in blocking style: its calls make the fiber wait, and its cord runs the others.
 *
 * {@snippet file="dev/ropewalk/fibers/io/IoSnippetsTest.java" region="client"}
 *
 * <p>It belongs to the cord that connected or accepted it, and is used by that cord's fibers: one
 * that reads, and one that writes. A second reader or writer is an error.
 *
 * <p>Reading and writing calls are switchpoints, also if they need not wait: a fiber that is ended
 * or cancelled gets that, and no byte was read or written. A read that ends early, by its limit or
 * otherwise, leaves all bytes for the next one. {@link #close} and {@link #reset} never wait.
 *
 * <p>What is written is sent at the end of the cord's turn, within a millisecond; {@link #flush}
 * waits until it is. A side that sends faster than the other reads is held up: unread bytes are
 * bounded here, and unsent ones there ({@link TcpOptions}).
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails is told to the handler
public final class TcpConnection implements AutoCloseable {
    /*
     * States. One writer: state(from, to).
     *
     *   CONNECTING -> OPEN     connected, or accepted
     *   CONNECTING -> CLOSED   that failed
     *   OPEN       -> CLOSING  close(): what was written is still sent, within the close limit
     *   OPEN       -> CLOSED   reset(), the other side broke it off, or the cord has ended
     *   CLOSING    -> CLOSED   all is sent, or the limit has passed
     *
     * While it is OPEN each half ends by itself: the input by the other side's end of output, the
     * output by shutdownOutput(). An open connection of which both halves have ended stays OPEN:
     * its owner closes it, or leaks a descriptor.
     *
     * Unread bytes outlive a failure of the connection, and a close of the other side: they were
     * received. They do not outlive this side's close.
     */
    private enum State {
        CONNECTING,
        OPEN,
        CLOSING,
        CLOSED
    }

    private static final Logger LOG = Logs.logger(TcpConnection.class);

    private final Channel channel;
    private final Cord cord;
    private final TcpOptions options;
    private final Inbound in;
    private final Outbound out;

    /** Told once, when it is closed; null if nobody counts it. */
    private final @Nullable Runnable onClosed;

    private final long idleLimitNs;
    private long lastActiveNs;
    private @Nullable Alarm idleAlarm;
    private @Nullable Alarm closeAlarm;

    private State state = State.CONNECTING;
    private boolean isOutputEnded;

    /** Kept because a closed channel has none. */
    private @Nullable SocketAddress local;

    private @Nullable SocketAddress remote;

    TcpConnection(Channel channel, IoLoop loop, TcpOptions options, @Nullable Runnable onClosed) {
        this.channel = channel;
        this.cord = Cord.current();
        this.options = options;
        this.in = new Inbound(this, channel, options);
        this.out = new Outbound(this, channel, loop, options);
        this.onClosed = onClosed;
        this.idleLimitNs = Waits.nanos(options.idleLimit());
        configure(channel, options);
        channel.pipeline().addLast(new ConnectionHandler(this));
    }

    private static void configure(Channel channel, TcpOptions options) {
        int mark = options.highWaterMark();
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        channel.config().setOption(ChannelOption.TCP_NODELAY, options.noDelay());
        channel.config().setOption(ChannelOption.SO_KEEPALIVE, options.keepAlive());
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(mark / 2, mark));
    }

    // ---------------------------------------------------------------- connecting

    /**
     * Connects with the default options.
     *
     * @param host an address, or a name, which is looked up on another thread
     * @param port the port
     * @return the connection, of the current cord
     * @throws ConnectionException as {@link #connect(SocketAddress, TcpOptions)}, or if the name is
     *     unknown
     */
    public static TcpConnection connect(String host, int port) {
        return connect(Addresses.of(host, port), TcpOptions.defaults());
    }

    /**
     * Connects; waits for it within {@link TcpOptions#connectLimit}. A switchpoint. A fiber that is
     * ended meanwhile leaves no connection behind.
     *
     * @param address where to
     * @param options how
     * @return the connection, of the current cord
     * @throws ConnectionTimeoutException if the limit passed
     * @throws ConnectionException if nobody listens there, or the system refuses
     * @throws IllegalStateException if no fiber runs here
     */
    public static TcpConnection connect(SocketAddress address, TcpOptions options) {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(options, "options");
        Waits.switchpoint();
        IoLoop loop = IoLoop.current();
        Channel channel = loop.newConnection();
        TcpConnection made = new TcpConnection(channel, loop, options, null);
        made.remote = address;
        boolean isConnected = false;
        try {
            made.connect(loop, address);
            isConnected = true;
        } finally {
            if (!isConnected) {
                made.channelClosed();
                channel.close();
            }
        }
        return made;
    }

    private void connect(IoLoop loop, SocketAddress address) {
        long limitMs = options.connectLimit().toMillis();
        channel.config().setConnectTimeoutMillis(Math.clamp(limitMs, 1, Integer.MAX_VALUE));
        IoLoop.await(loop.eventLoop.register(channel), "a socket");
        ChannelFuture connected = channel.connect(address);
        IoLoop.await(connected, "a connection to " + Addresses.text(address));
        Throwable failure = connected.cause();
        if (failure != null) {
            throw notConnected(address, failure);
        }
    }

    private ConnectionException notConnected(SocketAddress address, Throwable failure) {
        String to = "cannot connect to " + Addresses.text(address);
        if (failure instanceof io.netty.channel.ConnectTimeoutException) {
            return new ConnectionTimeoutException(
                    to + " within connectLimit=" + options.connectLimit(),
                    new SocketTimeoutException("connect"));
        }
        IOException cause = failure instanceof IOException io ? io : new IOException(failure);
        return new ConnectionException(
                to
                        + ": "
                        + cause.getMessage()
                        + (cause instanceof ConnectException
                                ? "; does a server listen there?"
                                : ""),
                cause);
    }

    // ---------------------------------------------------------------- reading

    /**
     * Reads what is there; waits for a first byte.
     *
     * @param into takes the bytes
     * @return how many; -1 at the end of the input
     * @throws ConnectionResetException if the connection was broken off, and all is read that came
     *     before
     * @throws ConnectionTimeoutException if {@link TcpOptions#readLimit} passed
     * @throws ConnectionClosedException if this side has closed it
     * @throws IllegalStateException if another fiber reads
     * @throws WrongThreadException if this is not its cord
     */
    public int read(byte[] into) {
        return in.read(into, 0, into.length);
    }

    /**
     * Reads what is there into a part of an array; waits for a first byte.
     *
     * @param into takes the bytes
     * @param offset where the first one goes
     * @param length how many are taken at most; 0 takes none and does not wait
     * @return how many; -1 at the end of the input
     * @throws ConnectionResetException as {@link #read(byte[])}
     * @throws ConnectionTimeoutException as {@link #read(byte[])}
     * @throws ConnectionClosedException as {@link #read(byte[])}
     * @throws IllegalStateException as {@link #read(byte[])}
     * @throws WrongThreadException as {@link #read(byte[])}
     * @throws IndexOutOfBoundsException if that is no part of the array
     */
    public int read(byte[] into, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, into.length);
        return in.read(into, offset, length);
    }

    /**
     * Reads so many bytes; waits until all have come, and takes none before.
     *
     * @param length how many; that much memory is used while it waits
     * @return the bytes
     * @throws EndOfInputException if the input ends before; what came stays readable
     * @throws ConnectionResetException as {@link #read(byte[])}
     * @throws ConnectionTimeoutException if nothing came for {@link TcpOptions#readLimit}
     * @throws ConnectionClosedException as {@link #read(byte[])}
     * @throws IllegalStateException as {@link #read(byte[])}
     * @throws WrongThreadException as {@link #read(byte[])}
     * @throws IllegalArgumentException if the length is negative
     */
    public byte[] readFully(int length) {
        if (length < 0) {
            throw new IllegalArgumentException("length=" + length + " < 0");
        }
        return in.readFully(length);
    }

    /**
     * Reads a line, which ends with LF or CR LF, or with the input; waits until all of it has come,
     * and takes nothing before. It is decoded as UTF-8; bytes that are none become U+FFFD.
     *
     * @return the line without its end; null at the end of the input
     * @throws LineTooLongException if it is longer than {@link TcpOptions#maxLineBytes}
     * @throws ConnectionResetException as {@link #read(byte[])}
     * @throws ConnectionTimeoutException if nothing came for {@link TcpOptions#readLimit}
     * @throws ConnectionClosedException as {@link #read(byte[])}
     * @throws IllegalStateException as {@link #read(byte[])}
     * @throws WrongThreadException as {@link #read(byte[])}
     */
    public @Nullable String readLine() {
        return in.readLine(options.maxLineBytes());
    }

    // ---------------------------------------------------------------- writing

    /**
     * Writes text as UTF-8. Waits while more than {@link TcpOptions#highWaterMark} is unsent.
     *
     * @param text what to write
     * @return this connection
     * @throws ConnectionResetException if the connection was broken off
     * @throws ConnectionClosedException if this side has closed it, or ended its output
     * @throws IllegalStateException if another fiber waits to write
     * @throws WrongThreadException if this is not its cord
     */
    public TcpConnection write(String text) {
        return write(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Writes bytes, which may be changed when it returns. Waits while more than {@link
     * TcpOptions#highWaterMark} is unsent; of a write that is larger than that, an exception leaves
     * the first part written.
     *
     * @param bytes what to write
     * @return this connection
     * @throws ConnectionResetException as {@link #write(String)}
     * @throws ConnectionClosedException as {@link #write(String)}
     * @throws IllegalStateException as {@link #write(String)}
     * @throws WrongThreadException as {@link #write(String)}
     */
    public TcpConnection write(byte[] bytes) {
        return write(bytes, 0, bytes.length);
    }

    /**
     * Writes a part of an array, as {@link #write(byte[])} does.
     *
     * @param bytes has what to write
     * @param offset where that begins
     * @param length how many bytes it is
     * @return this connection
     * @throws ConnectionResetException as {@link #write(String)}
     * @throws ConnectionClosedException as {@link #write(String)}
     * @throws IllegalStateException as {@link #write(String)}
     * @throws WrongThreadException as {@link #write(String)}
     * @throws IndexOutOfBoundsException if that is no part of the array
     */
    public TcpConnection write(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        out.write(bytes, offset, length);
        touch();
        return this;
    }

    /**
     * Writes what remains in a buffer, as {@link #write(byte[])} does.
     *
     * @param bytes is read to its limit
     * @return this connection
     * @throws ConnectionResetException as {@link #write(String)}
     * @throws ConnectionClosedException as {@link #write(String)}
     * @throws IllegalStateException as {@link #write(String)}
     * @throws WrongThreadException as {@link #write(String)}
     */
    public TcpConnection write(ByteBuffer bytes) {
        if (bytes.hasArray()) {
            write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
            bytes.position(bytes.limit());
            return this;
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        write(copy);
        bytes.position(bytes.limit());
        return this;
    }

    /**
     * Sends what was written, and waits until the kernel has taken it. That the other side has it
     * only that side can say.
     *
     * @throws ConnectionResetException as {@link #write(String)}
     * @throws ConnectionClosedException as {@link #write(String)}
     * @throws IllegalStateException as {@link #write(String)}
     * @throws WrongThreadException as {@link #write(String)}
     */
    public void flush() {
        out.flushAndAwait();
    }

    /**
     * Ends the output behind what was written: the other side reads the end. Reading goes on. Never
     * waits; to do it twice is harmless.
     *
     * @throws WrongThreadException if this is not its cord
     */
    public void shutdownOutput() {
        checkCord("shutdownOutput");
        if (state == State.OPEN && !isOutputEnded) {
            isOutputEnded = true;
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER)
                    .addListener(_ -> ((DuplexChannel) channel).shutdownOutput());
        }
    }

    // ---------------------------------------------------------------- the end

    /**
     * Closes it: nothing more can be read or written, fibers that wait get a {@link
     * ConnectionClosedException}, and what was written is sent within {@link
     * TcpOptions#closeLimit}, as long as the cord lives. Never waits, and may be called in a fiber
     * that is being ended; to close twice is harmless.
     *
     * @throws WrongThreadException if this is not its cord
     */
    @Override
    public void close() {
        checkCord("close");
        in.close();
        if (state == State.OPEN) {
            state(State.OPEN, State.CLOSING);
            out.ended(null);
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> channel.close());
            if (channel.isOpen()) {
                closeAlarm = Alarm.after(Waits.nanos(options.closeLimit()), this::closeAtLimit);
            }
        }
    }

    private void closeAtLimit() {
        LOG.debug("{} did not take what was written within {}", this, options.closeLimit());
        breakOff();
    }

    /**
     * Breaks it off: what was not sent or read is lost, and the other side is told that. Never
     * waits; of a closed connection no effect.
     *
     * @throws WrongThreadException if this is not its cord
     */
    public void reset() {
        checkCord("reset");
        in.close();
        if (state == State.OPEN || state == State.CLOSING) {
            breakOff();
        }
    }

    private void breakOff() {
        try {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
        } catch (ChannelException isGone) {
            LOG.debug("{} was closed meanwhile", this, isGone);
        }
        channel.close();
        channelClosed();
    }

    // ---------------------------------------------------------------- looking

    /** {@return whether this side has not closed it, and nobody has broken it off} */
    public boolean isOpen() {
        return state == State.OPEN;
    }

    /** {@return the cord that it belongs to} */
    public Cord cord() {
        return cord;
    }

    /** How many bytes are there that nobody has read; for tests. */
    int unread() {
        return in.unread();
    }

    /** {@return the address of this side; null before it is connected} */
    public @Nullable SocketAddress localAddress() {
        return local;
    }

    /** {@return the address of the other side} */
    public @Nullable SocketAddress remoteAddress() {
        return remote;
    }

    // ---------------------------------------------------------------- by the handler, on the cord

    /** Before any byte comes. */
    void opened() {
        if (state != State.CONNECTING) {
            return; // the fiber that connected was ended meanwhile
        }
        local = channel.localAddress();
        remote = channel.remoteAddress();
        state(State.CONNECTING, State.OPEN);
        if (idleLimitNs != Long.MAX_VALUE) {
            lastActiveNs = cord.nanoTime();
            idleAlarm = Alarm.after(idleLimitNs, this::checkIdle);
        }
    }

    void received(ByteBuf bytes) {
        touch();
        in.received(bytes);
    }

    void inputEnded() {
        touch();
        in.ended(null);
    }

    void writabilityChanged() {
        touch(); // bytes have gone
        out.writabilityChanged();
    }

    void failed(IOException cause) {
        if (state == State.OPEN) {
            LOG.debug("{} was broken off", this, cause);
            in.ended(cause);
            out.ended(cause);
        }
        channel.close();
    }

    /** Also if it was never open. */
    void channelClosed() {
        if (state == State.CLOSED) {
            return;
        }
        if (state == State.OPEN) {
            IOException gone = new ClosedChannelException();
            in.ended(null);
            out.ended(gone);
        }
        state(state, State.CLOSED);
        cancel(idleAlarm);
        cancel(closeAlarm);
        idleAlarm = null;
        closeAlarm = null;
        if (onClosed != null) {
            onClosed.run();
        }
    }

    private static void cancel(@Nullable Alarm alarm) {
        if (alarm != null) {
            alarm.cancel();
        }
    }

    // ---------------------------------------------------------------- idleness

    private void touch() {
        if (idleLimitNs != Long.MAX_VALUE) {
            lastActiveNs = cord.nanoTime();
        }
    }

    private void checkIdle() {
        long leftNs = lastActiveNs + idleLimitNs - cord.nanoTime();
        if (leftNs > 0) {
            idleAlarm = Alarm.after(leftNs, this::checkIdle);
        } else {
            idleAlarm = null;
            IOException idle = new SocketTimeoutException("idle for " + options.idleLimit());
            in.ended(idle);
            out.ended(idle);
            breakOff();
        }
    }

    // ---------------------------------------------------------------- checks and errors

    void checkReadable() {
        checkCord("read");
        if (in.isClosed()) {
            throw closed("read");
        }
    }

    void checkWritable() {
        checkCord("write");
        if (isOutputEnded) {
            throw new ConnectionClosedException(
                    "cannot write to " + this + ": its output was ended by shutdownOutput",
                    new ClosedChannelException());
        }
        if (in.isClosed()) {
            throw closed("write");
        }
    }

    private ConnectionClosedException closed(String what) {
        return new ConnectionClosedException(
                "cannot " + what + ": " + this + " was closed here", new ClosedChannelException());
    }

    ConnectionException broken(String what, IOException why) {
        if (why instanceof SocketTimeoutException) {
            return new ConnectionTimeoutException(
                    "cannot "
                            + what
                            + ": "
                            + this
                            + " was idle for longer than idleLimit="
                            + options.idleLimit(),
                    why);
        }
        return new ConnectionResetException(
                "cannot "
                        + what
                        + ": "
                        + this
                        + " was broken off: "
                        + Objects.requireNonNullElse(why.getMessage(), "the other side is gone"),
                why);
    }

    private void checkCord(String call) {
        if (!cord.isCurrent()) {
            throw new WrongThreadException(
                    call
                            + " of "
                            + this
                            + ", which belongs to "
                            + cord
                            + ", was called on "
                            + Thread.currentThread());
        }
    }

    /** The one writer of the state; the table is at the top. */
    private void state(State from, State to) {
        if (state != from) {
            throw new IllegalStateException(this + " is " + state + ", not " + from);
        }
        state = to;
    }

    /** For tests. */
    void checkInvariants() {
        if (in.isClosed() && in.unread() > 0) {
            throw new IllegalStateException(this + " keeps unread bytes=" + in.unread());
        }
    }

    @Override
    public String toString() {
        return "connection to " + Addresses.text(remote) + " from " + Addresses.text(local);
    }
}
