package dev.ropewalk.actors.internal.routing;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The member with the fewest messages: what its mailbox held at the end of its last turn, and what
 * this router has told it since. Of several with as few, in turn.
 *
 * <p>Two senders that choose at once may choose the same one; the next choice knows of both.
 */
public final class LeastMailbox<M> implements Choice<M> {
    /** Of the last roster that was seen. */
    private volatile Table<M> table = new Table<>(Roster.empty());

    @Override
    public Member<M> choose(Roster<M> roster, @Nullable M message) {
        Table<M> now = table;
        if (now.roster != roster) {
            now = new Table<>(roster);
            table = now;
        }
        return now.least();
    }

    /** What is known of each member of a roster. */
    private static final class Table<M> {
        final Roster<M> roster;
        final Seen[] seen;

        /**
         * Where the search begins: behind the one that was chosen last, so that equals take turns.
         */
        private volatile int first;

        Table(Roster<M> roster) {
            this.roster = roster;
            this.seen = new Seen[roster.size()];
            for (int i = 0; i < seen.length; i++) {
                seen[i] = new Seen();
                roster.get(i).wantGauge();
            }
        }

        Member<M> least() {
            int from = first;
            int best = from;
            int fewest = Integer.MAX_VALUE;
            for (int i = 0; i < seen.length && fewest > 0; i++) {
                int at = from + i < seen.length ? from + i : from + i - seen.length;
                int size = seen[at].size(roster.get(at).gauge());
                if (size < fewest) {
                    fewest = size;
                    best = at;
                }
            }
            first = best + 1 < seen.length ? best + 1 : 0;
            seen[best].told.incrementAndGet();
            return roster.get(best);
        }
    }

    /** One member, as this router knows it. */
    private static final class Seen {
        final AtomicInteger told = new AtomicInteger();
        private int turn;

        int size(@Nullable Gauge gauge) {
            if (gauge == null) {
                return told.get();
            }
            long read = gauge.read();
            if (Gauge.turn(read) != turn) {
                turn = Gauge.turn(read);
                told.set(0);
            }
            return Gauge.size(read) + told.get();
        }
    }
}
