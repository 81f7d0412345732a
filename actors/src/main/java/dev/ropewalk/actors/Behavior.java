package dev.ropewalk.actors;

import dev.ropewalk.actors.internal.behavior.BehaviorSigns;
import dev.ropewalk.actors.internal.behavior.Repeat;
import dev.ropewalk.actors.internal.behavior.StateBehavior;

import java.util.Objects;

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
     * @return the next behavior, {@link #same}, {@link #unhandled}, {@link #stopped}, or, in a
     *     {@linkplain #state(String, Behavior) state}, {@link #repeat}
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

    // ---------------------------------------------------------------- state machines

    /**
     * {@return a behavior with a name: a state} The actor changes its state when a message returns
     * a behavior of another name, or without a name: messages that were {@linkplain
     * ActorContext#postpone postponed} come again then, and the {@linkplain
     * ActorContext#stateTimeout state timeout} ends. The same name with other data is no change.
     *
     * <p>The semantics are those of Erlang's gen_statem.
     *
     * @param <M> the type of the messages
     * @param name shown in reports and dumps
     * @param behavior handles the messages in this state
     * @throws IllegalArgumentException if the behavior is a state or a sign itself
     */
    static <M> Behavior<M> state(String name, Behavior<M> behavior) {
        return StateBehavior.of(name, null, behavior);
    }

    /**
     * {@return a state with an entry, which runs at each change to it, and at the actor's start if
     * it is the first} A restart that keeps the state goes on in it, and runs no entry.
     *
     * @param <M> the type of the messages
     * @param name shown in reports and dumps
     * @param entry runs before all messages
     * @param behavior handles the messages in this state
     * @throws IllegalArgumentException if the behavior is a state or a sign itself
     */
    static <M> Behavior<M> state(String name, StateEntry<M> entry, Behavior<M> behavior) {
        return StateBehavior.of(name, Objects.requireNonNull(entry, "entry"), behavior);
    }

    /**
     * {@return the sign to run the entry of the current state again} That is no change: postponed
     * messages stay, and the state timeout goes on unless the entry sets another one. In a behavior
     * without a name it is an error.
     *
     * @param <M> the type of the messages
     */
    static <M> Behavior<M> repeat() {
        return Repeat.current();
    }

    /**
     * {@return the sign to go on with other data in the current state, and to run its entry again}
     *
     * @param <M> the type of the messages
     * @param next the current state, by its name, with other data; another one is an error
     */
    static <M> Behavior<M> repeat(Behavior<M> next) {
        return new Repeat<>(Objects.requireNonNull(next, "next"));
    }
}
