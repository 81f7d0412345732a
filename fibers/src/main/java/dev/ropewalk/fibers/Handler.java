package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/**
 * The body of a fiber that keeps no stack between its turns: each resume value is one call.
 *
 * <p>A turn may wait like any other code of a fiber; only then does the fiber get a stack, and only
 * until the turn ends (rule F3).
 */
@FunctionalInterface
public interface Handler {
    /** The value of the first call, which comes right after the fiber was spun. */
    Object START = new Object();

    /**
     * Handles one resume value on the fiber's cord.
     *
     * @param value {@link #START} in the first turn, then what {@link Waits#resumeHandler} gave
     * @return true to wait for the next value, false to end the fiber
     * @throws Exception whatever the turn throws ends the fiber with that failure
     */
    boolean handle(@Nullable Object value) throws Exception;
}
