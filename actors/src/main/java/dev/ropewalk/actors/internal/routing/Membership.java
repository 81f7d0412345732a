package dev.ropewalk.actors.internal.routing;

/** An actor's entry for a group that it is in; on the actor's cord. */
public interface Membership {
    /**
     * The actor is over and will not be started again. Those that monitor it hear of that when the
     * member has left.
     *
     * @param then runs when it has, on any thread
     */
    void ended(Runnable then);
}
