package dev.ropewalk.fibers;

/**
 * Something whose {@linkplain Guard#await waiters} are handed what must not be lost: a lock, a
 * permit, an element.
 */
public interface HandsOver {
    /**
     * A fiber was abandoned after its party was claimed and before it ran, so it will never take
     * what it was given. Called on the fiber's cord, outside the guard; must not wait.
     *
     * @param party whose wait was claimed
     * @param given the result of the claim
     */
    void takeBack(Party<?> party, Object given);
}
