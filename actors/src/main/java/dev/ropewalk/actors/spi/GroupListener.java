package dev.ropewalk.actors.spi;

import dev.ropewalk.actors.ActorRef;

/**
 * Hears of the changes of a group, on the cord that owns it; must not wait.
 *
 * @param <M> the type of the messages that the members take
 */
public interface GroupListener<M> {
    /**
     * An actor is a member.
     *
     * @param actor the actor
     */
    void joined(ActorRef<M> actor);

    /**
     * An actor is a member no more. Those that monitor it have not heard of its end yet.
     *
     * @param actor the actor
     */
    void left(ActorRef<M> actor);
}
