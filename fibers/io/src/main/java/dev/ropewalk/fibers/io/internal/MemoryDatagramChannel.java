package dev.ropewalk.fibers.io.internal;

import dev.ropewalk.fibers.Cord;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramPacket;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Objects;

/**
 * A UDP socket in memory, as Linux would have it: each datagram is on its way for a while of its
 * own, is lost or doubled if the {@link Network} says so, and is lost where the receiver has no
 * room for it. Confined to its cord.
 */
final class MemoryDatagramChannel extends AbstractChannel {
    /** A datagram that has arrived; not compared. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Arrived(byte[] bytes, InetSocketAddress from) {}

    private static final ChannelMetadata METADATA = new ChannelMetadata(true, 16);
    private static final int MAX_READS = 16;

    private final Network network;
    private final Host host;
    private final Config config = new Config();

    /** The unread datagrams in the system of this side. */
    private final ArrayDeque<Arrived> arrived = new ArrayDeque<>();

    private int arrivedBytes;

    /** Sent by this side, and still on their way. */
    private int underwayBytes;

    private boolean isOpen = true;
    private boolean isReadWanted;

    /** A write waits for room. */
    private boolean isBlocked;

    private @Nullable InetSocketAddress local;

    /** The only one that is heard; null if all are. */
    private @Nullable InetSocketAddress remote;

    MemoryDatagramChannel(Network network, Cord cord) {
        super(null);
        this.network = network;
        this.host = network.hostOf(cord);
    }

    // ---------------------------------------------------------------- addresses

    private final class MemoryUnsafe extends AbstractUnsafe {
        @Override
        public void connect(SocketAddress address, SocketAddress ignored, ChannelPromise promise) {
            if (!promise.setUncancellable() || !ensureOpen(promise)) {
                return;
            }
            InetAddress target = ((InetSocketAddress) address).getAddress();
            try {
                doBind(new InetSocketAddress(host.addressFor(target), 0));
            } catch (BindException noPort) {
                promise.tryFailure(noPort);
                return;
            }
            remote = (InetSocketAddress) address;
            promise.trySuccess();
            pipeline().fireChannelActive();
        }

        void flushAgain() {
            super.flush0();
        }
    }

    @Override
    protected void doBind(SocketAddress address) throws BindException {
        local = host.bind((InetSocketAddress) address, this);
    }

    /** As the receiver sees it. */
    private InetSocketAddress sender(InetSocketAddress to) {
        InetSocketAddress here = Objects.requireNonNull(local);
        return here.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(host.addressFor(to.getAddress()), here.getPort())
                : here;
    }

    // ---------------------------------------------------------------- sending

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf || message instanceof DatagramPacket) {
            return message;
        }
        throw new UnsupportedOperationException("no datagram: " + message);
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer unsent) {
        for (Object next = unsent.current(); next != null; next = unsent.current()) {
            DatagramPacket packet = next instanceof DatagramPacket addressed ? addressed : null;
            ByteBuf content = packet == null ? (ByteBuf) next : packet.content();
            int length = content.readableBytes();
            if (underwayBytes > 0 && underwayBytes + length > config.sendBufferBytes) {
                isBlocked = true;
                return;
            }
            byte[] bytes = new byte[length];
            content.getBytes(content.readerIndex(), bytes);
            try {
                send(bytes, packet == null ? Objects.requireNonNull(remote) : packet.recipient());
                unsent.remove();
            } catch (IOException refused) {
                unsent.remove(refused);
            }
        }
    }

    private void send(byte[] bytes, InetSocketAddress to) throws IOException {
        if (Network.isBroadcast(to) && !config.isBroadcast) {
            throw new IOException("Permission denied");
        }
        underwayBytes += bytes.length;
        long leavesNs = network.drawDelayNs();
        for (Host each : network.hostsAt(host, to)) {
            leavesNs = send(bytes, to, each);
        }
        Link own = network.link(host, host); // never cut
        own.carryOnce(leavesNs, () -> eventLoop().execute(() -> left(bytes.length)));
    }

    /** Returns how long the first copy is on its way. */
    private long send(byte[] bytes, InetSocketAddress to, Host target) {
        Link link = network.link(host, target);
        Arrived packet = new Arrived(bytes, sender(to));
        long firstNs = link.drawDelayNs();
        long delayNs = firstNs;
        for (int copies = network.drawCopies(); copies > 0; copies--) {
            link.carryOnce(delayNs, () -> arrive(packet, to, target));
            delayNs = link.drawDelayNs();
        }
        return firstNs;
    }

    /** In the kernel of the other host. */
    private void arrive(Arrived packet, InetSocketAddress to, Host target) {
        MemoryDatagramChannel socket = target.datagramSocket(to);
        if (socket == null || !socket.isHeard(packet)) {
            network.link(target, host).carryOnce(0, this::tellUnreachable);
        } else {
            socket.arrived(packet);
        }
    }

    private boolean isHeard(Arrived packet) {
        return isOpen
                && (remote == null
                        || (remote.getPort() == packet.from().getPort()
                                && (remote.getAddress().isLoopbackAddress()
                                        || remote.equals(packet.from()))));
    }

    private void left(int bytes) {
        underwayBytes -= bytes;
        if (isBlocked && isOpen) {
            isBlocked = false;
            ((MemoryUnsafe) unsafe()).flushAgain();
        }
    }

    private void tellUnreachable() {
        eventLoop().execute(this::unreachable);
    }

    /** No socket has the port; only a connected socket is told, as it is by ICMP. */
    private void unreachable() {
        if (isOpen && remote != null) {
            pipeline().fireExceptionCaught(new PortUnreachableException());
        }
    }

    // ---------------------------------------------------------------- receiving

    private void arrived(Arrived packet) {
        if (arrivedBytes + packet.bytes().length <= config.receiveBufferBytes) {
            arrivedBytes += packet.bytes().length;
            arrived.add(packet);
            eventLoop().execute(this::handOver);
        }
    }

    @Override
    protected void doBeginRead() {
        isReadWanted = true;
        if (!arrived.isEmpty()) {
            eventLoop().execute(this::handOver);
        }
    }

    private void handOver() {
        if (!isReadWanted || !isOpen || arrived.isEmpty()) {
            return;
        }
        isReadWanted = false;
        for (int reads = 0; reads < MAX_READS && isOpen && !arrived.isEmpty(); reads++) {
            pipeline().fireChannelRead(packet(arrived.remove()));
            if (!config.isAutoRead()) {
                break;
            }
        }
        pipeline().fireChannelReadComplete();
    }

    /** The part that does not fit into the buffer of the reader is cut off. */
    private DatagramPacket packet(Arrived first) {
        byte[] bytes = first.bytes();
        arrivedBytes -= bytes.length;
        ByteBuf buffer = unsafe().recvBufAllocHandle().allocate(alloc());
        buffer.writeBytes(bytes, 0, Math.min(buffer.writableBytes(), bytes.length));
        return new DatagramPacket(buffer, local, first.from());
    }

    // ---------------------------------------------------------------- the end

    @Override
    protected void doRegister(ChannelPromise promise) {
        ((MemoryLoop) eventLoop()).add(this);
        promise.setSuccess();
    }

    @Override
    protected void doClose() {
        isOpen = false;
        arrived.clear();
        if (isRegistered()) {
            ((MemoryLoop) eventLoop()).remove(this);
        }
        if (local != null) {
            host.unbind(local, this);
        }
    }

    @Override
    protected void doDisconnect() {
        doClose();
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
        return isOpen && local != null;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    /** The options of UDP that make a difference here. */
    private final class Config extends DefaultChannelConfig {
        private int receiveBufferBytes = 208 * 1024;
        private int sendBufferBytes = 208 * 1024;
        private boolean isBroadcast;

        Config() {
            super(MemoryDatagramChannel.this);
        }

        @Override
        public <T> boolean setOption(ChannelOption<T> option, T value) {
            if (option == ChannelOption.SO_RCVBUF) {
                receiveBufferBytes = (Integer) value;
                return true;
            }
            if (option == ChannelOption.SO_SNDBUF) {
                sendBufferBytes = (Integer) value;
                return true;
            }
            if (option == ChannelOption.SO_BROADCAST) {
                isBroadcast = (Boolean) value;
                return true;
            }
            return super.setOption(option, value);
        }
    }
}
