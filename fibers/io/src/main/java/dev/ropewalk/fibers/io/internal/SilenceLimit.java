package dev.ropewalk.fibers.io.internal;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.spi.Alarm;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * One limit on silence for many: tells each of them once, when it has been silent for so long.
 *
 * <p>Who began last stands last in a ring, so the first is the next that may be told, and one alarm
 * serves all: it goes off when the limit of the first may have passed, and is set again for the
 * first of then. So a client that waits costs three fields, and no alarm of its own.
 *
 * <p>Confined to one cord.
 */
public final class SilenceLimit {
    private final Cord cord;
    private final long limitNs;

    /** Its neighbours are the last and the first. */
    private final Watched ring =
            new Watched() {
                @Override
                protected void silent() {
                    throw new IllegalStateException("the ring itself is not watched");
                }
            };

    private @Nullable Alarm alarm;

    /**
     * Of the current cord; without anyone to watch.
     *
     * @param limitNs {@link Long#MAX_VALUE} for no limit
     */
    public SilenceLimit(long limitNs) {
        this.cord = Cord.current();
        this.limitNs = limitNs;
        ring.before = ring;
        ring.after = ring;
    }

    /** One that may be silent for too long. */
    public abstract static class Watched {
        private @Nullable Watched before;
        private @Nullable Watched after;
        private long sinceNs;

        /** The limit has passed; it is not watched any more. As no fiber; must not wait. */
        protected abstract void silent();
    }

    /** It is silent from now on. */
    public void begin(Watched watched) {
        if (limitNs == Long.MAX_VALUE) {
            return;
        }
        end(watched);
        watched.sinceNs = cord.nanoTime();
        Watched last = before(ring);
        link(last, watched);
        link(watched, ring);
        if (alarm == null) {
            alarm = Alarm.after(limitNs, this::check);
        }
    }

    /** It is watched no more; no effect if it is not. */
    public void end(Watched watched) {
        if (watched.after != null) {
            link(before(watched), after(watched));
            watched.before = null;
            watched.after = null;
        }
    }

    private void check() {
        alarm = null;
        long nowNs = cord.nanoTime();
        for (Watched first = after(ring); first != ring; first = after(ring)) {
            long leftNs = first.sinceNs + limitNs - nowNs;
            if (leftNs > 0) {
                alarm = Alarm.after(leftNs, this::check);
                return;
            }
            first.silent(); // first: it is told again if there is no room on the stack
            end(first);
        }
    }

    private static void link(Watched one, Watched next) {
        one.after = next;
        next.before = one;
    }

    private static Watched before(Watched watched) {
        return Objects.requireNonNull(watched.before);
    }

    private static Watched after(Watched watched) {
        return Objects.requireNonNull(watched.after);
    }

    /** {@return how many are watched; checks the invariants} For tests. */
    public int count() {
        int count = 0;
        for (Watched each = after(ring); each != ring; each = after(each)) {
            Watched last = before(each);
            if (last.after != each || (last != ring && last.sinceNs - each.sinceNs > 0)) {
                throw new IllegalStateException("the ring is out of order at " + each);
            }
            count++;
        }
        return count;
    }
}
