package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.InContext;
import dev.ropewalk.actors.internal.observe.DeadLetters;
import dev.ropewalk.actors.internal.observe.Taps;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Function;

/** An address whose messages become other messages to the actor. */
public final class Adapter<R> implements Recipient<R> {
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

    /** The actor that takes what it makes. */
    public ActorRef<?> owner() {
        return cell.ref();
    }

    @Override
    public void tell(R reply) {
        Objects.requireNonNull(reply, "message");
        if (Taps.onTells() && Caller.holds(this, reply)) {
            return;
        }
        cell.send(adapted(message, reply));
        if (Taps.onTells()) {
            Caller.sentTo(cell.ref(), reply);
        }
    }

    @Override
    public TellResult tryTell(R reply) {
        Objects.requireNonNull(reply, "message");
        if (Taps.onTells() && Caller.holds(this, reply)) {
            return TellResult.ACCEPTED;
        }
        TellResult result = cell.trySend(adapted(message, reply));
        if (result == TellResult.ACCEPTED && Taps.onTells()) {
            Caller.sentTo(cell.ref(), reply);
        }
        return result;
    }

    @Override
    public void fail(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        if (Taps.onTells() && Caller.holdsFailure(this, failure)) {
            return;
        }
        if (onFailure == null) {
            cell.fail(failure);
        } else {
            cell.send(adapted(onFailure, failure));
        }
    }

    private <T> Envelope adapted(Function<? super T, ?> function, T value) {
        if (!Taps.onTells()) {
            return new Envelope.Adapted<>(function, value, false);
        }
        boolean isOfTaker = DeadLetters.areTakenHere();
        Object context = cell.core().contextHere();
        return context == null
                ? new Envelope.Adapted<>(function, value, false, isOfTaker)
                : new InContext.Adapted<>(function, value, false, isOfTaker, context);
    }

    @Override
    public String toString() {
        return "an adapter of " + cell.ref();
    }
}
