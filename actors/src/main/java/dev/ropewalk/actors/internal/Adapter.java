package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.observe.Taps;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Function;

/** An address whose messages become other messages to the actor. */
final class Adapter<R> implements Recipient<R> {
    private final ActorCell<?> cell;
    private final Function<? super R, ?> message;

    /** Null if a failure is a dead letter. */
    private final @Nullable Function<? super Throwable, ?> onFailure;

    Adapter(
            ActorCell<?> cell,
            Function<? super R, ?> message,
            @Nullable Function<? super Throwable, ?> onFailure) {
        this.cell = cell;
        this.message = message;
        this.onFailure = onFailure;
    }

    @Override
    public void tell(R reply) {
        cell.send(new Envelope.Adapted<>(message, Objects.requireNonNull(reply, "message"), false));
        if (Taps.areAny()) {
            ActorCell.sentTo(cell.ref(), reply);
        }
    }

    @Override
    public TellResult tryTell(R reply) {
        TellResult result =
                cell.trySend(
                        new Envelope.Adapted<>(
                                message, Objects.requireNonNull(reply, "message"), false));
        if (result == TellResult.ACCEPTED && Taps.areAny()) {
            ActorCell.sentTo(cell.ref(), reply);
        }
        return result;
    }

    @Override
    public void fail(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        if (onFailure == null) {
            cell.fail(failure);
        } else {
            cell.send(new Envelope.Adapted<>(onFailure, failure, false));
        }
    }

    @Override
    public String toString() {
        return "an adapter of " + cell.ref();
    }
}
