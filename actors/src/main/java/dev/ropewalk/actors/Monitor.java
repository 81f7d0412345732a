package dev.ropewalk.actors;

/**
 * One actor's interest in the end of another. It belongs to the incarnation that made it, or, with
 * {@link Actor#keepState}, to the state.
 */
public interface Monitor {
    /** {@return the actor that is monitored} */
    ActorRef<?> actor();

    /**
     * Ends the interest: no DOWN of this monitor comes from now on, even if it is in the mailbox
     * already. For the actor's own fiber. No effect if it was cancelled before.
     *
     * @throws IllegalStateException if another fiber or thread calls it
     */
    void cancel();
}
