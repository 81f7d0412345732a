package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.internal.BytesHandler;
import dev.ropewalk.fibers.io.internal.IoLoop;
import dev.ropewalk.fibers.spi.Waits;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.embedded.EmbeddedChannel;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The change of a connection from bytes to messages, once in its life: a codec comes between the
 * socket and the end of the pipeline, what has come goes through it first, and so does the end, if
 * that has come too, as {@link BytesHandler} tells of those that come later.
 *
 * <p>It lives as long as the change, which begins in a fiber; the rest happens on Netty's side.
 */
final class CodecSwitch {
    private final TcpConnection connection;
    private final Channel channel;
    private final IoLoop loop;
    private final TcpOptions options;
    private final Inbound bytes;
    private final Outbound out;

    CodecSwitch(
            TcpConnection connection,
            Channel channel,
            IoLoop loop,
            TcpOptions options,
            Inbound bytes,
            Outbound out) {
        this.connection = connection;
        this.channel = channel;
        this.loop = loop;
        this.options = options;
        this.bytes = bytes;
        this.out = out;
    }

    // ---------------------------------------------------------------- the fiber's side

    /** A switchpoint. The first handler stands next to the socket. */
    <M> MessageConnection<M> change(Class<M> type, List<ChannelHandler> handlers) {
        connection.checkReadable();
        bytes.checkNoReader();
        Waits.switchpoint();
        connection.checkReadable();
        MessageQueue<M> messages =
                new MessageQueue<>(
                        new Messages(connection),
                        channel,
                        type,
                        options.maxMessages(),
                        options.readLimit());
        if (loop.eventLoop.inEventLoop()) {
            install(messages, handlers);
        } else {
            Installation installation =
                    new Installation(Fiber.current(), Waits.nextNumber(), messages, handlers);
            loop.eventLoop.execute(installation);
            Waits.park("the codec");
            installation.throwIfRefused();
        }
        return new MessageConnection<>(connection, messages, out);
    }

    /** The connection, as the queue of messages sees it. */
    private record Messages(TcpConnection connection) implements MessageQueue.Source {
        @Override
        public ConnectionException broken(String what, IOException why) {
            return connection.errors.broken(what, why);
        }

        @Override
        public ConnectionTimeoutException silent(long limitNs) {
            return connection.errors.silent("receive", "sent", limitNs, "its readLimit");
        }

        @Override
        public void undecodable(Throwable cause) {
            connection.undecodable(cause);
        }

        @Override
        public String toString() {
            return connection.toString();
        }
    }

    // ---------------------------------------------------------------- Netty's side

    /**
     * The loop's part of the change, for a fiber that runs on another thread, and only if the fiber
     * takes it: a fiber that was told to end leaves the connection as it was.
     */
    private final class Installation implements Runnable {
        private final Fiber<?> waiting;
        private final long number;
        private final MessageQueue<?> messages;
        private final List<ChannelHandler> handlers;
        private @Nullable Throwable refused;

        Installation(
                Fiber<?> waiting,
                long number,
                MessageQueue<?> messages,
                List<ChannelHandler> handlers) {
            this.waiting = waiting;
            this.number = number;
            this.messages = messages;
            this.handlers = handlers;
        }

        @Override
        public void run() {
            if (!Waits.resume(waiting, number, null)) {
                return;
            }
            try {
                install(messages, handlers);
            } catch (RuntimeException | Error thrown) { // the fiber's, which runs behind this
                refused = thrown;
            }
        }

        /** By the fiber, which got its turn from here. */
        void throwIfRefused() {
            if (refused instanceof RuntimeException exception) {
                throw exception;
            }
            if (refused instanceof Error error) {
                throw error;
            }
        }

        @Override
        public String toString() {
            return "the change of " + connection + " to messages";
        }
    }

    private void install(MessageQueue<?> messages, List<ChannelHandler> handlers) {
        connection.checkHasBytes(); // a fiber may have done the same, or read, meanwhile
        bytes.checkNoReader();
        ChannelPipeline pipeline = channel.pipeline();
        if (pipeline.context(TcpConnection.LAST_HANDLER) == null) {
            decodeRest(messages, handlers);
            return;
        }
        addAll(pipeline, handlers);
        connection.input(messages);
        ChannelHandlerContext below = pipeline.context(BytesHandler.class);
        out.writeFrom(below);
        ByteBuf rest = bytes.takeAll();
        if (rest != null) {
            below.fireChannelRead(rest).fireChannelReadComplete();
        }
        if (bytes.isEnded()) {
            BytesHandler.tell(below, bytes.failure());
            messages.ended(bytes.failure());
        }
        messages.begin();
    }

    /** All of them, or none. */
    private void addAll(ChannelPipeline pipeline, List<ChannelHandler> handlers) {
        List<ChannelHandler> added = new ArrayList<>();
        try {
            for (ChannelHandler each : handlers) {
                pipeline.addBefore(TcpConnection.LAST_HANDLER, null, each);
                added.add(each);
            }
        } catch (RuntimeException refused) { // one stands in another pipeline already
            added.forEach(pipeline::remove);
            throw refused;
        }
    }

    /** Of a connection that is gone, and whose pipeline is with it. */
    private void decodeRest(MessageQueue<?> messages, List<ChannelHandler> handlers) {
        EmbeddedChannel alone = new EmbeddedChannel();
        alone.pipeline().addLast(handlers.toArray(new ChannelHandler[0]));
        alone.pipeline()
                .addLast(
                        new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext context, Object what) {
                                messages.received(what);
                            }

                            @Override
                            public void exceptionCaught(
                                    ChannelHandlerContext context, Throwable cause) {
                                connection.undecodable(cause);
                            }
                        });
        connection.input(messages);
        ByteBuf rest = bytes.takeAll();
        if (rest != null) {
            alone.writeInbound(rest);
        }
        @Nullable IOException failure = bytes.failure();
        if (failure != null) {
            messages.ended(failure); // so that nothing of what was cut off is received
        }
        alone.finishAndReleaseAll();
        messages.ended(null);
    }
}
