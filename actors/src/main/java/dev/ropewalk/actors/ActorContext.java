package dev.ropewalk.actors;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.Predicate;

/**
 * An actor's own side; for the actor's fiber only.
 *
 * <p>The receive methods are for loop style. Receiving the next message completes the last one: a
 * failure after that no longer counts as its failure. In handler style they are an error, because
 * there the message comes to the behavior.
 *
 * @param <M> the type of the messages
 */
public sealed interface ActorContext<M> permits ActorCell {
    /** {@return the actor's address} */
    ActorRef<M> self();

    /** {@return how often the current message has been tried, this time included} */
    int attempt();

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
     * Receives the first message of the type; the others stay in their order.
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
}
