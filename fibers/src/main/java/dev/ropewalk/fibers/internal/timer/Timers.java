package dev.ropewalk.fibers.internal.timer;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The cord's timers, in the order of (deadline, sequence), confined to the cord (rule F2).
 *
 * <p>A 4-ary heap of chains. The timers of one limit are armed in the order of their deadlines,
 * because the clock never goes back, and a program has few limits. So a new timer stands behind the
 * last one of its lane ({@link TimerLanes}) if it is not earlier, and only the heads of the chains
 * are in the heap. With 100,000 sleepers of 100 different times the heap has some hundred entries,
 * which stay in the cache; timers whose limits are all different make it as large as there are
 * timers. When a head leaves, the next of its chain takes its place and sinks. A chain never goes
 * back in (deadline, sequence), even if several limits share it, so the earliest head is the
 * earliest of all.
 *
 * <p>Due timers are taken out of the heap by the batch, and then fired, because firing them may arm
 * others.
 *
 * <p>Cancelled timers are dropped when they reach the top; when more than half of all are cancelled
 * they are swept out, so that a program whose time limits never pass does not pile them up.
 *
 * <p>A fiber calls this from deep down, where each call may fail for want of stack. So between two
 * calls a timer goes from one place to another by plain stores, and is always in one of them:
 *
 * <ul>
 *   <li>it is queued, and reached from the heads of the heap, which are right even where the heap
 *       is torn; the next operation sweeps it first, and counts anew;
 *   <li>it is in the batch, which the next {@link #fireDue} goes on with, and leaves it when it was
 *       fired without a failure, or is over;
 *   <li>it is over.
 * </ul>
 *
 * <p>The rest of a batch is earlier than any timer armed after it, because the clock has reached
 * it.
 *
 * <p>Rejected: a timer wheel, which cannot tell its exact next deadline; buckets of time before a
 * small heap, because to ask for the next deadline empties the next bucket, however far, into the
 * heap, which then is the large heap again for all that is armed earlier; chains linked both ways,
 * which could be left at once, but every timer would pay for it.
 */
public final class Timers {
    private static final int SMALLEST_SWEEP = 64;

    /** As many as are taken out of the heap before the first of them is fired. */
    private static final int BATCH = 16;

    private final TimerHeap heap = new TimerHeap();
    private final TimerLanes lanes = new TimerLanes();

    /** All that are queued, in the heap or behind a head. */
    private int queued;

    /** Of these. */
    private int cancelled;

    private long sequence;

    /** Not queued any more, and fired next: from {@code firedDue} on, below {@code takenDue}. */
    private final @Nullable Timer[] due = new @Nullable Timer[BATCH];

    private int firedDue;
    private int takenDue;

    /**
     * Arms the timer, all or nothing. The limit only chooses a lane: the same one for timers that
     * come in order.
     */
    public Timer arm(Timer timer, long limitNs) {
        timer.sequence = sequence++;
        if (heap.isTorn()) {
            sweep();
        }
        if (!lanes.append(timer, limitNs)) {
            heap.push(timer);
        }
        queued++;
        return timer;
    }

    public void cancel(Timer timer) {
        if (timer.isCancelled()) {
            return;
        }
        timer.markCancelled();
        if (timer.isQueued && ++cancelled > SMALLEST_SWEEP && cancelled > queued / 2) {
            try {
                sweep();
            } catch (StackOverflowError tooDeep) {
                // The next call does it, from less deep.
            }
        }
    }

    /** Also mends what was broken off. */
    private void sweep() {
        queued = heap.sweep();
        cancelled = 0;
    }

    public boolean isEmpty() {
        return heap.isEmpty() && takenDue == 0;
    }

    /** The earliest timer that is not cancelled; null without one. */
    public @Nullable Timer earliest() {
        for (int i = firedDue; i < takenDue; i++) {
            if (!inBatch(i).isCancelled()) {
                return inBatch(i);
            }
        }
        return earliestQueued();
    }

    private @Nullable Timer earliestQueued() {
        if (heap.isTorn()) {
            sweep();
        }
        while (!heap.isEmpty()) {
            Timer top = heap.top();
            if (!top.isCancelled()) {
                return top;
            }
            heap.detachTop();
            queued--;
            cancelled--;
            heap.settle();
        }
        return null;
    }

    /**
     * The earliest ones that are not cancelled, in the order in which they are due; for a report.
     *
     * @param max how many; behind the first some may be left out, where hundreds of cancelled ones
     *     stand among them
     */
    public List<Timer> next(int max) {
        List<Timer> next = new ArrayList<>();
        for (int i = firedDue; i < takenDue && next.size() < max; i++) {
            if (!inBatch(i).isCancelled()) {
                next.add(inBatch(i));
            }
        }
        earliestQueued(); // mends the heap, and drops the cancelled ones at its top
        heap.addNext(next, max);
        return next;
    }

    /** Fires all that are due, in the order of their deadlines. */
    public void fireDue(long nowNs) {
        do {
            fireBatch(); // first what is left of one that was broken off
            takeBatch(nowNs);
        } while (takenDue > 0);
    }

    private void takeBatch(long nowNs) {
        while (takenDue < BATCH) {
            Timer top = earliestQueued();
            if (top == null || top.deadlineNs - nowNs > 0) {
                return;
            }
            due[takenDue] = heap.detachTop();
            takenDue++;
            queued--;
            heap.settle();
        }
    }

    /** A timer that throws does not stop the others, and comes again unless it is over. */
    private void fireBatch() {
        while (firedDue < takenDue) {
            inBatch(firedDue).fire();
            due[firedDue++] = null;
        }
        firedDue = 0;
        takenDue = 0;
    }

    private Timer inBatch(int index) {
        return Objects.requireNonNull(due[index], "due");
    }

    /**
     * The cord has ended: no timer fires any more, and the timers with an action for this are told.
     */
    public void leaveAll() {
        for (Timer left = earliest(); left != null; left = earliest()) {
            Runnable task = left.whenLeft();
            cancel(left);
            if (task != null) {
                task.run();
            }
        }
    }

    /** How many are armed; from other threads a hint. */
    public int size() {
        int left = queued - cancelled;
        for (Timer each : due) {
            left += each == null || each.isCancelled() ? 0 : 1;
        }
        return left;
    }

    public void checkInvariants() {
        if (heap.isTorn()) {
            sweep();
        }
        heap.checkInvariants(queued, cancelled);
        for (int i = 0; i < BATCH; i++) {
            Timer timer = due[i];
            boolean isTaken = i >= firedDue && i < takenDue;
            if (isTaken != (timer != null) || (timer != null && timer.isQueued)) {
                throw new IllegalStateException("due[" + i + "]=" + timer + " in " + this);
            }
        }
    }

    @Override
    public String toString() {
        return "Timers[size=" + queued + " cancelled=" + cancelled + " chains=" + heap.size() + "]";
    }
}
