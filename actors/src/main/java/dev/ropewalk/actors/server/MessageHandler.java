package dev.ropewalk.actors.server;

/**
 * Handles a message that wants no reply.
 *
 * @param <S> the type of the state
 * @param <C> the type of the message
 */
@FunctionalInterface
public interface MessageHandler<S, C> {
    /**
     * Handles a message; may wait.
     *
     * @param state the state
     * @param message the message
     * @return the next state
     * @throws Exception fails the server
     */
    S onMessage(S state, C message) throws Exception;
}
