package dev.ropewalk.channels;

import dev.ropewalk.fibers.spi.Clause;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The side of a channel that elements go into. To hand out only this side keeps others from
 * receiving.
 *
 * @param <E> the type of the elements
 */
public interface SendPort<E> {
    /**
     * Sends the element; waits while no receiver takes it and there is no room. A switchpoint even
     * if it does not wait: if the fiber is terminated or cancelled, this throws and the element is
     * not sent.
     *
     * <p>A channel that drops elements when it is full hands this one to its undelivered hook then.
     *
     * @param element the element to send
     * @throws ChannelClosedException if the channel is closed, or is closed while this waits; it
     *     carries the element
     */
    void send(E element);

    /**
     * Like {@link #send(Object)}, with a limit on the wait.
     *
     * @param element the element to send
     * @param limit how long to wait; 0 waits for one turn of the cord
     * @return false if the limit passed; the element was not sent then
     * @throws ChannelClosedException if the channel is closed, or is closed while this waits; it
     *     carries the element
     */
    boolean send(E element, Duration limit);

    /**
     * Sends the element if that needs no waiting. Never switches, raises nothing, never fails
     * spuriously, and may be called where waiting is not allowed.
     *
     * @param element the element to send
     * @return {@code SENT}, or why it was not: {@code FULL}, {@code DROPPED} or {@code CLOSED}; the
     *     caller keeps the element then
     */
    SendResult trySend(E element);

    /**
     * Like {@link #send(Object)}, with the result as a value.
     *
     * @param element the element to send
     * @return {@code SENT}, or why it was not: {@code DROPPED} or {@code CLOSED}; the caller keeps
     *     the element then
     */
    SendResult sendResult(E element);

    /**
     * Like {@link #send(Object, Duration)}, with the result as a value.
     *
     * @param element the element to send
     * @param limit how long to wait; 0 waits for one turn of the cord
     * @return {@code SENT}, or why it was not: {@code TIMED_OUT}, {@code DROPPED} or {@code
     *     CLOSED}; the caller keeps the element then
     */
    SendResult sendResult(E element, Duration limit);

    /**
     * {@return an alternative of a select: to send the element} If the channel is closed the
     * alternative is ready, and the select throws the {@link ChannelClosedException}, with the
     * element, if it takes that one. A select that takes another alternative sends nothing, and
     * hands nothing to the undelivered hook.
     *
     * @param <R> the type of the select's result
     * @param element the element to send
     * @param sent makes the result; runs in the caller of the select
     */
    <R extends @Nullable Object> Clause<R> onSend(E element, Supplier<? extends R> sent);

    /**
     * {@return an alternative of a select: to send the element, with its fate as a value}
     *
     * @param <R> the type of the select's result
     * @param element the element to send
     * @param result makes the select's result of {@code SENT}, {@code DROPPED} or {@code CLOSED};
     *     runs in the caller of the select
     */
    <R extends @Nullable Object> Clause<R> onSendResult(
            E element, Function<? super SendResult, ? extends R> result);

    /**
     * Closes the channel. Elements in the buffer stay receivable; senders that wait, and all later
     * ones, get a {@link ChannelClosedException} that carries their element; receivers get one when
     * the buffer is drained. Closing twice is harmless, and the first cause stands. Never switches.
     */
    void close();

    /**
     * Closes the channel like {@link #close()} and, once it is drained, fails receivers and
     * iteration with the cause.
     *
     * @param cause why the channel is closed
     */
    void close(Throwable cause);

    /** {@return whether the channel is closed; elements may still be left to receive} */
    boolean isClosed();
}
