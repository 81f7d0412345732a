package dev.ropewalk.actors;

import java.time.Duration;

/**
 * An actor's timers: each sends the actor a message of its own, once or again and again. They die
 * with the incarnation, and with {@link Actor#keepState} with the state. For the actor's own fiber:
 * each method throws IllegalStateException if another one calls it, or if they have died.
 *
 * <p>Of a timer at most one message is in the mailbox or in hand, so an actor that is slow is not
 * flooded by its own timers. Such a message needs no permit of a bounded mailbox, and no policy
 * drops it.
 *
 * <p>A timer with a name takes the place of the active one of the same name, whose message does not
 * come any more, even if it is in the mailbox already.
 *
 * @param <M> the type of the messages
 */
public interface Timers<M> {
    /**
     * {@return a timer that sends the message once}
     *
     * @param delay after how long; 0 as soon as the cord looks at its timers
     * @param message what is sent
     * @throws IllegalArgumentException if the delay is negative
     */
    ActorTimer once(Duration delay, M message);

    /**
     * {@return a timer that sends the message once}
     *
     * @param name takes the place of the active one of this name
     * @param delay after how long; 0 as soon as the cord looks at its timers
     * @param message what is sent
     * @throws IllegalArgumentException if the delay is negative
     */
    ActorTimer once(String name, Duration delay, M message);

    /**
     * {@return a timer that sends the message again and again, with the delay between the end of
     * one message's handling and the next} The first comes after the delay.
     *
     * @param delay above 0
     * @param message what is sent each time
     * @throws IllegalArgumentException if the delay is 0 or negative
     */
    ActorTimer fixedDelay(Duration delay, M message);

    /**
     * {@return a timer that sends the message again and again, with the delay between the end of
     * one message's handling and the next} The first comes after the delay.
     *
     * @param name takes the place of the active one of this name
     * @param delay above 0
     * @param message what is sent each time
     * @throws IllegalArgumentException if the delay is 0 or negative
     */
    ActorTimer fixedDelay(String name, Duration delay, M message);

    /**
     * {@return a timer that sends the message at multiples of the period from now on} Nothing
     * drifts. Times that pass while a message of the timer waits or is handled are left out, so
     * there are no bursts.
     *
     * @param period above 0
     * @param message what is sent each time
     * @throws IllegalArgumentException if the period is 0 or negative
     */
    ActorTimer fixedRate(Duration period, M message);

    /**
     * {@return a timer that sends the message at multiples of the period from now on} Nothing
     * drifts. Times that pass while a message of the timer waits or is handled are left out, so
     * there are no bursts.
     *
     * @param name takes the place of the active one of this name
     * @param period above 0
     * @param message what is sent each time
     * @throws IllegalArgumentException if the period is 0 or negative
     */
    ActorTimer fixedRate(String name, Duration period, M message);

    /**
     * Cancels the timer of the name.
     *
     * @param name its name
     * @return false if there is no active one
     */
    boolean cancel(String name);

    /**
     * {@return whether a timer of the name is active}
     *
     * @param name its name
     */
    boolean isActive(String name);

    /** Cancels all timers of the actor. */
    void cancelAll();
}
