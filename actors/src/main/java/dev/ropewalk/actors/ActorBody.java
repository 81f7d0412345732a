package dev.ropewalk.actors;

/**
 * The body of a loop-style actor; it calls {@link ActorContext#receive()} where it likes.
 *
 * @param <M> the type of the messages
 */
@FunctionalInterface
public interface ActorBody<M> {
    /**
     * Runs until the actor is over; returning ends it normally.
     *
     * @param self the actor's own side
     * @throws Exception any exception fails the actor, and its supervisor decides
     */
    void run(ActorContext<M> self) throws Exception;
}
