package dev.ropewalk.actors.internal.routing;

import dev.ropewalk.actors.spi.Load;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * The member with the fewest messages: what its mailbox held after its last message, and what this
 * router has told it since. An actor of another node says so from time to time, and counts what all
 * of this node have told it since. Of several with as few, in turn.
 *
 * <p>A member that has no mailbox, a router for one, counts as one of the emptiest.
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

        /** Null of those that have no mailbox. */
        final @Nullable Load[] loads;

        /**
         * Where the search begins: behind the one that was chosen last, so that equals take turns.
         */
        private volatile int first;

        /** Those that are in both are known from the one before. */
        Table(Roster<M> roster, @Nullable Table<M> before) {
            this.roster = roster;
            this.loads = new Load[roster.size()];
            Map<Member<M>, Load> known = before == null ? Map.of() : before.byMember();
            for (int i = 0; i < loads.length; i++) {
                Load same = known.get(roster.get(i));
                loads[i] = same == null ? roster.get(i).load() : same;
            }
        }

        private Map<Member<M>, Load> byMember() {
            Map<Member<M>, Load> all = new HashMap<>();
            for (int i = 0; i < loads.length; i++) {
                Load load = loads[i];
                if (load != null) {
                    all.put(roster.get(i), load);
                }
            }
            return all;
        }

        Member<M> least() {
            int from = first;
            // How far behind there.
            int best = -1;
            int unknown = -1;
            int fewest = Integer.MAX_VALUE;
            for (int i = 0; i < loads.length && fewest > 0; i++) {
                Load load = loads[wrapped(from + i)];
                if (load == null) {
                    unknown = unknown < 0 ? i : unknown;
                    continue;
                }
                int size = load.size();
                if (size < fewest) {
                    fewest = size;
                    best = i;
                }
            }
            boolean isUnknown = best < 0 || (unknown >= 0 && unknown < best);
            int chosen = wrapped(from + (isUnknown ? unknown : best));
            first = wrapped(chosen + 1);
            Load load = loads[chosen];
            if (load != null) {
                load.told();
            }
            return roster.get(chosen);
        }

        private int wrapped(int index) {
            return index < loads.length ? index : index - loads.length;
        }
    }
}
