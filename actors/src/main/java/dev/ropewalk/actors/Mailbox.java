package dev.ropewalk.actors;

import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.util.Objects;

/**
 * An actor's queued messages: a ring that doubles when full, confined to the actor's cord. Its
 * growth is reported from {@value #REPORT_FROM} messages on, once for each doubling.
 */
final class Mailbox {
    private static final int FIRST_LENGTH = 8;
    static final int REPORT_FROM = 1 << 20;

    /** For actors that have nothing queued yet; never added to, so any cord may read it. */
    static final Mailbox EMPTY = new Mailbox("nobody", 0);

    private static final Logger LOG = Logs.logger(Mailbox.class);

    private final String owner;
    private @Nullable Object[] ring;
    private int head;
    private int size;

    Mailbox(String owner) {
        this(owner, FIRST_LENGTH);
    }

    private Mailbox(String owner, int length) {
        this.owner = owner;
        this.ring = new @Nullable Object[length];
    }

    int size() {
        return size;
    }

    void add(Object message) {
        if (size == ring.length) {
            grow();
        }
        ring[(head + size) & (ring.length - 1)] = message;
        size++;
    }

    /** Puts a message back before the oldest. */
    void addFirst(Object message) {
        if (size == ring.length) {
            grow();
        }
        head = (head - 1) & (ring.length - 1);
        ring[head] = message;
        size++;
    }

    @Nullable Object poll() {
        if (size == 0) {
            return null;
        }
        Object message = ring[head];
        ring[head] = null;
        head = (head + 1) & (ring.length - 1);
        size--;
        return message;
    }

    /** The message at {@code index}, counted from the oldest. */
    Object get(int index) {
        Objects.checkIndex(index, size);
        return Objects.requireNonNull(ring[(head + index) & (ring.length - 1)]);
    }

    /** Takes out the message at {@code index}; the others keep their order. */
    Object remove(int index) {
        Object removed = get(index);
        int mask = ring.length - 1;
        for (int i = index; i > 0; i--) {
            ring[(head + i) & mask] = ring[(head + i - 1) & mask];
        }
        poll();
        return removed;
    }

    private void grow() {
        @Nullable Object[] doubled = new @Nullable Object[2 * ring.length];
        System.arraycopy(ring, head, doubled, 0, size - head);
        System.arraycopy(ring, 0, doubled, size - head, head);
        ring = doubled;
        head = 0;
        if (size >= REPORT_FROM) {
            LOG.warn("the mailbox of {} holds {} messages and grows", owner, size);
        }
    }

    void checkInvariants() {
        for (int i = 0; i < ring.length; i++) {
            boolean used = ((i - head) & (ring.length - 1)) < size;
            if (used != (ring[i] != null)) {
                throw new IllegalStateException("slot=" + i + " holds " + ring[i] + " in " + this);
            }
        }
    }

    @Override
    public String toString() {
        return "Mailbox[owner=" + owner + " size=" + size + " head=" + head + "]";
    }
}
