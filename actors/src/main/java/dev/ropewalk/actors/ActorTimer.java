package dev.ropewalk.actors;

/** One timer of an actor; for the actor's own fiber. */
public interface ActorTimer {
    /**
     * Cancels the timer: no message of it comes from now on, even if it is in the mailbox already.
     * No effect if it is over.
     *
     * @throws IllegalStateException if another fiber or thread calls it
     */
    void cancel();

    /**
     * {@return whether a message of it may still come}
     *
     * @throws IllegalStateException if that is called on another cord than the actor's
     */
    boolean isActive();
}
