package dev.ropewalk.actors;

import dev.ropewalk.actors.internal.context.Contexts;
import dev.ropewalk.actors.internal.observe.Redaction;
import dev.ropewalk.actors.observe.FailureReport;
import dev.ropewalk.actors.spi.ContextCarrier;
import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** How a system is made; immutable. */
public final class ActorSystemOptions {
    private static final int EACH_PROCESSOR = 0;

    private static final ActorSystemOptions DEFAULTS = new ActorSystemOptions(new Values());

    private final Values values;

    private ActorSystemOptions(Values values) {
        this.values = values;
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
        return with(
                copy -> {
                    copy.cords = number;
                    copy.given = List.of();
                });
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
        List<Cord> given = List.copyOf(those);
        return with(copy -> copy.given = given);
    }

    /**
     * {@return these options with a taker of dead letters, which are not logged then}
     *
     * @param taker is told on the thread on which the letter arises; must not wait. A letter that
     *     it causes is logged, and no taker is told of it
     */
    public ActorSystemOptions withDeadLetters(Consumer<? super DeadLetter> taker) {
        Objects.requireNonNull(taker, "taker");
        return with(copy -> copy.deadLetters = taker);
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
        Objects.requireNonNull(function, "function");
        return with(copy -> copy.redaction = function);
    }

    /**
     * {@return these options with a carrier of contexts} A context that is bound to the thread of a
     * sender, such as that of a trace, is there where the message is handled. Cords of the system's
     * own get the hook of the carrier; others must have it. Without a carrier nothing is carried,
     * and nothing is paid for it.
     *
     * @param carrier binds a tracer to this library; one may serve many systems
     */
    public ActorSystemOptions withContexts(ContextCarrier carrier) {
        Objects.requireNonNull(carrier, "carrier");
        return with(copy -> copy.contexts = carrier);
    }

    private ActorSystemOptions with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new ActorSystemOptions(copy);
    }

    Redaction redaction() {
        return new Redaction(values.redaction);
    }

    @Nullable Contexts contexts() {
        return values.contexts == null ? null : new Contexts(values.contexts);
    }

    int cords() {
        return values.cords == EACH_PROCESSOR
                ? Runtime.getRuntime().availableProcessors()
                : values.cords;
    }

    /** In a fiber nothing would come of a second cord. */
    void checkIn(Cord cord, String system) {
        if (values.given.isEmpty() && values.cords > 1) {
            throw new IllegalArgumentException(
                    "cords="
                            + values.cords
                            + " for the system "
                            + system
                            + ", which a fiber of "
                            + cord
                            + " starts and which is on that cord; start it on a plain thread, or"
                            + " start the cords and name them: ActorSystemOptions.over(cords)");
        }
    }

    List<Cord> given() {
        return values.given;
    }

    @Nullable Consumer<? super DeadLetter> deadLetters() {
        return values.deadLetters;
    }

    /** Changed only while it is a copy that no options have yet. */
    private static final class Values implements Cloneable {
        int cords = EACH_PROCESSOR;

        /** Empty if there are none. */
        List<Cord> given = List.of();

        @Nullable Consumer<? super DeadLetter> deadLetters;
        UnaryOperator<Object> redaction = UnaryOperator.identity();
        @Nullable ContextCarrier contexts;

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
