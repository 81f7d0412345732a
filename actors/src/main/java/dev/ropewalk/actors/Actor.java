package dev.ropewalk.actors;

import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Function;

/**
 * How an actor is made and made again; immutable. Defaults: {@link RestartRule#TRANSIENT}, the
 * failed message is dropped, a restart begins from the factory.
 *
 * @param <M> the type of the messages
 */
public final class Actor<M> {
    private final @Nullable Function<ActorContext<M>, Behavior<M>> factory;
    private final @Nullable ActorBody<M> body;
    private final RestartRule restart;
    private final FailedMessage failedMessage;
    private final boolean keepsState;

    private Actor(
            @Nullable Function<ActorContext<M>, Behavior<M>> factory,
            @Nullable ActorBody<M> body,
            RestartRule restart,
            FailedMessage failedMessage,
            boolean keepsState) {
        this.factory = factory;
        this.body = body;
        this.restart = restart;
        this.failedMessage = failedMessage;
        this.keepsState = keepsState;
    }

    /**
     * {@return a handler-style actor: it keeps no stack while it waits for messages}
     *
     * @param <M> the type of the messages
     * @param factory makes the first behavior, on the actor's cord, at each start
     */
    public static <M> Actor<M> handler(Function<ActorContext<M>, Behavior<M>> factory) {
        return new Actor<>(
                Objects.requireNonNull(factory, "factory"),
                null,
                RestartRule.TRANSIENT,
                FailedMessage.drop(),
                false);
    }

    /**
     * {@return a loop-style actor: its body receives where it likes}
     *
     * @param <M> the type of the messages
     * @param body is run at each start
     */
    public static <M> Actor<M> loop(ActorBody<M> body) {
        return new Actor<>(
                null,
                Objects.requireNonNull(body, "body"),
                RestartRule.TRANSIENT,
                FailedMessage.drop(),
                false);
    }

    /**
     * {@return this definition with another restart rule}
     *
     * @param when when the supervisor starts the actor again
     */
    public Actor<M> restart(RestartRule when) {
        return new Actor<>(
                factory, body, Objects.requireNonNull(when, "when"), failedMessage, keepsState);
    }

    /**
     * {@return this definition with another rule for the failed message}
     *
     * @param rule the new rule
     */
    public Actor<M> onFailure(FailedMessage rule) {
        return new Actor<>(
                factory, body, restart, Objects.requireNonNull(rule, "rule"), keepsState);
    }

    /**
     * {@return this definition, resuming the behavior of the last completed message at a restart}
     *
     * @throws IllegalStateException if it is loop style, which has no committed state
     */
    public Actor<M> keepState() {
        if (factory == null) {
            throw new IllegalStateException(
                    "keepState needs a handler-style actor; a loop restarts from its body");
        }
        return new Actor<>(factory, body, restart, failedMessage, true);
    }

    @Nullable Function<ActorContext<M>, Behavior<M>> factory() {
        return factory;
    }

    @Nullable ActorBody<M> body() {
        return body;
    }

    RestartRule restart() {
        return restart;
    }

    FailedMessage failedMessage() {
        return failedMessage;
    }

    boolean keepsState() {
        return keepsState;
    }
}
