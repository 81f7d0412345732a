package dev.ropewalk.channels;

import dev.ropewalk.fibers.spi.Exclusion;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Iterator;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Passes elements from senders to receivers, first in, first out, in both wait queues too.
 *
 * <p>A {@linkplain #rendezvous rendezvous} channel hands each element from a sender to a receiver
 * that both wait for it; a {@linkplain #buffered buffered} one holds up to its capacity in between.
 * A send to a waiting receiver goes straight to it and leaves the buffer alone.
 *
 * <p>Channels work from any cord and from plain threads; the {@code local} forms are confined to
 * the cord that made them, take no atomic instruction, and refuse calls from elsewhere with {@link
 * WrongThreadException}. Everything that a sender did before a send happens before the receive
 * returns.
 *
 * <p>Each element that a send accepted is received exactly once, or handed to the undelivered hook
 * by {@link #cancel}. A waiting call that leaves by an exception or a time limit did not happen: it
 * took and gave nothing.
 *
 * @param <E> the type of the elements
 */
public sealed interface Channel<E> extends Iterable<E> permits QueueChannel {
    /** The result of a {@link #trySend}. */
    enum SendResult {
        /** The channel took the element. */
        SENT,
        /** Nobody waits for it and the buffer is full; the caller keeps the element. */
        FULL,
        /** The channel is closed; the caller keeps the element. */
        CLOSED
    }

    /**
     * {@return a channel without a buffer, for any cord and thread}
     *
     * @param <E> the type of the elements
     */
    static <E> Channel<E> rendezvous() {
        return new QueueChannel<>(0, Exclusion.byLock(), null);
    }

    /**
     * {@return a channel that holds up to {@code capacity} elements, for any cord and thread}
     *
     * @param <E> the type of the elements
     * @param capacity at least 1
     * @throws IllegalArgumentException if the capacity is less than 1
     */
    static <E> Channel<E> buffered(int capacity) {
        return new QueueChannel<>(QueueChannel.checkCapacity(capacity), Exclusion.byLock(), null);
    }

    /**
     * {@return a buffered channel, for any cord and thread, with an undelivered hook}
     *
     * @param <E> the type of the elements
     * @param capacity at least 1
     * @param undelivered gets each element that {@link #cancel} finds in the buffer, on the
     *     cancelling thread
     * @throws IllegalArgumentException if the capacity is less than 1
     */
    static <E> Channel<E> buffered(int capacity, Consumer<? super E> undelivered) {
        Objects.requireNonNull(undelivered, "undelivered");
        return new QueueChannel<>(
                QueueChannel.checkCapacity(capacity), Exclusion.byLock(), undelivered);
    }

    /**
     * {@return a channel without a buffer, confined to the current cord}
     *
     * @param <E> the type of the elements
     * @throws IllegalStateException if the thread is no cord
     */
    static <E> Channel<E> localRendezvous() {
        return new QueueChannel<>(0, QueueChannel.local(), null);
    }

    /**
     * {@return a channel that holds up to {@code capacity} elements, confined to the current cord}
     *
     * @param <E> the type of the elements
     * @param capacity at least 1
     * @throws IllegalArgumentException if the capacity is less than 1
     * @throws IllegalStateException if the thread is no cord
     */
    static <E> Channel<E> localBuffered(int capacity) {
        return new QueueChannel<>(QueueChannel.checkCapacity(capacity), QueueChannel.local(), null);
    }

    /**
     * {@return a buffered channel, confined to the current cord, with an undelivered hook}
     *
     * @param <E> the type of the elements
     * @param capacity at least 1
     * @param undelivered gets each element that {@link #cancel} finds in the buffer
     * @throws IllegalArgumentException if the capacity is less than 1
     * @throws IllegalStateException if the thread is no cord
     */
    static <E> Channel<E> localBuffered(int capacity, Consumer<? super E> undelivered) {
        Objects.requireNonNull(undelivered, "undelivered");
        return new QueueChannel<>(
                QueueChannel.checkCapacity(capacity), QueueChannel.local(), undelivered);
    }

    /**
     * Sends the element; waits while nobody takes it and the buffer is full. A switchpoint, also if
     * it need not wait: a fiber that is ended or cancelled gets that, and the element was not sent.
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
     * @return whether it was sent, and if not, why
     */
    SendResult trySend(E element);

    /**
     * Receives the next element; waits while there is none. A switchpoint, also if it need not
     * wait: a fiber that is ended or cancelled gets that, and nothing was taken.
     *
     * @return the element
     * @throws ChannelClosedException if the channel is closed and drained, or is closed while this
     *     waits; its cause is the one given to {@link #close(Throwable)}
     */
    E receive();

    /**
     * Like {@link #receive()}, with a limit on the wait.
     *
     * @param limit how long to wait; 0 waits for one turn of the cord
     * @return the element, or null if the limit passed
     * @throws ChannelClosedException if the channel is closed and drained, or is closed while this
     *     waits
     */
    @Nullable E receive(Duration limit);

    /**
     * Receives an element if there is one now. Never switches, raises nothing, never fails
     * spuriously.
     *
     * @return the element, or null if there is none now
     * @throws ChannelClosedException if the channel is closed and drained
     */
    @Nullable E tryReceive();

    /**
     * Closes the channel. Elements in the buffer stay receivable; senders that wait, and all later
     * ones, get a {@link ChannelClosedException} that carries their element; receivers get one when
     * the buffer is drained. Closing twice is harmless, and the first cause stands.
     */
    void close();

    /**
     * Closes the channel like {@link #close()} and, once it is drained, fails receivers and
     * iteration with the cause.
     *
     * @param cause why the channel is closed
     */
    void close(Throwable cause);

    /**
     * Closes the channel from the receiving side: elements in the buffer go to the undelivered
     * hook, or are dropped if there is none. An exception of the hook is thrown here, after all
     * elements were handed to it.
     */
    void cancel();

    /** {@return whether the channel is closed; elements may still be left to receive} */
    boolean isClosed();

    /**
     * {@return an iterator that receives, and ends when the channel is closed and drained}
     *
     * <p>Its {@code hasNext} waits like {@link #receive()}, and throws {@link
     * ChannelClosedException} if the channel was closed with a cause. Each element goes to one
     * iterator.
     */
    @Override
    Iterator<E> iterator();
}
