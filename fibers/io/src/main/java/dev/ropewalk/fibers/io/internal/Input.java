package dev.ropewalk.fibers.io.internal;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * Where a connection puts what comes: bytes first, and messages from {@code TcpConnection.messages}
 * on. Confined to the cord; the calls here are those of Netty's side, but for {@link #close}.
 */
public interface Input {
    /** Takes it over: releases it if it is not wanted any more. */
    void received(Object what);

    /**
     * No more input comes; a second end has no effect.
     *
     * @param why null if the other side has ended its output in order
     */
    void ended(@Nullable IOException why);

    /**
     * The channel is closed, and perhaps no fiber ever closes this side: unread bytes must not stay
     * in memory that is to be released.
     */
    void channelClosed();

    /** Whether nothing comes any more. */
    boolean isEnded();

    /** This side has closed it: input without a taker is released. */
    void close();

    boolean isClosed();

    /** How much input has not been taken, in bytes or messages. */
    int unread();
}
