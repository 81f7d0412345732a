package dev.ropewalk.actors.internal.observe;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/** Stands between the messages of one actor and the actor; on the actor's cord. */
public interface Tap {
    /**
     * The actor is about to begin a message. On the actor's fiber: a tap may wait, and if it
     * throws, the actor fails on the message.
     *
     * @return false leaves the message out: the actor is done with it and has not seen it
     */
    boolean in(Object message);

    /** The actor has sent a message. Must not wait, and must not throw. */
    void out(Object message, String to);

    /** Whether it is to hear of what the actor sends, as text. */
    default boolean hearsSends() {
        return true;
    }

    // The methods below must not wait, and must not throw.

    /**
     * The context of the sender of the message that the actor is about to begin: {@link #in} is
     * next; or {@link #failed}, of one that it has begun, or that cannot be opened.
     */
    default void comes(@Nullable Object context) {}

    /**
     * The actor is done with the message that it came to last, on its fiber. Also called where
     * there was none.
     *
     * @param failure null if it has not failed
     */
    default void over(@Nullable Throwable failure) {}

    /** The fiber of the actor is over, and may have been given up in a message. */
    default void abandoned() {}

    /** The behavior has returned this for the message in hand; null is an error. */
    default void returned(@Nullable Object next) {}

    /** The actor has failed on a message. */
    default void failed(Object message, Throwable failure) {}

    /** The message in hand comes again when the state changes. */
    default void postponed(Object message) {}

    /** The actor has inserted a message that comes next. */
    default void inserted(Object message) {}

    /** The actor has set a timer, maybe in place of another one of its name. */
    default void timerSet(@Nullable String name, TimerKind kind, Duration time, Object message) {}

    /** The actor, or a change of its state, has ended a timer that had not gone off. */
    default void timerCancelled(@Nullable String name, Object message) {}
}
