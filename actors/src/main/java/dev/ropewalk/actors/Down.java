package dev.ropewalk.actors;

/**
 * A monitored actor is over.
 *
 * @param actor its address
 * @param reason why; {@link ExitReason.NoActor} if it was over before it was monitored
 */
public record Down(ActorRef<?> actor, ExitReason reason) {}
