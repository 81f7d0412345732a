package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.internal.BytesHandler;
import dev.ropewalk.fibers.io.internal.FailedTls;
import dev.ropewalk.fibers.io.internal.IdleLimit;
import dev.ropewalk.fibers.io.internal.Input;
import dev.ropewalk.fibers.io.internal.IoLoop;
import dev.ropewalk.fibers.io.internal.RenegotiationGuard;
import dev.ropewalk.fibers.spi.Waits;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Objects;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;

/**
 * A TCP connection in blocking style: its calls make the fiber wait, and its cord runs the others.
 *
 * {@snippet file="dev/ropewalk/fibers/io/IoSnippetsTest.java" region="client"}
 *
 * <p>It belongs to the cord that connected or accepted it, and is used by that cord's fibers: one
 * that reads, and one that writes. A second reader or writer is an error.
 *
 * <p>Reading and writing calls are switchpoints even if they do not wait: if the fiber is
 * terminated or cancelled by then, they throw, and no byte is read or written. A read that ends
 * early, by its limit or otherwise, leaves all bytes for the next one; only {@link #skip} does not.
 * {@link #close} and {@link #reset} never wait.
 *
 * <p>Written bytes are sent at the end of the cord's turn, within a millisecond; {@link #flush}
 * waits for that. A side that sends faster than the other reads is held up: unread bytes are
 * bounded here, and unsent ones there ({@link TcpOptions}).
 */
@SuppressWarnings("FutureReturnValueIgnored") // failures are told to the handler
public final class TcpConnection implements AutoCloseable {
    /*
     * States. One writer: state(from, to).
     *
     *   CONNECTING -> OPEN     connected, or accepted
     *   CONNECTING -> CLOSED   that failed
     *   OPEN -> CLOSING close(): written bytes are still sent, and input is dropped OPEN -> CLOSING
     *   TLS has failed: the other side is told why, and that is all OPEN -> CLOSED reset(), the
     *   other side broke it off, or the cord has ended CLOSING -> CLOSED Closing is over
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

    private static final Log LOG = Logs.logger(TcpConnection.class);

    /** Names in the pipeline of the channel: that of TLS stands first. */
    private static final String TLS_HANDLER = "tls";

    static final String LAST_HANDLER = "connection";

    /** For its parts too. */
    final IoErrors errors;

    private final Channel channel;
    private final Cord cord;
    private final TcpOptions options;
    private final IoLoop loop;
    private final Outbound out;

    /** Null if it is not encrypted. */
    private final @Nullable Handshake handshake;

    /** Bytes; or the messages that are made of them, once there is a codec. */
    private Input input;

    /** Told once, when it is closed; null if it is not counted. */
    private final @Nullable Runnable onClosed;

    private final IdleLimit idleLimit;

    /** Null before {@link #close}, or a failure of TLS. */
    private @Nullable Closing closing;

    private State state = State.CONNECTING;
    private boolean isOutputEnded;

    /** The socket brings nothing more; behind the end of TLS it still may. */
    private boolean isInputShut;

    /** By {@link #close} or {@link #reset}: nothing can be read or written any more. */
    private boolean isClosedHere;

    /** The other side is told, and it lingers behind that, as behind {@link #close}. */
    private boolean hasTlsFailed;

    /** Kept because a closed channel has no address. */
    private @Nullable SocketAddress local;

    private @Nullable SocketAddress remote;

    TcpConnection(Channel channel, IoLoop loop, TcpOptions options, @Nullable Runnable onClosed) {
        this.channel = channel;
        this.cord = Cord.current();
        this.options = options;
        this.loop = loop;
        this.errors = IoErrors.ofConnection(this, cord);
        this.input = new Inbound(this, channel, options);
        this.out = new Outbound(this, channel, loop, options);
        this.handshake = options.tls().map(tls -> new Handshake(this, tls)).orElse(null);
        this.onClosed = onClosed;
        this.idleLimit = IdleLimit.of(cord, Waits.nanos(options.idleLimit()), this::idle);
        configure(channel, options);
        ConnectionHandler last = new ConnectionHandler(this);
        channel.pipeline()
                .addLast(new BytesHandler(handshake != null, last))
                .addLast(LAST_HANDLER, last);
        out.writeFrom(channel.pipeline().context(LAST_HANDLER));
    }

    private static void configure(Channel channel, TcpOptions options) {
        int mark = options.highWaterMark();
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        channel.config().setOption(ChannelOption.TCP_NODELAY, options.noDelay());
        channel.config().setOption(ChannelOption.SO_KEEPALIVE, options.keepAlive());
        int low = Math.max(1, mark / 2); // Netty waits until less than that is unsent
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(low, mark));
    }

    /** Before it is open. */
    void encryptFirst(ChannelHandler tls) {
        ChannelPipeline pipeline = channel.pipeline();
        if (handshake != null && options.tls().filter(Tls::mayAgreeAgain).isPresent()) {
            RenegotiationGuard guard = new RenegotiationGuard(handshake::hasAgreed);
            pipeline.addFirst(guard.behindTls()).addFirst(TLS_HANDLER, tls).addFirst(guard);
        } else {
            pipeline.addFirst(TLS_HANDLER, tls);
        }
        pipeline.addFirst(new FailedTls(this::lingersBehindTls, this::dropped));
    }

    // ---------------------------------------------------------------- connecting

    /**
     * Connects with the default options.
     *
     * @param host an address, or a name, which is looked up on another thread; of several addresses
     *     of a name each is tried when the one before has failed
     * @param port the port
     * @return the connection, of the current cord
     * @throws ConnectionException as {@link #connect(SocketAddress, TcpOptions)}, or if the name is
     *     unknown
     */
    public static TcpConnection connect(String host, int port) {
        return connect(host, port, TcpOptions.defaults());
    }

    /**
     * Connects.
     *
     * @param host an address, or a name, which is looked up on another thread; of several addresses
     *     of a name each is tried when the one before has failed, all of them within {@link
     *     TcpOptions#connectLimit}
     * @param port the port
     * @param options how
     * @return the connection, of the current cord
     * @throws ConnectionException as {@link #connect(SocketAddress, TcpOptions)}, or if the name is
     *     unknown
     */
    public static TcpConnection connect(String host, int port, TcpOptions options) {
        Objects.requireNonNull(options, "options");
        return Attempts.connect(Addresses.all(host, port), options);
    }

    /**
     * Connects; waits for it within {@link TcpOptions#connectLimit}, and for the agreement on TLS
     * if it is encrypted. A switchpoint. A fiber that is ended meanwhile leaves no connection
     * behind.
     *
     * @param address where to; a {@link UnixDomainSocketAddress} is the path of a server's file
     * @param options how
     * @return the connection, of the current cord
     * @throws ConnectionTimeoutException if the limit passed
     * @throws TlsException if the sides cannot agree on TLS
     * @throws ConnectionException if no listener is there, or the system refuses
     * @throws IllegalArgumentException if the TLS is that of a server, or it is a path and the
     *     reactor is NIO's
     * @throws IllegalStateException if no fiber runs here
     */
    public static TcpConnection connect(SocketAddress address, TcpOptions options) {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(options, "options");
        Tls tls = options.tls().orElse(null);
        if (tls != null && tls.isServer()) {
            throw new IllegalArgumentException(
                    "cannot connect to "
                            + Addresses.text(address)
                            + " with the TLS of a server; make one with Tls.client()");
        }
        Waits.switchpoint();
        IoLoop loop = IoLoop.current();
        Channel channel = loop.newConnection(address);
        TcpConnection made = new TcpConnection(channel, loop, options, null);
        made.remote = address;
        if (tls != null) {
            made.encryptFirst(tls.clientHandler(channel, address));
        }
        boolean isConnected = false;
        try {
            made.connect(address);
            isConnected = true;
        } finally {
            if (!isConnected) {
                made.channelClosed();
                made.closeChannel();
            }
        }
        return made;
    }

    /** Of one that was accepted: from now on it reads. A switchpoint. */
    void register() {
        boolean isRegistered = false;
        try {
            IoLoop.await(loop.register(channel), "a socket");
            isRegistered = channel.isRegistered(); // unless the loop has ended
        } finally {
            if (!isRegistered) {
                breakOff();
            }
        }
    }

    private void connect(SocketAddress address) {
        long limitMs = options.connectLimit().toMillis();
        channel.config().setConnectTimeoutMillis(Math.clamp(limitMs, 1, Integer.MAX_VALUE));
        IoLoop.await(loop.register(channel), "a socket");
        ChannelFuture connected = channel.connect(loop.address(address));
        IoLoop.await(connected, "a connection to " + Addresses.text(address));
        Throwable failure = connected.cause();
        if (failure != null) {
            throw IoErrors.notConnected(address, options, failure);
        }
        if (handshake != null) {
            handshake.await();
        }
    }

    /**
     * Waits until the sides have agreed on TLS. A connect has waited for that; a connection that
     * was accepted agrees while it is read, and needs this only to ask for the other side's
     * certificate. A switchpoint.
     *
     * @return what they agreed on
     * @throws TlsException if they cannot agree
     * @throws ConnectionResetException if the connection was broken off
     * @throws IllegalStateException if it is not encrypted, or another fiber waits for this
     * @throws WrongThreadException if this is not its cord
     */
    public SSLSession tlsSession() {
        checkCord("tlsSession");
        if (handshake == null) {
            throw new IllegalStateException(
                    this + " is not encrypted; make it with TcpOptions.withTls");
        }
        Waits.switchpoint();
        return handshake.await();
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
        return bytes().read(into, 0, into.length);
    }

    /**
     * Reads what is there into a part of an array; waits for a first byte.
     *
     * @param into takes the bytes
     * @param offset where the first one goes
     * @param length how many are taken at most; 0 takes no byte and does not wait
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
        return bytes().read(into, offset, length);
    }

    /**
     * Reads so many bytes; waits until all have come, and takes no byte before.
     *
     * @param length how many; that much memory is used until it returns
     * @return the bytes
     * @throws EndOfInputException if the input ends before; bytes that came stay readable
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
        return bytes().readFully(length);
    }

    /**
     * Reads a line of UTF-8, which ends with LF or CR LF, or with the input; waits until all of it
     * has come, and takes nothing before.
     *
     * @return the line without its end; null at the end of the input
     * @throws LineTooLongException if it is longer than {@link TcpOptions#maxLineBytes}
     * @throws CodecException if it is no UTF-8; it stays readable, for example by {@link
     *     #readLineBytes}
     * @throws ConnectionResetException as {@link #read(byte[])}
     * @throws ConnectionTimeoutException if nothing came for {@link TcpOptions#readLimit}
     * @throws ConnectionClosedException as {@link #read(byte[])}
     * @throws IllegalStateException as {@link #read(byte[])}
     * @throws WrongThreadException as {@link #read(byte[])}
     */
    public @Nullable String readLine() {
        return bytes().readLine(options.maxLineBytes());
    }

    /**
     * Reads a line of any bytes, as {@link #readLine} does.
     *
     * @return the line without its end; null at the end of the input
     * @throws LineTooLongException if it is longer than {@link TcpOptions#maxLineBytes}
     * @throws ConnectionResetException as {@link #read(byte[])}
     * @throws ConnectionTimeoutException if nothing came for {@link TcpOptions#readLimit}
     * @throws ConnectionClosedException as {@link #read(byte[])}
     * @throws IllegalStateException as {@link #read(byte[])}
     * @throws WrongThreadException as {@link #read(byte[])}
     */
    public byte @Nullable [] readLineBytes() {
        return bytes().readLineBytes(options.maxLineBytes());
    }

    /**
     * Drops so many bytes; waits until all have come, and keeps no byte meanwhile, so that any
     * number needs no memory. If it ends early, by a limit or otherwise, the bytes that came are
     * dropped all the same: close the connection then, because its place in the input is not known.
     *
     * @param count how many
     * @throws EndOfInputException if the input ends before
     * @throws ConnectionResetException as {@link #read(byte[])}
     * @throws ConnectionTimeoutException if nothing came for {@link TcpOptions#readLimit}
     * @throws ConnectionClosedException as {@link #read(byte[])}
     * @throws IllegalStateException as {@link #read(byte[])}
     * @throws WrongThreadException as {@link #read(byte[])}
     * @throws IllegalArgumentException if the count is negative
     */
    public void skip(long count) {
        if (count < 0) {
            throw new IllegalArgumentException("count=" + count + " < 0");
        }
        bytes().skip(count);
    }

    // ---------------------------------------------------------------- messages

    /**
     * Lets a codec make messages of the bytes, from the first unread byte on: {@link #read} and its
     * like are errors from now on. A switchpoint.
     *
     * @param <M> the type of the messages
     * @param codec makes messages of bytes, and bytes of messages
     * @return the connection, as one of messages; to close either closes both
     * @throws ConnectionResetException if the connection was broken off
     * @throws ConnectionClosedException if this side has closed it
     * @throws IllegalStateException if it has messages already, or another fiber reads
     * @throws WrongThreadException if this is not its cord
     */
    public <M> MessageConnection<M> messages(Codec<M> codec) {
        return codecSwitch().change(codec.type(), codec.handlers());
    }

    /**
     * Lets handlers of Netty make messages of the bytes, as {@link #messages(Codec)} does.
     *
     * @param handlers new ones; the first one stands next to the socket
     * @return the connection, as one of messages
     * @throws ConnectionResetException as {@link #messages(Codec)}
     * @throws ConnectionClosedException as {@link #messages(Codec)}
     * @throws IllegalStateException as {@link #messages(Codec)}
     * @throws WrongThreadException as {@link #messages(Codec)}
     */
    public MessageConnection<Object> messages(ChannelHandler... handlers) {
        return codecSwitch().change(Object.class, List.of(handlers));
    }

    // ---------------------------------------------------------------- writing

    /**
     * Writes text as UTF-8. Waits while more than {@link TcpOptions#highWaterMark} is unsent.
     *
     * @param text what to write
     * @return this connection
     * @throws CodecException if it has one half of a character alone, which is nothing in UTF-8;
     *     then nothing of it is written
     * @throws ConnectionResetException if the connection was broken off
     * @throws ConnectionTimeoutException if there was no room for {@link TcpOptions#writeLimit}
     * @throws ConnectionClosedException if this side has closed it, or ended its output
     * @throws IllegalStateException if another fiber waits to write, or it has {@linkplain
     *     #messages messages}
     * @throws WrongThreadException if this is not its cord
     */
    public TcpConnection write(String text) {
        return write(CodecException.encoded(text, this));
    }

    /**
     * Writes bytes, which may be changed when it returns. Waits while more than {@link
     * TcpOptions#highWaterMark} is unsent; if an exception ends a write that is larger than that,
     * its first part is written.
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
        checkWritesBytes();
        out.write(bytes, offset, length);
        touch();
        return this;
    }

    private void checkWritesBytes() {
        if (!(input instanceof Inbound)) {
            throw new IllegalStateException(
                    this + " has messages, which write its bytes; write to them");
        }
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
     * Writes a part of a file. The kernel takes it from the file by itself, unless the connection
     * is encrypted. Waits until the file is needed no more. A disk that is slow holds up the cord.
     *
     * <p>An exception leaves a part written: only {@link #reset} tells the other side that it has
     * not all.
     *
     * @param file stays open, and its own position as it is
     * @param position where the part begins
     * @param count how many bytes it is
     * @return this connection
     * @throws IllegalArgumentException if the file has no such part
     * @throws UncheckedIOException if the file cannot be read
     * @throws ConnectionResetException as {@link #write(String)}; also if the file has become
     *     shorter
     * @throws ConnectionTimeoutException if nothing was taken for {@link TcpOptions#writeLimit}
     * @throws ConnectionClosedException as {@link #write(String)}
     * @throws IllegalStateException as {@link #write(String)}
     * @throws WrongThreadException as {@link #write(String)}
     */
    public TcpConnection write(FileChannel file, long position, long count) {
        checkWritesBytes();
        try {
            long size = file.size();
            if (position < 0 || count < 0 || position > size - count) {
                throw new IllegalArgumentException(
                        "position="
                                + position
                                + ", count="
                                + count
                                + ": the file has size="
                                + size);
            }
            if (handshake == null && loop.sendsFiles()) {
                out.writeRegion(file, position, count);
            } else {
                out.writeCopied(file, position, count);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot write a file to " + this, failed);
        }
        touch();
        return this;
    }

    /**
     * Reads all up to the end, and writes it to another connection, without a copy: for a proxy,
     * which does this once in each direction. Waits for bytes here and for room there; an exception
     * loses no byte, and the reading goes on where it was. The output there is not ended.
     *
     * @param to a connection of the same cord
     * @return how many bytes went there
     * @throws ConnectionResetException if one of the two connections was broken off
     * @throws ConnectionTimeoutException if {@link TcpOptions#readLimit} of this one, or {@link
     *     TcpOptions#writeLimit} of the other, passed
     * @throws ConnectionClosedException if one was closed by this side, or the other's output ended
     * @throws IllegalStateException if another fiber reads here, or writes there, or one of them
     *     has messages
     * @throws WrongThreadException if this is not the cord of both
     */
    public long transferTo(TcpConnection to) {
        to.checkWritesBytes();
        return bytes().transferTo(to, to.out);
    }

    /**
     * Sends the written bytes, and waits until the kernel has taken them. This does not mean that
     * the other side has received them; only that side can tell.
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
            out.flushAll().addListener(_ -> endOutput());
        }
    }

    /** TLS has an end of its own, and needs the way back for it. */
    private void endOutput() {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls == null) {
            ((DuplexChannel) channel).shutdownOutput();
        } else {
            tls.closeOutbound();
        }
    }

    // ---------------------------------------------------------------- the end

    /**
     * Closes it: nothing more can be read or written, fibers that wait get a {@link
     * ConnectionClosedException}. Never waits, and may be called in a fiber that is being ended; to
     * close twice is harmless.
     *
     * <p>As long as the cord lives, written bytes are sent within {@link TcpOptions#closeLimit},
     * and the other side reads the end behind them. Bytes that it still sends are dropped, until it
     * ends its output too, {@link TcpOptions#lingerLimit} passes, or {@link
     * TcpOptions#maxLingerBytes} have come. Until then the connection counts as open for the
     * listener: {@link TcpListener#drain} waits for it. {@link #reset} ends it at once.
     *
     * @throws WrongThreadException if this is not its cord
     */
    @Override
    public void close() {
        checkCord("close");
        isClosedHere = true;
        in().close();
        if (state == State.OPEN) {
            out.ended(null);
            closing().begin(out);
        }
    }

    private Closing closing() {
        state(State.OPEN, State.CLOSING);
        idleLimit.end();
        Closing made = new Closing(this, channel, options);
        closing = made;
        return made;
    }

    /**
     * Breaks it off: bytes that were not sent or read are lost, and the other side is told. Never
     * waits; of a closed connection no effect.
     *
     * @throws WrongThreadException if this is not its cord
     */
    public void reset() {
        checkCord("reset");
        isClosedHere = true;
        in().close();
        if (state == State.OPEN || state == State.CLOSING) {
            breakOff();
        }
    }

    void breakOff() {
        try {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
        } catch (ChannelException isGone) {
            LOG.debug("{} was closed meanwhile", this, isGone);
        }
        closeChannel();
        channelClosed();
    }

    /** At once, without a word of TLS. */
    void closeChannel() {
        ChannelHandlerContext first = channel.pipeline().firstContext();
        if (first == null) {
            channel.close();
        } else {
            first.close();
        }
    }

    // ---------------------------------------------------------------- looking

    /** {@return whether this side has not closed it, and neither side has broken it off} */
    public boolean isOpen() {
        return state == State.OPEN;
    }

    /** {@return the cord that it belongs to} */
    public Cord cord() {
        return cord;
    }

    /**
     * {@return whether the other side caused this failure: by its data, by its silence, or by
     * breaking the connection off} A failure with such a cause counts too. May be asked of a closed
     * connection, and on any thread.
     *
     * @param failure the exception of a call of this connection, or one that has it as a cause
     */
    public boolean hasCaused(Throwable failure) {
        return ConnectionException.isCausedBy(this, failure);
    }

    /**
     * Says that the other side has caused a failure, which {@link #hasCaused} knows from now on:
     * for protocols that refuse what was sent.
     *
     * {@snippet file="dev/ropewalk/fibers/io/IoSnippetsTest.java" region="blame"}
     *
     * @param <E> its type
     * @param failure what is to be thrown
     * @return the same
     */
    public <E extends ConnectionException> E blame(E failure) {
        failure.blame(this);
        return failure;
    }

    /** The number of unread bytes; for tests. */
    int unread() {
        return in().unread();
    }

    /** Whether no more input comes, for whatever reason; for tests. */
    boolean isInputEnded() {
        return in().isEnded();
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
        local = Addresses.ofJdk(channel.localAddress());
        remote = Addresses.ofJdk(channel.remoteAddress());
        state(State.CONNECTING, State.OPEN);
        idleLimit.begin();
        if (handshake != null) {
            handshake.begin();
        }
    }

    /** Takes it over. */
    void received(Object what) {
        in().received(what);
    }

    /**
     * No more input comes; the output works on, unless TLS has ended both halves.
     *
     * @param why null if the other side has said that this was all
     */
    void inputEnded(@Nullable IOException why) {
        touch();
        in().ended(why);
        if (handshake != null) {
            handshake.inputEnded(why);
            SslHandler tls = channel.pipeline().get(SslHandler.class);
            if (tls != null && tls.engine().isOutboundDone() && !isOutputEnded && closing == null) {
                out.ended(
                        new EOFException("the other side has ended TLS, and with it both halves"));
            }
        }
    }

    boolean isInputShut() {
        return isInputShut;
    }

    void inputShut() {
        isInputShut = true;
        if (closing != null) {
            closing.inputShut();
        }
    }

    /** Whether input is dropped. */
    boolean drops() {
        return isClosedHere;
    }

    /**
     * Whether bytes are dropped. Behind a break the channel may still read, because the loop closes
     * it later for a fiber on another thread; nothing would release those bytes.
     */
    boolean dropsBytes() {
        return isClosedHere || state == State.CLOSED;
    }

    /** Releases it, because it will not be read. */
    void dropped(Object what) {
        if (closing == null) {
            ReferenceCountUtil.release(what);
        } else {
            closing.dropped(what);
        }
    }

    void agreed(@Nullable Throwable failure) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (handshake != null && failure == null && tls != null) {
            handshake.agreed(tls.engine().getSession());
        } else if (failure != null) {
            failed(failure instanceof IOException io ? io : new SSLException(failure));
        }
    }

    void writabilityChanged() {
        touch(); // bytes have gone
        out.writabilityChanged();
    }

    void failed(IOException cause) {
        if (state == State.OPEN) {
            LOG.debug("{} was broken off", this, cause);
            in().ended(cause);
            out.ended(cause);
            if (handshake != null) {
                handshake.failed(cause);
            }
            hasTlsFailed = handshake != null && cause instanceof SSLException;
            channel.close(); // TLS says why before
        } else if (!hasTlsFailed) {
            closeChannel(); // TLS has said its end, or never will
        }
    }

    boolean hasTlsFailed() {
        return hasTlsFailed;
    }

    /** TLS has told the other side why it failed, and would close the channel now. */
    private boolean lingersBehindTls() {
        if (hasTlsFailed && state == State.OPEN) {
            closing().beginBehindTls();
        }
        return hasTlsFailed;
    }

    /** The output works on, so that the other side may be told. */
    void undecodable(Throwable cause) {
        in().ended(IoErrors.undecodable(cause));
    }

    /** Also if it was never open. */
    void channelClosed() {
        if (state == State.CLOSED) {
            return;
        }
        if (state == State.OPEN) {
            IOException gone = new ClosedChannelException();
            in().ended(gone);
            out.ended(gone);
            if (handshake != null) {
                handshake.failed(gone);
            }
        }
        state(state, State.CLOSED);
        idleLimit.end();
        if (handshake != null) {
            handshake.end();
        }
        if (closing != null) {
            closing.over();
        }
        if (onClosed != null) {
            onClosed.run();
        }
        if (isCordOver()) {
            in().close(); // nobody will
        } else {
            in().channelClosed();
        }
    }

    boolean isCordOver() {
        return loop.eventLoop.isShuttingDown();
    }

    // ---------------------------------------------------------------- idleness

    void touch() {
        idleLimit.touch();
    }

    private void idle() {
        IOException idle = IoErrors.idle(options.idleLimit());
        in().ended(idle);
        out.ended(idle);
        breakOff();
    }

    // ---------------------------------------------------------------- checks

    void checkReadable() {
        checkCord("read");
        checkHasBytes();
        if (isClosedHere) {
            throw errors.closed("read", "was closed here");
        }
    }

    void checkWritable() {
        checkCord("write");
        if (isOutputEnded) {
            throw errors.outputEnded();
        }
        if (isClosedHere) {
            throw errors.closed("write", "was closed here");
        }
    }

    void checkCord(String call) {
        if (!cord.isCurrent()) {
            throw errors.wrongThread(call);
        }
    }

    private Input in() {
        return input;
    }

    /** The unread bytes, which only a connection without a codec has. */
    private Inbound bytes() {
        if (input instanceof Inbound bytes) {
            return bytes;
        }
        checkCord("read");
        throw hasMessages();
    }

    void checkHasBytes() {
        if (!(input instanceof Inbound)) {
            throw hasMessages();
        }
    }

    private IllegalStateException hasMessages() {
        return new IllegalStateException(
                this + " has messages, which read its bytes; receive from them");
    }

    private CodecSwitch codecSwitch() {
        return new CodecSwitch(this, channel, loop, options, bytes(), out);
    }

    /** By the codec's change, which has taken what the bytes were. */
    void input(MessageQueue<?> messages) {
        input = messages;
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
        if (in().isClosed() && in().unread() > 0) {
            throw new IllegalStateException(this + " keeps unread bytes=" + in().unread());
        }
    }

    @Override
    public String toString() {
        return "connection to " + Addresses.text(remote) + " from " + Addresses.text(local);
    }
}
