package dev.ropewalk.channels;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * How a channel is made: its kind and capacity, its name, its undelivered hook, and whether it is
 * confined to one cord. Immutable; each method returns a changed copy.
 *
 * {@snippet :
 * Channel<Event> latest =
 *         Channel.make(ChannelOptions.sliding(64).withName("events").withUndelivered(this::dropped));
 * }
 *
 * @param <E> the type of the elements
 */
public final class ChannelOptions<E> {
    /** The fate of an element that no receiver waits for. */
    public enum Kind {
        /** Has no buffer: a sender waits for a receiver. */
        RENDEZVOUS,
        /** Holds up to its capacity; a sender waits for room. */
        BUFFERED,
        /** Holds whatever comes; no sender waits. Growth is logged. */
        UNLIMITED,
        /** Holds the newest element alone; it displaces the one before. No sender waits. */
        CONFLATED,
        /** Holds the newest elements, up to its capacity; each displaces the oldest. */
        SLIDING,
        /** Holds the oldest elements, up to its capacity, and drops what comes when it is full. */
        DROPPING
    }

    private final Kind kind;
    private final int capacity;
    private final boolean isLocal;
    private final @Nullable String name;
    private final @Nullable Consumer<? super E> undelivered;

    private ChannelOptions(
            Kind kind,
            int capacity,
            boolean isLocal,
            @Nullable String name,
            @Nullable Consumer<? super E> undelivered) {
        this.kind = kind;
        this.capacity = capacity;
        this.isLocal = isLocal;
        this.name = name;
        this.undelivered = undelivered;
    }

    private static <E> ChannelOptions<E> of(Kind kind, int capacity) {
        return new ChannelOptions<>(kind, capacity, false, null, null);
    }

    // ---------------------------------------------------------------- kinds

    /**
     * {@return options of a channel without a buffer}
     *
     * @param <E> the type of the elements
     */
    public static <E> ChannelOptions<E> rendezvous() {
        return of(Kind.RENDEZVOUS, 0);
    }

    /**
     * {@return options of a channel whose senders wait when it is full}
     *
     * @param <E> the type of the elements
     * @param capacity at least 1
     * @throws IllegalArgumentException if the capacity is less than 1
     */
    public static <E> ChannelOptions<E> buffered(int capacity) {
        return of(Kind.BUFFERED, checkCapacity(capacity));
    }

    /**
     * {@return options of a channel that grows with its elements} Its memory has no bound; growth
     * beyond 65,536 elements is logged, once for each doubling.
     *
     * @param <E> the type of the elements
     */
    public static <E> ChannelOptions<E> unlimited() {
        return of(Kind.UNLIMITED, Integer.MAX_VALUE);
    }

    /**
     * {@return options of a channel that holds the newest element alone}
     *
     * @param <E> the type of the elements
     */
    public static <E> ChannelOptions<E> conflated() {
        return of(Kind.CONFLATED, 1);
    }

    /**
     * {@return options of a channel that holds the newest elements}
     *
     * @param <E> the type of the elements
     * @param capacity at least 1
     * @throws IllegalArgumentException if the capacity is less than 1
     */
    public static <E> ChannelOptions<E> sliding(int capacity) {
        return of(Kind.SLIDING, checkCapacity(capacity));
    }

    /**
     * {@return options of a channel that drops what comes when it is full}
     *
     * @param <E> the type of the elements
     * @param capacity at least 1
     * @throws IllegalArgumentException if the capacity is less than 1
     */
    public static <E> ChannelOptions<E> dropping(int capacity) {
        return of(Kind.DROPPING, checkCapacity(capacity));
    }

    private static int checkCapacity(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException(
                    "capacity=" + capacity + " < 1; use a rendezvous channel for no buffer");
        }
        return capacity;
    }

    // ---------------------------------------------------------------- changes

    /**
     * {@return the same, confined to the cord that makes the channel; its atomic steps are spared}
     */
    public ChannelOptions<E> onThisCord() {
        return new ChannelOptions<>(kind, capacity, true, name, undelivered);
    }

    /**
     * {@return the same with a name}
     *
     * @param name shown in errors and dumps; need not be unique
     */
    public ChannelOptions<E> withName(String name) {
        Objects.requireNonNull(name, "name");
        return new ChannelOptions<>(kind, capacity, isLocal, name, undelivered);
    }

    /**
     * {@return the same with an undelivered hook}
     *
     * <p>It gets each element that the channel took and will not deliver: displaced by a newer one,
     * left over by a cancel, or given to a fiber that was abandoned; and an element of {@link
     * SendPort#send} that a dropping channel refused. It runs on the thread of the call that caused
     * this, outside the channel's lock, and must not wait.
     *
     * @param <F> the type of the elements
     * @param undelivered the hook
     */
    public <F extends E> ChannelOptions<F> withUndelivered(Consumer<? super F> undelivered) {
        Objects.requireNonNull(undelivered, "undelivered");
        return new ChannelOptions<>(kind, capacity, isLocal, name, undelivered);
    }

    // ---------------------------------------------------------------- reading

    /** {@return the fate of an element that no receiver waits for} */
    public Kind kind() {
        return kind;
    }

    /**
     * {@return how many elements the channel holds; 0 for a rendezvous, the largest int if
     * unlimited}
     */
    public int capacity() {
        return capacity;
    }

    /** {@return whether the channel is confined to the cord that makes it} */
    public boolean isLocal() {
        return isLocal;
    }

    /** {@return the name, if it has one} */
    public Optional<String> name() {
        return Optional.ofNullable(name);
    }

    /** {@return the undelivered hook, if there is one} */
    public Optional<Consumer<? super E>> undelivered() {
        return Optional.ofNullable(undelivered);
    }

    @Override
    public String toString() {
        String size =
                switch (kind) {
                    case BUFFERED, SLIDING, DROPPING -> "(" + capacity + ")";
                    case RENDEZVOUS, UNLIMITED, CONFLATED -> "";
                };
        return (isLocal ? "local " : "shared ")
                + kind.name().toLowerCase(Locale.ROOT)
                + size
                + " channel"
                + (name == null ? "" : " \"" + name + "\"");
    }
}
