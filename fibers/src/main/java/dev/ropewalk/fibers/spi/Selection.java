package dev.ropewalk.fibers.spi;

import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.EndClause;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.LeftAwait;
import dev.ropewalk.fibers.internal.platform.RealPlatform;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * One wait for the first of several {@link Clause}s; exactly one takes effect (rule C4).
 *
 * <pre>
 *   LOOKING  -> DONE         a clause was ready, seen inside all guards
 *   LOOKING  -> LEFT         none was, and the caller does not wait
 *   LOOKING  -> STANDING     a place of the wait in the queue of each
 *   STANDING -> WON(place)   one compare-and-set of a giver put its place into the wait
 *   STANDING -> LEFT         limit, termination or interrupt came first
 *   STANDING -> LOOKING      a clause may be ready by itself now, as a ticker is
 * </pre>
 *
 * <p>All guards are entered in the order of their numbers, so that two selects never wait for each
 * other; inside them a clause takes effect, or a place is put into every queue, so nothing comes in
 * between. They are left before the wait. A giver writes what it gives into its place and then
 * claims the wait with that place: so the select knows which clause won, and a giver that comes
 * second is told that the wait is over, and takes its next waiter. However the wait ends, every
 * place that did not win is taken out of its queue, each inside its own guard.
 *
 * <p>Of several that are ready one is drawn, each as likely, from the cord's random numbers; or the
 * first in the list is taken, by priority. The number of those that wait beside it costs a select
 * nothing, because a place is taken out where it stands.
 *
 * <p>After Go's select. Rejected: one guard after the other, as a wait for any of several events
 * did, because a default would be taken though at every moment one clause was ready; and a random
 * order to ask in, because one number is enough if those that are ready are counted first.
 *
 * @param <R> the type of the result
 * @see <a href="https://github.com/golang/go/blob/master/src/runtime/select.go">select.go</a>
 */
public final class Selection<R extends @Nullable Object> implements Handoff {
    /** The limit for {@link #await(long)} if it is not to wait at all. */
    public static final long NO_WAIT = -1;

    /** The clauses that are not disabled. */
    private final List<Clause<? extends R>> clauses;

    private final boolean isByPriority;

    /** The distinct guards that lock, in their order. */
    private final Exclusion[] guards;

    /** By number of the clause; null where no place stands. */
    private final WaitNode.@Nullable Place<?>[] places;

    /** To be woken when the guards are left. */
    private @Nullable WaitNode<?> toWake;

    /** After how long the first clause that becomes ready by itself does; of this round. */
    private long soonestNs;

    /** When the limit passes; computed in the first round that may be followed by another. */
    private long deadlineNs;

    private boolean hasDeadline;

    private @Nullable Clause<? extends R> winner;
    private @Nullable Object given;

    /**
     * A select between the clauses, for one {@link #await(long)}.
     *
     * @param clauses the alternatives; those that are disabled are left out
     * @param isByPriority whether the first that is ready is taken rather than a random one
     */
    public Selection(List<? extends Clause<? extends R>> clauses, boolean isByPriority) {
        this.clauses = enabled(clauses);
        this.isByPriority = isByPriority;
        this.guards = guardsOf(this.clauses);
        this.places = new WaitNode.Place<?>[this.clauses.size()];
    }

    private static <R extends @Nullable Object> List<Clause<? extends R>> enabled(
            List<? extends Clause<? extends R>> given) {
        List<Clause<? extends R>> enabled = new ArrayList<>(given.size());
        for (Clause<? extends R> each : given) {
            if (!(each instanceof Disabled)) {
                enabled.add(each);
            }
        }
        return enabled;
    }

    /** By insertion, because there are few. */
    private static Exclusion[] guardsOf(List<? extends Clause<?>> clauses) {
        Exclusion[] sorted = new Exclusion[clauses.size()];
        int size = 0;
        for (int i = 0; i < clauses.size(); i++) {
            Exclusion guard = clauses.get(i).guard();
            if (guard == null || guard.isLocal()) {
                continue;
            }
            int at = size;
            while (at > 0 && sorted[at - 1].number() > guard.number()) {
                at--;
            }
            if (at > 0 && sorted[at - 1] == guard) {
                continue;
            }
            System.arraycopy(sorted, at, sorted, at + 1, size - at);
            sorted[at] = guard;
            size++;
        }
        return size == sorted.length ? sorted : Arrays.copyOf(sorted, size);
    }

    /**
     * Waits until one of the clauses takes effect, or until the limit passes. A switchpoint even if
     * a clause is ready or it is not to wait: if the fiber is terminated or cancelled, this throws
     * and no clause takes effect.
     *
     * @param limitNanos the limit in nanoseconds; {@code Long.MAX_VALUE} for none, {@link #NO_WAIT}
     *     not to wait
     * @return false if the limit passed, or no clause was ready; no clause took effect then
     * @throws IllegalStateException if it would wait for ever, because there is no clause that is
     *     not disabled
     * @throws WrongThreadException if a clause waits at an object of another cord
     * @throws WaitInterruptedException if a plain thread was interrupted; nothing took effect
     */
    public boolean await(long limitNanos) {
        if (clauses.isEmpty() && limitNanos == Long.MAX_VALUE) {
            throw new IllegalStateException(
                    "every clause of the select is disabled, so it would wait for ever; give it a"
                            + " limit or a default");
        }
        checkLocal();
        FiberImpl<?> me = FiberImpl.currentOrNull();
        boolean wasDue = LeftAwait.isDue(me);
        try {
            for (int i = 0; i < clauses.size(); i++) {
                clauses.get(i).begin();
            }
            if (me != null) {
                me.switchpoint();
            }
            return lookAndStand(limitNanos)
                    || (limitNanos > 0 && takeEnd(LeftAwait.failedAtLimit(me, awaited())));
        } catch (Throwable raised) {
            if (winner != null
                    || !takeEnd(LeftAwait.failedMeanwhile(me, awaited(), raised, wasDue))) {
                throw raised;
            }
            return true;
        } finally {
            endClauses();
        }
    }

    /** The fibers whose ends are among the alternatives. */
    private List<FiberImpl<?>> awaited() {
        List<FiberImpl<?>> awaited = new ArrayList<>();
        for (int i = 0; i < clauses.size(); i++) {
            if (clauses.get(i) instanceof EndClause<?, ?> end) {
                awaited.add(end.target());
            }
        }
        return awaited;
    }

    /** It failed in the turn in which the wait was left. */
    private boolean takeEnd(@Nullable FiberImpl<?> failed) {
        for (int i = 0; failed != null && i < clauses.size(); i++) {
            if (clauses.get(i) instanceof EndClause<?, ?> end && end.target() == failed) {
                winner = clauses.get(i);
                given = failed;
                return true;
            }
        }
        return false;
    }

    /** The winner first: another clause of the same fiber must not undo that its end is taken. */
    private void endClauses() {
        if (winner != null) {
            winner.end(true);
        }
        for (int i = 0; i < clauses.size(); i++) {
            if (clauses.get(i) != winner) {
                clauses.get(i).end(false);
            }
        }
    }

    /** A guard that confines to a cord locks nothing, so it is entered here for good. */
    private void checkLocal() {
        for (int i = 0; i < clauses.size(); i++) {
            Clause<?> each = clauses.get(i);
            Exclusion guard = each.guard();
            if (guard != null && guard.isLocal()) {
                guard.enter(each);
            }
        }
    }

    private boolean lookAndStand(long limitNanos) {
        long leftNs = limitNanos;
        while (!lookOrWait(leftNs)) {
            if (leftNs <= soonestNs) {
                return false;
            }
            leftNs = hasDeadline ? Math.max(0, deadlineNs - Waits.nanoTime()) : leftNs;
        }
        return true;
    }

    /** One round, which ends when a clause has taken effect, or may be ready by itself. */
    private boolean lookOrWait(long limitNanos) {
        WaitNode<?> wait = null;
        Object won = Waits.TIMED_OUT;
        soonestNs = Long.MAX_VALUE;
        try {
            enterAll();
            try {
                if (!takeReady() && limitNanos != NO_WAIT) {
                    soonestNs = soonest();
                    computeDeadline(limitNanos);
                    wait = newWait();
                    stand(wait, true);
                }
            } finally {
                exitAll();
            }
            if (toWake != null) {
                toWake.wake();
            }
            if (wait != null) {
                stand(wait, false);
                won = wait.awaitPlaced(this, Math.min(limitNanos, soonestNs));
            }
        } finally {
            if (wait != null) {
                leaveAllBut(won);
            }
        }
        if (won != Waits.TIMED_OUT) {
            WaitNode.Place<?> place = (WaitNode.Place<?>) Objects.requireNonNull(won);
            winner = clauseOf(place);
            given = place.given();
        }
        return winner != null;
    }

    /** Once, so that a round that ends late does not make the limit longer (rule F2). */
    private void computeDeadline(long limitNanos) {
        if (!hasDeadline && soonestNs < limitNanos && limitNanos != Long.MAX_VALUE) {
            deadlineNs = Waits.nanoTime() + limitNanos;
            hasDeadline = true;
        }
    }

    /**
     * Called by a clause that takes effect inside the guards.
     *
     * @param claimed the waiter that it gave to, or took from
     */
    public void wakeAfterwards(WaitNode<?> claimed) {
        toWake = claimed;
    }

    /**
     * {@return the result of the clause that took effect} Runs code of the user.
     *
     * @throws IllegalStateException if no clause did
     */
    public R result() {
        Clause<? extends R> won = winner;
        if (won == null) {
            throw new IllegalStateException("nothing was selected by " + this);
        }
        return won.result(given);
    }

    // ---------------------------------------------------------------- guarded

    private void enterAll() {
        int entered = 0;
        try {
            for (; entered < guards.length; entered++) {
                guards[entered].enter(this);
            }
        } finally {
            if (entered < guards.length) {
                exit(entered);
            }
        }
    }

    private void exitAll() {
        exit(guards.length);
    }

    private void exit(int entered) {
        for (int i = entered - 1; i >= 0; i--) {
            guards[i].exit();
        }
    }

    private boolean takeReady() {
        for (int ready = countReady(); ready > 0; ready = countReady()) {
            int before = isByPriority || ready == 1 ? 0 : nextInt(ready);
            for (int i = 0; i < clauses.size(); i++) {
                Clause<? extends R> each = clauses.get(i);
                if (each.isReady() && before-- == 0) {
                    Object taken = each.take(this);
                    if (taken != Clause.NOT_READY) {
                        given = taken;
                        winner = each;
                        return true;
                    }
                    break; // those that had given up are out of its queue now: count again
                }
            }
        }
        return false;
    }

    private int countReady() {
        int ready = 0;
        for (int i = 0; i < clauses.size(); i++) {
            if (clauses.get(i).isReady()) {
                ready++;
            }
        }
        return ready;
    }

    private long soonest() {
        long soonest = Long.MAX_VALUE;
        for (int i = 0; i < clauses.size(); i++) {
            soonest = Math.min(soonest, clauses.get(i).readyInNanos());
        }
        return soonest;
    }

    private static int nextInt(int bound) {
        CordImpl cord = CordImpl.currentOrNull();
        return cord == null ? RealPlatform.draw(bound) : cord.nextInt(bound);
    }

    /** A wait that only its own cord ends, if this is true of all clauses. */
    private WaitNode<?> newWait() {
        if (FiberImpl.currentOrNull() == null) {
            return new WaitNode.Shared<>(null);
        }
        for (int i = 0; i < clauses.size(); i++) {
            if (!clauses.get(i).isLocal()) {
                return new WaitNode.Shared<>(null);
            }
        }
        return new WaitNode.Local<>(null);
    }

    private void stand(WaitNode<?> wait, boolean guarded) {
        for (int i = 0; i < clauses.size(); i++) {
            Clause<?> each = clauses.get(i);
            if ((each.guard() != null) == guarded) {
                places[i] = each.stand(wait);
            }
        }
    }

    // ---------------------------------------------------------------- waiting

    private void leaveAllBut(@Nullable Object won) {
        for (int i = 0; i < places.length; i++) {
            WaitNode.Place<?> place = places[i];
            if (place != null && place != won) {
                places[i] = null;
                leave(clauses.get(i), place);
            }
        }
    }

    private static void leave(Clause<?> clause, WaitNode.Place<?> place) {
        Exclusion guard = clause.guard();
        if (guard == null) {
            clause.leave(place);
            return;
        }
        guard.enter(clause);
        try {
            clause.leave(place);
        } finally {
            guard.exit();
        }
    }

    private Clause<? extends R> clauseOf(WaitNode.Place<?> place) {
        for (int i = 0; i < places.length; i++) {
            if (places[i] == place) {
                return clauses.get(i);
            }
        }
        throw new IllegalStateException(place + " is no place of " + this);
    }

    // ---------------------------------------------------------------- the fiber was abandoned

    @Override
    public void reclaim(WaitNode<?> node, Object claimedWith) {
        WaitNode.Place<?> place = (WaitNode.Place<?>) claimedWith;
        clauseOf(place).reclaim(place);
    }

    @Override
    public void abandoned(WaitNode<?> node) {
        leaveAllBut(null);
    }

    /** Made into text only for reports. */
    @Override
    public String toString() {
        return "any of " + clauses;
    }
}
