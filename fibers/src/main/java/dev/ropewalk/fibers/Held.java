package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/**
 * What one at a time holds while others wait, such as a lock. Who begins to {@linkplain Guard#await
 * wait} for it without a limit is told at once if the holder waits for it in turn.
 */
public interface Held {
    /**
     * {@return the fiber or thread that holds it; null if nobody does, or more than one} Asked by
     * who is about to wait, and outside the guard; must not wait. What it says of a fiber of the
     * asking cord has to be true, of others it may be late.
     */
    @Nullable Object holder();
}
