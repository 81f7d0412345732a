package dev.ropewalk.channels.broadcast;

import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.internal.Elements;

import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives each element to those who subscribed to its key: a {@link Broadcast} for each key, made
 * when the key is first used. For any cord and thread.
 *
 * @param <K> the type of the keys, which are used as in a map
 * @param <E> the type of the elements
 */
public final class Topic<K, E> {
    private final BroadcastOptions options;
    private final ConcurrentHashMap<K, Broadcast<E>> byKey = new ConcurrentHashMap<>();

    private Topic(BroadcastOptions options) {
        this.options = options;
    }

    /**
     * {@return a topic that replays nothing}
     *
     * @param <K> the type of the keys
     * @param <E> the type of the elements
     */
    public static <K, E> Topic<K, E> make() {
        return make(BroadcastOptions.create());
    }

    /**
     * {@return a topic}
     *
     * @param <K> the type of the keys
     * @param <E> the type of the elements
     * @param options how the broadcast of each key is made
     * @throws IllegalArgumentException if the broadcasts would be confined to a cord, because any
     *     thread may be the first to use a key
     */
    public static <K, E> Topic<K, E> make(BroadcastOptions options) {
        if (options.isLocal()) {
            throw new IllegalArgumentException(
                    options + " is confined to a cord; a topic is shared, leave onThisCord() out");
        }
        return new Topic<>(options);
    }

    /**
     * {@return a port that receives each element of the key from now on, and before them what is
     * replayed} To leave, cancel the port.
     *
     * @param key the key
     * @param port how the port's buffer is made
     * @throws IllegalArgumentException if the options are those of a rendezvous, which has no
     *     buffer
     */
    public ReceivePort<E> subscribe(K key, ChannelOptions<? super E> port) {
        return of(key).subscribe(port);
    }

    /**
     * Gives the element to all who subscribed to the key; waits for those that hold their senders
     * up. Without subscribers the element is gone, and nothing is kept for the key unless it
     * replays. A switchpoint.
     *
     * @param key the key
     * @param element the element
     * @throws ChannelClosedException if the key was closed; it carries the element
     */
    public void send(K key, E element) {
        Broadcast<E> known = byKey.get(Objects.requireNonNull(key, "key"));
        if (known == null && options.replay() == 0) {
            Elements.check(element);
            return;
        }
        Broadcast<E> to = known == null ? of(key) : known;
        try {
            to.send(element);
        } catch (ChannelClosedException closed) {
            if (byKey.get(key) == to) {
                throw closed;
            }
            send(key, element); // it was forgotten meanwhile
        }
    }

    /**
     * {@return the broadcast of the key} For a select, or to close one key.
     *
     * @param key the key
     */
    public Broadcast<E> of(K key) {
        return byKey.computeIfAbsent(
                Objects.requireNonNull(key, "key"),
                each -> Broadcast.make(options.withName(options.name().orElse("") + "/" + each)));
    }

    /**
     * Forgets the key: its broadcast is closed, and the next use makes a new one. A topic keeps a
     * key that was once used until it is forgotten.
     *
     * @param key the key
     */
    public void forget(K key) {
        Broadcast<E> gone = byKey.remove(Objects.requireNonNull(key, "key"));
        if (gone != null) {
            gone.close();
        }
    }

    /** Forgets all keys. */
    public void close() {
        byKey.keySet().forEach(this::forget);
    }

    @Override
    public String toString() {
        return "topic of " + byKey.size() + " keys, each a " + options;
    }
}
