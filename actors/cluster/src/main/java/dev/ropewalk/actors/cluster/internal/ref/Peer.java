package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.cluster.internal.session.NodeId;

import org.jspecify.annotations.Nullable;

/** One incarnation of another node, and the session with it while there is one. */
public final class Peer {
    private final NodeId id;
    private final String host;
    private final int port;

    private volatile @Nullable Conversation now;

    /** The last one, until all have heard of its end. */
    private volatile @Nullable Conversation last;

    public Peer(NodeId id, String host, int port) {
        this.id = id;
        this.host = host;
        this.port = port;
    }

    public NodeId id() {
        return id;
    }

    public String host() {
        return host;
    }

    public int port() {
        return port;
    }

    /** Null while the two have no session. */
    public @Nullable Conversation now() {
        return now;
    }

    /**
     * The session, or one that is over while its monitors do not know that yet: others that begin
     * hear of the end with them.
     */
    @Nullable Watches watches() {
        Conversation with = last;
        return with == null ? null : with.watches();
    }

    /** By the node, on its cord. */
    public void begins(Conversation begun) {
        last = begun;
        now = begun;
    }

    /** By the node, on its cord. */
    public void ends() {
        now = null;
    }

    /** All have heard of its end. On the node's cord. */
    void isOver(Conversation ended) {
        if (last == ended) {
            last = null;
        }
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
