package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Receivable;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.Function;

/**
 * A connection whose two sides speak in messages, which a {@link Codec} makes of bytes and turns
 * into bytes:
 *
 * {@snippet file="dev/ropewalk/fibers/io/IoSnippetsTest.java" region="messages"}
 *
 * <p>Messages are received as from a channel, one by one, in a select, or by a pipeline that begins
 * with it. It is used by fibers of the connection's cord; any number of fibers may receive, each
 * message goes to one of them, and one fiber writes at a time.
 *
 * <p>A message that is reference-counted belongs to the receiver, which releases it; messages that
 * were not received are released when the connection is closed. {@link #write} takes the message
 * over, whether it succeeds or not.
 *
 * <p>When the input ends, and all messages before that are received, a receive throws a {@link
 * ClosedException}: with a {@link ConnectionException} as its cause if the other side broke the
 * connection off, or sent what cannot be decoded ({@link CodecException}). In that last case
 * nothing more is read, and the output still works: answer with the protocol's error, and close.
 *
 * @param <M> the type of the messages
 */
public final class MessageConnection<M> implements Receivable<M>, AutoCloseable {
    /** To be read by tests. */
    final MessageQueue<M> in;

    private final TcpConnection connection;
    private final Outbound out;

    MessageConnection(TcpConnection connection, MessageQueue<M> in, Outbound out) {
        this.connection = connection;
        this.in = in;
        this.out = out;
    }

    // ---------------------------------------------------------------- receiving

    /**
     * {@inheritDoc}
     *
     * @throws ConnectionTimeoutException if no message came within {@link TcpOptions#readLimit}
     * @throws WrongThreadException if this is not its cord
     */
    @Override
    public M receive() {
        return in.receive();
    }

    /**
     * {@inheritDoc}
     *
     * @throws WrongThreadException if this is not its cord
     */
    @Override
    public @Nullable M receive(Duration limit) {
        return in.receive(limit);
    }

    /**
     * {@inheritDoc}
     *
     * @throws WrongThreadException if this is not its cord
     */
    @Override
    public @Nullable M tryReceive() {
        return in.tryReceive();
    }

    @Override
    public <R extends @Nullable Object> Clause<R> onReceive(
            Function<? super M, ? extends R> taken) {
        return in.onReceive(taken);
    }

    /**
     * Receives nothing more: messages that are there, and those that still come, are released. The
     * output works on.
     *
     * @throws WrongThreadException if this is not its cord
     */
    @Override
    public void cancel() {
        connection.checkCord("cancel");
        in.close();
    }

    // ---------------------------------------------------------------- writing

    /**
     * Writes a message. Waits while more than {@link TcpOptions#highWaterMark} is unsent. It is
     * sent at the end of the cord's turn. A switchpoint.
     *
     * @param message belongs to the connection from now on, also if this throws
     * @return this connection
     * @throws CodecException if the codec cannot encode it; on virtual threads the next call throws
     *     it
     * @throws ConnectionResetException if the connection was broken off
     * @throws ConnectionTimeoutException if there was no room for {@link TcpOptions#writeLimit}
     * @throws ConnectionClosedException if this side has closed it, or ended its output
     * @throws IllegalStateException if another fiber waits to write
     * @throws WrongThreadException if this is not its cord
     */
    public MessageConnection<M> write(M message) {
        out.writeMessage(message);
        return this;
    }

    /**
     * Sends what was written, and waits until the kernel has taken it.
     *
     * @throws ConnectionResetException as {@link #write}
     * @throws ConnectionClosedException as {@link #write}
     * @throws IllegalStateException as {@link #write}
     * @throws WrongThreadException as {@link #write}
     */
    public void flush() {
        out.flushAndAwait();
    }

    /**
     * Ends the output behind what was written, as {@link TcpConnection#shutdownOutput} does.
     *
     * @throws WrongThreadException if this is not its cord
     */
    public void shutdownOutput() {
        connection.shutdownOutput();
    }

    // ---------------------------------------------------------------- the end

    /**
     * Closes the connection, as {@link TcpConnection#close} does; messages that were not received
     * are released.
     *
     * @throws WrongThreadException if this is not its cord
     */
    @Override
    public void close() {
        connection.close();
    }

    /** {@return the connection, whose bytes only the codec reads} */
    public TcpConnection connection() {
        return connection;
    }

    @Override
    public String toString() {
        return in.toString();
    }
}
