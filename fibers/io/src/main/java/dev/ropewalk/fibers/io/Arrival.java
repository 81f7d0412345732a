package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.io.internal.IoLoop;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;

import org.jspecify.annotations.Nullable;

/**
 * A client that a listener has accepted, until a fiber has it. If it stays on the listener's cord
 * it is a connection at once, and reads; if it goes to another cord it becomes a connection there,
 * because a connection belongs to the cord that makes it.
 *
 * <p>Confined to the listener's cord, except {@link #openElsewhere}, which the fiber that was spun
 * for it calls on its own cord.
 */
@SuppressWarnings("FutureReturnValueIgnored") // failures are told to the handler
final class Arrival {
    private final TcpListener listener;
    private final Channel channel;

    /** Null before it is open. */
    private @Nullable TcpConnection connection;

    Arrival(TcpListener listener, Channel channel) {
        this.listener = listener;
        this.channel = channel;
    }

    /** On the listener's cord, by Netty's side; false if that cord has ended. */
    boolean openHere(IoLoop loop) {
        TcpConnection made = make(loop, listener::closed);
        loop.register(channel);
        if (!channel.isRegistered()) {
            made.channelClosed();
            return false;
        }
        return true;
    }

    /**
     * On the current cord, which is another one, or the listener's own. A switchpoint: a fiber that
     * is ended in it leaves nothing open.
     */
    TcpConnection openElsewhere() {
        if (connection != null) {
            return connection; // the fiber was restarted
        }
        IoLoop loop = IoLoop.current();
        TcpConnection made = make(loop, this::closedElsewhere);
        made.register();
        return made;
    }

    private TcpConnection make(IoLoop loop, Runnable onClosed) {
        TcpOptions options = listener.options();
        TcpConnection made = new TcpConnection(channel, loop, options, onClosed);
        options.tls().ifPresent(tls -> made.encryptFirst(tls.serverHandler(channel)));
        connection = made;
        return made;
    }

    private void closedElsewhere() {
        Cord home = listener.cord();
        if (home.isCurrent()) {
            listener.closed();
        } else {
            home.post(
                    new CordMessage() {
                        @Override
                        public void onCord() {
                            listener.closed();
                        }

                        @Override
                        public void onClosed() {
                            // The counting has ended with the cord.
                        }
                    });
        }
    }

    /** Null before it is open. By the fiber's cord, or when that fiber has ended. */
    @Nullable TcpConnection connection() {
        return connection;
    }

    /** Breaks it off, if it belongs to the listener's cord or to no cord yet. */
    void drop() {
        if (connection != null) {
            connection.reset();
        } else {
            try {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            } catch (ChannelException isGone) {
                TcpListener.LOG.debug("{} was closed meanwhile", this, isGone);
            }
            channel.unsafe().closeForcibly();
            listener.closed();
        }
    }

    @Override
    public String toString() {
        return connection != null
                ? connection.toString()
                : "connection from " + channel.remoteAddress() + " to " + listener;
    }
}
