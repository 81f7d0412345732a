package dev.ropewalk.actors.routing;

import dev.ropewalk.actors.ActorRef;

import java.util.List;

/**
 * An actor's view of a group: the members when it began, and a message for each change since then,
 * in order.
 *
 * @param <M> the type of the messages that the members take
 */
public interface GroupWatch<M> {
    /** {@return the group} */
    Group<M> group();

    /** {@return the members when the watch began} */
    List<ActorRef<M>> snapshot();

    /**
     * Ends the watch: no change comes any more, even if it is in the mailbox already. To end it
     * twice is harmless.
     *
     * @throws IllegalStateException if the caller is not the actor's own fiber
     */
    void cancel();
}
