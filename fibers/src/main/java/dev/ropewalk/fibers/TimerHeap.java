package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * The heads of the chains of {@link Timers}: a 4-ary heap ordered by (deadline, sequence).
 *
 * <p>The heap is two arrays of numbers, the deadlines and the slots of their timers: the four
 * children of an entry are neighbours in memory, and to move an entry is no store of a reference,
 * which the collector would have to hear of. A chain stays in its slot as long as it has a head.
 */
final class TimerHeap {
    private static final int ARITY = 4;
    private static final int FIRST_CAPACITY = 16;

    private long[] deadlines = new long[FIRST_CAPACITY];

    /** Below {@code size} those of the heap's heads, from there on the free ones. */
    private int[] slots = slotsTo(FIRST_CAPACITY);

    /** The heads, by slot. */
    private @Nullable Timer[] timers = new @Nullable Timer[FIRST_CAPACITY];

    private int size;

    void push(Timer timer) {
        if (size == slots.length) {
            grow();
        }
        int slot = slots[size];
        timers[slot] = timer;
        siftUp(size++, timer.deadlineNs, slot);
    }

    private void grow() {
        int more = 2 * size;
        deadlines = Arrays.copyOf(deadlines, more);
        timers = Arrays.copyOf(timers, more);
        int[] larger = slotsTo(more);
        System.arraycopy(slots, 0, larger, 0, size);
        slots = larger;
    }

    private static int[] slotsTo(int length) {
        int[] slots = new int[length];
        for (int i = 0; i < length; i++) {
            slots[i] = i;
        }
        return slots;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** How many chains there are. */
    int size() {
        return size;
    }

    /** The earliest timer; there must be one. */
    Timer top() {
        return at(0);
    }

    private Timer at(int index) {
        Timer timer = timers[slots[index]];
        if (timer == null) {
            throw new IllegalStateException("no timer at index=" + index + " in " + this);
        }
        return timer;
    }

    /** The next one of its chain takes its place and sinks. */
    void removeTop() {
        int free = slots[0];
        Timer top = at(0);
        Timer next = top.next;
        top.next = null;
        top.isQueued = false;
        timers[free] = next;
        if (next != null) {
            siftDown(0, next.deadlineNs, free);
            return;
        }
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

    private void siftUp(int index, long deadline, int slot) {
        int hole = index;
        while (hole > 0) {
            int parent = (hole - 1) / ARITY;
            if (!isBefore(deadline, slot, parent)) {
                break;
            }
            move(parent, hole);
            hole = parent;
        }
        put(hole, deadline, slot);
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

    /** Takes out the cancelled ones, wherever they are. */
    void sweep() {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            int slot = slots[i];
            Timer head = TimerLanes.sweep(at(i));
            timers[slot] = head;
            if (head != null) {
                slots[i] = slots[kept];
                put(kept++, head.deadlineNs, slot);
            }
        }
        size = kept;
        for (int i = (size - 2) / ARITY; i >= 0 && size > 1; i--) {
            siftDown(i, deadlines[i], slots[i]);
        }
    }

    /** Checks the order, and counts. */
    void checkInvariants(int queued, int cancelled) {
        boolean[] seen = new boolean[slots.length];
        for (int i = 0; i < slots.length; i++) {
            if (seen[slots[i]] || (i < size) != (timers[slots[i]] != null)) {
                throw new IllegalStateException("slot=" + slots[i] + " at " + i + " in " + this);
            }
            seen[slots[i]] = true;
        }
        int dead = 0;
        int all = 0;
        for (int i = 0; i < size; i++) {
            boolean broken = i > 0 && isBefore(deadlines[i], slots[i], (i - 1) / ARITY);
            if (broken || at(i).deadlineNs != deadlines[i]) {
                throw new IllegalStateException("heap order broken at index=" + i + " in " + this);
            }
            for (Timer each = at(i); each != null; each = each.next) {
                all++;
                dead += each.isCancelled() ? 1 : 0;
                checkLink(each);
            }
        }
        if (dead != cancelled || all != queued) {
            throw new IllegalStateException(
                    "cancelled=" + dead + " queued=" + all + " != " + cancelled + " and " + queued);
        }
    }

    private void checkLink(Timer timer) {
        Timer next = timer.next;
        boolean inOrder = next == null || isInOrder(timer, next);
        if (!timer.isQueued || !inOrder) {
            throw new IllegalStateException(
                    "chain broken at sequence=" + timer.sequence + " in " + this);
        }
    }

    private static boolean isInOrder(Timer one, Timer next) {
        long gap = next.deadlineNs - one.deadlineNs;
        return gap > 0 || (gap == 0 && next.sequence > one.sequence);
    }

    @Override
    public String toString() {
        return "TimerHeap[size=" + size + "]";
    }
}
