package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.cluster.internal.session.NodeId;

import org.jspecify.annotations.Nullable;

/** One incarnation of another node, and the session with it while there is one. */
public final class Peer {
    private final NodeId id;
    private final String host;
    private final int port;

    private volatile @Nullable Conversation now;

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

    /** By the node, on its cord. */
    public void now(@Nullable Conversation begun) {
        now = begun;
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
