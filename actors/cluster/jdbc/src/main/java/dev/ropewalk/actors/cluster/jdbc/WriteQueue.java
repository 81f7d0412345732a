package dev.ropewalk.actors.cluster.jdbc;

import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.fibers.spi.Waits;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The writes that wait, and the threads that carry them out in batches: what comes while a batch is
 * under way is the next one, so the writes of one turn are in two transactions at most: the first
 * one may go alone, because an idle queue waits for no other. Another thread starts only when a
 * whole batch waits, or the last one is late: the server may be stuck at one row.
 *
 * <p>A caller that leaves takes its write out, unless that is under way. The queue is bounded in
 * bytes, and a write that finds no room is answered at once.
 */
final class WriteQueue {
    /** Writes in a transaction, at most. */
    static final int BATCH = 128;

    /** Bytes in a transaction; one write may pass the bound. */
    static final int BATCH_BYTES = 1 << 20;

    /** Bytes that wait. */
    static final long MAX_BYTES = 64L << 20;

    /** A batch that takes longer has others go past it. */
    private static final long LATE_NS = 200_000_000;

    /** Of a write beside its value. */
    private static final int AROUND = 200;

    private final Object lock = new Object();
    private final ArrayDeque<PendingWrite> waiting = new ArrayDeque<>();
    private final String name;
    private final int maxWriters;
    private final Consumer<List<PendingWrite>> writer;
    private long bytes;
    private int writers;
    private long lastBatchNs;
    private boolean isClosed;

    /**
     * A queue.
     *
     * @param writer carries a batch out and gives each of its writes a result, or throws; on a
     *     thread of the queue's, which it may block
     */
    WriteQueue(String name, int maxWriters, Consumer<List<PendingWrite>> writer) {
        this.name = name;
        this.maxWriters = maxWriters;
        this.writer = writer;
    }

    /** Waits for the result. A switchpoint. */
    WriteResult write(PendingWrite write) {
        boolean isStarting;
        synchronized (lock) {
            if (isClosed || bytes > MAX_BYTES) {
                String why = isClosed ? " is closed" : ": " + bytes + " bytes wait to be written";
                return new WriteResult.Unknown(new StoreException(name + why, null));
            }
            add(write);
            isStarting = writers == 0 || (writers < maxWriters && isAnotherNeeded());
            writers += isStarting ? 1 : 0;
        }
        if (isStarting) {
            // No virtual thread: a driver that calls native code would keep its carrier.
            try {
                Thread.ofPlatform().daemon().name("writer of " + name).start(this::writeAll);
            } catch (Throwable noThread) { // of the system: the write is not under way
                synchronized (lock) {
                    writers--;
                }
                leave(write);
                return new WriteResult.Unknown(noThread);
            }
        }
        boolean isAnswered = false;
        try {
            WriteResult result = (WriteResult) Objects.requireNonNull(write.await(write));
            isAnswered = true;
            return result;
        } finally {
            if (!isAnswered) {
                leave(write);
            }
        }
    }

    private boolean isAnotherNeeded() {
        return waiting.size() >= BATCH || Waits.nanoTime() - lastBatchNs > LATE_NS;
    }

    private void add(PendingWrite write) {
        waiting.add(write);
        bytes += size(write);
    }

    private static long size(PendingWrite write) {
        return write.value == null ? AROUND : (long) AROUND + write.value.length;
    }

    private void leave(PendingWrite write) {
        synchronized (lock) {
            if (waiting.remove(write)) {
                bytes -= size(write);
            }
        }
    }

    private void writeAll() {
        for (List<PendingWrite> next = next(); !next.isEmpty(); next = next()) {
            try {
                writer.accept(next);
            } catch (Throwable failure) { // the thread goes on, because others wait for it
                giveUp(next, failure);
            }
        }
    }

    private List<PendingWrite> next() {
        List<PendingWrite> batch = new ArrayList<>();
        synchronized (lock) {
            long size = 0;
            while (batch.size() < BATCH && size < BATCH_BYTES && !waiting.isEmpty()) {
                PendingWrite next = waiting.remove();
                size += size(next);
                batch.add(next);
            }
            bytes -= size;
            lastBatchNs = Waits.nanoTime();
            if (batch.isEmpty()) {
                writers--;
                lock.notifyAll();
            }
        }
        return batch;
    }

    static void giveUp(List<PendingWrite> writes, Throwable cause) {
        writes.forEach(each -> each.give(new WriteResult.Unknown(cause)));
    }

    /** Gives up those that wait, and waits for batches that are under way. Blocks the thread. */
    void close(long limitMs) throws InterruptedException {
        List<PendingWrite> left;
        synchronized (lock) {
            isClosed = true;
            left = new ArrayList<>(waiting);
            waiting.clear();
            bytes = 0;
        }
        giveUp(left, new StoreException(name + " was closed", null));
        long beganNs = Waits.nanoTime();
        synchronized (lock) {
            for (long leftMs = limitMs; writers > 0 && leftMs > 0; ) {
                lock.wait(leftMs);
                leftMs = limitMs - (Waits.nanoTime() - beganNs) / 1_000_000;
            }
        }
    }

    /** For tests. */
    int waiting() {
        synchronized (lock) {
            return waiting.size();
        }
    }

    /** For tests. */
    int writers() {
        synchronized (lock) {
            return writers;
        }
    }

    /** A thread is there as long as a write waits. */
    void checkInvariants() {
        synchronized (lock) {
            long sum = waiting.stream().mapToLong(WriteQueue::size).sum();
            boolean isServed = writers > 0 || waiting.isEmpty();
            if (writers < 0 || writers > maxWriters || !isServed || sum != bytes) {
                throw new IllegalStateException(
                        name
                                + ": writers="
                                + writers
                                + ", waiting="
                                + waiting.size()
                                + ", bytes="
                                + bytes
                                + " of "
                                + sum);
            }
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
