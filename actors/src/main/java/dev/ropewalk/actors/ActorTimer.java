package dev.ropewalk.actors;

/** One timer of an actor; for the actor's own fiber. */
public interface ActorTimer {
    /**
     * Cancels the timer: no message of it comes from now on, also none that is in the mailbox
     * already. No effect if it is over.
     */
    void cancel();

    /** {@return whether a message of it may still come} */
    boolean isActive();
}
