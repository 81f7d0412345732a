package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.Waits;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;

import org.jspecify.annotations.Nullable;

/**
 * The end of a connection that this side has closed (rule I2): the written bytes are sent, the
 * output is ended, and bytes that still come are read and dropped until the other side ends too.
 * The descriptor is closed only then, because the kernel answers bytes that come to a closed
 * descriptor, or lie in it unread, with a reset, and drops output that the other side has not taken
 * yet.
 *
 * <p>It has no fiber. Confined to the cord, by Netty's side but for {@link #begin(Outbound)}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // failures are told to the handler
final class Closing {
    /*
     * States. One writer: state(from, to).
     *
     *   SENDING   -> LINGERING  all is sent, and the output is ended
     *   SENDING   -> OVER       the same, and the other side has ended before, or may send no more;
     *                           or the close limit has passed: it is broken off
     *   LINGERING -> OVER       the other side has ended, or one of the two bounds is reached
     *   any       -> OVER       the channel was closed by anything else
     */
    private enum State {
        SENDING,
        LINGERING,
        OVER
    }

    private static final Log LOG = Logs.logger(TcpConnection.class);

    private final TcpConnection connection;
    private final Channel channel;
    private final TcpOptions options;

    /** So many bytes more may come. */
    private long left;

    private State state = State.SENDING;
    private @Nullable Alarm alarm;

    Closing(TcpConnection connection, Channel channel, TcpOptions options) {
        this.connection = connection;
        this.channel = channel;
        this.options = options;
        this.left = options.maxLingerBytes();
    }

    /** By the fiber that closes. */
    void begin(Outbound out) {
        begin(out.flushAll(), this::flushed);
    }

    /** TLS has failed and said so: nothing goes through it any more. By Netty's side. */
    void beginBehindTls() {
        begin(channel.pipeline().firstContext().writeAndFlush(Unpooled.EMPTY_BUFFER), this::sent);
    }

    private void begin(ChannelFuture written, Runnable next) {
        channel.config().setAutoRead(true); // the other side may read only when it has written
        written.addListener(_ -> next.run());
        if (state == State.SENDING) {
            alarm = Alarm.after(Waits.nanos(options.closeLimit()), this::notSent);
        }
    }

    private void flushed() {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls == null) {
            sent();
        } else {
            tls.closeOutbound().addListener(_ -> sent());
        }
    }

    private void sent() {
        if (state != State.SENDING || !channel.isOpen()) {
            return;
        }
        cancelAlarm();
        long limitNs = Waits.nanos(options.lingerLimit());
        boolean isCordOver = connection.isCordOver(); // it does not wait for connections that
        // linger
        if (connection.isInputShut() || limitNs == 0 || left < 0 || isCordOver) {
            finish();
            return;
        }
        state(State.SENDING, State.LINGERING);
        alarm = Alarm.after(limitNs, this::notEnded);
        ((DuplexChannel) channel).shutdownOutput();
    }

    private void notSent() {
        LOG.debug("{} did not take what was written within {}", connection, options.closeLimit());
        connection.breakOff();
    }

    /** The kernel goes on sending the output that it still has. */
    private void notEnded() {
        LOG.debug("{} did not end within lingerLimit={}", connection, options.lingerLimit());
        finish();
    }

    /** Releases what came. */
    void dropped(Object what) {
        if (what instanceof ByteBuf bytes) {
            left -= bytes.readableBytes();
        }
        ReferenceCountUtil.release(what);
        if (left >= 0) {
            return;
        }
        if (state == State.SENDING) {
            channel.config().setAutoRead(false); // it may still take what is sent
        } else if (state == State.LINGERING) {
            LOG.debug("{} sent more than maxLingerBytes={}", connection, options.maxLingerBytes());
            finish();
        }
    }

    void inputShut() {
        if (state == State.LINGERING) {
            finish();
        }
    }

    private void finish() {
        over();
        connection.closeChannel();
    }

    /** The channel is closed, or about to be. */
    void over() {
        cancelAlarm();
        if (state != State.OVER) {
            state(state, State.OVER);
        }
    }

    private void cancelAlarm() {
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
    }

    /** The one writer of the state; the table is at the top. */
    private void state(State from, State to) {
        if (state != from) {
            throw new IllegalStateException(
                    "the end of " + connection + " is " + state + ", not " + from);
        }
        state = to;
    }
}
