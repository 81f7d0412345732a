package dev.ropewalk.actors.internal.mailbox;

import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * An actor's queued messages, in the order of their arrival, confined to the actor's cord. Its
 * growth is reported from {@value #REPORT_FROM} messages on, once for each doubling.
 *
 * <p>Messages come into a ring that doubles when full. A selective receive takes what does not fit
 * out of the ring and puts it into {@link PassedOver}, where it is found by its type; all messages
 * there are older than those in the ring.
 *
 * <p>Postponed messages are out of the order until they come again: then they are the oldest.
 */
public final class Mailbox {
    private static final int FIRST_LENGTH = 8;
    static final int REPORT_FROM = 1 << 20;

    /** For actors that have nothing queued yet; never added to, so any cord may read it. */
    public static final Mailbox EMPTY = new Mailbox("nobody", Integer.MAX_VALUE, 0);

    private static final Logger LOG = Logs.logger(Mailbox.class);

    private final String owner;

    /** More than this are too many, not counting those that are exempt. */
    private final int maxQueued;

    private @Nullable Object[] ring;
    private int head;

    /** Of the ring. */
    private int inRing;

    /** How many of all cannot be dropped: a stop, and what was put back. */
    private int exempt;

    /** Null until a selective receive passes a message over. */
    private @Nullable PassedOver passed;

    /** Oldest first; null until a message is postponed. */
    private @Nullable ArrayDeque<Object> postponed;

    public Mailbox(String owner, int maxQueued) {
        this(owner, maxQueued, FIRST_LENGTH);
    }

    private Mailbox(String owner, int maxQueued, int length) {
        this.owner = owner;
        this.maxQueued = maxQueued;
        this.ring = new @Nullable Object[length];
    }

    /** Without those that are postponed. */
    public int size() {
        return passed == null ? inRing : inRing + passed.size();
    }

    /** Holds more than it may; {@link #displaced} says which goes. */
    public boolean isOverfull() {
        return size() - exempt > maxQueued;
    }

    public void add(Object item) {
        makeRoom();
        ring[(head + inRing) & (ring.length - 1)] = item;
        inRing++;
        if (Envelope.isExempt(item)) {
            exempt++;
        }
    }

    /** Puts an item back before the oldest. */
    public void addFirst(Object item) {
        if (Envelope.isExempt(item)) {
            exempt++;
        }
        if (passed != null && passed.size() > 0) {
            passed.addFirst(item);
            return;
        }
        makeRoom();
        head = (head - 1) & (ring.length - 1);
        ring[head] = item;
        inRing++;
    }

    /** Takes the oldest out; null if there is none. */
    public @Nullable Object poll() {
        if (inRing == 0 && passed == null) {
            return null;
        }
        Object item = pollAny();
        while (isVoid(item)) {
            exempt--;
            item = pollAny();
        }
        return noted(item);
    }

    private @Nullable Object pollAny() {
        Object item = passed == null ? null : passed.poll();
        return item != null ? item : pollRing();
    }

    private boolean isVoid(@Nullable Object item) {
        return exempt > 0 && item != null && Envelope.isVoid(item);
    }

    /** Takes the oldest out that may be dropped; one is there. */
    public Object displaced() {
        Object item = passed == null ? null : passed.poll(other -> !Envelope.isExempt(other));
        if (item != null) {
            return item;
        }
        int index = 0;
        while (Envelope.isExempt(inRing(index))) {
            index++;
        }
        Object displaced = inRing(index);
        int mask = ring.length - 1;
        for (int i = index; i > 0; i--) {
            ring[(head + i) & mask] = ring[(head + i - 1) & mask];
        }
        pollRing();
        return displaced;
    }

    // ---------------------------------------------------------------- postponing

    /** Keeps it until {@link #resumePostponed}. */
    public void postpone(Envelope.PutBack item) {
        if (postponed == null) {
            postponed = new ArrayDeque<>();
        }
        postponed.addLast(item);
    }

    public int postponed() {
        return postponed == null ? 0 : postponed.size();
    }

    /** They come next, oldest first. */
    public void resumePostponed() {
        if (postponed != null) {
            for (Object last = postponed.pollLast(); last != null; last = postponed.pollLast()) {
                addFirst(last);
            }
        }
    }

    // ---------------------------------------------------------------- selective receive

    /**
     * Takes out the first stop, or message of the type; null if there is none. What it passes over
     * is not looked at again by a receive of another type.
     */
    public @Nullable Object poll(Class<?> type) {
        Object item = pollAny(type);
        while (isVoid(item)) {
            exempt--;
            item = pollAny(type);
        }
        return noted(item);
    }

    private @Nullable Object pollAny(Class<?> type) {
        Object item = passed == null ? null : passed.poll(type);
        while (item == null && inRing > 0) {
            item = fitting(first -> PassedOver.fits(type, first));
        }
        return item;
    }

    /** Takes out the first stop, or message that passes; null if there is none. */
    public @Nullable Object poll(Predicate<Object> wanted) {
        removeVoid();
        Object item =
                passed == null
                        ? null
                        : passed.poll(queued -> !isVoid(queued) && wanted.test(queued));
        return item != null ? noted(item) : pollNew(wanted);
    }

    private void removeVoid() {
        if (exempt > 0 && passed != null) {
            exempt -= passed.removeVoid();
        }
    }

    /** For a receive that has seen all that was here: only what came after counts. */
    public @Nullable Object pollNew(Predicate<Object> wanted) {
        Object item = null;
        while (item == null && inRing > 0) {
            item = isVoid(inRing(0)) ? voided() : fitting(wanted);
        }
        return noted(item);
    }

    /** Takes the oldest of the ring out, which is void; null, because it is nothing. */
    private @Nullable Object voided() {
        pollRing();
        exempt--;
        return null;
    }

    /**
     * Takes the oldest of the ring out if it passes; otherwise it is passed over. It is out while
     * it is looked at: what the user's code tells its own actor may displace the oldest.
     */
    private @Nullable Object fitting(Predicate<Object> wanted) {
        Object item = Objects.requireNonNull(pollRing());
        boolean fits = false;
        try {
            fits = wanted.test(item);
        } finally {
            if (!fits) {
                passOver(item);
            }
        }
        return fits ? item : null;
    }

    private void passOver(Object item) {
        if (passed == null) {
            passed = new PassedOver();
        }
        passed.add(item);
        if (Integer.bitCount(passed.size()) == 1) {
            removeVoid(); // each time it has doubled, so that revoked notices do not pile up
        }
        int size = passed.size();
        if (size >= REPORT_FROM && Integer.bitCount(size) == 1) {
            LOG.warn("the mailbox of {} has passed {} messages over and grows", owner, size);
        }
    }

    // ---------------------------------------------------------------- inside

    private @Nullable Object noted(@Nullable Object taken) {
        if (exempt > 0 && taken != null && Envelope.isExempt(taken)) {
            exempt--;
        }
        return taken;
    }

    private @Nullable Object pollRing() {
        if (inRing == 0) {
            return null;
        }
        Object item = ring[head];
        ring[head] = null;
        head = (head + 1) & (ring.length - 1);
        inRing--;
        return item;
    }

    private Object inRing(int index) {
        Objects.checkIndex(index, inRing);
        return Objects.requireNonNull(ring[(head + index) & (ring.length - 1)]);
    }

    private void makeRoom() {
        if (inRing == ring.length) {
            grow();
        }
    }

    private void grow() {
        @Nullable Object[] doubled = new @Nullable Object[2 * ring.length];
        System.arraycopy(ring, head, doubled, 0, inRing - head);
        System.arraycopy(ring, 0, doubled, inRing - head, head);
        ring = doubled;
        head = 0;
        if (inRing >= REPORT_FROM) {
            LOG.warn("the mailbox of {} holds {} messages and grows", owner, inRing);
        }
    }

    /** How many of them are messages, postponed ones included: a stop is none. */
    public int messages() {
        int messages = size() + postponed();
        for (int i = 0; i < inRing && exempt > 0; i++) {
            messages -= inRing(i) == Stop.STOP ? 1 : 0;
        }
        return messages;
    }

    /** The contents of the oldest, up to a number. */
    public List<Object> oldest(int max) {
        List<Object> contents = new ArrayList<>();
        if (postponed != null) {
            postponed.stream().limit(max).map(Envelope::content).forEach(contents::add);
        }
        if (passed != null) {
            passed.addTo(contents, max);
        }
        for (int i = 0; i < inRing && contents.size() < max; i++) {
            if (inRing(i) != Stop.STOP) {
                contents.add(Envelope.content(inRing(i)));
            }
        }
        return contents;
    }

    public void checkInvariants() {
        int exemptOnes = passed == null ? 0 : passed.checkInvariants();
        for (int i = 0; i < ring.length; i++) {
            Object item = ring[i];
            boolean used = ((i - head) & (ring.length - 1)) < inRing;
            if (used != (item != null)) {
                throw new IllegalStateException("slot=" + i + " holds " + item + " in " + this);
            }
            if (item != null && Envelope.isExempt(item)) {
                exemptOnes++;
            }
        }
        if (exemptOnes != exempt) {
            throw new IllegalStateException(
                    "exempt=" + exempt + " != " + exemptOnes + " in " + this);
        }
    }

    @Override
    public String toString() {
        return "Mailbox[owner=" + owner + " size=" + size() + " head=" + head + "]";
    }
}
