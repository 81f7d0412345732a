package dev.ropewalk.actors;

import dev.ropewalk.actors.internal.BehaviorSigns;

/**
 * Handles the next message of a handler-style actor, which gets one message at a time and returns
 * the behavior for the one after it.
 *
 * <p>The behavior that the last completed message returned is the actor's committed state: with
 * {@link Actor#keepState} a restart resumes it. State that a message changes in place is not rolled
 * back; return a new behavior instead.
 *
 * @param <M> the type of the messages
 */
@FunctionalInterface
public interface Behavior<M> {
    /**
     * Handles one message. It may wait (ask, sleep, a channel); the actor's other messages wait
     * meanwhile.
     *
     * @param message the message
     * @return the next behavior, {@link #same}, {@link #unhandled} or {@link #stopped}
     * @throws Exception any exception fails the actor, and its supervisor decides
     */
    Behavior<M> onMessage(M message) throws Exception;

    /**
     * {@return the sign to go on with the current behavior}
     *
     * @param <M> the type of the messages
     */
    static <M> Behavior<M> same() {
        return BehaviorSigns.same();
    }

    /**
     * {@return the sign that the actor has ended normally}
     *
     * @param <M> the type of the messages
     */
    static <M> Behavior<M> stopped() {
        return BehaviorSigns.stopped();
    }

    /**
     * {@return the sign that this behavior has no use for the message} The message is reported as a
     * {@link DeadLetter} and counted, an asker is told at once, and the actor goes on with the
     * current behavior.
     *
     * @param <M> the type of the messages
     */
    static <M> Behavior<M> unhandled() {
        return BehaviorSigns.unhandled();
    }
}
