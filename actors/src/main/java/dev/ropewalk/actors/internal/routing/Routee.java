package dev.ropewalk.actors.internal.routing;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.observe.DeadLetters;

import org.jspecify.annotations.Nullable;

/**
 * An actor of this process, as groups and routers see it. From any thread, if nothing else is said.
 */
public interface Routee<M> {
    /** The name of an actor that has no name of its own. */
    String ANONYMOUS = "actor";

    /** {@return the actor behind the address; null if it is none of this process} */
    @SuppressWarnings("unchecked") // takes what its address does
    static <M> @Nullable Routee<M> of(ActorRef<M> actor) {
        return actor.target() instanceof Routee<?> local ? (Routee<M>) local : null;
    }

    /** Now if this is its cord, otherwise by a message; also if the cord has ended. */
    void onCord(Runnable task);

    /**
     * Enters a group, once; on its cord.
     *
     * @return true, or false if it is in it already; null if the actor has ended
     */
    @Nullable Boolean enterGroup(Object group, Membership membership);

    /**
     * Begins to leave a group; on its cord.
     *
     * @return runs on its cord when the group knows; null if it was not in it
     */
    @Nullable Runnable leaveGroup(Object group);

    /** The gauge of its mailbox, which it keeps from now on; on its cord. */
    Gauge gauge();

    /**
     * Like a tell, by a router.
     *
     * @param router is named by the dead letter that the message becomes if the actor has ended
     */
    void tellBy(String router, M message);

    /** The same, of a message that is sent if there is room for it now. */
    TellResult tryTellBy(@Nullable String router, M message);

    /** Where its dead letters go. */
    DeadLetters deadLetters();
}
