package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * The cord's FIFO ring of (fiber, resume value), confined to the cord (rule F1).
 *
 * <p>An entry that is brought to the head ({@link #bringFromTail}) leaves a hole, because to close
 * it would move all behind it. A hole has no fiber; it is gone when the head or the tail comes to
 * it.
 *
 * <p>Fibers and values lie in turn in one array, so an entry is one cache line's worth of
 * neighbours and costs no object. The ring doubles when full and never shrinks: its size is the
 * largest number of fibers that were runnable at once.
 *
 * <p>Taken entries stay in their slots until {@link #forgetTaken}, which each poll calls. Clearing
 * them at each switch would take two more stores of a reference, with barriers whose machine code
 * is a tenth of a switch's or more (rule F3 tells the cost). So garbage of some hundred switches is
 * kept alive until the next poll, but not while the cord is idle or has ended.
 */
public final class RunQueue {
    private static final int FIRST_CAPACITY = 64;

    /** How far from the tail an entry is looked for that is to be taken out of turn. */
    private static final int MAX_FROM_TAIL = 32;

    private @Nullable Object[] ring = new @Nullable Object[2 * FIRST_CAPACITY];
    private int mask = 2 * FIRST_CAPACITY - 1;
    private int head;
    private int tail;

    /** Null while the head is next. */
    @Nullable RunOrder order;

    /** Entries taken since they were forgotten last; their slots lie before the head. */
    private int taken;

    /** Between head and tail. */
    private int holes;

    /** All or nothing: the only call in it, which can fail for want of memory, comes first. */
    void add(FiberImpl<?> fiber, @Nullable Object resumeValue) {
        if (isFull()) {
            grow();
        }
        int at = tail;
        ring[at] = fiber;
        ring[at + 1] = resumeValue;
        tail = (at + 2) & mask;
    }

    /** The next entry, which is at the head then; null when empty. */
    @Nullable FiberImpl<?> next() {
        if (order != null) {
            order.bringNext();
        }
        return peek();
    }

    @Nullable FiberImpl<?> peek() {
        if (head == tail) {
            return null;
        }
        FiberImpl<?> fiber = (FiberImpl<?>) ring[head];
        return fiber == null ? peekBehindHoles() : fiber;
    }

    private @Nullable FiberImpl<?> peekBehindHoles() {
        while (head != tail && ring[head] == null) {
            drop();
            holes--;
        }
        return head == tail ? null : (FiberImpl<?>) ring[head];
    }

    /**
     * Removes the head; null when empty. Its value is there for {@link #takeValue}, which must come
     * before the next entry is added or taken, and before taken entries are forgotten.
     */
    @Nullable FiberImpl<?> take() {
        FiberImpl<?> fiber = peek();
        if (fiber != null) {
            drop();
        }
        return fiber;
    }

    /** Like {@link #take} of the head that {@link #peek} has returned. */
    void drop() {
        head = (head + 2) & mask;
        taken++;
    }

    /** The value of the entry taken last. */
    @Nullable Object takeValue() {
        return ring[((head - 2) & mask) + 1];
    }

    /** Lets go of the fibers and values that were taken, where no others have taken their slots. */
    public void forgetTaken() {
        int at = head;
        for (int i = Math.min(taken, free()); i > 0; i--) {
            at = (at - 2) & mask;
            ring[at] = null;
            ring[at + 1] = null;
        }
        taken = 0;
    }

    /** Entries that could be added if the last free one could be used too. */
    private int free() {
        return (ring.length >> 1) - slots();
    }

    int size() {
        return slots() - holes;
    }

    private int slots() {
        return ((tail - head) & mask) >> 1;
    }

    /** Brings the entry of {@code fiber} to the head, out of turn; it must have one. */
    void bringToHead(FiberImpl<?> fiber) {
        Object value = valueOf(fiber);
        if (!remove(fiber)) {
            throw new IllegalStateException(fiber + " has no entry in " + this);
        }
        if (isFull()) {
            grow();
        }
        push(fiber, value);
    }

    /**
     * The same if its entry is one of the last, or at the head already; false if not, or if there
     * is no room. Allocates nothing.
     */
    boolean bringFromTail(FiberImpl<?> fiber) {
        if (peek() == fiber) {
            return true;
        }
        if (isFull()) {
            return false;
        }
        int at = tail;
        for (int i = 0; i < MAX_FROM_TAIL && at != head; i++) {
            at = (at - 2) & mask;
            if (ring[at] == fiber) {
                bring(fiber, at);
                return true;
            }
        }
        return false;
    }

    private void bring(FiberImpl<?> fiber, int at) {
        Object value = ring[at + 1];
        ring[at] = null;
        ring[at + 1] = null;
        holes++;
        dropHolesAtTail();
        push(fiber, value);
    }

    private void push(FiberImpl<?> fiber, @Nullable Object value) {
        head = (head - 2) & mask;
        ring[head] = fiber;
        ring[head + 1] = value;
        taken = Math.max(0, taken - 1);
    }

    private boolean isFull() {
        return ((tail + 2) & mask) == head;
    }

    private void dropHolesAtTail() {
        while (tail != head && ring[(tail - 2) & mask] == null) {
            tail = (tail - 2) & mask;
            holes--;
        }
    }

    /**
     * Brings entry {@code index}, counted from the head, to the head: the seeded order of F14, in
     * which nothing is taken out of turn.
     */
    void swapToHead(int index) {
        int other = (head + 2 * Objects.checkIndex(index, size())) & mask;
        for (int half = 0; half < 2; half++) {
            Object swapped = ring[head + half];
            ring[head + half] = ring[other + half];
            ring[other + half] = swapped;
        }
    }

    /** The value in the entry of {@code fiber}; null if it has no entry. */
    public @Nullable Object valueOf(FiberImpl<?> fiber) {
        for (int at = head; at != tail; at = (at + 2) & mask) {
            if (ring[at] == fiber) {
                return ring[at + 1];
            }
        }
        return null;
    }

    /** Takes out the entry of {@code fiber}, keeping the order; false if it has no entry. */
    public boolean remove(FiberImpl<?> fiber) {
        for (int at = head; at != tail; at = (at + 2) & mask) {
            if (ring[at] == fiber) {
                for (int next = (at + 2) & mask; next != tail; next = (next + 2) & mask) {
                    ring[at] = ring[next];
                    ring[at + 1] = ring[next + 1];
                    at = next;
                }
                tail = (tail - 2) & mask;
                ring[tail] = null;
                ring[tail + 1] = null;
                dropHolesAtTail();
                return true;
            }
        }
        return false;
    }

    /** When one entry is free. */
    private void grow() {
        int length = ring.length;
        @Nullable Object[] doubled = new @Nullable Object[2 * length];
        int used = (tail - head) & mask;
        System.arraycopy(ring, head, doubled, 0, length - head);
        System.arraycopy(ring, 0, doubled, length - head, head);
        ring = doubled;
        mask = doubled.length - 1;
        head = 0;
        tail = used;
        taken = 0;
    }

    void checkInvariants() {
        int empty = 0;
        for (int i = 0; i < ring.length; i += 2) {
            boolean used = ((i - head) & mask) < ((tail - head) & mask);
            boolean isTaken = ((head - 2 - i) & mask) < 2 * taken;
            if (used && ring[i] == null) {
                empty++;
                if (ring[i + 1] != null || ((i + 2) & mask) == tail) {
                    throw new IllegalStateException("slot=" + i + " has no fiber in " + this);
                }
            }
            if (!used && !isTaken && (ring[i] != null || ring[i + 1] != null)) {
                throw new IllegalStateException(
                        "slot="
                                + i
                                + " is free, fiber="
                                + ring[i]
                                + " value="
                                + ring[i + 1]
                                + " in "
                                + this);
            }
        }
        if (empty != holes) {
            throw new IllegalStateException("empty=" + empty + " != holes in " + this);
        }
    }

    @Override
    public String toString() {
        return "RunQueue[size="
                + size()
                + " head="
                + head
                + " tail="
                + tail
                + " taken="
                + taken
                + " holes="
                + holes
                + "]";
    }
}
