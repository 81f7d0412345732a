package dev.ropewalk.actors;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * An address that takes messages of a type: an actor's {@link ActorRef}, the reply address that an
 * ask makes, or the adapter that {@link ActorContext#adapt(Function)} makes of an actor that takes
 * other messages. A protocol names it where a reply goes, so that each of them will do.
 *
 * <p>All methods work from any thread.
 *
 * @param <M> the type of the messages
 */
public interface Recipient<M> {
    /**
     * Sends the message. Never throws for a recipient that is over: a message that can no longer be
     * processed becomes a {@link DeadLetter}, as does a second reply to one ask. So does a message
     * that finds no room, where the rule of a bounded mailbox is {@link Overflow#FAIL}, because the
     * mailbox of an asker must not fail the one that answers; {@link ActorRef#tell} says which
     * senders get an exception.
     *
     * @param message the message
     */
    void tell(M message);

    /**
     * Sends the message if it is taken now: never waits, and never throws because of the kind of
     * recipient. Unless overridden, it tells the message and returns {@link TellResult#ACCEPTED}.
     *
     * @param message the message
     * @return whether it was taken, or why not; {@link TellResult#ENDED} also from the address of
     *     an ask that has a reply, or whose asker waits no longer
     */
    default TellResult tryTell(M message) {
        tell(message);
        return TellResult.ACCEPTED;
    }

    /**
     * Says that there is no message, and why. An ask fails with it at once, as an {@link
     * AskFailedException} whose cause it is; an address made by {@link ActorContext#adapt(Function,
     * Function)} makes a message of it; at any other it is a {@link DeadLetter}.
     *
     * @param failure why there is no message
     * @see ActorContext#pipe(CompletionStage, Function)
     */
    void fail(Throwable failure);
}
