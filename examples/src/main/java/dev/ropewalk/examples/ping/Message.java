package dev.ropewalk.examples.ping;

import dev.ropewalk.actors.Recipient;

/** The words of two nodes to each other. */
sealed interface Message {
    /** A question; the same number comes back. */
    record Ping(int number, Recipient<Pong> replyTo) implements Message {}

    /** The answer, and the node that gives it. */
    record Pong(int number, String node) implements Message {}
}
