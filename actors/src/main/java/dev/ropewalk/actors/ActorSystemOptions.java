package dev.ropewalk.actors;

import dev.ropewalk.actors.supervision.Supervision;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Consumer;

/** How a system is made; immutable. */
public final class ActorSystemOptions {
    private static final ActorSystemOptions DEFAULTS =
            new ActorSystemOptions(Runtime.getRuntime().availableProcessors(), null);

    private final int cords;
    private final @Nullable Consumer<? super DeadLetter> deadLetters;

    private ActorSystemOptions(int cords, @Nullable Consumer<? super DeadLetter> deadLetters) {
        this.cords = cords;
        this.deadLetters = deadLetters;
    }

    /** {@return a cord for each processor, where the system has cords of its own, and a log} */
    public static ActorSystemOptions defaults() {
        return DEFAULTS;
    }

    /**
     * {@return these options with another number of cords} They are for a system that a plain
     * thread starts. Actors are on the cord of their supervisor, the first one, unless that {@link
     * Supervision#spread spreads} them.
     *
     * @param number at least 1
     * @throws IllegalArgumentException if it is less
     */
    public ActorSystemOptions withCords(int number) {
        if (number < 1) {
            throw new IllegalArgumentException("cords=" + number + " < 1; a system needs one");
        }
        return new ActorSystemOptions(number, deadLetters);
    }

    /**
     * {@return these options with a taker of dead letters, which are not logged then}
     *
     * @param taker is told on the thread on which the letter arises; must not wait
     */
    public ActorSystemOptions withDeadLetters(Consumer<? super DeadLetter> taker) {
        return new ActorSystemOptions(cords, Objects.requireNonNull(taker, "taker"));
    }

    int cords() {
        return cords;
    }

    @Nullable Consumer<? super DeadLetter> deadLetters() {
        return deadLetters;
    }
}
