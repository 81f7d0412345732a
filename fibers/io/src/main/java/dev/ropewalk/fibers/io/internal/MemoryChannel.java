package dev.ropewalk.fibers.io.internal;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * A TCP connection in memory, as Linux would have it: half-closes, resets, a bounded window, and
 * bytes that arrive in other pieces than those in which they were sent. Two {@link Pipe}s are what
 * it consists of. Confined to its cord.
 */
@SuppressWarnings("FutureReturnValueIgnored") // failures are told to the handler
final class MemoryChannel extends AbstractChannel implements DuplexChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    private static final int MAX_READS = 16;

    private final Network network;
    private final Host host;

    /** The cord of the loop, once it is registered. */
    private Cord cord;

    /** The host of the other side; null before it is connected. */
    private @Nullable Host peer;

    /** A message is on its way that something has arrived. */
    private boolean isTold;

    private final Config config = new Config();

    private boolean isOpen = true;
    private boolean isActive;
    private boolean isReadWanted;
    private boolean isInputShutdown;
    private boolean isOutputShutdown;

    /** A write waits for room. */
    private boolean isBlocked;

    private @Nullable Pipe in;
    private @Nullable Pipe out;
    private @Nullable SocketAddress local;
    private @Nullable SocketAddress remote;

    /** While it connects. */
    private @Nullable ChannelPromise connecting;

    private @Nullable Future<?> connectLimit;

    MemoryChannel(@Nullable Channel parent, Network network, Cord cord) {
        super(parent);
        this.network = network;
        this.host = network.hostOf(cord);
        this.cord = cord;
    }

    @Nullable Host peer() {
        return peer;
    }

    /** Of a listener: connected before anybody accepts it. */
    void accepted(SocketAddress here, SocketAddress client, Pipe fromClient, Pipe back, Host by) {
        connected(here, client, fromClient, back, by);
    }

    private void connected(
            SocketAddress here, SocketAddress there, Pipe from, Pipe to, Host other) {
        peer = other;
        host.add(this);
        local = here;
        remote = there;
        in = from;
        out = to;
        to.source(this);
        isActive = true;
    }

    // ---------------------------------------------------------------- connecting

    private final class MemoryUnsafe extends AbstractUnsafe {
        @Override
        public void connect(SocketAddress address, SocketAddress ignored, ChannelPromise promise) {
            if (!promise.setUncancellable() || !ensureOpen(promise)) {
                return;
            }
            connecting = promise;
            remote = address;
            Host target = network.hostAt(host, address);
            if (target != null) { // otherwise nothing answers
                network.link(host, target).carry(() -> knock(target, address));
            }
            connectLimit =
                    eventLoop()
                            .schedule(
                                    () -> fail(new ConnectTimeoutException("timed out")),
                                    config.getConnectTimeoutMillis(),
                                    TimeUnit.MILLISECONDS);
        }

        /** In the kernel of the other host, whatever its cords do. */
        private void knock(Host target, SocketAddress address) {
            if (connecting == null) {
                return;
            }
            Link to = network.link(host, target);
            Link from = network.link(target, host);
            Pipe there = new Pipe(network, to, from);
            Pipe back = new Pipe(network, from, to);
            SocketAddress client = clientAddress(address);
            MemoryServerChannel server = target.listener(address);
            if (server == null || !server.knock(address, client, there, back, host)) {
                ConnectException refused = new ConnectException("Connection refused");
                from.carryNow(() -> cord.post(message(() -> fail(refused), () -> {})));
                return;
            }
            from.carryNow(
                    () ->
                            cord.post(
                                    message(
                                            () -> answered(client, back, there, target),
                                            () -> gaveUp(back, there))));
        }

        /** A Unix-domain socket that connects has no name. */
        private SocketAddress clientAddress(SocketAddress server) {
            return server instanceof InetSocketAddress inet
                    ? new InetSocketAddress(
                            host.addressFor(inet.getAddress()), host.freeClientPort())
                    : UnixDomainSocketAddress.of("");
        }

        private void answered(SocketAddress from, Pipe back, Pipe there, Host target) {
            ChannelPromise promise = connecting;
            if (promise == null) {
                gaveUp(back, there);
            } else {
                endConnecting();
                SocketAddress address = remote();
                connected(from, address, back, there, target);
                promise.trySuccess();
                pipeline().fireChannelActive();
                back.sink(MemoryChannel.this);
                if (there.isReset()) { // while the answer was on its way
                    back.breakOff();
                }
            }
        }

        private static void gaveUp(Pipe back, Pipe there) {
            back.close(there::reset);
            there.reset();
        }

        private void fail(IOException failure) {
            ChannelPromise promise = connecting;
            if (promise != null) {
                endConnecting();
                promise.tryFailure(failure);
                closeIfClosed();
            }
        }

        private void endConnecting() {
            connecting = null;
            if (connectLimit != null) {
                connectLimit.cancel(false);
                connectLimit = null;
            }
        }

        void flushAgain() {
            super.flush0();
        }
    }

    private SocketAddress remote() {
        if (remote == null) {
            throw new IllegalStateException(this + " is not connected");
        }
        return remote;
    }

    static CordMessage message(Runnable onCord, Runnable onClosed) {
        return new CordMessage() {
            @Override
            public void onCord() {
                onCord.run();
            }

            @Override
            public void onClosed() {
                onClosed.run();
            }
        };
    }

    // ---------------------------------------------------------------- reading

    @Override
    protected void doRegister(ChannelPromise promise) {
        MemoryLoop loop = (MemoryLoop) eventLoop();
        loop.add(this);
        Pipe accepted = in;
        if (accepted != null) {
            cord = loop.cord();
            loop.execute(() -> accepted.sink(this));
        }
        promise.setSuccess();
    }

    @Override
    protected void doBeginRead() {
        isReadWanted = true;
        if (in != null && in.isAnyThere()) {
            eventLoop().execute(this::arrived);
        }
    }

    /** From any cord, or between two turns. */
    void tellArrived() {
        if (!isTold) {
            isTold = true;
            eventLoop().execute(this::hear);
        }
    }

    private void hear() {
        isTold = false;
        if (in != null && in.isReset()) {
            wasReset();
        } else {
            arrived();
        }
    }

    /** Something has come, or may have. */
    private void arrived() {
        Pipe from = in;
        if (from == null || !isReadWanted || !isOpen || isInputShutdown || !from.isAnyThere()) {
            return;
        }
        isReadWanted = false;
        for (int reads = 0; reads < MAX_READS && isOpen && from.isAnyThere(); reads++) {
            byte[] bytes = from.take();
            if (bytes == null) {
                inputEnded();
                return;
            }
            ByteBuf buffer = alloc().buffer(bytes.length);
            pipeline().fireChannelRead(buffer.writeBytes(bytes));
            if (!config.isAutoRead()) {
                break;
            }
        }
        pipeline().fireChannelReadComplete();
    }

    private void inputEnded() {
        isInputShutdown = true;
        pipeline().fireChannelReadComplete();
        if (config.isHalfClosureAllowed) {
            pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        } else {
            close();
        }
    }

    private void wasReset() {
        if (isOpen) {
            pipeline().fireExceptionCaught(new IOException("Connection reset by peer"));
            close();
        }
    }

    // ---------------------------------------------------------------- writing

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf) {
            return message;
        }
        throw new UnsupportedOperationException("no bytes: " + message);
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer unsent) throws IOException {
        Pipe to = out;
        if (to == null || isOutputShutdown) {
            throw new IOException("Broken pipe");
        }
        for (Object next = unsent.current(); next != null; next = unsent.current()) {
            ByteBuf bytes = (ByteBuf) next;
            int count = Math.min(bytes.readableBytes(), to.room());
            if (count == 0 && bytes.isReadable()) {
                isBlocked = true;
                return;
            }
            byte[] copy = new byte[count];
            bytes.getBytes(bytes.readerIndex(), copy);
            to.send(copy);
            unsent.progress(count);
            bytes.skipBytes(count);
            if (!bytes.isReadable()) {
                unsent.remove();
            }
        }
    }

    /** From any cord, or between two turns. */
    void roomCame() {
        if (isBlocked) {
            eventLoop().execute(this::hasRoom);
        }
    }

    private void hasRoom() {
        if (isBlocked && isOpen) {
            isBlocked = false;
            ((MemoryUnsafe) unsafe()).flushAgain();
        }
    }

    // ---------------------------------------------------------------- the end

    /**
     * Its end will be a reset, as that of a killed process. Not if its output has ended before: the
     * system sends that, whatever becomes of the process.
     */
    void abort() {
        if (!isOutputShutdown) {
            config.lingerSeconds = 0;
        }
    }

    /** Something between the hosts has broken the connection. */
    void breakOff() {
        if (in != null && out != null) {
            in.breakOff();
        }
    }

    @Override
    protected void doClose() {
        isOpen = false;
        isActive = false;
        host.remove(this);
        ((MemoryUnsafe) unsafe()).fail(new ConnectException("closed while it connected"));
        if (isRegistered()) {
            ((MemoryLoop) eventLoop()).remove(this);
        }
        Pipe from = in;
        Pipe to = out;
        if (from != null && to != null) {
            boolean isAnyLost = from.close(to::reset);
            if (isAnyLost || config.lingerSeconds == 0) {
                to.reset();
            } else {
                to.end();
            }
        }
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doShutdownOutput() {
        isOutputShutdown = true;
        if (out != null) {
            out.end();
        }
    }

    @Override
    public boolean isInputShutdown() {
        return isInputShutdown;
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        isInputShutdown = true;
        return promise.setSuccess();
    }

    @Override
    public boolean isOutputShutdown() {
        return isOutputShutdown;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        ((MemoryUnsafe) unsafe()).shutdownOutput(promise);
        return promise;
    }

    @Override
    public boolean isShutdown() {
        return isInputShutdown && isOutputShutdown;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        isInputShutdown = true;
        return shutdownOutput(promise);
    }

    // ---------------------------------------------------------------- what Netty asks

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new MemoryUnsafe();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof MemoryLoop;
    }

    @Override
    protected void doBind(SocketAddress address) {
        throw new UnsupportedOperationException("a connection in memory has its port by itself");
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return local;
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return remote;
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return isOpen;
    }

    @Override
    public boolean isActive() {
        return isActive;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    /** The options of TCP that make a difference here. */
    private final class Config extends DefaultChannelConfig {
        private boolean isHalfClosureAllowed;
        private int lingerSeconds = -1;

        Config() {
            super(MemoryChannel.this);
        }

        @Override
        public <T> boolean setOption(ChannelOption<T> option, T value) {
            if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
                isHalfClosureAllowed = (Boolean) value;
                return true;
            }
            if (option == ChannelOption.SO_LINGER) {
                lingerSeconds = (Integer) value;
                return true;
            }
            return option == ChannelOption.TCP_NODELAY
                    || option == ChannelOption.SO_KEEPALIVE
                    || super.setOption(option, value);
        }
    }
}
