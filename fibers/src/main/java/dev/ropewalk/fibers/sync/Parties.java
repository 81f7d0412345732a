package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.WaitNode;
import dev.ropewalk.fibers.WaitQueue;

import java.util.ArrayList;
import java.util.List;

/** Ends the waits of many at once. */
final class Parties {
    private Parties() {}

    /**
     * Guarded: ends the wait of all in the line that still wait, and empties it.
     *
     * @return whom to wake when the guard is left
     */
    static <E> List<WaitNode<E>> claimAll(WaitQueue<E> line, Object result) {
        if (line.isEmpty()) {
            return List.of();
        }
        List<WaitNode<E>> claimed = new ArrayList<>();
        for (WaitNode<E> next = line.claimFirst(result);
                next != null;
                next = line.claimFirst(result)) {
            claimed.add(next);
        }
        return claimed;
    }

    /** Outside the guard. */
    static <E> void wakeAll(List<WaitNode<E>> claimed) {
        claimed.forEach(WaitNode::wake);
    }
}
