package dev.ropewalk.fibers.io.internal;

import dev.ropewalk.fibers.Cord;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;

import org.jspecify.annotations.Nullable;

import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Objects;

/**
 * A port or a path in memory, and the clients that have not been accepted. Confined to its cord.
 */
@SuppressWarnings("FutureReturnValueIgnored") // failures are told to the handler
final class MemoryServerChannel extends AbstractServerChannel {
    private final Cord cord;
    private final Network network;
    private final Host host;
    private final Config config = new Config();
    private final ArrayDeque<MemoryChannel> backlog = new ArrayDeque<>();
    private boolean isOpen = true;
    private boolean isReadWanted;
    private @Nullable SocketAddress local;

    MemoryServerChannel(Network network, Cord cord) {
        this.network = network;
        this.host = network.hostOf(cord);
        this.cord = cord;
    }

    /** Of one that is bound. */
    SocketAddress bound() {
        return Objects.requireNonNull(local, "bound");
    }

    /** A client wants to connect; false if it is refused. In the kernel: the cord may be frozen. */
    boolean knock(
            SocketAddress dialled, SocketAddress client, Pipe fromClient, Pipe back, Host from) {
        if (!isOpen || backlog.size() >= config.maxBacklog) {
            return false;
        }
        boolean isAnywhere =
                bound() instanceof InetSocketAddress inet && inet.getAddress().isAnyLocalAddress();
        MemoryChannel made = new MemoryChannel(this, network, cord);
        made.accepted(isAnywhere ? dialled : bound(), client, fromClient, back, from);
        backlog.add(made);
        eventLoop().execute(this::accept);
        return true;
    }

    private void accept() {
        if (!isReadWanted || backlog.isEmpty()) {
            return;
        }
        isReadWanted = false;
        while (isOpen && !backlog.isEmpty()) {
            pipeline().fireChannelRead(backlog.remove());
            if (!config.isAutoRead()) {
                break;
            }
        }
        pipeline().fireChannelReadComplete();
    }

    @Override
    protected void doBeginRead() {
        isReadWanted = true;
        if (!backlog.isEmpty()) {
            eventLoop().execute(this::accept);
        }
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        ((MemoryLoop) eventLoop()).add(this);
        promise.setSuccess();
    }

    @Override
    protected void doBind(SocketAddress address) throws BindException {
        local = host.bind(address, this);
    }

    @Override
    protected void doClose() {
        isOpen = false;
        if (isRegistered()) {
            ((MemoryLoop) eventLoop()).remove(this);
        }
        if (local != null) {
            host.unbind(local, this);
        }
        for (MemoryChannel client : backlog) {
            client.abort();
            client.unsafe().closeForcibly();
        }
        backlog.clear();
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

    /** The options of a listener that make a difference here. */
    private final class Config extends DefaultChannelConfig {
        private int maxBacklog = Integer.MAX_VALUE;

        Config() {
            super(MemoryServerChannel.this);
        }

        @Override
        public <T> boolean setOption(ChannelOption<T> option, T value) {
            if (option == ChannelOption.SO_BACKLOG) {
                maxBacklog = (Integer) value;
                return true;
            }
            return option == ChannelOption.SO_REUSEADDR || super.setOption(option, value);
        }
    }
}
