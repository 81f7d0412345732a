package dev.ropewalk.actors.cluster.internal.session;

/** Why two nodes do not become peers. */
public enum Refusal {
    /** The other node is of another cluster. */
    CLUSTER,
    /** It speaks another version of the protocol. */
    VERSION,
    /** It is this node. */
    SELF,
    /** Another node has its name. */
    NAME,
    /** Its certificate is not for its name. */
    CERTIFICATE,
    /** The two have a session already. */
    DUPLICATE,
    /** This node leaves. */
    LEAVING;

    static Refusal of(int place) {
        Refusal[] all = values();
        return place >= 0 && place < all.length ? all[place] : CLUSTER;
    }
}
