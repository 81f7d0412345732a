package dev.ropewalk.channels.broadcast;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.Optional;

/**
 * How a {@link Broadcast} is made. Immutable; each method returns a changed copy.
 *
 * @see #create()
 */
public final class BroadcastOptions {
    private static final BroadcastOptions DEFAULT = new BroadcastOptions(0, false, null);

    private final int replay;
    private final boolean isLocal;
    private final @Nullable String name;

    private BroadcastOptions(int replay, boolean isLocal, @Nullable String name) {
        this.replay = replay;
        this.isLocal = isLocal;
        this.name = name;
    }

    /** {@return options of a broadcast for any cord and thread that replays nothing} */
    public static BroadcastOptions create() {
        return DEFAULT;
    }

    /**
     * {@return the same, with the newest elements given to each new subscriber}
     *
     * @param newest how many, 0 for no replay
     * @throws IllegalArgumentException if the number is negative
     */
    public BroadcastOptions withReplay(int newest) {
        if (newest < 0) {
            throw new IllegalArgumentException("replay=" + newest + " < 0; give 0 for none");
        }
        return new BroadcastOptions(newest, isLocal, name);
    }

    /** {@return the same, confined to the cord that makes the broadcast} */
    public BroadcastOptions onThisCord() {
        return new BroadcastOptions(replay, true, name);
    }

    /**
     * {@return the same with a name}
     *
     * @param name shown in errors and dumps; need not be unique
     */
    public BroadcastOptions withName(String name) {
        return new BroadcastOptions(replay, isLocal, Objects.requireNonNull(name, "name"));
    }

    /** {@return how many of the newest elements a new subscriber gets} */
    public int replay() {
        return replay;
    }

    /** {@return whether the broadcast is confined to the cord that makes it} */
    public boolean isLocal() {
        return isLocal;
    }

    /** {@return the name, if it has one} */
    public Optional<String> name() {
        return Optional.ofNullable(name);
    }

    @Override
    public String toString() {
        return (isLocal ? "local" : "shared")
                + " broadcast"
                + (name == null ? "" : " \"" + name + "\"");
    }
}
