package dev.ropewalk.actors.internal.behavior;

import dev.ropewalk.actors.Behavior;

import org.jspecify.annotations.Nullable;

/** See {@link Behavior#repeat}. */
public final class Repeat<M> implements Behavior<M> {
    private static final Repeat<Object> CURRENT = new Repeat<>(null);

    /** Null for the current one. */
    private final @Nullable Behavior<M> next;

    public Repeat(@Nullable Behavior<M> next) {
        this.next = next;
    }

    @SuppressWarnings("unchecked") // a sign handles no message
    public static <M> Repeat<M> current() {
        return (Repeat<M>) CURRENT;
    }

    /** Null for the current one. */
    public @Nullable Behavior<M> next() {
        return next;
    }

    /** The behavior that is to be entered. */
    public Behavior<M> resolve(Object actor, Behavior<M> now) {
        Behavior<M> to = next == null ? now : next;
        String name = StateBehavior.nameOf(now);
        if (name == null || !name.equals(StateBehavior.nameOf(to))) {
            throw new IllegalStateException(
                    actor
                            + ": Behavior.repeat was returned in "
                            + (name == null ? "a behavior without a name" : now)
                            + (next == null ? "" : " with " + next)
                            + "; it enters the state again that the actor is in");
        }
        return to;
    }

    @Override
    public Behavior<M> onMessage(M message) {
        throw new IllegalStateException(
                "Behavior.repeat() is a sign to return from onMessage; it cannot handle "
                        + message);
    }

    @Override
    public String toString() {
        return "repeat";
    }
}
