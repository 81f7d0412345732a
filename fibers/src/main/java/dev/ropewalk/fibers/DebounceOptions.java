package dev.ropewalk.fibers;

import java.time.Duration;
import java.util.Objects;

/**
 * When a {@link Debounce} runs its action; immutable. Start from {@link #quiet} and change what
 * differs.
 *
 * @param name the name of its fiber
 * @param quiet how long nothing must have been triggered, more than zero
 * @param longestWait the most that a value waits, however many follow it; at least {@code quiet}
 * @param isLeading whether the first trigger after a quiet time runs the action at once
 */
public record DebounceOptions(
        String name, Duration quiet, Duration longestWait, boolean isLeading) {

    /** Checks the values. */
    public DebounceOptions {
        Objects.requireNonNull(name, "name");
        long quietNs = Timed.positiveNanos("quiet", quiet);
        if (Waits.nanos(longestWait) < quietNs) {
            throw new IllegalArgumentException(
                    "longestWait="
                            + longestWait
                            + " is shorter than quiet="
                            + quiet
                            + ", so it would never be quiet for long enough; make it longer");
        }
    }

    /**
     * {@return options for an action that runs after a quiet time, however long that takes to come}
     *
     * @param quiet how long nothing must have been triggered, more than zero
     * @throws IllegalArgumentException if the time is zero, negative, or longer than 292 years
     */
    public static DebounceOptions quiet(Duration quiet) {
        return new DebounceOptions("debounce", quiet, Waits.FOREVER, false);
    }

    /**
     * {@return these options with another name of the fiber}
     *
     * @param other the name
     */
    public DebounceOptions withName(String other) {
        return new DebounceOptions(other, quiet, longestWait, isLeading);
    }

    /**
     * {@return these options with a longest wait, so that triggers that never pause cannot put the
     * action off for ever}
     *
     * @param longest from the first trigger that the action has not seen, at least the quiet time
     * @throws IllegalArgumentException if it is shorter than that, or longer than 292 years
     */
    public DebounceOptions withLongestWait(Duration longest) {
        return new DebounceOptions(name, quiet, longest, isLeading);
    }

    /**
     * {@return these options with the first trigger after a quiet time running the action at once;
     * those that follow wait for the next quiet time as ever, so the last value is never missed}
     */
    public DebounceOptions withLeading() {
        return new DebounceOptions(name, quiet, longestWait, true);
    }
}
