package dev.ropewalk.actors.internal.routing;

import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;

import org.jspecify.annotations.Nullable;

/**
 * The reply address of a question that is made before its actor is chosen: the choice looks at the
 * question. Bound before the question is sent.
 */
public final class BoundReply<R> implements Recipient<R> {
    private volatile @Nullable Recipient<R> ask;

    void bind(Recipient<R> to) {
        ask = to;
    }

    /** The ask that it is bound to; the recipient itself if it is none of these. */
    public static @Nullable Recipient<?> ask(Recipient<?> recipient) {
        return recipient instanceof BoundReply<?> bound ? bound.ask : recipient;
    }

    private Recipient<R> bound() {
        Recipient<R> to = ask;
        if (to == null) {
            throw new IllegalStateException(
                    "a reply was told before the question was sent: the function that makes the"
                            + " question must not reply");
        }
        return to;
    }

    @Override
    public void tell(R reply) {
        bound().tell(reply);
    }

    @Override
    public TellResult tryTell(R reply) {
        return bound().tryTell(reply);
    }

    @Override
    public void fail(Throwable failure) {
        bound().fail(failure);
    }

    @Override
    public String toString() {
        return String.valueOf(ask);
    }
}
