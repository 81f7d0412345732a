package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * The address of an ask of the other node, as the asked actor here has it. Behind it stands an ask
 * of this node, so its limit, the end of the actor and what its mailbox does are those of any ask.
 * A reply is encoded before it counts: one that cannot be sent fails here, in the actor that told
 * it, and the asker still waits.
 */
final class AskReply<R> implements Recipient<R> {
    private final Conversation of;
    private final long id;
    private volatile @Nullable Recipient<Object> ask;

    AskReply(Conversation of, long id) {
        this.of = of;
        this.id = id;
    }

    long id() {
        return id;
    }

    void bind(Recipient<Object> to) {
        ask = to;
    }

    /** A reply in bytes, and as it was for those that look at it here. */
    static final class Encoded {
        final byte[] bytes;
        final Object reply;

        Encoded(byte[] bytes, Object reply) {
            this.bytes = bytes;
            this.reply = reply;
        }

        @Override
        public String toString() {
            return reply.toString();
        }
    }

    private Recipient<Object> bound() {
        return Objects.requireNonNull(ask, "it is bound before the question is read");
    }

    private Encoded encoded(R reply) {
        return new Encoded(of.encode(Objects.requireNonNull(reply, "reply")), reply);
    }

    @Override
    public void tell(R reply) {
        bound().tell(encoded(reply));
    }

    @Override
    public TellResult tryTell(R reply) {
        return bound().tryTell(encoded(reply));
    }

    @Override
    public void fail(Throwable failure) {
        bound().fail(failure);
    }

    @Override
    public String toString() {
        return "the ask of " + of.peer();
    }
}
