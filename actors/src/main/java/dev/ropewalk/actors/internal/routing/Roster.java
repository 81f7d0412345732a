package dev.ropewalk.actors.internal.routing;

import dev.ropewalk.actors.ActorRef;

import java.util.List;

/**
 * Who is in a group at one moment; immutable, so that senders choose from it without a lock. The
 * next one is another object.
 */
public final class Roster<M> {
    private static final Roster<Object> EMPTY = new Roster<>(List.of());

    private final List<Member<M>> members;
    private final List<ActorRef<M>> actors;

    Roster(List<Member<M>> members) {
        this.members = List.copyOf(members);
        this.actors = this.members.stream().map(Member::actor).toList();
    }

    @SuppressWarnings("unchecked") // it has no members
    static <M> Roster<M> empty() {
        return (Roster<M>) EMPTY;
    }

    public List<ActorRef<M>> actors() {
        return actors;
    }

    int size() {
        return members.size();
    }

    Member<M> get(int index) {
        return members.get(index);
    }
}
