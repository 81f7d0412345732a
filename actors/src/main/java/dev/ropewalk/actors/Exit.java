package dev.ropewalk.actors;

/**
 * An incarnation that this actor is linked to is over, and the actor traps exits.
 *
 * @param from the other actor
 * @param reason why it is over; {@link ExitReason.NoActor} if it was over before the link
 */
public record Exit(ActorRef<?> from, ExitReason reason) {}
