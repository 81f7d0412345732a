package dev.ropewalk.actors.internal.mailbox;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Messages in the order of their arrival. They come into a ring that doubles when full. A selective
 * receive takes what does not fit out of the ring and puts it into {@link PassedOver}, where it is
 * found by its type; all messages there are older than those in the ring.
 */
public final class FifoMailbox extends Mailbox {
    /** Room for the one message that an actor is told before it is up. */
    private static final int FIRST_LENGTH = 1;

    private static final int SECOND_LENGTH = 8;

    /** For actors that have nothing queued yet; never added to, so any cord may read it. */
    public static final Mailbox EMPTY = new FifoMailbox("nobody", Integer.MAX_VALUE, 0);

    private @Nullable Object[] ring;
    private int head;

    /** Of the ring. */
    private int inRing;

    /** Null until a selective receive passes a message over. */
    private @Nullable PassedOver passed;

    public FifoMailbox(Object owner, int maxQueued) {
        this(owner, maxQueued, FIRST_LENGTH);
    }

    private FifoMailbox(Object owner, int maxQueued, int length) {
        super(owner, maxQueued);
        this.ring = new @Nullable Object[length];
    }

    @Override
    public int size() {
        return passed == null ? inRing : inRing + passed.size();
    }

    @Override
    void add(Object item) {
        makeRoom();
        ring[(head + inRing) & (ring.length - 1)] = item;
        inRing++;
        noteAdded(item);
    }

    @Override
    public void addFirst(Object item) {
        noteAdded(item);
        if (passed != null && passed.size() > 0) {
            passed.addFirst(item);
            return;
        }
        makeRoom();
        head = (head - 1) & (ring.length - 1);
        ring[head] = item;
        inRing++;
    }

    @Override
    public @Nullable Object poll() {
        if (inRing == 0 && passed == null) {
            return null;
        }
        Object item = pollAny();
        while (isVoid(item)) {
            noteVoid(1);
            item = pollAny();
        }
        return noteTaken(item);
    }

    private @Nullable Object pollAny() {
        Object item = passed == null ? null : passed.poll();
        return item != null ? item : pollRing();
    }

    private boolean isVoid(@Nullable Object item) {
        return hasExempt() && item != null && Envelope.isVoid(item);
    }

    @Override
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

    // ---------------------------------------------------------------- selective receive

    /** The messages that it passes over are not looked at again by a receive of another type. */
    @Override
    public @Nullable Object poll(Class<?> type) {
        Object item = pollAny(type);
        while (isVoid(item)) {
            noteVoid(1);
            item = pollAny(type);
        }
        return noteTaken(item);
    }

    private @Nullable Object pollAny(Class<?> type) {
        Object item = passed == null ? null : passed.poll(type);
        while (item == null && inRing > 0) {
            item = fitting(first -> PassedOver.fits(type, first));
        }
        return item;
    }

    @Override
    public @Nullable Object poll(Predicate<Object> wanted) {
        removeVoid();
        Object item =
                passed == null
                        ? null
                        : passed.poll(queued -> !isVoid(queued) && wanted.test(queued));
        return item != null ? noteTaken(item) : pollNew(wanted);
    }

    private void removeVoid() {
        if (hasExempt() && passed != null) {
            noteVoid(passed.removeVoid());
        }
    }

    @Override
    public @Nullable Object pollNew(Predicate<Object> wanted) {
        Object item = null;
        while (item == null && inRing > 0) {
            item = isVoid(inRing(0)) ? voided() : fitting(wanted);
        }
        return noteTaken(item);
    }

    @Override
    public void remove(Placed.Renewable item) {
        if (passed != null) {
            passed.poll(queued -> queued == item);
        }
    }

    /** Takes the oldest of the ring out, which is void; null, because it is nothing. */
    private @Nullable Object voided() {
        pollRing();
        noteVoid(1);
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
        passed.add(item, arrived() - inRing - 1);
        if (Integer.bitCount(passed.size()) == 1) {
            removeVoid(); // each time it has doubled, so that revoked notices do not pile up
        }
        int size = passed.size();
        if (size >= REPORT_FROM && Integer.bitCount(size) == 1) {
            reportGrowth(size, "has passed over");
        }
    }

    // ---------------------------------------------------------------- inside

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
        @Nullable Object[] doubled = new @Nullable Object[Math.max(SECOND_LENGTH, 2 * ring.length)];
        System.arraycopy(ring, head, doubled, 0, inRing - head);
        System.arraycopy(ring, 0, doubled, inRing - head, head);
        ring = doubled;
        head = 0;
        if (inRing >= REPORT_FROM) {
            reportGrowth(inRing, "holds");
        }
    }

    /** An item that was put back before the others counts as somewhat older than they. */
    @Override
    long oldestNumber() {
        return passed != null && passed.size() > 0 ? passed.oldestNumber() : arrived() - inRing;
    }

    @Override
    int stops() {
        int stops = passed == null ? 0 : passed.stops();
        for (int i = 0; i < inRing; i++) {
            stops += inRing(i) == Stop.STOP ? 1 : 0;
        }
        return stops;
    }

    @Override
    void addContents(List<Object> contents, int max) {
        if (passed != null) {
            passed.addTo(contents, max);
        }
        for (int i = 0; i < inRing && contents.size() < max; i++) {
            if (inRing(i) != Stop.STOP) {
                contents.add(Envelope.content(inRing(i)));
            }
        }
    }

    @Override
    int checkAndCountExempt() {
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
        return exemptOnes;
    }
}
