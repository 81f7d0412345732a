package dev.ropewalk.actors.cluster;

import org.jspecify.annotations.Nullable;

/**
 * Carries a context, such as that of a trace, beside messages to other nodes: for the code that
 * binds a tracer to this library. Set with {@link NodeOptions#withContext}. A node without one
 * sends nothing of it and reads over what others send; with one, a message without a context is no
 * byte longer.
 *
 * <p>A context goes with tells, asks, and what is sent to adapters. A reply has none, because its
 * asker has the context of the question. It reaches the delivery: the message is in the mailbox
 * when {@link #restore} returns, and its handler runs later. {@link
 * dev.ropewalk.actors.ActorSystemOptions#withContexts} carries it on from there, because the
 * delivery is a tell in that context.
 */
public interface ContextPropagator {
    /** How long a context may be, in characters: a {@code traceparent} of the W3C has 55. */
    int MAX_LENGTH = 1_024;

    /**
     * {@return the context of the code that is about to send a message, as text; null or empty for
     * none} It runs in the sending thread, once for each message to another node and for each to an
     * entity of the cluster, wherever that runs; it must not wait. If it throws, or its text is
     * longer than {@link #MAX_LENGTH}, the message leaves without a context, and a warning says so,
     * once.
     */
    @Nullable String inject();

    /**
     * Runs the delivery of a message in the context that came with it. It runs on the cord of the
     * node and must not wait. The message is delivered once, whatever this method does: behind it,
     * if it did not run the delivery or threw.
     *
     * @param context from {@link #inject} of the other node, which may run another version of the
     *     program: text of up to {@link #MAX_LENGTH} characters, to be trusted as far as that node
     * @param delivery puts the message into the mailbox of its actor
     */
    void restore(String context, Runnable delivery);
}
