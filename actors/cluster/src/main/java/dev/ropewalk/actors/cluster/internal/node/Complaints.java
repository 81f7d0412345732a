package dev.ropewalk.actors.cluster.internal.node;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The last complaints of a node, each of which is told once, however often its cause comes back.
 */
final class Complaints {
    private static final int MAX = 100;

    /** From the oldest on. */
    private final Set<String> told = new LinkedHashSet<>();

    /** Whether it was not told, or so long ago that it is forgotten. It counts as told then. */
    boolean isNew(String complaint) {
        if (!told.add(complaint)) {
            return false;
        }
        if (told.size() > MAX) {
            told.remove(told.iterator().next());
        }
        return true;
    }
}
