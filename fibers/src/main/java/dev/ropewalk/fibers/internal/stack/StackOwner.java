package dev.ropewalk.fibers.internal.stack;

import dev.ropewalk.fibers.internal.platform.Poster;

import org.jspecify.annotations.Nullable;

/** The cord of a stack, as the stack sees it. */
public interface StackOwner extends Poster {
    /**
     * A stack that was blocked in the JDK can be entered again. On the cord.
     *
     * @param stack the stack
     * @param blocked what {@link Stack#blockedBy} noted when it was left
     */
    void stackReady(Stack stack, @Nullable Object blocked);

    /** {@return the name of the cord, for the names of threads} */
    String name();
}
