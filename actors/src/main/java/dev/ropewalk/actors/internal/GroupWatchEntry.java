package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.routing.GroupCell;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.routing.GroupChange;
import dev.ropewalk.actors.routing.GroupWatch;
import dev.ropewalk.actors.spi.GroupListener;

import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * One actor's watch of a group. Each change becomes a notice in its mailbox; confined to that
 * actor's cord, but for {@link #joined} and {@link #left}, which are of the group's.
 */
final class GroupWatchEntry<M, G>
        implements GroupWatch<G>, GroupListener<G>, Envelope.Notice.Source {
    private final ActorCell<M> cell;
    private final GroupCell<G> group;
    private final Function<? super GroupChange<G>, ? extends M> message;

    /** Where it stands until it is over. */
    private final Set<GroupWatchEntry<M, ?>> all;

    private List<ActorRef<G>> snapshot = List.of();
    private boolean isCancelled;

    GroupWatchEntry(
            ActorCell<M> cell,
            GroupCell<G> group,
            Function<? super GroupChange<G>, ? extends M> message,
            Set<GroupWatchEntry<M, ?>> all) {
        this.cell = cell;
        this.group = group;
        this.message = message;
        this.all = all;
    }

    /** A switchpoint. */
    void begin() {
        boolean isHeard = false;
        try {
            snapshot = group.listen(this);
            isHeard = true;
        } finally {
            isCancelled = !isHeard; // changes may be on their way
        }
        all.add(this);
    }

    @Override
    public Group<G> group() {
        return group;
    }

    @Override
    public List<ActorRef<G>> snapshot() {
        return snapshot;
    }

    @Override
    public void joined(ActorRef<G> actor) {
        tell(new GroupChange.Joined<>(this, actor));
    }

    @Override
    public void left(ActorRef<G> actor) {
        tell(new GroupChange.Left<>(this, actor));
    }

    private void tell(GroupChange<G> change) {
        cell.deliver(new Envelope.Notice<>(message, change, this));
    }

    @Override
    public boolean isRevoked() {
        return isCancelled;
    }

    @Override
    public void done() {
        // Others follow.
    }

    @Override
    public void cancel() {
        Caller.checkIs(cell, "cancel of a watch");
        close();
    }

    /** By the actor, or because its state is over. */
    void close() {
        if (!isCancelled) {
            isCancelled = true;
            all.remove(this);
            group.unlisten(this);
        }
    }

    @Override
    public String toString() {
        return "watch of " + group + " by " + cell.ref();
    }
}
