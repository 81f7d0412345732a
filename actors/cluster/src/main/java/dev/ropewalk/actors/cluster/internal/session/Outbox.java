package dev.ropewalk.actors.cluster.internal.session;

import dev.ropewalk.actors.cluster.internal.session.Session.Lost;
import dev.ropewalk.actors.cluster.internal.session.Session.Sent;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;

/**
 * The frames of one session on their way: encoded, bounded in bytes, and kept until the other node
 * has acknowledged them. Any thread adds, in one order for all; the session's writer takes batches.
 *
 * <p>States of a frame, in order; the outbox is open until {@link #close}:
 *
 * <pre>
 *   waiting   its sender waits, because there is no room; the oldest comes first, and none overtakes
 *   queued    in the batch
 *   sent      the writer has taken it
 *   acked     the other node has it, and its room is free
 * </pre>
 *
 * Invariants: held bytes are those of queued and sent frames that are counted; a sender waits only
 * while there is no room; frames of those that cannot wait (replies, ends) pass the bound, because
 * each belongs to a question of the other node. Of what is not acknowledged at the end the owner
 * makes dead letters: what was sent may have arrived.
 *
 * <p>Rejected: a queue without a lock. The order of one sender's messages over several frames, the
 * room, and the end have to be one decision, and the lock is held for the copy of a few bytes.
 */
final class Outbox {
    /** A counted frame that is not acknowledged: of a tell the message and its address. */
    private static final class Kept {
        private final int bytes;
        private final @Nullable Object to;
        private @Nullable Object message;

        Kept(@Nullable Object message, @Nullable Object to, int bytes) {
            this.message = message;
            this.to = to;
            this.bytes = bytes;
        }

        /** The message, once; null if there is none. */
        @Nullable Lost take() {
            Object taken = message;
            message = null;
            return taken == null ? null : new Lost(taken, Objects.requireNonNull(to));
        }
    }

    /**
     * The state of the way to the other node.
     *
     * @param queuedBytes not taken by the writer yet
     * @param unacknowledged counted frames
     * @param added counted frames so far
     * @param bytes of all frames so far
     */
    record Load(
            long queuedBytes,
            int unacknowledged,
            long unacknowledgedBytes,
            int waiting,
            long added,
            long bytes) {}

    private static final int BATCH = 64 * 1024;

    /**
     * Bytes that are written together. Its owner is the outbox, and the writer once it is taken.
     */
    static final class Batch {
        final byte[] bytes;
        int used;

        Batch(byte[] bytes) {
            this.bytes = bytes;
        }

        boolean hasRoom(int length) {
            return used + length <= bytes.length;
        }

        void add(byte[] content, int length) {
            System.arraycopy(content, 0, bytes, used, length);
            used += length;
        }
    }

    private final int capacity;

    // ---- guarded by this object's monitor

    /** Full ones before the one that is filled. */
    private final ArrayDeque<Batch> full = new ArrayDeque<>();

    private Batch batch = new Batch(new byte[BATCH]);

    /** Those that were written, to be filled again. */
    private final ArrayDeque<Batch> spares = new ArrayDeque<>();

    /** So many of them were not needed since the last {@link #trim}. */
    private int sparesLeft;

    private final ArrayDeque<Kept> kept = new ArrayDeque<>();
    private long heldBytes;
    private long bytes;
    private long added;
    private long acked;

    /** In their order; one that leaves is not sought among the others. */
    private final LinkedHashSet<Sender> senders = new LinkedHashSet<>();

    /** So many are to be acknowledged before the node leaves, and those up to that sender's. */
    private long wanted;

    private @Nullable Sender lastWanted;

    /** Waits for frames, so that it has written all before; null while it does not. */
    private @Nullable WaitCell writer;

    private boolean isOver;

    Outbox(int capacity) {
        this.capacity = capacity;
    }

    /** A sender that waits, with its frame: whoever makes room adds it, so the order stays. */
    private static final class Sender extends WaitCell {
        private final Frame.Copy frame;
        private final Kept kept;

        /** When the limit of its question ends. */
        private final long endNs;

        Sender(Frame.Copy frame, Kept kept, long limitNanos) {
            this.frame = frame;
            this.kept = kept;
            this.endNs = frame.limitAt() < 0 ? 0 : Waits.nanoTime() + limitNanos;
        }

        /** The bytes as they leave now. */
        byte[] bytes() {
            if (frame.limitAt() >= 0) {
                long leftNs = Math.max(0, endNs - Waits.nanoTime());
                Frame.limit(frame.bytes(), frame.limitAt(), leftNs);
            }
            return frame.bytes();
        }
    }

    // ---------------------------------------------------------------- adding, from any thread

    /**
     * Adds a frame if there is room, or if it needs none.
     *
     * @param needsRoom false for what cannot wait
     */
    Sent add(Frame frame, @Nullable Object message, @Nullable Object to, boolean needsRoom) {
        WaitCell idle;
        byte[] bytes = frame.buffer();
        int length = frame.length();
        synchronized (this) {
            if (isOver) {
                return Sent.OVER;
            }
            if (needsRoom && !hasRoom()) {
                return Sent.FULL;
            }
            append(bytes, length);
            if (frame.type() >= FrameType.FIRST_COUNTED) {
                keep(new Kept(message, to, length));
            }
            idle = takeIdleWriter();
        }
        wake(idle);
        return Sent.YES;
    }

    /**
     * Adds a frame when there is room. A switchpoint; the frame must be copied before, because
     * another sender may take it meanwhile. A question has a limit, which is also that of the wait;
     * the rest of it leaves with the frame.
     *
     * @return FULL if the limit passed
     */
    Sent addWhenRoom(
            Frame.Copy frame, @Nullable Object message, @Nullable Object to, long limitNanos) {
        byte[] bytes = frame.bytes();
        Sender sender = new Sender(frame, new Kept(message, to, bytes.length), limitNanos);
        boolean isIn;
        WaitCell idle = null;
        synchronized (this) {
            if (isOver) {
                return Sent.OVER;
            }
            isIn = hasRoom();
            if (isIn) {
                append(bytes, bytes.length);
                keep(sender.kept);
                idle = takeIdleWriter();
            } else {
                senders.add(sender);
            }
        }
        if (isIn) {
            wake(idle);
            return Sent.YES;
        }
        Object given = null;
        try {
            given = sender.await("room in the queue to another node", limitNanos);
        } finally {
            if (!(given instanceof Sent)) {
                forget(sender);
            }
        }
        return given instanceof Sent result ? result : Sent.FULL;
    }

    private synchronized void forget(Sender sender) {
        senders.remove(sender);
        if (sender == lastWanted) {
            lastWanted = lastSender(); // those before it are wanted; later ones do no harm
        }
    }

    private @Nullable Sender lastSender() {
        return senders.isEmpty() ? null : senders.getLast();
    }

    private boolean hasRoom() {
        return senders.isEmpty() && heldBytes < capacity;
    }

    private void append(byte[] content, int length) {
        bytes += length;
        if (!batch.hasRoom(length)) {
            if (batch.used > 0) {
                full.add(batch);
                batch = emptyBatch();
            }
            if (!batch.hasRoom(length)) {
                Batch own = new Batch(new byte[length]);
                own.add(content, length);
                full.add(own);
                return;
            }
        }
        batch.add(content, length);
    }

    private Batch emptyBatch() {
        Batch empty = spares.pollLast();
        sparesLeft = Math.min(sparesLeft, spares.size());
        return empty == null ? new Batch(new byte[BATCH]) : empty;
    }

    private void keep(Kept frame) {
        kept.add(frame);
        heldBytes += frame.bytes;
        added++;
    }

    private @Nullable WaitCell takeIdleWriter() {
        WaitCell idle = writer;
        writer = null;
        return idle;
    }

    private static void wake(@Nullable WaitCell idle) {
        if (idle != null) {
            idle.give(true);
        }
    }

    // ---------------------------------------------------------------- the session's side

    /** The next bytes to be sent; waits for them. Null when it is over. A switchpoint. */
    @Nullable Batch next() {
        for (; ; ) {
            WaitCell idle;
            synchronized (this) {
                Batch next = full.poll();
                if (next == null && batch.used > 0) {
                    next = batch;
                    batch = emptyBatch();
                }
                if (next != null || isOver) {
                    return next;
                }
                idle = new WaitCell();
                writer = idle;
            }
            idle.await("frames to another node");
        }
    }

    /** A batch that was taken is written, and filled again. */
    synchronized void written(Batch batch) {
        if (batch.bytes.length == BATCH) {
            batch.used = 0;
            spares.addLast(batch);
        }
    }

    /** Lets the batches go that were not needed since the last time. */
    synchronized void trim() {
        for (; sparesLeft > 0; sparesLeft--) {
            spares.removeFirst();
        }
        sparesLeft = spares.size();
    }

    /**
     * The other node has so many counted frames.
     *
     * @return false if it says more than were sent, or fewer than before
     */
    boolean acked(long count) {
        List<Sender> served = new ArrayList<>();
        WaitCell idle;
        synchronized (this) {
            if (count < acked || count > added) {
                return false;
            }
            while (acked < count) {
                acked++;
                heldBytes -= kept.remove().bytes;
            }
            while (!senders.isEmpty() && heldBytes < capacity) {
                Sender next = senders.removeFirst();
                if (next.claim(Sent.YES)) {
                    append(next.bytes(), next.kept.bytes);
                    keep(next.kept);
                    served.add(next);
                }
                if (next == lastWanted) {
                    wanted = added;
                    lastWanted = null;
                }
            }
            idle = served.isEmpty() ? null : takeIdleWriter();
        }
        served.forEach(WaitCell::wake);
        wake(idle);
        return true;
    }

    /**
     * Takes the message of a counted frame that is not acknowledged, by its number from 1; null if
     * there is none. It is sought from the oldest one, so it should be near.
     */
    synchronized @Nullable Lost takeBack(long number) {
        long index = number - acked - 1;
        if (index < 0 || index >= kept.size()) {
            return null;
        }
        Iterator<Kept> each = kept.iterator();
        for (long i = 0; i < index; i++) {
            each.next();
        }
        return each.next().take();
    }

    /** Nothing more is added; the messages that were not acknowledged are the caller's. */
    List<Lost> close() {
        List<Sender> refused;
        List<Lost> lost;
        WaitCell idle;
        synchronized (this) {
            isOver = true;
            refused = List.copyOf(senders);
            senders.clear();
            lost = kept.stream().map(Kept::take).filter(Objects::nonNull).toList();
            kept.clear();
            heldBytes = 0;
            full.clear();
            spares.clear();
            sparesLeft = 0;
            batch.used = 0;
            idle = takeIdleWriter();
        }
        for (Sender each : refused) {
            each.give(Sent.OVER);
        }
        wake(idle);
        return lost;
    }

    /**
     * The node leaves: what was given until now is wanted. Replies to others that go on asking come
     * later and are not: there would never be a moment without some of them.
     */
    synchronized void wantAllSoFar() {
        wanted = added;
        lastWanted = lastSender();
    }

    /** Whether all that is wanted has been acknowledged. */
    synchronized boolean hasAllWanted() {
        return acked >= wanted && lastWanted == null;
    }

    /** Whether all that is counted has been acknowledged. */
    synchronized boolean isAcked() {
        return kept.isEmpty() && senders.isEmpty();
    }

    /** Whether the writer has written all. */
    synchronized boolean isWritten() {
        return writer != null;
    }

    /** Whether nothing is left to be done. */
    boolean isEmpty() {
        return isAcked() && isWritten();
    }

    synchronized Load load() {
        long queued = batch.used + full.stream().mapToLong(each -> each.used).sum();
        return new Load(queued, kept.size(), heldBytes, senders.size(), added, bytes);
    }

    synchronized long heldBytes() {
        return heldBytes;
    }

    synchronized int waiting() {
        return senders.size();
    }

    synchronized void checkInvariants() {
        long keptBytes = kept.stream().mapToLong(each -> each.bytes).sum();
        if (keptBytes != heldBytes || (!isOver && added - acked != kept.size())) {
            throw new IllegalStateException(
                    "held="
                            + heldBytes
                            + " kept="
                            + keptBytes
                            + " added="
                            + added
                            + " acked="
                            + acked
                            + " frames="
                            + kept.size());
        }
        if (sparesLeft > spares.size()
                || spares.stream().anyMatch(each -> each == batch || each.used > 0)) {
            throw new IllegalStateException(
                    "spares=" + spares.size() + " left=" + sparesLeft + ", or one is in use");
        }
        if (!senders.isEmpty() && heldBytes < capacity) {
            throw new IllegalStateException(
                    "waiting=" + senders.size() + " held=" + heldBytes + " < " + capacity);
        }
    }
}
