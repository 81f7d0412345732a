package dev.ropewalk.actors.internal.routing;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The member with the fewest messages: what its mailbox held at the end of its last turn, and what
 * this router has told it since. Of several with as few, in turn.
 *
 * <p>A member that has no mailbox here, a router for one, counts as one of the emptiest.
 *
 * <p>Two senders that choose at once may choose the same one; the next choice knows of both.
 */
public final class LeastMailbox<M> implements Choice<M> {
    /** Of the last roster that was seen. */
    private volatile Table<M> table = new Table<>(Roster.empty(), null);

    @Override
    public Member<M> choose(Roster<M> roster, @Nullable M message) {
        Table<M> now = table;
        if (now.roster != roster) {
            now = new Table<>(roster, now);
            table = now;
        }
        return now.least();
    }

    /** The knowledge about each member of a roster. */
    private static final class Table<M> {
        final Roster<M> roster;
        final Seen[] seen;

        /**
         * Where the search begins: behind the one that was chosen last, so that equals take turns.
         */
        private volatile int first;

        /** Those that are in both are known from the one before. */
        Table(Roster<M> roster, @Nullable Table<M> before) {
            this.roster = roster;
            this.seen = new Seen[roster.size()];
            Map<Member<M>, Seen> known = before == null ? Map.of() : before.byMember();
            for (int i = 0; i < seen.length; i++) {
                Seen same = known.get(roster.get(i));
                seen[i] = same == null ? new Seen() : same;
                roster.get(i).wantGauge();
            }
        }

        private Map<Member<M>, Seen> byMember() {
            Map<Member<M>, Seen> all = new HashMap<>();
            for (int i = 0; i < seen.length; i++) {
                all.put(roster.get(i), seen[i]);
            }
            return all;
        }

        Member<M> least() {
            int from = first;
            // How far behind there.
            int best = -1;
            int unknown = -1;
            int fewest = Integer.MAX_VALUE;
            for (int i = 0; i < seen.length && fewest > 0; i++) {
                int at = wrapped(from + i);
                Member<M> member = roster.get(at);
                if (member.cell() == null) {
                    unknown = unknown < 0 ? i : unknown;
                    continue;
                }
                int size = seen[at].size(member.gauge());
                if (size < fewest) {
                    fewest = size;
                    best = i;
                }
            }
            boolean isUnknown = best < 0 || (unknown >= 0 && unknown < best);
            int chosen = wrapped(from + (isUnknown ? unknown : best));
            first = wrapped(chosen + 1);
            seen[chosen].told.incrementAndGet();
            return roster.get(chosen);
        }

        private int wrapped(int index) {
            return index < seen.length ? index : index - seen.length;
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
