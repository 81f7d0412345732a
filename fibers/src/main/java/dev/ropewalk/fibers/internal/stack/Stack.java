package dev.ropewalk.fibers.internal.stack;

import dev.ropewalk.fibers.StackPinnedException;

import org.jspecify.annotations.Nullable;

/**
 * A stack on which a cord runs fibers: the one place that knows how stacks are switched (rule F11).
 *
 * <p>A stack belongs to one cord and is a worker: it runs fiber after fiber inline until the next
 * one needs another stack. Then it ends, unless it is a virtual thread, which is kept. A fiber that
 * waits keeps the stack it runs on as its own until it ends. Only the cord's root frame enters a
 * stack, so stacks never nest, except with late unmount; only code on the stack leaves it.
 */
public interface Stack {
    /**
     * Goes on with the stack where it left last, until it leaves again or ends. Root frame only.
     */
    void enter();

    /**
     * Yields to the root frame; returns when the stack is entered again.
     *
     * @throws StackPinnedException if the stack holds a frame that cannot be suspended; the caller
     *     is then still running
     */
    void yieldControl();

    /**
     * Whether the stack yielded to the root frame other than by {@link #yieldControl}: code on it
     * is in a call of the JDK that blocks. It can be entered again only after {@link
     * StackOwner#stackReady}.
     */
    default boolean isBlocked() {
        return false;
    }

    /** Where it yielded, the innermost frame first. On the cord, while it is not entered. */
    StackTraceElement[] trace();

    /** Entered and not left: with late unmount others may be on top of it. */
    boolean isMounted();

    // ---------------------------------------------------------------- if it may block in the JDK

    /** It was blocked, and can be entered again. */
    default boolean isReady() {
        return false;
    }

    /** Notes the fiber that ran on it, for {@link StackOwner#stackReady}. */
    default void blockedBy(@Nullable Object running) {
        throw new IllegalStateException(this + " never blocks in the JDK");
    }

    /**
     * Ends the JDK's call that it blocks in, if the call can be interrupted. Every call is, while
     * something is due; but one that cannot be looks like many that are left at once.
     */
    default void interruptFor(Throwable due) {}

    /** Whether a call of the JDK was interrupted because of this. */
    default boolean wasInterruptedFor(@Nullable Throwable due) {
        return false;
    }

    /** It is due no more, and its interrupt must not disturb a later call. On the stack itself. */
    default void forgetInterruptFor(Throwable over) {}

    /** The next fiber finds nothing of the last one on the stack's thread. On the stack itself. */
    default void forgetFiber() {}

    /** {@return the thread that code on it sees as the current one; null for the cord's} */
    default @Nullable Thread thread() {
        return null;
    }
}
