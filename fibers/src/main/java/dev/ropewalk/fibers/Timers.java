package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * The cord's timers, in the order of (deadline, sequence), confined to the cord (rule F2).
 *
 * <p>A 4-ary heap of chains. The timers of one limit are armed in the order of their deadlines, for
 * the clock never goes back, and a program has few limits: so a new timer stands behind the last
 * one of its lane ({@link TimerLanes}) if it is not earlier, and only the heads of the chains are
 * in the heap. With 100,000 sleepers of 100 different times the heap has some hundred entries,
 * which stay in the cache; timers whose limits are all different make it as large as there are
 * timers. When a head leaves, the next of its chain takes its place and sinks. A chain never goes
 * back in (deadline, sequence), whatever shares it, so the earliest head is the earliest of all.
 *
 * <p>Those that are due are fired by the batch. A timer that slept for long is cold, and so is its
 * fiber: to fire it costs misses of the cache, one after the other. A batch is read before it is
 * fired, without a need to wait for any one of these reads, so the misses of a batch overlap.
 *
 * <p>Cancelled timers are dropped when they reach the top; when more than half of all are cancelled
 * they are swept out, so that a program whose time limits never pass does not pile them up.
 *
 * <p>Rejected: a timer wheel, which cannot tell its exact next deadline; buckets of time before a
 * small heap, for to ask for the next deadline empties the next bucket, however far, into the heap,
 * which then is the large heap again for all that is armed earlier; chains linked both ways, which
 * could be left at once, but every timer would pay for it.
 */
final class Timers {
    private static final int SMALLEST_PURGE = 64;

    /** Enough misses at once; more would push each other out of the nearest cache. */
    private static final int BATCH = 16;

    private final TimerHeap heap = new TimerHeap();
    private final TimerLanes lanes = new TimerLanes();

    /** All that are queued, in the heap or behind a head. */
    private int queued;

    private int cancelled;
    private long sequence;

    /** Not queued any more, and fired next. */
    private final @Nullable Timer[] due = new @Nullable Timer[BATCH];

    /** Written so that what is read ahead is not optimised away; it means nothing. */
    long readAhead;

    /** The limit only chooses a lane: the same one for timers that come in order. */
    Timer arm(long deadlineNs, long limitNs, Fiber<?> fiber, long number) {
        return add(new Timer.OfWait(deadlineNs, sequence++, fiber, number), limitNs);
    }

    Timer arm(long deadlineNs, long limitNs, CancelScope scope) {
        return add(new Timer.OfScope(deadlineNs, sequence++, scope), limitNs);
    }

    Timer add(Timer timer, long limitNs) {
        if (!lanes.append(timer, limitNs)) {
            heap.push(timer);
        }
        timer.isQueued = true;
        queued++;
        return timer;
    }

    void cancel(Timer timer) {
        if (timer.isCancelled()) {
            return;
        }
        timer.markCancelled();
        if (timer.isQueued && ++cancelled > SMALLEST_PURGE && cancelled > queued / 2) {
            purge();
        }
    }

    boolean isEmpty() {
        return heap.isEmpty();
    }

    /** The earliest timer that is not cancelled; null without one. */
    @Nullable Timer earliest() {
        while (!heap.isEmpty()) {
            Timer top = heap.top();
            if (!top.isCancelled()) {
                return top;
            }
            removeTop();
            cancelled--;
        }
        return null;
    }

    private void removeTop() {
        heap.removeTop();
        queued--;
    }

    /** Fires all that are due, in the order of their deadlines. */
    void fireDue(long nowNs) {
        for (int taken = takeDue(nowNs); taken > 0; taken = takeDue(nowNs)) {
            if (taken > 1) {
                readAhead(taken);
            }
            fire(taken);
        }
    }

    private int takeDue(long nowNs) {
        int taken = 0;
        while (taken < BATCH) {
            Timer top = earliest();
            if (top == null || top.deadlineNs - nowNs > 0) {
                break;
            }
            removeTop();
            due[taken++] = top;
        }
        return taken;
    }

    private void readAhead(int taken) {
        long sum = 0;
        for (int i = 0; i < taken; i++) {
            Timer timer = due[i];
            Fiber<?> fiber = timer == null ? null : timer.resumed();
            if (fiber != null) {
                sum += fiber.readAhead();
            }
        }
        readAhead = sum;
    }

    /** One that throws, for want of memory, does not take the rest with it. */
    private void fire(int taken) {
        int next = 0;
        try {
            while (next < taken) {
                takeFromBatch(next++).fire();
            }
        } finally {
            while (next < taken) {
                Timer timer = takeFromBatch(next++);
                heap.push(timer);
                timer.isQueued = true;
                queued++;
                cancelled += timer.isCancelled() ? 1 : 0;
            }
        }
    }

    private Timer takeFromBatch(int index) {
        Timer timer = Objects.requireNonNull(due[index], "due");
        due[index] = null;
        return timer;
    }

    int size() {
        return queued - cancelled;
    }

    private void purge() {
        heap.sweep();
        queued -= cancelled;
        cancelled = 0;
    }

    void checkInvariants() {
        heap.checkInvariants(queued, cancelled);
    }

    @Override
    public String toString() {
        return "Timers[size=" + queued + " cancelled=" + cancelled + " chains=" + heap.size() + "]";
    }
}
