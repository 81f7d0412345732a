package dev.ropewalk.actors.routing;

import dev.ropewalk.actors.ActorRef;

/**
 * A change of a watched group.
 *
 * @param <M> the type of the messages that the members take
 */
public sealed interface GroupChange<M> {
    /** {@return the watch that this belongs to} */
    GroupWatch<M> watch();

    /** {@return the actor that has joined or left} */
    ActorRef<M> actor();

    /**
     * An actor has joined.
     *
     * @param <M> the type of the messages that the members take
     * @param watch the watch that this belongs to
     * @param actor the new member
     */
    record Joined<M>(GroupWatch<M> watch, ActorRef<M> actor) implements GroupChange<M> {}

    /**
     * An actor has left, or has ended for good.
     *
     * @param <M> the type of the messages that the members take
     * @param watch the watch that this belongs to
     * @param actor the member that was
     */
    record Left<M>(GroupWatch<M> watch, ActorRef<M> actor) implements GroupChange<M> {}
}
