package dev.ropewalk.channels;

import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.Receivable;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The side of a channel that elements come out of. To hand out only this side keeps others from
 * sending.
 *
 * @param <E> the type of the elements
 */
public interface ReceivePort<E> extends Receivable<E> {
    /**
     * {@inheritDoc}
     *
     * @throws ChannelClosedException if the channel is closed and drained, or is closed while this
     *     waits; its cause is the one that it was closed with
     */
    @Override
    E receive();

    /**
     * {@inheritDoc}
     *
     * @throws ChannelClosedException if the channel is closed and drained, or is closed while this
     *     waits
     */
    @Override
    @Nullable E receive(Duration limit);

    /**
     * {@inheritDoc}
     *
     * @throws ChannelClosedException if the channel is closed and drained
     */
    @Override
    @Nullable E tryReceive();

    /**
     * Like {@link #receive()}, with the result as a value.
     *
     * @return an element, or that the channel is closed
     */
    ReceiveResult<E> receiveResult();

    /**
     * Like {@link #receive(Duration)}, with the result as a value.
     *
     * @param limit how long to wait; 0 waits for one turn of the cord
     * @return an element, that the channel is closed, or that the limit passed
     */
    ReceiveResult<E> receiveResult(Duration limit);

    /**
     * Like {@link #tryReceive()}, with the result as a value: never switches, and raises nothing.
     *
     * @return an element, {@code Closed}, or {@code TimedOut} if there is no element now
     */
    ReceiveResult<E> tryReceiveResult();

    /**
     * {@return an alternative of a select: to receive an element, or to learn that the channel is
     * closed}
     *
     * @param <R> the type of the select's result
     * @param result makes the select's result of an {@code Element} or {@code Closed}; runs in the
     *     caller of the select
     */
    <R extends @Nullable Object> Clause<R> onReceiveResult(
            Function<? super ReceiveResult<E>, ? extends R> result);

    /**
     * Takes all elements that there are now, those of senders that wait too. Never switches, raises
     * nothing.
     *
     * @return the elements in order; empty if there are no elements, closed or not
     */
    List<E> drain();

    /**
     * Closes the channel from the receiving side: elements in the buffer go to the undelivered
     * hook, or are dropped without such a hook; senders get a {@link ChannelClosedException} with
     * their element. An exception of the hook is thrown here, after all elements were handed to it.
     * Never switches; cancelling twice is harmless.
     */
    @Override
    void cancel();

    /**
     * Closes the channel like {@link #cancel()}, for a reason that senders and receivers get as the
     * cause of their {@link ChannelClosedException}.
     *
     * @param cause why nothing more is received
     */
    void cancel(Throwable cause);

    /** {@return whether the channel is closed; elements may still be left to receive} */
    boolean isClosed();

    /**
     * {@return a sequential stream that receives, and ends as {@link #iterator} does} Closing the
     * stream does not cancel the channel.
     */
    default Stream<E> stream() {
        return StreamSupport.stream(spliterator(), false);
    }
}
