package dev.ropewalk.actors;

import org.jspecify.annotations.Nullable;

/**
 * Finds the ask that would close a circle (rule A2). Each asker publishes whom it waits for before
 * it looks, so of the asks that close a circle at the same time at least one sees it.
 */
final class AskCycles {
    private static final int LONGEST_PATH = 1_000;

    private AskCycles() {}

    static void check(ActorCell<?> asker) {
        StringBuilder path = new StringBuilder(asker.name());
        @Nullable ActorCell<?> next = asker.asked();
        for (int length = 0; next != null && length < LONGEST_PATH; length++) {
            path.append(" -> ").append(next.name());
            if (next == asker) {
                throw new AskCycleException(
                        "this ask would close a circle of actors that wait for replies: "
                                + path
                                + "; let one of them tell instead of ask");
            }
            next = next.asked();
        }
    }
}
