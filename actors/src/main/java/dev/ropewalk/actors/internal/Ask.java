package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * One ask: the message on its way, and a one-shot cell for the reply. Exactly one of reply,
 * failure, end of the actor, time limit and termination of the asker takes effect; the waiter
 * decides.
 *
 * <p>A question that is queued belongs to the mailbox, and survives a restart. One that was taken
 * and not answered belongs to the incarnation ({@link OpenAsks}), and fails with it.
 */
final class Ask<M, R> extends Envelope implements Recipient<R> {
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

    @Override
    Object open() {
        M made = message;
        if (made == null) {
            throw new IllegalStateException("the ask of " + asker + " has no message yet");
        }
        return made;
    }

    @Override
    Object content() {
        return open();
    }

    @Override
    public void tell(R reply) {
        give(Objects.requireNonNull(reply, "reply"), reply, DeadLetter.Reason.LATE_REPLY, null);
    }

    @Override
    public void fail(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        Failed given = new Failed("it failed the ask: " + failure, failure);
        give(given, failure, DeadLetter.Reason.FAILURE, failure);
    }

    private void give(
            Object result, Object letter, DeadLetter.Reason late, @Nullable Throwable cause) {
        boolean taken = waiter.give(result);
        target.answered(this);
        if (!taken) {
            target.deadLetters().report(new DeadLetter(letter, asker, late, cause));
        }
    }

    /** No reply can come; no effect if one has. */
    void noReply(String why, @Nullable Throwable cause) {
        waiter.give(new Failed(why, cause));
    }

    ActorCell<M> target() {
        return target;
    }

    /** A hint: somebody may still reply. */
    boolean isOpen() {
        return waiter.isWaiting();
    }

    @SuppressWarnings("unchecked") // the waiter is given nothing but R and Failed
    R await(long limitNanos) {
        Object result = waiter.await(this, limitNanos);
        if (result == Waits.TIMED_OUT) {
            throw timeout(limitNanos);
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

    AskTimeoutException timeout(long limitNanos) {
        return new AskTimeoutException(
                asker
                        + " asked "
                        + target.name()
                        + " and got no reply within "
                        + limitNanos / 1_000_000
                        + " ms; message: "
                        + message);
    }

    @Override
    public String toString() {
        return "the reply of " + target.name();
    }
}
