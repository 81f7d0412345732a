package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.cluster.internal.session.Contexts;
import dev.ropewalk.actors.cluster.internal.session.FramePool;
import dev.ropewalk.actors.cluster.internal.session.NodeId;
import dev.ropewalk.actors.cluster.internal.wire.TypeTable;
import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;

/**
 * The part that all addresses and sessions of a node share. For any thread.
 *
 * @param system whose actors have addresses elsewhere
 * @param self this node
 * @param cord of the node, which handles all frames
 * @param types of its protocol
 * @param frames to be written
 * @param contexts beside messages
 * @param exports the actors that other nodes know
 * @param groups that it shares
 * @param entities of the cluster
 * @param peers the nodes that this one knows
 */
public record Home(
        ActorSystem system,
        NodeId self,
        Cord cord,
        TypeTable types,
        FramePool frames,
        Contexts contexts,
        Exports exports,
        Groups groups,
        EntityDoor entities,
        KnownPeers peers) {

    void report(Object message, Object to, DeadLetter.Reason reason, @Nullable Throwable cause) {
        if (message instanceof Resent) {
            return;
        }
        system.report(
                new DeadLetter(
                        EntityWords.InContext.message(message), to.toString(), reason, cause));
    }

    /**
     * All of it but the peers, which need it themselves.
     *
     * @param system whose actors have addresses elsewhere
     * @param self this node
     * @param cord of the node
     * @param types of its protocol
     * @param frames to be written
     * @param contexts beside messages
     * @param entities of the cluster
     */
    public record Parts(
            ActorSystem system,
            NodeId self,
            Cord cord,
            TypeTable types,
            FramePool frames,
            Contexts contexts,
            EntityDoor entities) {
        public Home home(KnownPeers peers) {
            Exports exports = new Exports();
            Groups groups = new Groups(system, self, exports);
            return new Home(
                    system, self, cord, types, frames, contexts, exports, groups, entities, peers);
        }
    }
}
