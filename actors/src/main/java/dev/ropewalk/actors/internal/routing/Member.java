package dev.ropewalk.actors.internal.routing;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.TellResult;

import org.jspecify.annotations.Nullable;

/** An actor that a router may choose. */
final class Member<M> {
    private final ActorRef<M> actor;

    /** Null if it is no actor of this process. */
    private final @Nullable Routee<M> cell;

    /** Of its mailbox; null until somebody asks for it. */
    private volatile @Nullable Gauge gauge;

    Member(ActorRef<M> actor) {
        this.actor = actor;
        this.cell = Routee.of(actor);
    }

    ActorRef<M> actor() {
        return actor;
    }

    @Nullable Routee<M> cell() {
        return cell;
    }

    /** Null for now, or for ever, if it says nothing about its mailbox. */
    @Nullable Gauge gauge() {
        return gauge;
    }

    void wantGauge() {
        Routee<M> local = cell;
        if (gauge == null && local != null) {
            local.onCord(() -> gauge = local.gauge());
        }
    }

    /** A message that comes after its end is a dead letter that names the router. */
    void tell(String router, M message) {
        Routee<M> local = cell;
        if (local == null) {
            actor.tell(message);
        } else {
            local.tellBy(router, message);
        }
    }

    /** The same, of a message that is sent if there is room for it now. */
    TellResult tryTell(String router, M message) {
        Routee<M> local = cell;
        return local == null ? actor.tryTell(message) : local.tryTellBy(router, message);
    }

    @Override
    public String toString() {
        return actor.toString();
    }
}
