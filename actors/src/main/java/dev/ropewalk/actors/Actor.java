package dev.ropewalk.actors;

import dev.ropewalk.actors.internal.Definition;
import dev.ropewalk.fibers.supervision.RestartRule;

import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * How an actor is made and made again; immutable. Defaults: {@link RestartRule#TRANSIENT}, the
 * failed message is dropped, a restart begins from the factory, the mailbox has no bound.
 *
 * @param <M> the type of the messages
 */
public abstract sealed class Actor<M> permits Definition {
    /** For the library. */
    protected Actor() {}

    /**
     * {@return a handler-style actor: it keeps no stack while it waits for messages}
     *
     * @param <M> the type of the messages
     * @param factory makes the first behavior, on the actor's cord, at each start; must make a new
     *     one each time, because an instance that two incarnations share keeps what the first one
     *     left
     */
    public static <M> Actor<M> handler(Function<ActorContext<M>, Behavior<M>> factory) {
        return Definition.handler(Objects.requireNonNull(factory, "factory"));
    }

    /**
     * {@return a handler-style actor that needs no context} In a chain, {@code Actor.handler(() ->
     * worker(0)).keepState()}, the compiler finds the type of the messages by itself; for a factory
     * with a context it needs a method reference, or {@code (ActorContext<Job> ctx) -> ..}.
     *
     * @param <M> the type of the messages
     * @param factory makes the first behavior, on the actor's cord, at each start
     */
    public static <M> Actor<M> handler(Supplier<? extends Behavior<M>> factory) {
        Objects.requireNonNull(factory, "factory");
        return Definition.handler(_ -> factory.get());
    }

    /**
     * {@return a loop-style actor: its body receives where it likes}
     *
     * @param <M> the type of the messages
     * @param body is run at each start
     */
    public static <M> Actor<M> loop(ActorBody<M> body) {
        return Definition.loop(Objects.requireNonNull(body, "body"));
    }

    /**
     * {@return this definition with another restart rule} Without one an actor is {@link
     * RestartRule#TRANSIENT} below a supervisor, and {@link RestartRule#TEMPORARY} as the child of
     * an actor.
     *
     * @param when when the supervisor starts the actor again
     */
    public abstract Actor<M> restart(RestartRule when);

    /**
     * {@return this definition with another rule for the failed message}
     *
     * @param rule the new rule
     */
    public abstract Actor<M> onFailure(FailedMessage rule);

    /**
     * {@return this definition with another mailbox}
     *
     * @param options how many messages it holds, and what happens to those for which it has no room
     */
    public abstract Actor<M> mailbox(MailboxOptions options);

    /**
     * {@return this definition, resuming the behavior of the last completed message at a restart}
     *
     * @throws IllegalStateException if it is loop style, which has no committed state
     */
    public abstract Actor<M> keepState();
}
