package dev.ropewalk.actors.server;

import java.util.Objects;

/**
 * A server's answer to a {@link Request}.
 *
 * @param <R> the type of the reply
 * @param <S> the type of the state
 */
public sealed interface Reply<R, S> {
    /**
     * {@return a reply, which leaves when the state is committed}
     *
     * @param <R> the type of the reply
     * @param <S> the type of the state
     * @param value the reply
     * @param state the next state
     */
    static <R, S> Reply<R, S> of(R value, S state) {
        return new Now<>(
                Objects.requireNonNull(value, "value"), Objects.requireNonNull(state, "state"));
    }

    /**
     * {@return no reply for now} Keep {@link Request#replyTo} in the state, and tell it the reply
     * when there is one. If the server fails before, the asker is told so.
     *
     * @param <R> the type of the reply
     * @param <S> the type of the state
     * @param state the next state
     */
    static <R, S> Reply<R, S> later(S state) {
        return new Later<>(Objects.requireNonNull(state, "state"));
    }

    /**
     * {@return a reply after which the server ends normally}
     *
     * @param <R> the type of the reply
     * @param <S> the type of the state
     * @param value the reply
     */
    static <R, S> Reply<R, S> last(R value) {
        return new Last<>(Objects.requireNonNull(value, "value"));
    }

    /**
     * See {@link #of}.
     *
     * @param <R> the type of the reply
     * @param <S> the type of the state
     * @param value the reply
     * @param state the next state
     */
    record Now<R, S>(R value, S state) implements Reply<R, S> {}

    /**
     * See {@link #later}.
     *
     * @param <R> the type of the reply
     * @param <S> the type of the state
     * @param state the next state
     */
    record Later<R, S>(S state) implements Reply<R, S> {}

    /**
     * See {@link #last}.
     *
     * @param <R> the type of the reply
     * @param <S> the type of the state
     * @param value the reply
     */
    record Last<R, S>(R value) implements Reply<R, S> {}
}
