package dev.ropewalk.channels;

import org.jspecify.annotations.Nullable;

/** The buffer of a channel: a ring that grows up to its capacity. Confined to its channel. */
final class ElementRing<E> {
    private static final int FIRST_LENGTH = 16;

    private final int capacity;
    private @Nullable Object[] ring;
    private int head;
    private int size;

    ElementRing(int capacity) {
        this.capacity = capacity;
        this.ring = new @Nullable Object[Math.min(capacity, FIRST_LENGTH)];
    }

    boolean isEmpty() {
        return size == 0;
    }

    boolean isFull() {
        return size == capacity;
    }

    int size() {
        return size;
    }

    void add(E element) {
        if (size == ring.length) {
            grow();
        }
        int at = head + size;
        ring[at < ring.length ? at : at - ring.length] = element;
        size++;
    }

    @SuppressWarnings("unchecked") // only E goes in
    @Nullable E poll() {
        if (size == 0) {
            return null;
        }
        Object element = ring[head];
        ring[head] = null;
        head = head + 1 == ring.length ? 0 : head + 1;
        size--;
        return (E) element;
    }

    private void grow() {
        if (size == capacity) {
            throw new IllegalStateException("size=" + size + " == capacity in " + this);
        }
        int length = (int) Math.min(capacity, 2L * ring.length);
        @Nullable Object[] longer = new @Nullable Object[length];
        System.arraycopy(ring, head, longer, 0, size - head);
        System.arraycopy(ring, 0, longer, size - head, head);
        ring = longer;
        head = 0;
    }

    void checkInvariants() {
        for (int i = 0; i < ring.length; i++) {
            int distance = i >= head ? i - head : i - head + ring.length;
            if ((distance < size) != (ring[i] != null)) {
                throw new IllegalStateException("slot=" + i + " holds " + ring[i] + " in " + this);
            }
        }
    }

    @Override
    public String toString() {
        return "ElementRing[size=" + size + " capacity=" + capacity + " head=" + head + "]";
    }
}
