package dev.ropewalk.actors.internal.routing;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.spi.Load;

import org.jspecify.annotations.Nullable;

/** An actor that a router may choose. */
final class Member<M> {
    private final ActorRef<M> actor;

    /** Null if it is no actor of this process. */
    private final @Nullable Routee<M> cell;

    private final String place;

    Member(ActorRef<M> actor, String place) {
        this.actor = actor;
        this.cell = Routee.of(actor);
        this.place = place;
    }

    /** One whose place is known in this process alone. */
    static <M> Member<M> here(ActorRef<M> actor) {
        return new Member<>(actor, place("", actor.path(), actor));
    }

    /**
     * Where an actor stands, the same after a restart of its process. The number is part of that if
     * it has no name of its own.
     *
     * @param prefix names the node, if there are several
     * @param path of the actor there
     */
    static String place(String prefix, String path, ActorRef<?> actor) {
        String named = prefix + path;
        return actor.name().equals(Routee.ANONYMOUS) ? named + '#' + actor.number() : named;
    }

    ActorRef<M> actor() {
        return actor;
    }

    @Nullable Routee<M> cell() {
        return cell;
    }

    String place() {
        return place;
    }

    /** For one router; null if it says nothing about a mailbox. */
    @Nullable Load load() {
        Routee<M> local = cell;
        return local == null ? actor.target().load() : GaugeLoad.of(local);
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
