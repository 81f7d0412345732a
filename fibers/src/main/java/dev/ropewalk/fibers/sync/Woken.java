package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.WaitNode;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** Parties that were claimed inside a guard, to be woken in that order outside it. */
final class Woken {
    private final List<WaitNode<?>> nodes = new ArrayList<>(2);

    private Woken() {}

    /** Null stands for nobody, so that who serves nobody allocates nothing. */
    static Woken add(@Nullable Woken before, WaitNode<?> claimed) {
        Woken woken = before == null ? new Woken() : before;
        woken.nodes.add(claimed);
        return woken;
    }

    /** Outside the guard. */
    static void wakeAll(@Nullable Woken woken) {
        if (woken != null) {
            for (WaitNode<?> node : woken.nodes) {
                node.wake();
            }
        }
    }
}
