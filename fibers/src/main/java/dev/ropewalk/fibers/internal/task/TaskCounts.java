package dev.ropewalk.fibers.internal.task;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.scheduler.SchedulerStats;
import dev.ropewalk.fibers.scheduler.TaskRejectedException;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many tasks of a scheduler there were and are, and whether one more may wait (rule F15). For
 * any thread.
 *
 * <p>All is quiet when as many tasks have ended as were placed. Each cord counts its own in a
 * stripe that it alone writes, without an atomic step; other threads share the rest. A sum of
 * either only grows, but for a stripe on its way to the rest, which is counted twice as placed and
 * not at all as ended. "Ended" is summed first: a task that was counted as ended was placed before,
 * so if the sums are equal, then at the moment between them every task that had been placed had
 * ended. A caller that asks because it has ended one needs a full fence before, because two cords
 * may end the last ones at the same time.
 *
 * <p>Those that wait are counted in one word, and only if they are bounded: all cords write it.
 */
final class TaskCounts {
    /** The counts of one cord. Written by its thread, read by all. */
    static final class Stripe {
        private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

        /** The cells stand apart from what lies beside the array: a cache line is 64 bytes. */
        private static final int PLACED = 8;

        private static final int ENDED = 9;
        private final long[] cells = new long[18];

        /** Its cord has ended. */
        private boolean isClosed;

        private void increment(int cell) {
            CELL.setRelease(cells, cell, cells[cell] + 1);
        }

        private long read(int cell) {
            return (long) CELL.getAcquire(cells, cell);
        }
    }

    /** Of living cords. Replaced as a whole, under the lock of this object. */
    private volatile List<Stripe> stripes = List.of();

    // the rest

    private final LongAdder placed = new LongAdder();
    private final LongAdder ended = new LongAdder();
    private final LongAdder stolen = new LongAdder();

    private final int maxPending;

    /** The number of unclaimed tasks; null if they are not bounded. */
    private final @Nullable AtomicInteger waiting;

    TaskCounts(int maxPending) {
        this.maxPending = maxPending;
        this.waiting = maxPending == Integer.MAX_VALUE ? null : new AtomicInteger();
    }

    /** For a new cord. */
    synchronized Stripe newStripe() {
        Stripe stripe = new Stripe();
        List<Stripe> more = new ArrayList<>(stripes);
        more.add(stripe);
        stripes = List.copyOf(more);
        return stripe;
    }

    /** Its cord has ended, and counts what still comes among the rest. By its thread. */
    synchronized void close(Stripe stripe) {
        if (stripe.isClosed) {
            return;
        }
        stripe.isClosed = true;
        placed.add(stripe.read(Stripe.PLACED)); // counted twice for a moment
        stripes = stripes.stream().filter(each -> each != stripe).toList();
        ended.add(stripe.read(Stripe.ENDED)); // not counted for a moment
    }

    /**
     * Before the task is placed; {@code own} is the stripe of the cord that calls, null if it is
     * none of the scheduler's.
     *
     * @throws TaskRejectedException if as many wait as may wait
     */
    void placing(FiberImpl<?> task, @Nullable Stripe own) {
        AtomicInteger all = waiting;
        if (all != null) {
            int seen;
            do {
                seen = all.get();
                if (seen >= maxPending) {
                    throw new TaskRejectedException(
                            task
                                    + " was not taken: maxPending="
                                    + maxPending
                                    + " tasks wait to be started; spin fewer at a time, held back"
                                    + " by a semaphore for one, or allow more");
                }
            } while (!all.compareAndSet(seen, seen + 1));
        }
        count(own, Stripe.PLACED, placed);
    }

    private static void count(@Nullable Stripe own, int cell, LongAdder rest) {
        if (own == null || own.isClosed) {
            rest.increment();
        } else {
            own.increment(cell);
        }
    }

    /** It was placed nowhere after all. */
    void notPlaced() {
        claimed();
        ended.increment();
    }

    /** A task does not wait any more: it is started, or refused. */
    void claimed() {
        if (waiting != null) {
            waiting.decrementAndGet();
        }
    }

    void stolen() {
        stolen.increment();
    }

    /** With the stripe of the cord that calls, null if it is none of the scheduler's. */
    void ended(@Nullable Stripe own) {
        count(own, Stripe.ENDED, ended);
    }

    /** Every task that was placed has ended. */
    boolean isAllEnded() {
        long sumOfEnded = sumOfEnded(); // first, see above
        return sumOfEnded == sumOfPlaced();
    }

    SchedulerStats stats(int cords) {
        long sumOfEnded = sumOfEnded();
        return new SchedulerStats(sumOfPlaced(), sumOfEnded, stolen.sum(), cords);
    }

    /** The rest first, so that a stripe that is closed meanwhile is not counted twice. */
    private long sumOfEnded() {
        long sum = ended.sum();
        for (Stripe each : stripes) {
            sum += each.read(Stripe.ENDED);
        }
        return sum;
    }

    /** The stripes first, so that one that is closed meanwhile is not missed. */
    private long sumOfPlaced() {
        long sum = 0;
        for (Stripe each : stripes) {
            sum += each.read(Stripe.PLACED);
        }
        return sum + placed.sum();
    }
}
