package dev.ropewalk.actors;

import dev.ropewalk.actors.internal.Definition;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

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
     * {@return the same, with the type of its messages named} For a factory that is a lambda with a
     * lambda inside, {@code Actor.handler(Job.class, self -> job -> ..).keepState()}: in a chain,
     * or where no variable or parameter says it, the compiler cannot find the type. For messages
     * that no class stands for, such as a {@code List<Job>}, write {@code
     * Actor.<List<Job>>handler(self -> ..)}.
     *
     * @param <M> the type of the messages
     * @param messages that type; for the compiler only
     * @param factory as of {@link #handler(Function)}
     */
    public static <M> Actor<M> handler(
            Class<M> messages, Function<ActorContext<M>, Behavior<M>> factory) {
        Objects.requireNonNull(messages, "messages");
        return handler(factory);
    }

    /**
     * {@return a handler-style actor that needs no context} In a chain, {@code Actor.handler(() ->
     * worker(0)).keepState()}, the compiler finds the type of the messages by itself; for a factory
     * with a context it needs a method reference, {@code (ActorContext<Job> self) -> worker(self)},
     * or {@link #handler(Class, Function)}.
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
     * @param options how many messages it holds, and the rule for messages beyond that
     */
    public abstract Actor<M> mailbox(MailboxOptions options);

    /**
     * {@return this definition with a mailbox in which urgent messages overtake others} The message
     * of the highest priority comes next, and of several the one that was told first; so a message
     * waits as long as there are more urgent ones. Nothing moves across a {@linkplain
     * ActorRef#stop() stop}, the end of another actor that this one {@linkplain
     * ActorContext#monitor monitors}, or a trapped exit. Messages of timers, pipes and adapters
     * have the priority 0, because only the actor knows them. A message that is tried again,
     * inserted or no longer postponed comes before all others. With {@link Overflow#DROP_OLD} the
     * oldest of the lowest priority is dropped.
     *
     * @param priority of a message, the higher the more urgent; is called once for each message, by
     *     the fiber or thread that tells it. Must not wait. If it throws, the message has the
     *     priority 0, and that is logged
     */
    public abstract Actor<M> byPriority(ToIntFunction<? super M> priority);

    /**
     * {@return this definition with a mailbox that keeps the newest message of each key} A message
     * replaces one that waits and has the same class and an equal key: it takes its place and its
     * room, so it needs no room of its own. It takes the place even if it has another {@linkplain
     * #byPriority priority}. A sender that waits for room already goes on waiting. A replaced
     * message becomes a {@link DeadLetter}, and its ask fails at once. A message that the actor has
     * begun, has put back, or postpones, is not replaced, nor is one that was told before a
     * {@linkplain ActorRef#stop() stop}, the end of an actor that this one {@linkplain
     * ActorContext#monitor monitors}, or a trapped exit, by one that is told behind it.
     *
     * @param key of a message, null for one that is kept beside all others; its equals and hash
     *     code count. Is called by the fiber or thread that tells the message. Must not wait. If it
     *     throws, the message is kept beside all others, and that is logged
     */
    public abstract Actor<M> conflate(Function<? super M, ? extends @Nullable Object> key);

    /**
     * {@return like {@link #conflate(Function)}, with a hook for replaced messages} They become no
     * dead letters then.
     *
     * @param key of a message, or null
     * @param undelivered takes each message that was replaced, on the fiber or thread that tells
     *     the newer one; must not wait; its exceptions are logged
     */
    public abstract Actor<M> conflate(
            Function<? super M, ? extends @Nullable Object> key, Consumer<? super M> undelivered);

    /**
     * {@return this definition, resuming the behavior of the last completed message at a restart}
     *
     * @throws IllegalStateException if it is loop style, which has no committed state
     */
    public abstract Actor<M> keepState();
}
