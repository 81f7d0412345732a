package dev.ropewalk.actors;

import org.jspecify.annotations.Nullable;

/**
 * A message that was accepted and not processed, or a reply without a taker.
 *
 * @param message the message or reply
 * @param recipient the actor it was for, by path and number, and the router that chose it; or the
 *     asker, or the router
 * @param reason why it was not processed
 * @param cause what the actor failed with, if it failed on the message, or the failure that was
 *     told
 */
public record DeadLetter(
        Object message, String recipient, Reason reason, @Nullable Throwable cause) {
    /** Why a message was not processed. */
    public enum Reason {
        /** The actor had ended, or ended before it came to the message. */
        ENDED,
        /** The actor failed on the message, or was terminated in the middle of it. */
        FAILED,
        /** The actor failed on the message as often as it may. */
        PARKED,
        /** The behavior had no use for the message, and the actor goes on. */
        UNHANDLED,
        /** The bounded mailbox was full, and drops what is new. */
        REFUSED,
        /** The bounded mailbox was full, and drops what is old. */
        DISPLACED,
        /** A newer message with the same key took its place in the mailbox. */
        REPLACED,
        /** The router that it was sent to had no member. */
        NO_MEMBERS,
        /** The reply came after the asker had stopped waiting, or was a second one. */
        LATE_REPLY,
        /**
         * The session with the node of the recipient has ended, or there was none. A message that
         * was on its way may have arrived.
         */
        UNREACHABLE,
        /** The message came from another node, whose program differs from this one in its type. */
        UNREADABLE,
        /**
         * The entity moves to another node, and more messages wait for that than are held; or its
         * node has lost it before it came to the message.
         */
        MOVING,
        /** A failure that was told in place of a message, without a waiter for it. */
        FAILURE
    }

    /** As any record tells itself; the JVM would make the code for that when it tells the first. */
    @Override
    public String toString() {
        return "DeadLetter[message="
                + message
                + ", recipient="
                + recipient
                + ", reason="
                + reason
                + ", cause="
                + cause
                + "]";
    }
}
