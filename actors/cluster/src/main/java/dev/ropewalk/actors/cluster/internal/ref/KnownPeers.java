package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.cluster.internal.session.NodeId;

/** The nodes that a node has heard of. For any thread. */
public interface KnownPeers {
    /**
     * The node of that name and incarnation.
     *
     * @param host where it is reached, as an address of one of its actors said
     * @param port the same
     */
    Peer peer(NodeId id, String host, int port);

    /** Another node says that a node may be there. */
    void heardOf(String host, int port);
}
