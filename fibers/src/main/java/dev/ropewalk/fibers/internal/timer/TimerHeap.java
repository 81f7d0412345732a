package dev.ropewalk.fibers.internal.timer;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The heads of the chains of {@link Timers}: a 4-ary heap ordered by (deadline, sequence).
 *
 * <p>The heap is two arrays of numbers, the deadlines and the slots of their timers: the four
 * children of an entry are neighbours in memory, and to move an entry is no store of a reference,
 * which the collector would have to hear of. A chain stays in its slot as long as it has a head.
 *
 * <p>A fiber may arm or cancel a timer where its stack is full, so each call in here may fail. At
 * each of them the chains are whole, and the heads in their slots are all there; the numbers that
 * refer to them, the heap and the free slots, may be half changed. The heap is torn then, and
 * {@link #sweep} makes it anew from the heads; until then no other call is allowed.
 */
final class TimerHeap {
    private static final int ARITY = 4;
    private static final int FIRST_CAPACITY = 16;

    /** Of a report, which passes over cancelled ones. */
    private static final int MAX_LOOKS = 1_000;

    private long[] deadlines = new long[FIRST_CAPACITY];

    /** Below {@code size} those of the heap's heads, from there on the free ones. */
    private int[] slots = slotsTo(FIRST_CAPACITY);

    /** The heads, by slot. */
    private @Nullable Timer[] timers = new @Nullable Timer[FIRST_CAPACITY];

    private int size;

    private boolean isTorn;

    /** Whether something was broken off, so that it has to be swept first. */
    boolean isTorn() {
        return isTorn;
    }

    /**
     * All or nothing: the steps that can fail for want of stack or memory come first. The new timer
     * is the last of those with its deadline, so the way up needs no call.
     */
    void push(Timer timer) {
        if (size == slots.length) {
            grow();
        }
        int slot = slots[size];
        long deadline = timer.deadlineNs;
        timers[slot] = timer;
        timer.isQueued = true;
        int hole = size++;
        while (hole > 0 && deadline - deadlines[(hole - 1) / ARITY] < 0) {
            int parent = (hole - 1) / ARITY;
            deadlines[hole] = deadlines[parent];
            slots[hole] = slots[parent];
            hole = parent;
        }
        deadlines[hole] = deadline;
        slots[hole] = slot;
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

    /** An entry of the heap, or a timer of the chain behind one, which has no place in it. */
    private record Ahead(Timer timer, int index) {
        private static final int IN_CHAIN = -1;

        /** No two are equal. */
        private static int compare(Ahead one, Ahead other) {
            return isInOrder(one.timer, other.timer) ? -1 : 1;
        }
    }

    /**
     * Adds the earliest ones that are not cancelled until there are so many, in their order. It
     * looks at those alone that may be the next: the children of an entry of the heap that it has
     * passed, and the next of its chain. It stops after {@link #MAX_LOOKS}.
     */
    void addNext(List<Timer> found, int max) {
        PriorityQueue<Ahead> ahead = new PriorityQueue<>(Ahead::compare);
        if (size > 0) {
            ahead.add(new Ahead(at(0), 0));
        }
        for (int i = 0; i < MAX_LOOKS && found.size() < max && !ahead.isEmpty(); i++) {
            Ahead next = ahead.remove();
            if (!next.timer.isCancelled()) {
                found.add(next.timer);
            }
            Timer behind = next.timer.next;
            if (behind != null) {
                ahead.add(new Ahead(behind, Ahead.IN_CHAIN));
            }
            if (next.index != Ahead.IN_CHAIN) {
                int first = next.index * ARITY + 1;
                for (int child = first; child < Math.min(first + ARITY, size); child++) {
                    ahead.add(new Ahead(at(child), child));
                }
            }
        }
    }

    /** All or nothing; leaves the heap torn until {@link #settle}. */
    Timer detachTop() {
        Timer top = at(0);
        isTorn = true;
        timers[slots[0]] = top.next;
        top.next = null;
        top.isQueued = false;
        return top;
    }

    /** The next one of the chain takes the place of the top that was detached, and sinks. */
    void settle() {
        int slot = slots[0];
        Timer next = timers[slot];
        if (next != null) {
            siftDown(0, next.deadlineNs, slot);
        } else {
            int last = slots[--size];
            slots[size] = slot;
            if (size > 0) {
                siftDown(0, deadlines[size], last);
            }
        }
        isTorn = false;
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

    /**
     * Takes out the cancelled timers, wherever they are, and mends what is torn; returns how many
     * are left. If it is broken off it is torn, and the next one does the rest.
     */
    int sweep() {
        if (isTorn) {
            findSlots();
        }
        isTorn = true;
        int left = 0;
        for (int i = 0; i < size; i++) {
            left += sweepChain(slots[i]);
        }
        keepSlotsWithHeads();
        for (int i = (size - 2) / ARITY; i >= 0 && size > 1; i--) {
            siftDown(i, deadlines[i], slots[i]);
        }
        isTorn = false;
        return left;
    }

    /** From the heads, which are all there. */
    private void findSlots() {
        int kept = 0;
        int free = timers.length;
        for (int slot = 0; slot < timers.length; slot++) {
            if (timers[slot] == null) {
                slots[--free] = slot;
            } else {
                slots[kept++] = slot;
            }
        }
        size = kept;
    }

    /** A timer leaves its chain without a call, so the chain is whole whenever one fails. */
    private int sweepChain(int slot) {
        int left = 0;
        Timer kept = null;
        for (Timer each = timers[slot], next; each != null; each = next) {
            next = each.next;
            if (!each.isCancelled()) {
                kept = each;
                left++;
                continue;
            }
            if (kept == null) {
                timers[slot] = next;
            } else {
                kept.next = next;
            }
            each.next = null;
            each.isQueued = false;
        }
        return left;
    }

    private void keepSlotsWithHeads() {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            int slot = slots[i];
            Timer head = timers[slot];
            if (head != null) {
                slots[i] = slots[kept];
                put(kept++, head.deadlineNs, slot);
            }
        }
        size = kept;
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
        return "TimerHeap[size=" + size + " torn=" + isTorn + "]";
    }
}
