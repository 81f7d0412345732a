package dev.ropewalk.actors;

import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** How a system is made; immutable. */
public final class ActorSystemOptions {
    private static final ActorSystemOptions DEFAULTS =
            new ActorSystemOptions(Runtime.getRuntime().availableProcessors(), List.of(), null);

    private final int cords;

    /** Empty if there are none. */
    private final List<Cord> given;

    private final @Nullable Consumer<? super DeadLetter> deadLetters;

    private ActorSystemOptions(
            int cords, List<Cord> given, @Nullable Consumer<? super DeadLetter> deadLetters) {
        this.cords = cords;
        this.given = given;
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
        return new ActorSystemOptions(number, List.of(), deadLetters);
    }

    /**
     * {@return these options, by which actors are spread over cords that are there already} The
     * root supervisor is on the cord of the fiber that starts the system, or on the first of these.
     * They are not closed with the system.
     *
     * @param those at least one
     * @throws IllegalArgumentException if there is none
     */
    public ActorSystemOptions over(List<Cord> those) {
        if (those.isEmpty()) {
            throw new IllegalArgumentException("there is no cord to spread actors over");
        }
        return new ActorSystemOptions(cords, List.copyOf(those), deadLetters);
    }

    /**
     * {@return these options with a taker of dead letters, which are not logged then}
     *
     * @param taker is told on the thread on which the letter arises; must not wait
     */
    public ActorSystemOptions withDeadLetters(Consumer<? super DeadLetter> taker) {
        return new ActorSystemOptions(cords, given, Objects.requireNonNull(taker, "taker"));
    }

    int cords() {
        return cords;
    }

    List<Cord> given() {
        return given;
    }

    @Nullable Consumer<? super DeadLetter> deadLetters() {
        return deadLetters;
    }
}
