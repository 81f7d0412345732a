package dev.ropewalk.fibers.spi;

/**
 * Something whose {@linkplain Exclusion#await waiters} are handed something that must not be lost,
 * such as a lock, a permit, an element; or whose other waiters must not wait for one that is gone.
 */
public interface Handoff {
    /**
     * A fiber was abandoned after its node was claimed and before it ran, so it will never take
     * what it was given. Called on the fiber's cord, outside the guard; must not wait.
     *
     * @param node whose wait was claimed
     * @param given the result of the claim
     */
    void reclaim(WaitNode<?> node, Object given);

    /**
     * A fiber was abandoned in its wait here, so it runs no clean-up: the nodes behind it may be
     * able to go on. Its node has been taken out of its queue, and the value it was given, if any,
     * has been taken back. Called on the fiber's cord, outside the guard; must not wait.
     *
     * @param node whose fiber is gone
     */
    default void abandoned(WaitNode<?> node) {}
}
