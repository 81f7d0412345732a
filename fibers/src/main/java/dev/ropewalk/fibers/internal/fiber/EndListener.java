package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.Fiber;

/** Is told once that a fiber is over: on its cord, or on any thread if the cord has ended. */
@FunctionalInterface
public interface EndListener {
    /** True if it takes the outcome, so that a failure is told to no other. Never throws. */
    boolean ended(Fiber<?> fiber);
}
