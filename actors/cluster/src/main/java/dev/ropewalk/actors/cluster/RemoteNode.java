package dev.ropewalk.actors.cluster;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.cluster.internal.node.Presence;
import dev.ropewalk.actors.cluster.internal.ref.Conversation;
import dev.ropewalk.actors.cluster.internal.ref.Questions.Found;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;

/** Another node, by its name, whether it is there now or not: {@link Node#at}. For any thread. */
public final class RemoteNode {
    private static final Duration FIND_LIMIT = Duration.ofSeconds(5);

    private final Presence presence;
    private final String name;

    RemoteNode(Presence presence, String name) {
        this.presence = presence;
        this.name = name;
    }

    /** {@return its name} */
    public String name() {
        return name;
    }

    /** {@return whether this node has a session with it} It may be over when this returns. */
    public boolean isUp() {
        return presence.conversation(name) != null;
    }

    /**
     * Like {@link #find(String, Class, Duration)}, with a limit of five seconds.
     *
     * @param <M> the type of the messages that the actor takes
     * @param path the names below the root of its system, with a {@code /} between
     * @param type the type of the messages that the actor takes
     * @return its address; null if no actor is there now
     * @throws UnreachableException if the node does not answer
     */
    public <M> @Nullable ActorRef<M> find(String path, Class<M> type) {
        return find(path, type, FIND_LIMIT);
    }

    /**
     * Asks the node for the address of an actor of its system. A switchpoint. The address stays
     * valid across restarts of the actor, and means that incarnation of the node.
     *
     * @param <M> the type of the messages that the actor takes
     * @param path the names below the root of its system, with a {@code /} between
     * @param type the type of the messages that the actor takes; what the actor really takes is not
     *     known here
     * @param limit how long to wait at most
     * @return its address; null if no actor is there now
     * @throws UnreachableException if there is no session with the node, it ends meanwhile, or the
     *     limit passes
     */
    @SuppressWarnings("unchecked") // the caller says what it takes, as with ActorSystem.find
    public <M> @Nullable ActorRef<M> find(String path, Class<M> type, Duration limit) {
        Objects.requireNonNull(path, "path");
        Objects.requireNonNull(type, "type");
        long limitNs = Waits.nanos(limit);
        Waits.switchpoint();
        Conversation with = presence.conversation(name);
        if (with == null) {
            throw unreachable(path, "there is no session with it; wait with Node.awaitPeers");
        }
        return switch (with.questions().find(path, limitNs)) {
            case Found.Actor(var actor) -> (ActorRef<M>) actor;
            case Found.Nobody() -> null;
            case Found.Unreachable() -> throw unreachable(path, "the session has ended");
            case Found.Late() -> throw unreachable(path, "no answer within " + limit);
        };
    }

    private UnreachableException unreachable(String path, String why) {
        return new UnreachableException(
                "node " + name + " was asked for the actor " + path + ", and " + why);
    }

    @Override
    public String toString() {
        return "node " + name;
    }
}
