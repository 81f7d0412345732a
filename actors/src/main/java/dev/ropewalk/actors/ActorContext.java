package dev.ropewalk.actors;

import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * An actor's own side, from its start to its end or restart: each incarnation has one of its own.
 * For the actor's fiber only, but for {@link #self} and what the adapters do.
 *
 * <p>The receive methods are for loop style. Receiving the next message completes the last one: a
 * failure after that no longer counts as its failure. In handler style they are an error, because
 * there the message comes to the behavior.
 *
 * @param <M> the type of the messages
 */
public interface ActorContext<M> {
    /** {@return the actor's address} */
    ActorRef<M> self();

    /** {@return how often the current message has been tried, this time included} */
    int attempt();

    // ---------------------------------------------------------------- receiving, in loop style

    /**
     * Receives the next message; waits while there is none. A switchpoint, also if one is there.
     *
     * @return the message
     */
    M receive();

    /**
     * Receives the next message, with a limit on the wait.
     *
     * @param limit how long to wait; 0 waits for one turn of the cord
     * @return the message, or null if the limit passed
     */
    @Nullable M receive(Duration limit);

    /**
     * Receives the first message of the type; the others stay in their order. Its cost does not
     * grow with the number of messages of other types that earlier receives have passed over.
     *
     * @param <T> the type
     * @param type the type
     * @return the message
     */
    <T extends M> T receive(Class<T> type);

    /**
     * Receives the first message that passes; the others stay in their order. Each message is
     * tested once by this call, on the actor's fiber.
     *
     * @param wanted whether to take a message; must not wait
     * @return the message
     */
    M receive(Predicate<? super M> wanted);

    // ---------------------------------------------------------------- replies as messages

    /**
     * {@return an address for replies of another type, each of which becomes a message to this
     * actor} It stays valid after a restart, and as long as the actor: the function shall make a
     * message and touch nothing of an incarnation that may be over.
     *
     * <p>A reply takes its place in the mailbox like any message of its sender. A failure that is
     * told in place of a reply is a {@link DeadLetter}.
     *
     * @param <R> the type of the replies
     * @param message makes the message, on the actor's fiber when the actor comes to it; if it
     *     throws, the actor fails on that message
     */
    <R> Recipient<R> adapt(Function<? super R, ? extends M> message);

    /**
     * {@return the same, where a failure too becomes a message}
     *
     * @param <R> the type of the replies
     * @param message makes the message of a reply
     * @param onFailure makes the message of a failure
     */
    <R> Recipient<R> adapt(
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure);

    /**
     * Tells this actor the result of the stage, when it is there. Does not wait. If the stage
     * fails, the actor fails with that when it comes to the message.
     *
     * @param <R> the type of the result
     * @param stage completed by whatever thread
     * @param message makes the message of the result, on the actor's fiber
     */
    <R extends @Nullable Object> void pipe(
            CompletionStage<R> stage, Function<? super R, ? extends M> message);

    /**
     * Tells this actor how the stage completed. Does not wait.
     *
     * @param <R> the type of the result
     * @param stage completed by whatever thread
     * @param message makes the message of the result, on the actor's fiber
     * @param onFailure makes the message of a failure, on the actor's fiber
     */
    <R extends @Nullable Object> void pipe(
            CompletionStage<R> stage,
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure);

    /**
     * Tells this actor the result of the fiber, when it is over. Does not wait. If the fiber fails,
     * the actor fails with that when it comes to the message.
     *
     * @param <R> the type of the result
     * @param fiber of any cord
     * @param message makes the message of the result, on the actor's fiber
     */
    <R extends @Nullable Object> void pipe(
            Fiber<R> fiber, Function<? super R, ? extends M> message);

    /**
     * Tells this actor how the fiber ended. Does not wait.
     *
     * @param <R> the type of the result
     * @param fiber of any cord
     * @param message makes the message of the result, on the actor's fiber
     * @param onFailure makes the message of a failure, on the actor's fiber
     */
    <R extends @Nullable Object> void pipe(
            Fiber<R> fiber,
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure);
}
