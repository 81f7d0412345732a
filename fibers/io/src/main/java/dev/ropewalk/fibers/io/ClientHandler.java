package dev.ropewalk.fibers.io;

import org.jspecify.annotations.Nullable;

/**
 * A server's work with the messages of one connection; for {@link TcpListener#serveMessages}.
 *
 * <p>Its calls are turns of the fiber of the connection, one after the other: that fiber has a
 * stack while a turn runs, and keeps none between two turns. A turn may wait as any code of a fiber
 * does, and may receive further messages from its connection, which come to no other turn then.
 *
 * @param <M> the type of the messages
 */
@FunctionalInterface
public interface ClientHandler<M> {
    /**
     * Handles one message. Messages come in their order, and none before the turn of the last one
     * has ended.
     *
     * @param message the caller releases nothing: a message that is reference-counted belongs to
     *     this handler
     * @throws Exception breaks the connection off
     */
    void handle(M message) throws Exception;

    /**
     * Called once when no further message is handled, before the connection is closed; not if the
     * service has not made this handler, or the fiber is abandoned. It may wait, and may write. The
     * fiber is shielded meanwhile, so that only the stop limit of the server ends it early.
     *
     * <p>If the connection was broken off by a failure, it is reset when this returns, so that the
     * other side does not take what it has for all; unless this closes it. To answer what cannot be
     * decoded, write the protocol's error here, and close the connection.
     *
     * @param why null if the input has ended, or this side has closed the connection; a {@link
     *     dev.ropewalk.fibers.spi.ClosedException} with a {@link ConnectionException} as its cause
     *     if the other side broke the connection off, or sent what cannot be decoded ({@link
     *     CodecException}); a {@link ConnectionTimeoutException} if no message came within {@link
     *     TcpOptions#readLimit}; otherwise what {@link #handle} threw, or what ended the fiber
     * @throws Exception resets the connection; beside {@code why} it is logged by itself
     */
    default void end(@Nullable Throwable why) throws Exception {}
}
