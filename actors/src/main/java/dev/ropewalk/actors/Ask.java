package dev.ropewalk.actors;

import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * One ask: the message on its way, and a one-shot cell for the reply. Exactly one of reply, end of
 * the actor, time limit and termination of the asker takes effect; the waiter decides.
 */
final class Ask<M, R> implements ReplyTo<R> {
    /** Given to the waiter when no reply can come. */
    private record Failed(String why, @Nullable Throwable cause) {}

    private final ActorCell<M> target;
    private final String asker;
    private final WaitCell waiter = new WaitCell();
    private @Nullable M message;

    /** Links of the target's open asks; confined to the target's cord. */
    @Nullable Ask<?, ?> previous;

    @Nullable Ask<?, ?> next;

    Ask(ActorCell<M> target, String asker) {
        this.target = target;
        this.asker = asker;
    }

    void setMessage(M made) {
        message = made;
    }

    M message() {
        M made = message;
        if (made == null) {
            throw new IllegalStateException("the ask of " + asker + " has no message yet");
        }
        return made;
    }

    @Override
    public void reply(R reply) {
        boolean taken = waiter.give(Objects.requireNonNull(reply, "reply"));
        target.answered(this);
        if (!taken) {
            target.deadLetters()
                    .report(new DeadLetter(reply, asker, DeadLetter.Reason.LATE_REPLY, null));
        }
    }

    /** No reply can come; no effect if one has. */
    void fail(String why, @Nullable Throwable cause) {
        waiter.give(new Failed(why, cause));
    }

    ActorCell<M> target() {
        return target;
    }

    boolean isOpen() {
        return waiter.isWaiting();
    }

    @SuppressWarnings("unchecked") // the waiter is given nothing but R and Failed
    R await(long limitNanos) {
        Object result = waiter.await(this, limitNanos);
        if (result == Waits.TIMED_OUT) {
            throw new AskTimeoutException(
                    asker
                            + " asked "
                            + target.name()
                            + " and got no reply within "
                            + limitNanos / 1_000_000
                            + " ms; message: "
                            + message);
        }
        if (result instanceof Failed failed) {
            throw new AskFailedException(
                    asker
                            + " asked "
                            + target.name()
                            + " and gets no reply: "
                            + failed.why()
                            + "; message: "
                            + message,
                    failed.cause());
        }
        return (R) Objects.requireNonNull(result, "reply");
    }

    @Override
    public String toString() {
        return "the reply of " + target.name();
    }
}
