package dev.ropewalk.actors.testing;

import dev.ropewalk.actors.ActorRef;

import org.jspecify.annotations.Nullable;

/**
 * One thing that {@link Faults} did.
 *
 * @param kind what was done
 * @param actor to which actor
 * @param number of all messages of the actor this is the n-th, or of all its starts, from 1 on
 * @param message the message; null if it was a start
 */
public record Fault(Kind kind, ActorRef<?> actor, int number, @Nullable Object message) {
    /** The kinds of faults in the handling of a message. */
    public enum Kind {
        /** The actor fails on it, before it handles it. */
        CRASH,
        /** The actor waits before it handles it. */
        DELAY,
        /** The actor never sees it. */
        DROP
    }
}
