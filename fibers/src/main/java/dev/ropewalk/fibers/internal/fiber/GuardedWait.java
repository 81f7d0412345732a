package dev.ropewalk.fibers.internal.fiber;

import org.jspecify.annotations.Nullable;

/**
 * The reason of a wait in the queue of a lock, a channel or the like: all that the kernel asks of
 * it.
 */
public interface GuardedWait {
    /** The reason of the wait; null before and after it. */
    @Nullable Object guarded();

    boolean isLimited();

    /** True if only a fiber of the same cord can end the wait. */
    boolean isLocal();

    /**
     * A fiber is abandoned whose last wait this was: if it still is, it leaves its queue, and a
     * value that was given already goes back to the giver. It is not if the object has become the
     * wait of another fiber meanwhile.
     */
    void abandoned(FiberImpl<?> gone, @Nullable Object given);
}
