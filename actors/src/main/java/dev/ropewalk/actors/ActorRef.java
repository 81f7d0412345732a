package dev.ropewalk.actors;

import dev.ropewalk.fibers.supervision.RestartRule;

import java.time.Duration;
import java.util.function.Function;

/**
 * The address of an actor; valid for ever, across restarts and after its end. All methods work from
 * any thread. Messages from one sender arrive in the order in which they were told.
 *
 * @param <M> the type of the messages that the actor takes
 */
public sealed interface ActorRef<M> permits ActorCell {
    /** How long an ask waits when no limit is given. */
    Duration ASK_LIMIT = Duration.ofSeconds(5);

    /**
     * Sends the message. Never waits, never throws for a dead actor: a message that can no longer
     * be processed becomes a {@link DeadLetter}.
     *
     * @param message the message
     */
    void tell(M message);

    /**
     * Sends a message that asks for a reply, and waits for it {@link #ASK_LIMIT} at most. A
     * switchpoint, also if the actor has ended: a fiber that is ended or cancelled before it asks
     * gets that, and no message was sent.
     *
     * @param <R> the type of the reply
     * @param message makes the message around the address for the reply
     * @return the reply
     * @throws AskTimeoutException if the limit passed; a late reply becomes a dead letter
     * @throws AskFailedException if the actor ended, or gave the message up, before it replied
     * @throws AskCycleException if actors would wait for each other's replies in a circle
     */
    default <R> R ask(Function<ReplyTo<R>, ? extends M> message) {
        return ask(message, ASK_LIMIT);
    }

    /**
     * Like {@link #ask(Function)}, with a limit.
     *
     * @param <R> the type of the reply
     * @param message makes the message around the address for the reply
     * @param limit how long to wait at most
     * @return the reply
     * @throws AskTimeoutException if the limit passed; a late reply becomes a dead letter
     * @throws AskFailedException if the actor ended, or gave the message up, before it replied
     * @throws AskCycleException if actors would wait for each other's replies in a circle
     */
    <R> R ask(Function<ReplyTo<R>, ? extends M> message, Duration limit);

    /**
     * Ends the actor normally after the messages that were told before. Those told later become
     * dead letters, unless the actor is {@link RestartRule#PERMANENT}: it is started again, and
     * goes on with them.
     */
    void stop();

    /**
     * Ends the actor at its next switchpoint, before it handles the queued messages. An actor that
     * is {@link RestartRule#PERMANENT} is started again, and goes on with its mailbox.
     */
    void terminate();

    /** {@return the actor's name} */
    String name();
}
