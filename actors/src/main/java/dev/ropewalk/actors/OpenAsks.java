package dev.ropewalk.actors;

import org.jspecify.annotations.Nullable;

/**
 * The asks that an actor has accepted and that may still wait for its reply, so that they can be
 * told at once when it ends. Confined to the actor's cord.
 *
 * <p>A reply may come from anywhere, so answered asks stay linked until a sweep finds them; a sweep
 * comes when as many were added as were left by the last one, which makes it constant work per ask.
 */
final class OpenAsks {
    private static final int SMALLEST_SWEEP = 32;

    private @Nullable Ask<?, ?> first;
    private int size;
    private int sweepAt = SMALLEST_SWEEP;

    void add(Ask<?, ?> ask) {
        ask.next = first;
        if (first != null) {
            first.previous = ask;
        }
        first = ask;
        if (++size >= sweepAt) {
            sweep();
        }
    }

    void failAll(String why) {
        for (Ask<?, ?> ask = first; ask != null; ask = ask.next) {
            ask.fail(why, null);
        }
        first = null;
        size = 0;
    }

    private void sweep() {
        for (Ask<?, ?> ask = first; ask != null; ask = ask.next) {
            if (!ask.isOpen()) {
                unlink(ask);
            }
        }
        sweepAt = Math.max(SMALLEST_SWEEP, 2 * size);
    }

    private void unlink(Ask<?, ?> ask) {
        if (ask.previous == null) {
            first = ask.next;
        } else {
            ask.previous.next = ask.next;
        }
        if (ask.next != null) {
            ask.next.previous = ask.previous;
        }
        size--;
    }

    int size() {
        return size;
    }
}
