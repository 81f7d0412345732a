package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * The cord's timers: a 4-ary heap ordered by (deadline, sequence), confined to the cord (rule F2).
 *
 * <p>The heap is two arrays of numbers, the deadlines and the slots of their timers: the four
 * children of an entry are neighbours in memory, and to move an entry is no store of a reference,
 * which the collector would have to hear of. A timer stays in its slot from add to removal.
 *
 * <p>Cancelled timers are dropped when they reach the top; when more than half of the heap is
 * cancelled it is rebuilt, so that a program whose time limits never pass does not pile them up.
 * Rejected: a timer wheel, which cannot tell its exact next deadline.
 */
final class Timers {
    private static final int ARITY = 4;
    private static final int SMALLEST_PURGE = 64;
    private static final int FIRST_CAPACITY = 16;

    private long[] deadlines = new long[FIRST_CAPACITY];

    /** Below {@code size} those of the heap's timers, from there on the free ones. */
    private int[] slots = slotsTo(FIRST_CAPACITY);

    private @Nullable Timer[] timers = new @Nullable Timer[FIRST_CAPACITY];
    private int size;
    private int cancelled;
    private long sequence;

    /** A purge was broken off for want of stack, when a fiber cancelled from deep down. */
    private boolean isTorn;

    Timer arm(long deadlineNs, Fiber<?> fiber, long number) {
        return add(new Timer.OfWait(deadlineNs, sequence++, fiber, number));
    }

    Timer arm(long deadlineNs, CancelScope scope) {
        return add(new Timer.OfScope(deadlineNs, sequence++, scope));
    }

    /**
     * All or nothing: what can fail for want of stack or memory comes first. The new timer is the
     * last of those with its deadline, so the way up needs no call.
     */
    private Timer add(Timer timer) {
        if (isTorn) {
            rebuild();
        }
        if (size == slots.length) {
            grow();
        }
        int slot = slots[size];
        long deadline = timer.deadlineNs;
        timers[slot] = timer;
        int hole = size++;
        while (hole > 0 && deadline - deadlines[(hole - 1) / ARITY] < 0) {
            int parent = (hole - 1) / ARITY;
            deadlines[hole] = deadlines[parent];
            slots[hole] = slots[parent];
            hole = parent;
        }
        deadlines[hole] = deadline;
        slots[hole] = slot;
        return timer;
    }

    private void grow() {
        int more = 2 * size;
        int[] moreSlots = slotsTo(more);
        System.arraycopy(slots, 0, moreSlots, 0, size);
        long[] moreDeadlines = Arrays.copyOf(deadlines, more);
        timers = Arrays.copyOf(timers, more);
        deadlines = moreDeadlines;
        slots = moreSlots;
    }

    private static int[] slotsTo(int length) {
        int[] slots = new int[length];
        for (int i = 0; i < length; i++) {
            slots[i] = i;
        }
        return slots;
    }

    void cancel(Timer timer) {
        if (timer.isCancelled()) {
            return;
        }
        timer.markCancelled();
        cancelled++;
        if (cancelled > SMALLEST_PURGE && cancelled > size / 2) {
            isTorn = true;
            try {
                purge();
                isTorn = false;
            } catch (StackOverflowError tooDeep) {
                // The next one mends it, who calls from less deep.
            }
        }
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Deadline of the earliest timer that is not cancelled; null without one. */
    @Nullable Timer earliest() {
        if (isTorn) {
            rebuild();
        }
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
        Timer timer = timers[slots[index]];
        if (timer == null) {
            throw new IllegalStateException("no timer at index=" + index + " in " + this);
        }
        return timer;
    }

    private void removeTop() {
        int free = slots[0];
        timers[free] = null;
        int last = slots[--size];
        slots[size] = free;
        if (size > 0) {
            siftDown(0, deadlines[size], last);
        }
    }

    /** Earlier deadline first; of the same deadline the one armed first. */
    private boolean isBefore(long deadline, int slot, int index) {
        long difference = deadline - deadlines[index];
        return difference < 0 || (difference == 0 && sequenceIn(slot) < sequenceIn(slots[index]));
    }

    private long sequenceIn(int slot) {
        Timer timer = timers[slot];
        if (timer == null) {
            throw new IllegalStateException("no timer in slot=" + slot + " of " + this);
        }
        return timer.sequence;
    }

    private void siftDown(int index, long deadline, int slot) {
        int hole = index;
        for (; ; ) {
            int first = hole * ARITY + 1;
            if (first >= size) {
                break;
            }
            int least = first;
            int end = Math.min(first + ARITY, size);
            for (int child = first + 1; child < end; child++) {
                if (isBefore(deadlines[child], slots[child], least)) {
                    least = child;
                }
            }
            if (isBefore(deadline, slot, least)) {
                break;
            }
            move(least, hole);
            hole = least;
        }
        put(hole, deadline, slot);
    }

    private void move(int from, int to) {
        deadlines[to] = deadlines[from];
        slots[to] = slots[from];
    }

    private void put(int index, long deadline, int slot) {
        deadlines[index] = deadline;
        slots[index] = slot;
    }

    private void purge() {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            int slot = slots[i];
            if (at(i).isCancelled()) {
                timers[slot] = null;
            } else {
                slots[i] = slots[kept];
                put(kept++, deadlines[i], slot);
            }
        }
        makeHeap(kept);
    }

    private void makeHeap(int kept) {
        size = kept;
        cancelled = 0;
        for (int i = (size - 2) / ARITY; i >= 0 && size > 1; i--) {
            siftDown(i, deadlines[i], slots[i]);
        }
    }

    /** After a purge that was broken off: from the timers in their slots, which are all there. */
    private void rebuild() {
        int kept = 0;
        int free = timers.length;
        for (int slot = 0; slot < timers.length; slot++) {
            Timer timer = timers[slot];
            if (timer == null || timer.isCancelled()) {
                timers[slot] = null;
                slots[--free] = slot;
            } else {
                put(kept++, timer.deadlineNs, slot);
            }
        }
        makeHeap(kept);
        isTorn = false;
    }

    void checkInvariants() {
        int dead = 0;
        boolean[] seen = new boolean[slots.length];
        for (int i = 0; i < slots.length; i++) {
            if (seen[slots[i]] || (i < size) != (timers[slots[i]] != null)) {
                throw new IllegalStateException("slot=" + slots[i] + " at " + i + " in " + this);
            }
            seen[slots[i]] = true;
        }
        for (int i = 0; i < size; i++) {
            if (at(i).isCancelled()) {
                dead++;
            }
            boolean broken = i > 0 && isBefore(deadlines[i], slots[i], (i - 1) / ARITY);
            if (broken || at(i).deadlineNs != deadlines[i]) {
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
