package dev.ropewalk.fibers.spi;

import org.jspecify.annotations.Nullable;

/**
 * An object that one at a time holds while others wait, such as a lock. A caller of {@link
 * Exclusion#refuseCycle} that is about to wait for it is refused if the holder waits for the caller
 * in turn. A {@link Hold} is the other side: something that a fiber has to give back before it
 * ends.
 */
public interface HasHolder {
    /**
     * {@return the fiber or thread that holds it; null if it has no holder, or more than one} Asked
     * by a caller that is about to wait, outside the guard; must not wait. The answer has to be
     * true of fibers of the asking cord; of others it may be late.
     */
    @Nullable Object holder();
}
