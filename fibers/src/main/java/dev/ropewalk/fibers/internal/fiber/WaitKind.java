package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;

/** The calls that may end a fiber's wait. */
public enum WaitKind {
    /** {@link Fiber#suspend}: anybody, by {@link Fiber#schedule}. */
    SUSPEND,
    /** A library wait: only by its number. */
    LIBRARY,
    /** A call of the JDK that blocks, on a virtual thread: only the JDK, or an interrupt. */
    BLOCKED_IN_JDK,
    /** A handler between two turns: only {@link Waits#resumeHandler}. */
    HANDLER
}
