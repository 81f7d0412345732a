package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * The cord's timers: a 4-ary heap ordered by (deadline, sequence), confined to the cord (rule F2).
 *
 * <p>Cancelled timers are dropped when they reach the top; when more than half of the heap is
 * cancelled it is rebuilt, so that a program whose time limits never pass does not pile them up.
 * Rejected: a timer wheel, which cannot tell its exact next deadline.
 */
final class Timers {
    private static final int ARITY = 4;
    private static final int SMALLEST_PURGE = 64;

    private @Nullable Timer[] heap = new @Nullable Timer[16];
    private int size;
    private int cancelled;
    private long sequence;

    Timer arm(long deadlineNs, Fiber<?> fiber, long number) {
        return add(new Timer.OfWait(deadlineNs, sequence++, fiber, number));
    }

    Timer arm(long deadlineNs, CancelScope scope) {
        return add(new Timer.OfScope(deadlineNs, sequence++, scope));
    }

    private Timer add(Timer timer) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        siftUp(size++, timer);
        return timer;
    }

    void cancel(Timer timer) {
        if (timer.isCancelled()) {
            return;
        }
        timer.markCancelled();
        cancelled++;
        if (cancelled > SMALLEST_PURGE && cancelled > size / 2) {
            purge();
        }
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Deadline of the earliest timer that is not cancelled; null without one. */
    @Nullable Timer earliest() {
        while (size > 0 && at(0).isCancelled()) {
            removeTop();
            cancelled--;
        }
        return size == 0 ? null : at(0);
    }

    /** Fires all that are due, in the order of their deadlines. */
    void fireDue(long nowNs) {
        for (Timer top = earliest(); top != null; top = earliest()) {
            if (top.deadlineNs - nowNs > 0) {
                return;
            }
            removeTop();
            top.fire();
        }
    }

    int size() {
        return size - cancelled;
    }

    private Timer at(int index) {
        Timer timer = heap[index];
        if (timer == null) {
            throw new IllegalStateException("no timer at index=" + index + " in " + this);
        }
        return timer;
    }

    private void removeTop() {
        Timer last = at(--size);
        heap[size] = null;
        if (size > 0) {
            siftDown(0, last);
        }
    }

    private void siftUp(int index, Timer timer) {
        int hole = index;
        while (hole > 0) {
            int parent = (hole - 1) / ARITY;
            if (!timer.isBefore(at(parent))) {
                break;
            }
            heap[hole] = heap[parent];
            hole = parent;
        }
        heap[hole] = timer;
    }

    private void siftDown(int index, Timer timer) {
        int hole = index;
        for (; ; ) {
            int first = hole * ARITY + 1;
            if (first >= size) {
                break;
            }
            int least = first;
            int end = Math.min(first + ARITY, size);
            for (int child = first + 1; child < end; child++) {
                if (at(child).isBefore(at(least))) {
                    least = child;
                }
            }
            if (!at(least).isBefore(timer)) {
                break;
            }
            heap[hole] = heap[least];
            hole = least;
        }
        heap[hole] = timer;
    }

    private void purge() {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            Timer timer = at(i);
            if (!timer.isCancelled()) {
                heap[kept++] = timer;
            }
        }
        Arrays.fill(heap, kept, size, null);
        size = kept;
        cancelled = 0;
        for (int i = (size - 2) / ARITY; i >= 0 && size > 1; i--) {
            siftDown(i, at(i));
        }
    }

    void checkInvariants() {
        int dead = 0;
        for (int i = 0; i < size; i++) {
            if (at(i).isCancelled()) {
                dead++;
            }
            if (i > 0 && at(i).isBefore(at((i - 1) / ARITY))) {
                throw new IllegalStateException("heap order broken at index=" + i + " in " + this);
            }
        }
        if (dead != cancelled) {
            throw new IllegalStateException(
                    "cancelled=" + dead + " != " + cancelled + " in " + this);
        }
    }

    @Override
    public String toString() {
        return "Timers[size=" + size + " cancelled=" + cancelled + "]";
    }
}
