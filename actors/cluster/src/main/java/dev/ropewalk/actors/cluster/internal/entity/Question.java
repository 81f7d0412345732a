package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.ActorRef;

/**
 * A question on its way to an entity.
 *
 * @param ask that waits for the reply
 * @param message the question
 */
record Question<M, R>(EntityAsk<R> ask, M message) {
    /** On the cord of the actor. Never waits. */
    void ask(ActorRef<M> actor) {
        ask.passOn(actor, message);
    }

    @Override
    public String toString() {
        return message.toString();
    }
}
