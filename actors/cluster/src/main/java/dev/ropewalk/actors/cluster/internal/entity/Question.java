package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.ActorRef;

import java.util.function.BooleanSupplier;

/**
 * A question on its way to an entity.
 *
 * @param ask that waits for the reply
 * @param message the question
 */
record Question<M, R>(EntityAsk<R> ask, M message) {
    /**
     * On the cord of the actor. Never waits.
     *
     * @param mayReply looked at when the reply comes
     */
    void ask(ActorRef<M> actor, BooleanSupplier mayReply) {
        ask.passOn(actor, message, mayReply);
    }

    @Override
    public String toString() {
        return message.toString();
    }
}
