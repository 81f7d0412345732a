package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.Monitor;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.spi.DownListener;

import java.util.Set;
import java.util.function.Function;

/**
 * One actor's monitor of another. Each {@link Down} that it gets becomes a notice in the mailbox of
 * the actor that monitors; confined to that actor's cord, but for {@link #down}.
 */
final class MonitorEntry<M> implements Monitor, DownListener, Envelope.Notice.Source {
    private final ActorCell<M> cell;
    private final ActorRef<?> actor;
    private final Function<? super Down, ? extends M> message;

    /** Not only of its last incarnation. */
    private final boolean ofEach;

    /** Where it stands until it is over. */
    private final Set<MonitorEntry<M>> all;

    private boolean cancelled;

    MonitorEntry(
            ActorCell<M> cell,
            ActorRef<?> actor,
            Function<? super Down, ? extends M> message,
            boolean ofEach,
            Set<MonitorEntry<M>> all) {
        this.cell = cell;
        this.actor = actor;
        this.message = message;
        this.ofEach = ofEach;
        this.all = all;
    }

    void begin() {
        all.add(this);
        actor.target().watch(this, ofEach);
    }

    @Override
    public ActorRef<?> actor() {
        return actor;
    }

    @Override
    public void down(Down down) {
        cell.deliver(new Envelope.Notice<>(message, down, this));
    }

    @Override
    public boolean isBarrier() {
        return true;
    }

    @Override
    public boolean isRevoked() {
        return cancelled;
    }

    @Override
    public void done() {
        if (!ofEach) {
            all.remove(this);
        }
    }

    @Override
    public void cancel() {
        Caller.checkIs(cell, "cancel of a monitor");
        close();
    }

    /** By the actor, or because its state is over. */
    void close() {
        if (!cancelled) {
            cancelled = true;
            all.remove(this);
            actor.target().unwatch(this);
        }
    }

    @Override
    public String toString() {
        return "monitor of " + actor + " by " + cell.ref();
    }
}
