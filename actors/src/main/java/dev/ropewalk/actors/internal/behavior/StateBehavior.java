package dev.ropewalk.actors.internal.behavior;

import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.StateEntry;
import dev.ropewalk.actors.spi.HasState;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * A behavior with a name: a state of a state machine. {@link StateChange} says what follows when
 * the name changes.
 */
public final class StateBehavior<M> implements Behavior<M> {
    private final String name;
    private final @Nullable StateEntry<M> entry;
    private final Behavior<M> handler;

    public StateBehavior(String name, @Nullable StateEntry<M> entry, Behavior<M> handler) {
        this.name = name;
        this.entry = entry;
        this.handler = handler;
    }

    /** For {@link Behavior#state}. */
    public static <M> Behavior<M> of(
            String name, @Nullable StateEntry<M> entry, Behavior<M> handler) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(handler, "behavior");
        if (handler instanceof StateBehavior<M> other) {
            throw new IllegalArgumentException(
                    "state " + name + " has state " + other.name + " inside; a state has one name");
        }
        if (BehaviorSigns.isSign(handler)) {
            throw new IllegalArgumentException(
                    "state "
                            + name
                            + " has Behavior."
                            + handler
                            + "() inside, which is a sign to"
                            + " return and handles nothing");
        }
        return new StateBehavior<>(name, entry, handler);
    }

    public String name() {
        return name;
    }

    public @Nullable StateEntry<M> entry() {
        return entry;
    }

    /** The behavior that handles the messages. */
    public Behavior<M> handler() {
        return handler;
    }

    /** Null if it has none. */
    public static @Nullable String nameOf(@Nullable Behavior<?> behavior) {
        return behavior instanceof StateBehavior<?> state ? state.name : null;
    }

    @Override
    public Behavior<M> onMessage(M message) throws Exception {
        Behavior<M> next = handler.onMessage(message);
        // A server inside goes on with another state of its own, in this state of the machine.
        return next instanceof HasState && handler instanceof HasState
                ? new StateBehavior<>(name, entry, next)
                : next;
    }

    @Override
    public String toString() {
        return "state " + name;
    }
}
