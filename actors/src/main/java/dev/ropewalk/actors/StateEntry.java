package dev.ropewalk.actors;

import org.jspecify.annotations.Nullable;

/**
 * An actor's action when it enters a state; for {@link Behavior#state(String, StateEntry,
 * Behavior)}.
 *
 * @param <M> the type of the messages
 */
@FunctionalInterface
public interface StateEntry<M> {
    /**
     * Runs on the actor's fiber; may wait. It is part of the message that led here: if it throws,
     * the actor fails on that message, and has not left its state. It may set timeouts and insert
     * messages.
     *
     * @param from the name of the state that was left, which is this one after {@link
     *     Behavior#repeat}; null at the start, or if the behavior that was left has no name
     * @return {@link Behavior#same}, {@link Behavior#stopped}, or the same state with other data; a
     *     state of another name is an error
     * @throws Exception any exception fails the actor
     */
    Behavior<M> onEnter(@Nullable String from) throws Exception;
}
