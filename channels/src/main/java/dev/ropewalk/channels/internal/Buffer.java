package dev.ropewalk.channels.internal;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * The elements of a channel: a ring that grows up to its capacity, and begins anew when a long one
 * has been emptied. Inside the channel's guard.
 */
public final class Buffer<E> {
    static final int FIRST_LENGTH = 4;

    /** A ring of more slots than this is given up when it is empty. */
    private static final int MAX_KEPT_LENGTH = 4_096;

    private final int capacity;
    private @Nullable Object[] ring;
    private int head;
    private int size;

    public Buffer(int capacity) {
        this.capacity = capacity;
        this.ring = new @Nullable Object[Math.min(capacity, FIRST_LENGTH)];
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public boolean isFull() {
        return size == capacity;
    }

    public int size() {
        return size;
    }

    /** False if it is full. */
    public boolean add(E element) {
        if (size == ring.length) {
            if (size == capacity) {
                return false;
            }
            grow();
        }
        int at = head + size;
        ring[at < ring.length ? at : at - ring.length] = element;
        size++;
        return true;
    }

    /** The same, but false too if it takes the last slot. */
    boolean addFree(E element) {
        @Nullable Object[] slots = ring;
        int before = size;
        if (before + 1 >= slots.length) {
            return false;
        }
        int at = head + before;
        slots[at < slots.length ? at : at - slots.length] = element;
        size = before + 1;
        return true;
    }

    /** The oldest makes room for the element; it is full, and not of capacity 0. */
    public E displaceBy(E element) {
        E oldest = Objects.requireNonNull(poll());
        add(element);
        return oldest;
    }

    @SuppressWarnings("unchecked") // only E goes in
    public @Nullable E poll() {
        if (size == 0) {
            return null;
        }
        Object element = ring[head];
        ring[head] = null;
        head = head + 1 == ring.length ? 0 : head + 1;
        if (--size == 0 && ring.length > MAX_KEPT_LENGTH) {
            head = 0;
            ring = new @Nullable Object[FIRST_LENGTH];
        }
        return (E) element;
    }

    private void grow() {
        int length = (int) Math.min(capacity, 2L * ring.length);
        @Nullable Object[] longer = new @Nullable Object[length];
        System.arraycopy(ring, head, longer, 0, size - head);
        System.arraycopy(ring, 0, longer, size - head, head);
        ring = longer;
        head = 0;
    }

    int length() {
        return ring.length;
    }

    public void checkInvariants() {
        for (int i = 0; i < ring.length; i++) {
            int distance = i >= head ? i - head : i - head + ring.length;
            if ((distance < size) != (ring[i] != null)) {
                throw new IllegalStateException("slot=" + i + " holds " + ring[i] + " in " + this);
            }
        }
    }

    @Override
    public String toString() {
        return "Buffer[size=" + size + " capacity=" + capacity + " head=" + head + "]";
    }
}
