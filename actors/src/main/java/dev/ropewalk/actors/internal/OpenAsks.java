package dev.ropewalk.actors.internal;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * The asks whose questions an incarnation has taken and not answered, so that they can be told at
 * once when it ends. Confined to the actor's cord.
 *
 * <p>A reply on the actor's cord takes its ask out. One from elsewhere cannot: it stays linked
 * until a sweep finds it; a sweep comes when as many were added as were left by the last one, which
 * makes it constant work per ask.
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

    /** No effect if it is not in the list. */
    void remove(Ask<?, ?> ask) {
        if (ask == first || ask.previous != null) {
            unlink(ask);
        }
    }

    /**
     * Fails all, then cuts the links: on a cord that has ended two threads may come here at once,
     * and a thread that finds the list cut must know that all were failed.
     */
    void failAll(String why, @Nullable Throwable cause) {
        List<Ask<?, ?>> all = new ArrayList<>();
        for (Ask<?, ?> ask = first; ask != null; ask = ask.next) {
            all.add(ask);
        }
        all.forEach(ask -> ask.noReply(why, cause));
        for (Ask<?, ?> ask = first; ask != null; ask = first) {
            unlink(ask);
        }
    }

    private void sweep() {
        for (Ask<?, ?> ask = first; ask != null; ) {
            Ask<?, ?> after = ask.next;
            if (!ask.isOpen()) {
                unlink(ask);
            }
            ask = after;
        }
        sweepAt = Math.max(SMALLEST_SWEEP, 2 * size);
    }

    private void unlink(Ask<?, ?> ask) {
        Ask<?, ?> before = ask.previous;
        Ask<?, ?> after = ask.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after != null) {
            after.previous = before;
        }
        ask.previous = null;
        ask.next = null;
        size--;
        if (size == 0) {
            sweepAt = SMALLEST_SWEEP;
        }
    }

    int size() {
        return size;
    }

    /** With some that are answered. */
    static int sizeOf(@Nullable Belongings<?> own) {
        OpenAsks asks = own == null ? null : own.asksOrNull();
        return asks == null ? 0 : asks.size;
    }

    /** Those whose askers still wait. Changes nothing: the cord may have ended. */
    static int openOf(@Nullable Belongings<?> own) {
        OpenAsks asks = own == null ? null : own.asksOrNull();
        int count = 0;
        for (Ask<?, ?> ask = asks == null ? null : asks.first; ask != null; ask = ask.next) {
            count += ask.isOpen() ? 1 : 0;
        }
        return count;
    }
}
