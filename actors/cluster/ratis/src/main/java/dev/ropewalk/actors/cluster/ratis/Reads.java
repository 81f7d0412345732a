package dev.ropewalk.actors.cluster.ratis;

import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Makes a read of this server's entries see all that was written before it began: a barrier goes
 * through the log, and the read waits until this server has carried it out. Reads that come while a
 * barrier is under way share the next one. All but {@link #await} is done by the thread of {@link
 * Requests}.
 *
 * <p>Rejected: the linearizable reads of Ratis 3.2.2. Its leader asks the others only until they
 * have confirmed its last write once; from then on it answers by itself, and one that was stopped
 * and is deposed answers with old entries ({@code ReadIndexHeartbeats.ackedCommitIndex}).
 */
final class Reads {
    /** Reads that wait, at most. */
    static final int MAX_READS = 10_000;

    /** A barrier that takes longer has another one go past it. */
    private static final long LATE_NS = 200_000_000;

    private final String store;
    private final Requests requests;
    private final LongSupplier appliedIndex;
    private final long limitNs;

    /** They share the next barrier. */
    private List<Waiting> next = new ArrayList<>();

    /** Their barrier has this number in the log. */
    private final NavigableMap<Long, List<Waiting>> behind = new TreeMap<>();

    private int barriers;
    private int waiting;
    private long lastBarrierNs;

    /** The lowest number that is waited for. */
    private volatile long awaited = Long.MAX_VALUE;

    /** A read that waits for its barrier. */
    private static final class Waiting extends WaitCell {
        private final String read;

        Waiting(String read) {
            this.read = read;
        }

        @Override
        public String toString() {
            return read;
        }
    }

    Reads(RatisOptions options, Requests requests, LongSupplier appliedIndex) {
        this.store = options.toString();
        this.requests = requests;
        this.appliedIndex = appliedIndex;
        this.limitNs = options.callLimit().toNanos();
    }

    /**
     * Waits until this server has carried out all that was written before. A switchpoint.
     *
     * @param read what is read, for reports
     * @throws StoreException if that does not come within the limit
     */
    void await(String read) {
        Waits.switchpoint();
        Waiting cell = new Waiting(read);
        StoreException over = requests.ended();
        if (over == null) {
            requests.execute(() -> begin(cell));
            Object result = cell.await(cell, limitNs);
            over =
                    result == Waits.TIMED_OUT
                            ? failed("no majority of the servers answers", null)
                            : (StoreException) result;
        }
        if (over != null) {
            throw new StoreException(read + " failed: " + over.getMessage(), over);
        }
    }

    private StoreException failed(String why, @Nullable Throwable cause) {
        return new StoreException(store + ": " + why, cause);
    }

    private void begin(Waiting cell) {
        StoreException over = requests.ended();
        if (over == null && waiting >= MAX_READS) {
            over = failed(waiting + " reads wait", null);
        }
        if (over != null) {
            cell.give(over);
            return;
        }
        waiting++;
        next.add(cell);
        sendIfDue();
    }

    private void sendIfDue() {
        if (!next.isEmpty() && (barriers == 0 || Waits.nanoTime() - lastBarrierNs > LATE_NS)) {
            List<Waiting> batch = next;
            next = new ArrayList<>();
            barriers++;
            lastBarrierNs = Waits.nanoTime();
            requests.send(
                    new Request(
                            Command.NOTHING,
                            true,
                            outcome -> requests.execute(() -> passed(batch, outcome))));
        }
    }

    private void passed(List<Waiting> batch, Request.Outcome outcome) {
        barriers--;
        switch (outcome) {
            case Request.Outcome.Done(long number) -> {
                behind.computeIfAbsent(number, _ -> new ArrayList<>()).addAll(batch);
                awaited = behind.firstKey();
                give();
            }
            case Request.Outcome.Unknown(Throwable cause) ->
                    give(batch, failed(String.valueOf(cause.getMessage()), cause));
        }
        forgetThoseThatLeft();
        sendIfDue();
    }

    private void give(List<Waiting> batch, @Nullable StoreException failure) {
        waiting -= batch.size();
        batch.forEach(each -> each.give(failure));
    }

    /** From any thread: this server has carried out an entry. */
    void applied(long index) {
        if (index >= awaited) {
            requests.execute(this::give);
        }
    }

    private void give() {
        while (!behind.isEmpty() && behind.firstKey() <= appliedIndex.getAsLong()) {
            give(behind.pollFirstEntry().getValue(), null);
            // Before the number is read again: an entry that is carried out in between is seen.
            awaited = behind.isEmpty() ? Long.MAX_VALUE : behind.firstKey();
        }
    }

    /** A server that carries out nothing would keep them. */
    private void forgetThoseThatLeft() {
        behind.values()
                .removeIf(
                        batch -> {
                            boolean isLeft = batch.stream().noneMatch(WaitCell::isWaiting);
                            waiting -= isLeft ? batch.size() : 0;
                            return isLeft;
                        });
        awaited = behind.isEmpty() ? Long.MAX_VALUE : behind.firstKey();
    }

    /** On the thread: no barrier comes any more. */
    void giveUp(StoreException why) {
        give(next, why);
        next = new ArrayList<>();
        for (List<Waiting> each : behind.values()) {
            give(each, why);
        }
        behind.clear();
        awaited = Long.MAX_VALUE;
    }
}
