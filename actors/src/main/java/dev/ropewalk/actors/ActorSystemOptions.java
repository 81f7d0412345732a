package dev.ropewalk.actors;

import dev.ropewalk.actors.internal.observe.Redaction;
import dev.ropewalk.actors.observe.FailureReport;
import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** How a system is made; immutable. */
public final class ActorSystemOptions {
    private static final int EACH_PROCESSOR = 0;

    private static final ActorSystemOptions DEFAULTS =
            new ActorSystemOptions(EACH_PROCESSOR, List.of(), null, UnaryOperator.identity());

    private final int cords;

    /** Empty if there are none. */
    private final List<Cord> given;

    private final @Nullable Consumer<? super DeadLetter> deadLetters;

    private final UnaryOperator<Object> redaction;

    private ActorSystemOptions(
            int cords,
            List<Cord> given,
            @Nullable Consumer<? super DeadLetter> deadLetters,
            UnaryOperator<Object> redaction) {
        this.redaction = redaction;
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
     * thread starts: a fiber that starts one with more than one gets an {@link
     * IllegalArgumentException}, because its system is on its cord, or {@linkplain #over over}
     * cords that are there. Actors are on the cord of their supervisor, the first one, unless that
     * {@link dev.ropewalk.actors.supervision.Supervision#spread spreads} them.
     *
     * @param number at least 1
     * @throws IllegalArgumentException if it is less
     */
    public ActorSystemOptions withCords(int number) {
        if (number < 1) {
            throw new IllegalArgumentException("cords=" + number + " < 1; a system needs one");
        }
        return new ActorSystemOptions(number, List.of(), deadLetters, redaction);
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
        return new ActorSystemOptions(cords, List.copyOf(those), deadLetters, redaction);
    }

    /**
     * {@return these options with a taker of dead letters, which are not logged then}
     *
     * @param taker is told on the thread on which the letter arises; must not wait. A letter that
     *     it causes is logged, and no taker is told of it
     */
    public ActorSystemOptions withDeadLetters(Consumer<? super DeadLetter> taker) {
        return new ActorSystemOptions(
                cords, given, Objects.requireNonNull(taker, "taker"), redaction);
    }

    /**
     * {@return these options with a function that hides what must not be seen} Messages and states
     * go through it before they come into a {@link FailureReport} or a dump of the system; without
     * one they are shown as they are. The message of an exception is not changed.
     *
     * @param function returns the object to show for a message or state: that itself, or another
     *     one; runs on the actor's cord, and must not wait. If it throws, the class is shown
     */
    public ActorSystemOptions withRedaction(UnaryOperator<Object> function) {
        return new ActorSystemOptions(
                cords, given, deadLetters, Objects.requireNonNull(function, "function"));
    }

    Redaction redaction() {
        return new Redaction(redaction);
    }

    int cords() {
        return cords == EACH_PROCESSOR ? Runtime.getRuntime().availableProcessors() : cords;
    }

    /** In a fiber nothing would come of a second cord. */
    void checkIn(Cord cord, String system) {
        if (given.isEmpty() && cords > 1) {
            throw new IllegalArgumentException(
                    "cords="
                            + cords
                            + " for the system "
                            + system
                            + ", which a fiber of "
                            + cord
                            + " starts and which is on that cord; start it on a plain thread, or"
                            + " start the cords and name them: ActorSystemOptions.over(cords)");
        }
    }

    List<Cord> given() {
        return given;
    }

    @Nullable Consumer<? super DeadLetter> deadLetters() {
        return deadLetters;
    }
}
