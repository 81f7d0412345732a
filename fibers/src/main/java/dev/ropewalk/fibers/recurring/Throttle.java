package dev.ropewalk.fibers.recurring;

import dev.ropewalk.fibers.Block;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.VoidBlock;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.SequencedSet;

/**
 * Lets the fibers of a cord do something no more often than a rate allows.
 *
 * {@snippet file="dev/ropewalk/fibers/recurring/TimedSnippetsTest.java" region="throttle"}
 *
 * <p>A throttle of n runs per duration allows one run per interval, n intervals to the duration, so
 * never more than n runs in any stretch of that length. Fibers that come too early wait, first in,
 * first out; a fiber that times out, is terminated or is cancelled while it waits uses up no run.
 *
 * <p>A run that comes late, because no fiber wanted it or the cord was busy, moves the later runs:
 * two are never closer than the interval, and unused runs are lost. {@link #withBurst} lets up to
 * that many runs come at once after a pause, and make up for lateness: then at most {@code n +
 * burst - 1} runs fall in any stretch of that length.
 *
 * <p>Confined to the cord that made it. Fibers that share one share its rate; a throttle limits how
 * often something begins, not how many are at it: that is a {@code Semaphore}.
 */
public final class Throttle {
    /*
     * The generic cell rate algorithm: the time at which the bucket would be full again. A run is
     * allowed when that is no further away than burst - 1 intervals, and then puts it one interval
     * later, counted from now if it is past. It is kept as a time and a number of intervals after
     * it, because the sum may be beyond all time while runs are still allowed. Rejected: a bucket
     * that a fiber refills, which ticks when no fiber wants a run; and a log of the last n runs,
     * which costs n.
     *
     * A caller that has to wait stands in the queue and sleeps until its run would be allowed if
     * all before it run. Only the first in the queue runs. When the first is gone and the new first
     * sleeps for too long, because a caller in between has left, it is woken to check again. So a
     * run costs one timer. A fiber that is abandoned in the queue never leaves it by itself, but
     * holds up no other: the next one wakes by itself and takes out the dead.
     *
     * Invariant: if the first in the queue is alive, it runs, or is runnable, or its timer is set
     * no later than its run is allowed. Rejected: a reservation for each waiter when it comes; one
     * that leaves would have to move all the others.
     *
     * Times are nanoseconds since the throttle was made; NEVER absorbs what overflows.
     */
    private static final long NEVER = Long.MAX_VALUE;

    private final Cord cord = Cord.current();
    private final long originNs = cord.nanoTime();
    private final long intervalNs;
    private final int burst;
    private final SequencedSet<Entry> line = new LinkedHashSet<>();

    /** The runs since the last one that found it full: when that was, and how many with it. */
    private long sinceNs;

    private long runs;

    /** A waiting caller. */
    private static final class Entry {
        private final Fiber<?> fiber;
        private long waitNumber = -1;
        private long wakesAtNs = NEVER;

        Entry(Fiber<?> fiber) {
            this.fiber = fiber;
        }
    }

    private Throttle(long intervalNs, int burst) {
        this.intervalNs = intervalNs;
        this.burst = burst;
    }

    // ---------------------------------------------------------------- making one

    /**
     * {@return a throttle for the fibers of the current cord, which allows a number of runs per
     * duration, evenly spread}
     *
     * @param runs how many, at least 1
     * @param per in which time, more than zero
     * @throws IllegalArgumentException if there are fewer, or the time is zero, negative, or longer
     *     than 292 years
     * @throws IllegalStateException if this thread is no cord
     */
    public static Throttle rate(int runs, Duration per) {
        if (runs < 1) {
            throw new IllegalArgumentException(
                    "runs=" + runs + " per " + per + ": it must be at least 1");
        }
        return new Throttle(Math.ceilDiv(Timed.positiveNanos("per", per), runs), 1);
    }

    /**
     * {@return a throttle for the fibers of the current cord, which allows one run per interval}
     *
     * @param interval the least time from one run to the next, more than zero
     * @throws IllegalArgumentException if the interval is zero, negative, or longer than 292 years
     * @throws IllegalStateException if this thread is no cord
     */
    public static Throttle interval(Duration interval) {
        return new Throttle(Timed.positiveNanos("interval", interval), 1);
    }

    /**
     * {@return a new throttle with this rate that allows several runs at once after a pause} It is
     * full at first, and does not count the runs of this throttle.
     *
     * @param runs how many at once, at least 1, which means no burst
     * @throws IllegalArgumentException if there are fewer
     * @throws IllegalStateException if this thread is no cord
     */
    public Throttle withBurst(int runs) {
        if (runs < 1) {
            throw new IllegalArgumentException(
                    "runs=" + runs + " at once: it must be at least 1, which is no burst");
        }
        return new Throttle(intervalNs, runs);
    }

    // ---------------------------------------------------------------- running

    /**
     * Waits until the next run is allowed and takes it. A switchpoint also if it is allowed at
     * once. Termination or cancellation ends the wait, and no run was used up.
     *
     * @throws WrongThreadException if the throttle is another cord's
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public void acquire() {
        acquireWithin(NEVER);
    }

    /**
     * Waits until the next run is allowed and takes it, but no longer than the limit. A switchpoint
     * also if it is allowed at once.
     *
     * @param limit how long to wait
     * @return false if the limit passed; no run was used up then
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws WrongThreadException if the throttle is another cord's
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public boolean acquire(Duration limit) {
        return acquireWithin(Waits.nanos(limit));
    }

    /**
     * Takes the next run if it is allowed now and no fiber waits for it. Never switches.
     *
     * @return false if no run was used up
     * @throws WrongThreadException if the throttle is another cord's
     */
    public boolean tryAcquire() {
        checkCord();
        dropTheDead();
        return line.isEmpty() && take();
    }

    /**
     * Runs the block when the next run is allowed. A switchpoint.
     *
     * @param <T> the type of the result
     * @param <X> what the block throws
     * @param block runs in this fiber
     * @return what the block returned
     * @throws X what the block threw
     * @throws WrongThreadException if the throttle is another cord's
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public <T extends @Nullable Object, X extends Exception> T call(Block<? extends T, X> block)
            throws X {
        acquire();
        return block.run();
    }

    /**
     * Runs the block when the next run is allowed. A switchpoint.
     *
     * @param <X> what the block throws
     * @param block runs in this fiber
     * @throws X what the block threw
     * @throws WrongThreadException if the throttle is another cord's
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public <X extends Exception> void run(VoidBlock<X> block) throws X {
        acquire();
        block.run();
    }

    // ---------------------------------------------------------------- inside

    private boolean acquireWithin(long limitNs) {
        checkCord();
        Fiber<?> fiber = Fiber.current();
        long deadlineNs = Timed.plus(now(), limitNs);
        Waits.yieldTurn(); // before anything is taken: one that is to end eats nothing
        if (tryAcquire()) {
            return true;
        }
        Entry entry = new Entry(fiber);
        line.add(entry);
        try {
            return await(entry, deadlineNs);
        } finally {
            line.remove(entry);
            wakeFirst();
        }
    }

    private boolean await(Entry entry, long deadlineNs) {
        boolean isNew = true;
        for (; ; ) {
            Waits.raiseIfDue(); // it was ended after its timer had fired
            dropTheDead();
            int before = isNew ? line.size() - 1 : countBefore(entry);
            if (before == 0 && take()) {
                return true;
            }
            long nowNs = now();
            if (deadlineNs != NEVER && nowNs >= deadlineNs) {
                return false;
            }
            long turnNs = before == 0 ? allowedAt() : turnBehind(before, nowNs);
            entry.wakesAtNs = Math.min(turnNs, deadlineNs);
            entry.waitNumber = Waits.nextNumber();
            long waitNs = entry.wakesAtNs == NEVER ? NEVER : entry.wakesAtNs - nowNs;
            Waits.park(this, waitNs);
            isNew = false;
        }
    }

    /** When its run is allowed if all before it run; in the future, so that no waiter spins. */
    private long turnBehind(int others, long nowNs) {
        return Timed.plus(Math.max(allowedAt(), nowNs), intervals(others));
    }

    private int countBefore(Entry entry) {
        int count = 0;
        for (Iterator<Entry> each = line.iterator(); each.next() != entry; ) {
            count++;
        }
        return count;
    }

    private long allowedAt() {
        return runs < burst ? 0 : Timed.plus(sinceNs, intervals(runs - burst + 1));
    }

    private boolean take() {
        long nowNs = now();
        if (nowNs < allowedAt()) {
            return false;
        }
        if (nowNs >= Timed.plus(sinceNs, intervals(runs))) {
            sinceNs = nowNs;
            runs = 0;
        }
        runs++;
        return true;
    }

    private long intervals(long count) {
        return count > NEVER / intervalNs ? NEVER : count * intervalNs;
    }

    /** A fiber has left the queue. */
    private void wakeFirst() {
        dropTheDead();
        if (!line.isEmpty()) {
            Entry first = line.getFirst();
            if (first.wakesAtNs > allowedAt()) {
                Waits.resume(first.fiber, first.waitNumber, null);
            }
        }
    }

    /** Abandoned ones have not taken themselves out. */
    private void dropTheDead() {
        while (!line.isEmpty() && line.getFirst().fiber.state() == FiberState.DEAD) {
            line.removeFirst();
        }
    }

    private long now() {
        return cord.nanoTime() - originNs;
    }

    private void checkCord() {
        if (!cord.isCurrent()) {
            throw new WrongThreadException(
                    this
                            + " belongs to "
                            + cord
                            + " but was used by "
                            + Thread.currentThread()
                            + "; make one for each cord, with its part of the rate");
        }
    }

    /** How many stand in the queue; for tests. */
    int waiting() {
        return line.size();
    }

    @Override
    public String toString() {
        return "a throttle of one run per "
                + Duration.ofNanos(intervalNs)
                + (burst == 1 ? "" : " with bursts of " + burst)
                + " on "
                + cord;
    }
}
