package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.internal.sending.Gate;
import dev.ropewalk.actors.spi.Room;
import dev.ropewalk.actors.spi.Target;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The room of an actor, for senders that are elsewhere. */
final class CellRoom<M> implements Room {
    private final ActorCell<M> actor;
    private final Gate<M> gate;

    private CellRoom(ActorCell<M> actor, Gate<M> gate) {
        this.actor = actor;
        this.gate = gate;
    }

    /** Null if its senders have nothing to do with it. */
    static @Nullable Room of(Target<?> target) {
        return target instanceof ActorCell<?> actor ? ofCell(actor) : null;
    }

    private static <M> @Nullable Room ofCell(ActorCell<M> actor) {
        Gate<M> gate = actor.gate();
        return gate != null && gate.lends() ? new CellRoom<>(actor, gate) : null;
    }

    @Override
    public boolean isWaitedFor() {
        return gate.options().overflow() == Overflow.SUSPEND;
    }

    @Override
    public int capacity() {
        return gate.options().capacity();
    }

    @Override
    public boolean tryTake() {
        return gate.tryTake();
    }

    @Override
    public boolean take(long limitNanos) {
        return gate.take(limitNanos);
    }

    @Override
    public void give() {
        gate.begun();
    }

    @Override
    public void tell(Object message) {
        gate.sendWithPermit(Taps.onTells() ? actor.core().seen(message) : ActorCell.told(message));
    }

    @Override
    @SuppressWarnings("unchecked") // the sender knows what the actor takes
    public <R> CompletionStage<R> askLater(Function<Recipient<R>, ?> message, Duration limit) {
        return LaterAsk.askWithPermit(
                actor, gate, (Function<Recipient<R>, ? extends M>) message, limit);
    }
}
