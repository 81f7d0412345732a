package dev.ropewalk.fibers.internal.fiber;

import org.jspecify.annotations.Nullable;

/**
 * The reason of a wait in the queue of a lock, a channel or the like: all that the kernel asks of
 * it.
 */
public interface GuardedWait {
    /** What is waited for; null before the wait and after it. */
    @Nullable Object guarded();

    boolean isLimited();

    /** Only a fiber of the same cord can end the wait. */
    boolean isLocal();

    /**
     * The waiting fiber is abandoned: the wait leaves its queue, and a value that was given already
     * goes back to the giver.
     */
    void abandoned(@Nullable Object given);
}
