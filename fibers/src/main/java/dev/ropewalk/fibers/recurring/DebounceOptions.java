package dev.ropewalk.fibers.recurring;

import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * When a {@link Debounce} runs its action; immutable. Start from {@link #quiet(Duration)} and
 * change what differs.
 */
public final class DebounceOptions {
    private final Values values;

    private DebounceOptions(Values values) {
        Objects.requireNonNull(values.name, "name");
        long quietNs = Timed.positiveNanos("quiet", values.quiet);
        if (Waits.nanos(values.longestWait) < quietNs) {
            throw new IllegalArgumentException(
                    "longestWait="
                            + values.longestWait
                            + " is shorter than quiet="
                            + values.quiet
                            + ", so it would never be quiet for long enough; make it longer");
        }
        this.values = values;
    }

    /**
     * {@return options for an action that runs after a quiet time, however long that takes to come}
     *
     * @param quiet how long nothing must have been triggered, more than zero
     * @throws IllegalArgumentException if the time is zero, negative, or longer than 292 years
     */
    public static DebounceOptions quiet(Duration quiet) {
        return new DebounceOptions(new Values(quiet));
    }

    /** {@return the name of its fiber} */
    public String name() {
        return values.name;
    }

    /** {@return how long nothing must have been triggered, more than zero} */
    public Duration quiet() {
        return values.quiet;
    }

    /** {@return how long a value waits at most, however many follow it; at least {@code quiet}} */
    public Duration longestWait() {
        return values.longestWait;
    }

    /** {@return whether the first trigger after a quiet time runs the action at once} */
    public boolean isLeading() {
        return values.isLeading;
    }

    /**
     * {@return these options with another name of the fiber}
     *
     * @param other the name
     */
    public DebounceOptions withName(String other) {
        return with(copy -> copy.name = other);
    }

    /**
     * {@return these options with a longest wait, so that triggers that never pause cannot put the
     * action off for ever}
     *
     * @param longest from the first trigger that the action has not seen, at least the quiet time
     * @throws IllegalArgumentException if it is shorter than that, or longer than 292 years
     */
    public DebounceOptions withLongestWait(Duration longest) {
        return with(copy -> copy.longestWait = longest);
    }

    /**
     * {@return these options with the first trigger after a quiet time running the action at once;
     * those that follow wait for the next quiet time as ever, so the last value is never missed}
     */
    public DebounceOptions withLeading() {
        return with(copy -> copy.isLeading = true);
    }

    private DebounceOptions with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new DebounceOptions(copy);
    }

    /** Changed only while it is a copy that no options have yet. */
    private static final class Values implements Cloneable {
        String name = "debounce";
        final Duration quiet;
        Duration longestWait = Waits.FOREVER;
        boolean isLeading;

        Values(Duration quiet) {
            this.quiet = quiet;
        }

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
