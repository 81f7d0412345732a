package dev.ropewalk.actors.cluster.internal.session;

/**
 * One life of a node: its name, and a number that is drawn anew at each start.
 *
 * @param name which nodes of a cluster have only once at a time
 * @param incarnation random
 */
public record NodeId(String name, long incarnation) {
    @Override
    public String toString() {
        return name + "@" + Long.toHexString(incarnation);
    }
}
