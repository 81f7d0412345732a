package dev.ropewalk.channels;

import dev.ropewalk.channels.internal.QueueChannel;

/**
 * Passes elements from senders to receivers, first in, first out, in both wait queues too.
 *
 * <p>A {@linkplain #rendezvous rendezvous} channel hands each element from a sender to a receiver
 * that both wait for it; a {@linkplain #buffered buffered} one holds up to its capacity in between.
 * A send to a waiting receiver goes straight to it and leaves the buffer alone. {@link
 * ChannelOptions} has the other kinds: unlimited, conflated, sliding, dropping.
 *
 * <p>Channels work from any cord and from plain threads; local ones are confined to the cord that
 * made them, take no atomic instruction, and refuse calls from elsewhere with {@link
 * WrongThreadException}. Everything that a sender did before a send happens before the receive
 * returns.
 *
 * <p>Each element that a send accepted is received exactly once, or handed to the undelivered hook
 * when it is displaced by a newer one, left over by {@link #cancel}, or given to a fiber that is
 * abandoned. A waiting call that leaves by an exception or a time limit did not happen: it took and
 * gave nothing.
 *
 * @param <E> the type of the elements
 */
public sealed interface Channel<E> extends SendPort<E>, ReceivePort<E> permits QueueChannel {
    /**
     * {@return a channel without a buffer, for any cord and thread}
     *
     * @param <E> the type of the elements
     */
    static <E> Channel<E> rendezvous() {
        return make(ChannelOptions.rendezvous());
    }

    /**
     * {@return a channel that holds up to {@code capacity} elements, for any cord and thread}
     *
     * @param <E> the type of the elements
     * @param capacity at least 1
     * @throws IllegalArgumentException if the capacity is less than 1
     */
    static <E> Channel<E> buffered(int capacity) {
        return make(ChannelOptions.buffered(capacity));
    }

    /**
     * {@return a channel without a buffer, confined to the current cord}
     *
     * @param <E> the type of the elements
     * @throws IllegalStateException if the thread is no cord
     */
    static <E> Channel<E> localRendezvous() {
        return make(ChannelOptions.rendezvous().onThisCord());
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
        return make(ChannelOptions.buffered(capacity).onThisCord());
    }

    /**
     * {@return a channel of any kind}
     *
     * @param <E> the type of the elements
     * @param options its kind, capacity, hook and name, and whether it is confined to this cord
     * @throws IllegalStateException if it is to be confined, and the thread is no cord
     */
    static <E> Channel<E> make(ChannelOptions<? super E> options) {
        return new QueueChannel<>(options);
    }

    /**
     * {@return how the channel stands at this moment; for people, because it can change at once}
     */
    ChannelSnapshot snapshot();
}
