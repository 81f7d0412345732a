package dev.ropewalk.actors.cluster.internal.shard;

import dev.ropewalk.actors.cluster.internal.lease.Lease;
import dev.ropewalk.actors.cluster.internal.shard.ShardTable.Move;
import dev.ropewalk.actors.cluster.internal.shard.ShardTable.Owner;
import dev.ropewalk.actors.cluster.internal.shard.Shards.State;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The state of each shard on this node, and the calls of the handler that follow from it. Confined
 * to the node's cord, but for {@link #isOwned}, {@link #isHeld}, {@link #epoch} and the counts.
 */
final class OwnShards {
    /*
     * Each shard, one writer, state(shard, from, to):
     *
     *   NONE   -> OWNED   the table says this life, and the lease is held
     *   OWNED  -> NONE    the lease has ended, or the table says another owner or epoch
     *   OWNED  -> GIVING  it is to go to another node: the handler ends what runs
     *   GIVING -> GIVEN   nothing of it runs any more; the table is to be written
     *   GIVING -> OWNED   the handler has failed; nothing was written
     *   GIVING -> NONE    the same, and nothing is owned any more
     *   GIVEN  -> NONE    the table says another owner or epoch
     *   GIVEN  -> OWNED   taken back: the table says this life at a revision AFTER the one from
     *                     which it was to be given away, and the node is not leaving
     *
     * A write of unknown outcome may take effect later, as long as the table has the revision that
     * it was written from. So a table of that revision which still says this life proves nothing,
     * and the shard stays GIVEN, and is written again. With another revision that write never takes
     * effect any more, so what the table says then is true.
     *
     * GIVING does not end by the table or the lease, because the handler is at work. It is told
     * then that the shard is lost, and its return leads to GIVEN, where the table decides.
     */
    private static final Log LOG = Logs.logger(OwnShards.class);

    private final String of;
    private final ShardHandler handler;
    private final ShardTiming timing;

    /** The lease under which all of them are owned. */
    private volatile Lease under;

    private final AtomicReferenceArray<State> states = new AtomicReferenceArray<>(Shards.COUNT);

    /** As {@link #epoch}: above 0 if it is OWNED, below 0 if it is GIVING and was not lost. */
    private final AtomicLongArray open = new AtomicLongArray(Shards.COUNT);

    /** The epoch of the state; means nothing with NONE. */
    private final long[] epochs = new long[Shards.COUNT];

    /** The revision from which the last write that gives it was made; 0 if there was none. */
    private final long[] writtenFrom = new long[Shards.COUNT];

    private final boolean[] isToldLost = new boolean[Shards.COUNT];

    /** Those that move to a node that was chosen; by their numbers. */
    private final Move[] moves = new Move[Shards.COUNT];

    /** From then on nothing that has stopped is taken back. */
    private boolean isLeaving;

    /** Nothing is taken any more. */
    private boolean isOver;

    /** Since the last line of the log. */
    private final List<Integer> newlyTaken = new ArrayList<>();

    private final List<Integer> newlyLost = new ArrayList<>();

    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong given = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();

    /**
     * @param of the node's name in the log
     */
    OwnShards(String of, ShardHandler handler, ShardTiming timing, Lease under) {
        this.of = of;
        this.handler = handler;
        this.timing = timing;
        this.under = under;
        for (int shard = 0; shard < Shards.COUNT; shard++) {
            states.set(shard, State.NONE);
        }
    }

    private void state(int shard, State from, State to) {
        if (states.get(shard) != from) {
            throw new IllegalStateException(
                    "shard "
                            + Shards.hex(shard)
                            + " is "
                            + states.get(shard)
                            + ", not "
                            + from
                            + " -> "
                            + to);
        }
        long epoch = epochs[shard];
        open.set(
                shard,
                switch (to) {
                    case OWNED -> epoch;
                    case GIVING -> -epoch;
                    case NONE, GIVEN -> 0;
                });
        states.set(shard, to);
    }

    // ---------------------------------------------------------------- the table and the lease

    /**
     * Brings all states to what a table says, under a lease. Waits for nothing.
     *
     * @param node the name of this one
     */
    void reconcile(ShardTable table, String node, Lease lease) {
        Owner me = new Owner(node, lease.life());
        boolean isHeld = lease.isHeld();
        if (under != lease) {
            endAll(); // before the other lease can be read
            under = lease;
        }
        for (int shard = 0; shard < Shards.COUNT; shard++) {
            long epoch = me.equals(table.owner(shard)) ? table.epoch(shard) : 0;
            boolean isStill = epoch != 0 && epoch == epochs[shard];
            switch (states.get(shard)) {
                case NONE -> {}
                case OWNED -> {
                    if (!isStill || !isHeld) {
                        lose(shard);
                    }
                }
                case GIVING -> {
                    if (!isStill || !isHeld) {
                        tellLost(shard);
                    }
                }
                case GIVEN -> settle(shard, table, isStill);
            }
            if (states.get(shard) == State.NONE && epoch != 0 && isHeld && !isOver) {
                epochs[shard] = epoch;
                own(shard, State.NONE);
                taken.incrementAndGet();
            }
        }
        log();
    }

    /** One line for all that a table or a lease has brought, because that may be every shard. */
    private void log() {
        if (!newlyLost.isEmpty()) {
            LOG.warn(
                    "node {} has lost shards {}: their entities end",
                    of,
                    ShardHead.names(newlyLost));
        }
        if (!newlyTaken.isEmpty()) {
            LOG.info("node {} has shards {}, {}", of, ShardHead.names(newlyTaken), newEpochs());
        }
        newlyLost.clear();
        newlyTaken.clear();
    }

    /** One, unless they were taken by several writes: when a lease is there again, for one. */
    private String newEpochs() {
        LongSummaryStatistics all =
                newlyTaken.stream().mapToLong(shard -> epochs[shard]).summaryStatistics();
        return all.getMin() == all.getMax()
                ? "epoch " + all.getMin()
                : "epochs " + all.getMin() + " to " + all.getMax();
    }

    /** Nothing is owned any more, and nothing will be. */
    void end() {
        isOver = true;
        endAll();
    }

    boolean isOver() {
        return isOver;
    }

    /** Nothing is owned any more, whatever the table says. */
    void endAll() {
        for (int shard = 0; shard < Shards.COUNT; shard++) {
            if (states.get(shard) == State.OWNED) {
                lose(shard);
            } else if (states.get(shard) == State.GIVING) {
                tellLost(shard);
            }
        }
        log();
    }

    private void settle(int shard, ShardTable table, boolean isStill) {
        if (!isStill) {
            state(shard, State.GIVEN, State.NONE);
            if (writtenFrom[shard] != 0) {
                given.incrementAndGet();
            }
        } else if (!isLeaving && writtenFrom[shard] != 0 && table.revision() > writtenFrom[shard]) {
            own(shard, State.GIVEN);
        }
    }

    private void own(int shard, State from) {
        writtenFrom[shard] = 0;
        isToldLost[shard] = false;
        state(shard, from, State.OWNED);
        newlyTaken.add(shard);
        told(shard, "taken", () -> handler.taken(shard));
    }

    private void lose(int shard) {
        state(shard, State.OWNED, State.NONE);
        tellLost(shard);
    }

    private void tellLost(int shard) {
        if (!isToldLost[shard]) {
            isToldLost[shard] = true;
            open.set(shard, 0); // also under another lease nothing of it works
            lost.incrementAndGet();
            newlyLost.add(shard);
            told(shard, "lost", () -> handler.lost(shard));
        }
    }

    private static void told(int shard, String event, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException failure) {
            LOG.error(
                    "shard {}: the handler failed when it was {}",
                    Shards.hex(shard),
                    event,
                    failure);
        }
    }

    // ---------------------------------------------------------------- giving away

    /** How many are GIVING or GIVEN. */
    int underWay() {
        int count = 0;
        for (int shard = 0; shard < Shards.COUNT; shard++) {
            State state = states.get(shard);
            count += state == State.GIVING || state == State.GIVEN ? 1 : 0;
        }
        return count;
    }

    List<Integer> in(State state) {
        List<Integer> all = new ArrayList<>();
        for (int shard = 0; shard < Shards.COUNT; shard++) {
            if (states.get(shard) == state) {
                all.add(shard);
            }
        }
        return all;
    }

    void leave() {
        isLeaving = true;
    }

    /** Where it goes. */
    Move moveOf(int shard) {
        return moves[shard];
    }

    void begin(Move move) {
        moves[move.shard()] = move;
        state(move.shard(), State.OWNED, State.GIVING);
    }

    /** Nothing of it runs any more. */
    void stopped(int shard) {
        writtenFrom[shard] = 0;
        state(shard, State.GIVING, State.GIVEN);
    }

    /** Something of it may run still. */
    void keep(int shard) {
        if (isOver) {
            state(shard, State.GIVING, State.NONE);
        } else {
            own(shard, State.GIVING);
        }
        log();
    }

    void writing(List<Integer> shards, long fromRevision) {
        shards.forEach(shard -> writtenFrom[shard] = fromRevision);
    }

    /** Planted only: an unknown write counts as one that was refused. */
    void takeBack(List<Integer> shards) {
        shards.forEach(shard -> own(shard, State.GIVEN));
        log();
    }

    // ---------------------------------------------------------------- for any thread

    boolean isOwned(int shard, long nowNs) {
        Lease lease = under; // first: it changes after all that was owned under the other one ended
        return open.get(shard) > 0 && timing.isHeld(lease, nowNs);
    }

    boolean isHeld(int shard, long nowNs) {
        Lease lease = under;
        return open.get(shard) != 0 && timing.isHeld(lease, nowNs);
    }

    long epoch(int shard) {
        return Math.abs(open.get(shard));
    }

    State stateOf(int shard) {
        return states.get(shard);
    }

    long taken() {
        return taken.get();
    }

    long given() {
        return given.get();
    }

    long lost() {
        return lost.get();
    }

    // ---------------------------------------------------------------- checks

    /** On the cord. */
    void checkInvariants(ShardTable table, String node) {
        Owner me = new Owner(node, under.life());
        for (int shard = 0; shard < Shards.COUNT; shard++) {
            State state = states.get(shard);
            long epoch = open.get(shard);
            boolean isRight =
                    switch (state) {
                        case NONE, GIVEN -> epoch == 0;
                        case OWNED ->
                                epoch == epochs[shard]
                                        && epoch == table.epoch(shard)
                                        && me.equals(table.owner(shard));
                        case GIVING -> epoch == (isToldLost[shard] ? 0 : -epochs[shard]);
                    };
            if (!isRight) {
                throw new IllegalStateException(
                        "shard "
                                + Shards.hex(shard)
                                + " is "
                                + state
                                + " with epoch "
                                + epoch
                                + " at "
                                + Waits.nanoTime()
                                + ", and "
                                + table
                                + " says "
                                + table.epoch(shard)
                                + " "
                                + table.owner(shard));
            }
        }
    }
}
