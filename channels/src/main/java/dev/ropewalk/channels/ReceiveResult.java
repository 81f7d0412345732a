package dev.ropewalk.channels;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a receive, as a value: an element, the end of the channel, or nothing in time.
 *
 * {@snippet :
 * switch (port.receiveResult(Duration.ofSeconds(1))) {
 *     case ReceiveResult.Element<Order>(Order order) -> handle(order);
 *     case ReceiveResult.Closed<Order> end -> log.info("no more orders");
 *     case ReceiveResult.TimedOut<Order> none -> log.info("no order within a second");
 * }
 * }
 *
 * @param <E> the type of the elements
 */
public sealed interface ReceiveResult<E> {
    /**
     * An element was received.
     *
     * @param element the element, never null
     * @param <E> its type
     */
    record Element<E>(E element) implements ReceiveResult<E> {}

    /**
     * The channel is closed and drained.
     *
     * @param cause why it was closed; null if that was no failure
     * @param <E> the type of the elements
     */
    record Closed<E>(@Nullable Throwable cause) implements ReceiveResult<E> {}

    /**
     * There was no element within the limit, or no element now if it was not to wait.
     *
     * @param <E> the type of the elements
     */
    record TimedOut<E>() implements ReceiveResult<E> {}
}
