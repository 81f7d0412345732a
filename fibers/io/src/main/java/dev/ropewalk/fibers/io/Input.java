package dev.ropewalk.fibers.io;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * Where a connection puts what comes: bytes first, and messages from {@link TcpConnection#messages}
 * on. Confined to the cord; the calls here are those of Netty's side, but for {@link #close}.
 */
sealed interface Input permits Inbound, MessageQueue {
    /** Takes it over: releases it if nobody wants it any more. */
    void received(Object what);

    /**
     * Nothing comes any more; a second end has no effect.
     *
     * @param why null if the other side has ended its output in order
     */
    void ended(@Nullable IOException why);

    /** Whether nothing comes any more. */
    boolean isEnded();

    /** This side has closed it: what nobody took is released. */
    void close();

    boolean isClosed();

    /** How much is there that nobody took, in bytes or messages. */
    int unread();
}
