package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/**
 * What one at a time holds while others wait, such as a lock. Who calls {@link
 * Exclusion#refuseCycle} before it waits for it is refused if the holder waits for the caller in
 * turn. A {@link Hold} is the other side: what a fiber has to give back before it ends.
 */
public interface HasHolder {
    /**
     * {@return the fiber or thread that holds it; null if nobody does, or more than one} Asked by
     * who is about to wait, and outside the guard; must not wait. What it says of a fiber of the
     * asking cord has to be true, of others it may be late.
     */
    @Nullable Object holder();
}
