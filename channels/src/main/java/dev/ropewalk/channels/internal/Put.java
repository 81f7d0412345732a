package dev.ropewalk.channels.internal;

import dev.ropewalk.channels.ChannelOptions;

/** The fate of an element that a channel was given, unless a receiver got it. */
public enum Put {
    /** It is in the buffer. */
    BUFFERED,
    /** It is in the buffer, which has grown to a size that is to be reported. */
    GREW,
    /** It displaces the oldest, which the caller takes out. */
    DISPLACES,
    /** There is no room; the sender may wait. */
    FULL,
    /** There is no room, and no sender waits for it. */
    DROPPED,
    /** The channel takes nothing any more. */
    CLOSED;

    /** The answer of a full buffer. */
    public static Put ifFull(ChannelOptions.Kind kind) {
        return switch (kind) {
            case RENDEZVOUS, BUFFERED, UNLIMITED -> FULL;
            case CONFLATED, SLIDING -> DISPLACES;
            case DROPPING -> DROPPED;
        };
    }
}
