package dev.ropewalk.examples.chat;

import io.netty.util.ReferenceCounted;

import org.jspecify.annotations.Nullable;

/**
 * Bytes on their way to a member: a message of its actor, which is processed or becomes a dead
 * letter. In either case one takes the bytes, and they are released once.
 *
 * <p>It belongs to one at a time: to the sender, to the member once that has accepted it, and to
 * the taker of dead letters.
 */
final class Delivery {
    private @Nullable ReferenceCounted bytes;

    /** Takes them over. */
    Delivery(ReferenceCounted bytes) {
        this.bytes = bytes;
    }

    /** The bytes, which are the caller's from now on; null if they were taken before. */
    @Nullable ReferenceCounted take() {
        ReferenceCounted taken = bytes;
        bytes = null;
        return taken;
    }

    /** Of one that nobody writes any more. */
    void release() {
        ReferenceCounted taken = take();
        if (taken != null) {
            taken.release();
        }
    }
}
