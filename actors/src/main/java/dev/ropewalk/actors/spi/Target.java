package dev.ropewalk.actors.spi;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The destination of an {@link dev.ropewalk.actors.ActorRef}: an actor of this process, or of
 * another one. For builders of such; each method means what the one of the same name of {@code
 * ActorRef} says, and works from any thread. Two targets of one actor are equal, or there is one
 * only: its refs are equal then.
 *
 * @param <M> the type of the messages
 */
public abstract class Target<M> {
    /** For builders of targets. */
    protected Target() {}

    /**
     * Sends a message.
     *
     * @param message not null
     * @throws dev.ropewalk.actors.MailboxFullException if the mailbox is full, its policy is to
     *     fail, and the sender is no actor
     */
    public abstract void tell(M message);

    /**
     * Sends a message if there is room for it now.
     *
     * @param message not null
     * @return what became of it
     */
    public abstract TellResult tryTell(M message);

    /**
     * Reports a failure that was sent in place of a message.
     *
     * @param failure not null
     */
    public abstract void fail(Throwable failure);

    /**
     * Sends a message and waits for its reply.
     *
     * @param <R> the type of the reply
     * @param message makes the message
     * @param limit how long to wait at most
     * @return the reply
     * @throws dev.ropewalk.actors.AskTimeoutException if the limit passed
     * @throws dev.ropewalk.actors.AskFailedException if no reply can come
     * @throws dev.ropewalk.actors.AskCycleException if actors would wait for each other's replies
     *     in a circle
     */
    public abstract <R> R ask(Function<Recipient<R>, ? extends M> message, Duration limit);

    /**
     * Sends a message, and gives its reply to a stage. Never waits.
     *
     * @param <R> the type of the reply
     * @param message makes the message
     * @param limit how long the stage stays open at most
     * @return the stage
     */
    public abstract <R> CompletionStage<R> askLater(
            Function<Recipient<R>, ? extends M> message, Duration limit);

    /** Ends the actor after the messages that were told before. */
    public abstract void stop();

    /** Ends the actor at its next switchpoint. */
    public abstract void terminate();

    /** Ends the incarnation that runs, as a failure; from any thread. */
    public abstract void kill();

    /**
     * Waits for the end of the actor.
     *
     * @param limit how long to wait at most
     * @return false if the limit passed
     */
    public abstract boolean awaitEnd(Duration limit);

    /**
     * Tells the listener once when the actor is over, at once if it is over already.
     *
     * @param listener is told
     * @param ofEach whether it is told of each incarnation instead
     */
    public abstract void watch(DownListener listener, boolean ofEach);

    /**
     * Takes the listener out; it may be told all the same if the actor ends meanwhile.
     *
     * @param listener of a {@link #watch}
     */
    public abstract void unwatch(DownListener listener);

    /**
     * An actor here waits for an ask that leads, over others, to this target: if that is an actor
     * of another process, it searches there for a circle, and fails one of its asks if there is
     * one. Never waits.
     *
     * @param asker of the ask that may have closed it
     * @param last the ask of this target, which is open
     */
    public void seekCircle(ActorRef<?> asker, OpenAsk last) {
        // All asks of this process have been seen by then.
    }

    /**
     * An actor of this process links to this one, of another process. Never waits.
     *
     * @param actor of this process
     * @param end of the link at that actor
     * @return the end at this one
     * @throws UnsupportedOperationException if it is no actor
     */
    public LinkPeer link(ActorRef<?> actor, LinkPeer end) {
        throw new UnsupportedOperationException(
                "a link of " + actor + " to " + this + ": it is no actor; use its members");
    }

    /**
     * {@return how many messages the actor has, for one router; null if it says nothing of that}
     * From the first call on it is kept up to date.
     */
    public @Nullable Load load() {
        return null;
    }

    /** {@return what is queued now} */
    public abstract MailboxSnapshot mailbox();

    /**
     * Reports a message that a router or a bus could not tell here, to the system of this process
     * that the address belongs to.
     *
     * @param letter the message
     * @return false if it belongs to none
     */
    public boolean report(DeadLetter letter) {
        return false;
    }
}
