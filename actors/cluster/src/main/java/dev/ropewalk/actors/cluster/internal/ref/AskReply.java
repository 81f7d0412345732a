package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.spi.Calls;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The address of an ask of the other node, as the asked actor here has it. Behind it stands an ask
 * of this node, so its limit, the end of the actor and what its mailbox does are those of any ask.
 * A reply is encoded before it counts: one that cannot be sent fails here, in the actor that told
 * it, and the asker still waits.
 */
final class AskReply<R> implements Recipient<R> {
    private final Conversation of;
    private final long id;

    /** Of a router to all each member is asked; the one that is open takes the reply. */
    private volatile List<Recipient<Object>> asks = List.of();

    private final AtomicInteger failed = new AtomicInteger();

    AskReply(Conversation of, long id) {
        this.of = of;
        this.id = id;
    }

    long id() {
        return id;
    }

    /** On the cord. */
    void bind(Recipient<Object> to) {
        List<Recipient<Object>> all = new ArrayList<>(asks);
        all.add(to);
        asks = List.copyOf(all);
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

    private Encoded encoded(R reply) {
        return new Encoded(of.encode(Objects.requireNonNull(reply, "reply")), reply);
    }

    @Override
    public void tell(R reply) {
        Encoded encoded = encoded(reply);
        if (!Calls.holds(new Later(), encoded)) {
            send(encoded);
        }
    }

    private void send(Encoded encoded) {
        if (trySend(encoded) != TellResult.ACCEPTED) {
            of.reportLate(encoded.reply);
        }
    }

    @Override
    public TellResult tryTell(R reply) {
        Encoded encoded = encoded(reply);
        return Calls.holds(new Later(), encoded) ? TellResult.ACCEPTED : trySend(encoded);
    }

    private TellResult trySend(Encoded encoded) {
        TellResult result = TellResult.ENDED;
        for (Recipient<Object> each : asks) {
            result = each.tryTell(encoded);
            if (result == TellResult.ACCEPTED) {
                break;
            }
        }
        return result;
    }

    /** Of several the next one fails: each member may say so once. */
    @Override
    public void fail(Throwable failure) {
        if (Calls.holdsFailure(this, failure)) {
            return;
        }
        List<Recipient<Object>> all = asks;
        all.get(Math.min(failed.getAndIncrement(), all.size() - 1)).fail(failure);
    }

    @Override
    public String toString() {
        return "the ask of " + of.peer();
    }

    /** For a reply that is encoded and leaves later. */
    private final class Later implements Recipient<Encoded> {
        @Override
        public void tell(Encoded reply) {
            send(reply);
        }

        @Override
        public TellResult tryTell(Encoded reply) {
            return trySend(reply);
        }

        @Override
        public void fail(Throwable failure) {
            AskReply.this.fail(failure);
        }

        @Override
        public String toString() {
            return AskReply.this.toString();
        }
    }
}
