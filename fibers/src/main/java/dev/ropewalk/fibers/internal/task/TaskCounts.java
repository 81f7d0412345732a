package dev.ropewalk.fibers.internal.task;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.scheduler.SchedulerStats;
import dev.ropewalk.fibers.scheduler.TaskRejectedException;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many tasks of a scheduler there were and are, and whether one more may wait (rule F15). For
 * any thread.
 *
 * <p>All is quiet when as many tasks have ended as were placed. Both are counted in stripes; a sum
 * of either only grows, and "ended" is summed first: if the sums are equal, then at the moment
 * between them every task that had been placed had ended.
 *
 * <p>Those that wait are counted in one word, and only if they are bounded: all cords write it.
 */
final class TaskCounts {
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

    /**
     * Before the task is placed.
     *
     * @throws TaskRejectedException if as many wait as may wait
     */
    void placing(FiberImpl<?> task) {
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
        placed.increment();
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

    void ended() {
        ended.increment();
    }

    /** Every task that was placed has ended. */
    boolean isAllEnded() {
        long sumOfEnded = ended.sum(); // first, see above
        return sumOfEnded == placed.sum();
    }

    SchedulerStats stats(int cords) {
        long sumOfEnded = ended.sum();
        return new SchedulerStats(placed.sum(), sumOfEnded, stolen.sum(), cords);
    }
}
