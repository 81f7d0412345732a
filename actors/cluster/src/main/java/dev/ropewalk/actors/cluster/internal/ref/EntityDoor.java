package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.cluster.internal.session.Session;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;

import org.jspecify.annotations.Nullable;

/** The entities of a cluster, as the sessions of a node see them. */
public interface EntityDoor {
    /** The name of the entity that an address leads to; null if it is none of the cluster. */
    @Nullable EntityName nameOf(ActorRef<?> actor);

    /** The address of an entity that another node has named. */
    ActorRef<?> address(EntityName name);

    /**
     * Where a message is told that came for it; null if this node does not take it. On the cord.
     *
     * @param known what was returned before for that name; null if nothing was
     */
    @Nullable ActorRef<?> here(EntityName name, @Nullable ActorRef<?> known);

    /** The same, of a word of the library, which is read. False if it bounces. On the cord. */
    boolean letter(EntityName name, WireInput from);

    /** The other node does not take a message that was sent to it. On the cord. */
    void bounced(Conversation by, Session.Lost message);

    /** The same, of an ask that is open. On the cord. */
    void bounced(Conversation by, RoutedAsk<?> ask);

    /** All that was sent to the node before the fence is answered. On the cord. */
    void fenced(Conversation by, long id);

    /**
     * The other node has no entity any more: nothing is sent to it from now on. On the cord.
     *
     * @param left runs when all that was on its way has been told of
     */
    void retired(Conversation by, Runnable left);

    /** A session has begun. On the cord. */
    void begun();

    /** The session has ended; what was sent in it is the session's affair. On the cord. */
    void over(Conversation ended);
}
