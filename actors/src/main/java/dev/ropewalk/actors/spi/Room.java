package dev.ropewalk.actors.spi;

import dev.ropewalk.actors.Recipient;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The room in a bounded mailbox whose senders wait for it, or are refused without it: for builders
 * of targets that take it in advance, for senders elsewhere (rule A3). A permit that was taken is
 * used for one message, or given back. From any thread.
 *
 * @see Calls#roomOf
 */
public interface Room {
    /** {@return whether senders wait for room; otherwise they are refused without it} */
    boolean isWaitedFor();

    /** {@return how many messages the mailbox holds} */
    int capacity();

    /** {@return whether a permit was there, and was taken} An actor that is over has always one. */
    boolean tryTake();

    /**
     * Waits for a permit, behind those that came earlier. A switchpoint.
     *
     * @param limitNanos how long to wait at most; {@code Long.MAX_VALUE} for no limit
     * @return false if the limit passed
     */
    boolean take(long limitNanos);

    /** Gives a permit back that was not used. Never waits. */
    void give();

    /**
     * Tells with a permit. Never waits.
     *
     * @param message of the type that the actor takes
     */
    void tell(Object message);

    /**
     * Asks with a permit, as {@link dev.ropewalk.actors.ActorRef#askLater}. Never waits.
     *
     * @param <R> the type of the reply
     * @param message makes the message
     * @param limit how long the stage stays open at most
     * @return the stage
     */
    <R> CompletionStage<R> askLater(Function<Recipient<R>, ?> message, Duration limit);
}
