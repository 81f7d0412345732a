package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Handoff;
import dev.ropewalk.fibers.spi.Hold;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A point at which so many parties, fibers or plain threads, wait for each other and then go on
 * together; again and again, each time one generation.
 *
 * <p>Either all parties of a generation go on, or none. A party that leaves early, by a limit, a
 * termination, a cancellation, a raise, an interrupt or an abandonment, breaks the barrier: the
 * others get a {@link BarrierBrokenException} that names the party, and so do all later callers,
 * until {@link #reset}. So nobody waits for a party that will not come. A party that ends without
 * ever having come is not known here; its barrier is named by the deadlock report.
 *
 * <p>Everything that a party did before it came happens before the action, and that before the
 * others go on.
 */
public final class Barrier {
    /*
     * States of a generation:
     *
     *   GATHERING -> FULL       the last party came; new ones come to the next generation
     *   FULL      -> RELEASED   the action is over, and each wait could be ended
     *   GATHERING -> BROKEN     a party left, or reset
     *   FULL      -> BROKEN     a party left during the action, or the action failed or was
     *                           abandoned
     *
     * A wait is ended with no result but RECHECK: the caller that was claimed reads the state
     * inside the guard. The reason: a party may have left and not said so yet, and only when each
     * claim was tried is it known whether all of them go on. Rejected: claiming everybody before
     * the action, because then nothing could terminate the waiters while it runs.
     */
    private enum State {
        GATHERING,
        FULL,
        RELEASED,
        BROKEN
    }

    private static final Object RECHECK = new Object();
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final Exclusion guard;
    private final int parties;
    private final @Nullable Runnable action;

    /** The one that parties come to; guarded. */
    private Generation current = new Generation();

    /** Guarded, all of it; reports read it as a hint. */
    private final class Generation extends Hold implements Handoff {
        private final WaitQueue<Object> queue = new WaitQueue<>();
        private State state = State.GATHERING;
        private int arrived;

        /** The one after it, once it is full. */
        private @Nullable Generation next;

        private String brokenBy = "";
        private @Nullable Throwable cause;

        /** A wait is ended with RECHECK and no more. */
        @Override
        public void reclaim(WaitNode<?> party, Object given) {}

        @Override
        public void abandoned(WaitNode<?> party) {
            leave(this, party.who() + " was abandoned", null);
        }

        /** By the last party, which holds this meanwhile. */
        void act(Runnable toRun) {
            Fiber<?> last = Fiber.currentOrNull();
            if (last != null) {
                hold(last);
            }
            try {
                toRun.run();
            } catch (Throwable failure) {
                leave(this, "its action failed: " + failure, failure);
                throw failure;
            } finally {
                if (last != null) {
                    letGo(last);
                }
            }
        }

        @Override
        protected boolean isHeld() {
            guard.enter(Barrier.this);
            try {
                return state == State.FULL;
            } finally {
                guard.exit();
            }
        }

        @Override
        protected void onHolderDead(Fiber<?> dead) {
            leave(this, dead + " was abandoned in the action", null);
        }

        @Override
        protected String afterwards() {
            return "which is broken; let the action end when it is terminated";
        }

        @Override
        public String toString() {
            int missing = parties - arrived;
            return Barrier.this
                    + (missing == 0
                            ? ", whose action runs"
                            : ", " + missing + " of " + parties + " parties missing");
        }
    }

    private Barrier(Exclusion guard, int parties, @Nullable Runnable action) {
        if (parties < 1) {
            throw new IllegalArgumentException("parties=" + parties + " must be at least 1");
        }
        this.guard = guard;
        this.parties = parties;
        this.action = action;
    }

    /**
     * {@return a barrier for fibers of any cord and plain threads}
     *
     * @param parties how many wait for each other
     * @throws IllegalArgumentException if there are less than 1
     */
    public static Barrier shared(int parties) {
        return new Barrier(Exclusion.byLock(), parties, null);
    }

    /**
     * {@return a barrier for fibers of any cord and plain threads, with an action}
     *
     * @param parties how many wait for each other
     * @param action run by the last party that comes, before all go on; it may wait
     * @throws IllegalArgumentException if there are less than 1
     */
    public static Barrier shared(int parties, Runnable action) {
        return new Barrier(Exclusion.byLock(), parties, Objects.requireNonNull(action, "action"));
    }

    /**
     * {@return a barrier for the fibers of the current cord}
     *
     * @param parties how many wait for each other
     * @throws IllegalArgumentException if there are less than 1
     * @throws IllegalStateException if this thread is no cord
     */
    public static Barrier local(int parties) {
        return new Barrier(localGuard(), parties, null);
    }

    /**
     * {@return a barrier for the fibers of the current cord, with an action}
     *
     * @param parties how many wait for each other
     * @param action run by the last party that comes, before all go on; it may wait
     * @throws IllegalArgumentException if there are less than 1
     * @throws IllegalStateException if this thread is no cord
     */
    public static Barrier local(int parties, Runnable action) {
        return new Barrier(localGuard(), parties, Objects.requireNonNull(action, "action"));
    }

    private static Exclusion localGuard() {
        return Exclusion.byCord("make it with Barrier.shared(parties)");
    }

    // ---------------------------------------------------------------- for its parties

    /**
     * Waits until all parties have come. A switchpoint, also for the last one, which runs the
     * action; an exception of the action comes out there as it is, and breaks the barrier. A fiber
     * that is ended or cancelled as it comes breaks it too, because it will not come.
     *
     * @return how many came before, in this generation: 0 for the first, {@code parties - 1} for
     *     the last
     * @throws BarrierBrokenException if not all come; the barrier stays broken until it is reset
     * @throws WrongThreadException if the barrier is local and another cord's
     * @throws IllegalStateException if it would have to wait where no fiber runs on a cord
     * @throws WaitInterruptedException if a plain thread was interrupted; the barrier is broken
     */
    public int await() {
        return awaitWithin(NO_LIMIT);
    }

    /**
     * Like {@link #await()}, and breaks the barrier when the limit passes.
     *
     * @param limit how long to wait, the action of another party included; may be zero
     * @return how many came before, in this generation
     * @throws BarrierBrokenException if not all come, or the limit passed: the message says which
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws WrongThreadException if the barrier is local and another cord's
     * @throws IllegalStateException if it would have to wait where no fiber runs on a cord
     * @throws WaitInterruptedException if a plain thread was interrupted; the barrier is broken
     */
    public int await(Duration limit) {
        return awaitWithin(Waits.nanos(limit));
    }

    /**
     * Begins a new generation: a party that waits for others to come gets a {@link
     * BarrierBrokenException}, and a broken barrier is whole again. Parties that have all come, and
     * whose action runs, are left alone. Never switches.
     *
     * @throws WrongThreadException if the barrier is local and another cord's
     */
    public void reset() {
        List<WaitNode<Object>> toWake = new ArrayList<>();
        guard.enter(this);
        try {
            breakUp(current, "it was reset", null, toWake);
            current = new Generation();
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(toWake);
    }

    /** {@return how many parties wait for each other} */
    public int parties() {
        return parties;
    }

    /**
     * {@return how many have come and wait for the others; 0 if it is broken}
     *
     * @throws WrongThreadException if the barrier is local and another cord's
     */
    public int waiting() {
        guard.enter(this);
        try {
            return current.state == State.BROKEN ? 0 : current.arrived;
        } finally {
            guard.exit();
        }
    }

    /**
     * {@return whether it is broken, so that nobody can wait here before {@link #reset}}
     *
     * @throws WrongThreadException if the barrier is local and another cord's
     */
    public boolean isBroken() {
        guard.enter(this);
        try {
            return current.state == State.BROKEN;
        } finally {
            guard.exit();
        }
    }

    // ---------------------------------------------------------------- inside

    private int awaitWithin(long limitNs) {
        Generation mine;
        int index;
        WaitNode<Object> party = null;
        arrive();
        guard.enter(this);
        try {
            mine = current;
            if (mine.state == State.BROKEN) {
                throw broken(mine);
            }
            index = mine.arrived;
            if (index + 1 < parties) {
                party = guard.node(null);
                mine.queue.add(party);
            }
            mine.arrived++;
            if (party == null) {
                mine.state = State.FULL;
                mine.next = new Generation();
                current = mine.next;
            }
        } finally {
            guard.exit();
        }
        if (party == null) {
            complete(mine);
        } else {
            waitFor(mine, party, limitNs);
        }
        return index;
    }

    /** A party that is ended as it comes will not come: the others need not wait for it. */
    private void arrive() {
        try {
            guard.switchpoint(this);
        } catch (WrongThreadException misuse) {
            throw misuse;
        } catch (Throwable left) {
            Object who = guard.caller(this);
            List<WaitNode<Object>> toWake = new ArrayList<>();
            guard.enter(this);
            try {
                breakUp(current, who + " left: " + left, null, toWake);
            } finally {
                guard.exit();
            }
            WaitQueue.wakeAll(toWake);
            throw left;
        }
    }

    /** By the last party. */
    private void complete(Generation mine) {
        if (action != null) {
            mine.act(action);
        }
        List<WaitNode<Object>> toWake = new ArrayList<>();
        guard.enter(this);
        try {
            if (mine.state == State.FULL) {
                release(mine, toWake);
            }
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(toWake);
        checkReleased(mine);
    }

    /**
     * Guarded. A party that has left may still stand in the queue, or be out of it and not have
     * said so.
     */
    private void release(Generation mine, List<WaitNode<Object>> toWake) {
        toWake.addAll(mine.queue.claimAll(RECHECK));
        int left = parties - 1 - toWake.size();
        if (left == 0) {
            mine.state = State.RELEASED;
        } else {
            breakUp(mine, left + " of " + parties + " parties left", null, toWake);
        }
    }

    private void waitFor(Generation mine, WaitNode<Object> party, long limitNs) {
        Object result;
        try {
            result = guard.await(party, mine, limitNs);
        } catch (Throwable left) {
            leave(mine, party.who() + " left: " + left, null);
            throw left;
        }
        if (result == Waits.TIMED_OUT) {
            Duration limit = Duration.ofNanos(limitNs);
            leave(mine, "the limit of " + limit + " of " + party.who() + " passed", null);
        }
        checkReleased(mine);
    }

    private void leave(Generation mine, String why, @Nullable Throwable cause) {
        List<WaitNode<Object>> toWake = new ArrayList<>();
        guard.enter(this);
        try {
            breakUp(mine, why, cause, toWake);
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(toWake);
    }

    /** Guarded: no effect if it is over. With it goes the next one, if it still gathers. */
    private void breakUp(
            Generation mine, String why, @Nullable Throwable cause, List<WaitNode<Object>> toWake) {
        Generation each = mine;
        while (each != null && (each.state == State.GATHERING || each.state == State.FULL)) {
            each.state = State.BROKEN;
            each.brokenBy = why;
            each.cause = cause;
            toWake.addAll(each.queue.claimAll(RECHECK));
            each = each.next == current ? each.next : null;
        }
    }

    private void checkReleased(Generation mine) {
        guard.enter(this);
        try {
            if (mine.state != State.RELEASED) {
                throw broken(mine);
            }
        } finally {
            guard.exit();
        }
    }

    private BarrierBrokenException broken(Generation mine) {
        return new BarrierBrokenException(
                this + " is broken: " + mine.brokenBy + "; reset() makes it whole", mine.cause);
    }

    /** Fails if its structures are broken; for tests. */
    void checkInvariants() {
        guard.enter(this);
        try {
            current.queue.checkInvariants();
            boolean isGathering = current.state == State.GATHERING && current.arrived < parties;
            if (!isGathering && (current.state != State.BROKEN || !current.queue.isEmpty())) {
                throw new IllegalStateException("state=" + current.state + " of " + current);
            }
        } finally {
            guard.exit();
        }
    }

    @Override
    public String toString() {
        return (guard.isLocal() ? "local" : "shared")
                + " barrier @"
                + Integer.toHexString(System.identityHashCode(this));
    }
}
