package dev.ropewalk.channels.internal;

import dev.ropewalk.fibers.spi.Waits;

import java.util.Objects;

/**
 * The check of elements: anything may be sent that a receiver can tell from the marks of a wait.
 */
public final class Elements {
    private static final String NULL =
            "element is null; for a receiver null means that there was none in time: send an object"
                    + " that stands for it";

    private Elements() {}

    /** Throws if the element could be taken for a mark. */
    public static void check(Object element) {
        Objects.requireNonNull(element, NULL);
        if (element == Waits.TIMED_OUT) {
            throw new IllegalArgumentException(
                    "element=TIMED_OUT is the mark of a time limit; send something else");
        }
    }
}
