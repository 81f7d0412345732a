package dev.ropewalk.actors.internal.routing;

import dev.ropewalk.actors.ActorRef;

import java.util.List;

/**
 * The list of the members of a group at one moment; immutable, so that senders choose from it
 * without a lock. The next one is another object.
 */
public final class Roster<M> {
    private static final Roster<Object> EMPTY = new Roster<>(List.of(), false);

    /** An array, because each routed message reads it. */
    private final Member<M>[] members;

    private final List<ActorRef<M>> actors;
    private final boolean isShared;

    @SuppressWarnings("unchecked") // as a list would have it
    Roster(List<Member<M>> members, boolean isShared) {
        this.isShared = isShared;
        this.members = (Member<M>[]) members.toArray(Member[]::new);
        this.actors = members.stream().map(Member::actor).toList();
    }

    @SuppressWarnings("unchecked") // it has no members
    static <M> Roster<M> empty() {
        return (Roster<M>) EMPTY;
    }

    public List<ActorRef<M>> actors() {
        return actors;
    }

    /** Other processes choose from the same members. */
    boolean isShared() {
        return isShared;
    }

    int size() {
        return members.length;
    }

    Member<M> get(int index) {
        return members[index];
    }
}
