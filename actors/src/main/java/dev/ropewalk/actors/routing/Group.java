package dev.ropewalk.actors.routing;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.internal.routing.GroupCell;

import java.util.List;

/**
 * Actors that belong together, by a name; made by {@link dev.ropewalk.actors.ActorSystem#group}.
 * One cord owns it, so that all changes have one order. All methods work from any thread.
 *
 * <p>A restart keeps an actor in its groups. An actor that ends for good leaves them before its
 * monitors are told of its end.
 *
 * <p>To send to its members, put a {@link Routing} over it. To follow its changes, {@linkplain
 * dev.ropewalk.actors.ActorContext#watch watch} it.
 *
 * @param <M> the type of the messages that the members take
 */
public abstract sealed class Group<M> permits GroupCell {
    /** For the library. */
    protected Group() {}

    /** {@return its name} */
    public abstract String name();

    /**
     * Makes the actor a member; waits until that holds. To join twice counts once. A switchpoint.
     *
     * @param actor of this process
     * @return whether it is a member; false if it has ended
     * @throws IllegalArgumentException if it is not an actor of this process
     * @throws IllegalStateException if the group's cord has ended
     */
    public abstract boolean join(ActorRef<M> actor);

    /**
     * Takes the actor out; waits until that holds. No effect if it is no member. A switchpoint.
     *
     * @param actor the actor
     */
    public abstract void leave(ActorRef<M> actor);

    /**
     * {@return the members, in the order in which they joined; a snapshot} Never waits: a change
     * that is on its way is not seen yet.
     */
    public abstract List<ActorRef<M>> members();
}
