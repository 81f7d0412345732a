package dev.ropewalk.actors.server;

/**
 * Answers a request.
 *
 * @param <S> the type of the state
 * @param <C> the type of the request
 * @param <R> the type of the reply
 */
@FunctionalInterface
public interface CallHandler<S, C, R> {
    /**
     * Answers a request; may wait.
     *
     * @param state the state
     * @param request the request
     * @return the reply, and the next state
     * @throws Exception fails the server, and with it the ask
     */
    Reply<R, S> onCall(S state, C request) throws Exception;
}
