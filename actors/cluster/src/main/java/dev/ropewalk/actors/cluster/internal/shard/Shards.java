package dev.ropewalk.actors.cluster.internal.shard;

import dev.ropewalk.actors.cluster.internal.lease.Lease;
import dev.ropewalk.actors.cluster.internal.lease.Membership;
import dev.ropewalk.actors.cluster.internal.lease.Register;
import dev.ropewalk.actors.cluster.internal.lease.Trouble;
import dev.ropewalk.actors.cluster.internal.shard.ShardTable.Move;
import dev.ropewalk.actors.cluster.internal.shard.ShardTable.Owner;
import dev.ropewalk.actors.cluster.internal.shard.ShardTable.Taker;
import dev.ropewalk.actors.cluster.internal.store.LimitedStore;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreWatch;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.zip.CRC32C;

/**
 * The shards of entities, as one node of a cluster knows them: which it owns, and which node owns
 * the others. Confined to the node's cord, but for the parts that say so.
 *
 * <p>A key belongs to a shard for ever, because states are found by it after years: the number is
 * CRC-32C of its UTF-8, modulo {@link #COUNT}. It stands in the key of a state, so that the states
 * of one shard can be listed. Rejected: {@code hashCode}, which the JDK may change for other types
 * than text, and which other programs do not have.
 */
public final class Shards {
    /*
     * The table is followed and written by one fiber, so this node never writes against itself:
     *
     *   read the table, if it may have changed -> bring the own shards to what it says -> write it,
     *   if orphans or stopped shards are to go to others -> begin a move -> wait
     *
     * Why at most one life works for a shard at a time. A life L works for a shard only while the
     * last table that it knows says so AND its lease is held. The table is changed from L to another
     * one only
     *
     *   - by L, after the handler has returned: nothing of the shard runs, and nothing is started
     *     before a table of a later revision says L again (OwnShards);
     *   - by another one that has read L's register AFTER it had read the table, and has found that
     *     L is over. Lives do not come back, so L is over for ever, and so is its lease
     *     (Membership). A register that was read before the table proves nothing: it may be of the
     *     time before L came, or of the life before.
     *
     * Each write is from the revision of the table that was decided on, so all decisions are made
     * on what is there. Nodes decide the same of what they see; if two write at once, one of them
     * is refused and looks again.
     *
     * Rejected: a node that decides for all (it is another thing that can be lost, and must be
     * found), a key for each shard (a join would be hundreds of decisions that do not see each
     * other, and a node with many shards would be counted from 256 reads), a state in the table for
     * a shard that is under way (the new owner has nothing to do before the old one has stopped).
     */
    private static final Log LOG = Logs.logger(Shards.class);

    public static final int COUNT = 256;

    /** Between two writes, so that nodes that collide do not load the store without a limit. */
    private static final Duration BETWEEN_WRITES = Duration.ofMillis(10);

    private static final Duration AFTER_FAILURE = Duration.ofMillis(100);

    private final Store watched;
    private final LimitedStore store;
    private final String key;
    private final Membership membership;
    private final String programVersion;
    private final ShardHandler handler;
    private final ShardTiming timing;
    private final OwnShards own;
    private final Trouble trouble = new Trouble(this, "moves no shards", this::hasLeft);

    /** The last one that was read or written; the empty one if that was refused. */
    private volatile ShardTable known = ShardTable.empty();

    /** From when on the owner is this one. */
    private final AtomicLongArray sinceNs = new AtomicLongArray(COUNT);

    /** Whether there was a table ever. */
    private boolean wasThere;

    private long nextWriteNs = Waits.nanoTime();
    private volatile boolean isToRead = true;
    private volatile boolean isDue;
    private volatile @Nullable WaitCell pause;

    /** Those that wait until all shards are given away; none before it begins. */
    private final List<WaitCell> leaving = new ArrayList<>();

    /** A node that takes none follows the table, because it sends to those that do. */
    private boolean isTaking;

    private long leaveEndNs;
    private boolean hasLeft;

    /** A shard on this node. */
    public enum State {
        /** This node does not own it. */
        NONE,
        /** It does. */
        OWNED,
        /** Its entities are ended, because another node is to own it. */
        GIVING,
        /** Nothing of it runs, and the table is to say the next owner. */
        GIVEN
    }

    /**
     * A shard, as this node knows it.
     *
     * @param shard its number
     * @param owner the node that owns it; null if nobody does
     * @param life that of the owner
     * @param epoch of the owner; 0 if there is none
     * @param state its state on this node
     * @param since for how long this node has known it like this
     */
    public record Part(
            int shard,
            @Nullable String owner,
            long life,
            long epoch,
            State state,
            Duration since) {}

    /**
     * All shards, as this node knows them at some moment.
     *
     * @param revision of the table; 0 if there is none yet
     * @param parts each shard, in order
     * @param taken how often this node began to own a shard
     * @param given how often it gave one away
     * @param lost how often it lost one
     * @param trouble as {@link Shards#trouble}
     */
    public record Snapshot(
            long revision, List<Part> parts, long taken, long given, long lost, String trouble) {}

    /** The outcome of a step. */
    private enum Next {
        /** Another one at once. */
        AGAIN,
        /** When something happens. */
        PAUSE,
        /** The trouble is noted. */
        FAILED
    }

    /**
     * The shards of a node, which takes none before {@link #take}. Before {@link Membership#keep}.
     *
     * @param store in which the table is
     * @param cluster its name, which the table's key begins with
     * @param membership of the node
     * @param programVersion that of its program; while two of them run, shards go to the newer one
     * @param handler runs what belongs to shards
     * @param timing how fast they move
     */
    public Shards(
            Store store,
            String cluster,
            Membership membership,
            String programVersion,
            ShardHandler handler,
            ShardTiming timing) {
        this.watched = store;
        this.store = new LimitedStore(store);
        this.key = cluster + "/" + ShardHead.KEY;
        this.membership = membership;
        this.programVersion = programVersion;
        this.handler = handler;
        this.timing = timing;
        this.own = new OwnShards(membership.name(), handler, timing, membership.lease());
        long nowNs = Waits.nanoTime();
        for (int shard = 0; shard < COUNT; shard++) {
            sinceNs.set(shard, nowNs);
        }
        membership.tell(this::lifeChanged);
    }

    /** {@return the shard of a key, from 0} */
    public static int of(String key) {
        CRC32C sum = new CRC32C();
        sum.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (sum.getValue() % COUNT);
    }

    /** {@return a shard, as it stands in the store} */
    public static String hex(int shard) {
        return HexFormat.of().toHexDigits((byte) shard);
    }

    /** The node takes shards from now on, and its register says so. On the cord. */
    public void take() {
        if (!isTaking) {
            isTaking = true;
            membership.takeShards(programVersion);
            tableChanged();
        }
    }

    // ---------------------------------------------------------------- the fiber

    /** Follows the table, takes and gives shards, until the node has left. A switchpoint. */
    public void run() {
        Fiber<?> ending = Fiber.spin("ends shards with the lease", this::endWithLease);
        try (StoreWatch _ = watched.watch(key, _ -> tableChanged())) {
            while (!hasLeft) {
                isDue = false;
                Next next = safeStep();
                if (next == Next.FAILED) {
                    Fiber.sleep(AFTER_FAILURE);
                }
                if (next != Next.AGAIN) {
                    pause();
                }
            }
        } finally {
            ending.terminate();
            hasLeft = true;
            own.end();
            tellLeft(false);
        }
    }

    private Next safeStep() {
        try {
            Next next = step();
            if (next != Next.FAILED) {
                trouble.isOver();
            }
            return next;
        } catch (RefusedTableException refused) {
            trouble.has(String.valueOf(refused.getMessage()));
            know(ShardTable.empty());
        } catch (Throwable failure) { // of an engine; the next step reads again
            trouble.has(failure);
        }
        isToRead = true;
        checkLeft();
        return Next.FAILED;
    }

    private Next step() {
        if (isToRead) {
            isToRead = false;
            know(read());
        }
        Lease lease = membership.lease();
        if (!lease.isHeld()) {
            checkLeft();
            return Next.PAUSE;
        }
        Owner me = new Owner(membership.name(), lease.life());
        List<Taker> takers = takers(me);
        List<Integer> stopped = own.in(State.GIVEN);
        ShardTable before = known;
        ShardTable next = next(before, me, takers, stopped);
        if (next != before) {
            long earlyNs = nextWriteNs - Waits.nanoTime();
            if (earlyNs > 0) {
                Fiber.sleep(Duration.ofNanos(earlyNs)); // more may have stopped then
                return Next.AGAIN;
            }
            return write(before, next, stopped);
        }
        checkLeft();
        beginMoves(me, takers);
        return Next.PAUSE;
    }

    private ShardTable read() {
        StoreEntry entry = store.read(key);
        if (!entry.isPresent() && wasThere) {
            throw new RefusedTableException(
                    "the entry "
                            + key
                            + " was removed while nodes run, and nobody knows the owners; stop all"
                            + " nodes and start them again, or put it back");
        }
        ShardTable table = ShardTable.read(entry);
        wasThere |= entry.isPresent();
        return table;
    }

    /** The table with all that is to be changed now. A switchpoint. */
    private ShardTable next(
            ShardTable before, Owner me, List<Taker> takers, List<Integer> stopped) {
        Set<Owner> over = over(before, me); // read after the table was
        ShardTable next = before;
        if (isLeaving()) {
            next = next.withLeaving(me).settled(over, takers);
            return next.givenToFewest(stopped, takers);
        }
        next = next.settled(over, takers);
        for (int shard : stopped) {
            next = next.given(own.moveOf(shard));
        }
        return next;
    }

    private Next write(ShardTable before, ShardTable next, List<Integer> stopped) {
        own.writing(stopped, before.revision());
        nextWriteNs = Waits.nanoTime() + BETWEEN_WRITES.toNanos();
        return switch (store.replace(key, before.revision(), next.bytes())) {
            case WriteResult.Written(long revision) -> {
                wasThere = true;
                know(next.written(revision));
                yield Next.AGAIN;
            }
            case WriteResult.Refused() -> {
                isToRead = true;
                yield Next.AGAIN;
            }
            case WriteResult.Unknown(Throwable cause) -> {
                isToRead = true;
                trouble.has(cause);
                if (timing.isUnknownRefused()) {
                    own.takeBack(stopped);
                }
                yield Next.FAILED;
            }
        };
    }

    /** Those that are there as far as is known, this node too. */
    private List<Taker> takers(Owner me) {
        List<Taker> all = new ArrayList<>();
        membership
                .live()
                .forEach(
                        (node, register) -> {
                            if (register.takesShards() && !node.equals(me.node())) {
                                Owner other = new Owner(node, register.life());
                                all.add(new Taker(other, register.version()));
                            }
                        });
        if (isTaking) {
            all.add(new Taker(me, programVersion));
        }
        return all;
    }

    /** Lives in the table that are over for sure. A switchpoint. */
    private Set<Owner> over(ShardTable table, Owner me) {
        Set<Owner> all = new HashSet<>();
        Map<String, Register> live = membership.live();
        for (Owner each : table.named()) {
            boolean isOver =
                    !each.equals(me)
                            && timing.isDoubted(live.get(each.node()), each.life())
                            && timing.isOver(membership, each.node(), each.life());
            if (isOver) {
                all.add(each);
            }
        }
        return all;
    }

    /** Another table is known. Waits for nothing. */
    private void know(ShardTable table) {
        ShardTable before = known;
        if (table == before) {
            return;
        }
        boolean isChanged = false;
        long nowNs = Waits.nanoTime();
        for (int shard = 0; shard < COUNT; shard++) {
            if (!Objects.equals(before.owner(shard), table.owner(shard))) {
                isChanged = true;
                sinceNs.set(shard, nowNs);
            }
        }
        known = table;
        own.reconcile(table, membership.name(), membership.lease());
        if (isChanged) {
            handler.changed();
        }
    }

    // ---------------------------------------------------------------- what wakes it

    /** The own life was gained, lost, or ended. */
    private void lifeChanged() {
        own.reconcile(known, membership.name(), membership.lease());
        tableChanged();
    }

    /** From any thread. */
    private void tableChanged() {
        isToRead = true;
        wake();
    }

    /** From any thread. */
    private void wake() {
        isDue = true;
        WaitCell waiting = pause;
        if (waiting != null) {
            waiting.give(true);
        }
    }

    private void pause() {
        WaitCell waiting = new WaitCell();
        pause = waiting;
        if (!isDue && !hasLeft) {
            long wholeNs = timing.look().toNanos();
            long spread = Cord.current().nextInt((int) (wholeNs / 4) + 1);
            Object woken = waiting.await("changes of " + this, wholeNs - wholeNs / 8 + spread);
            if (woken == Waits.TIMED_OUT) {
                isToRead = true;
            }
        }
        pause = null;
    }

    /** Without the store the fiber above waits for it, when the lease ends. */
    private void endWithLease() {
        while (true) {
            Lease lease = membership.lease();
            if (!lease.isHeld()) {
                own.reconcile(known, membership.name(), lease);
                Fiber.sleep(timing.look());
            } else {
                Fiber.sleep(Duration.ofNanos(lease.leftNs() + 1));
            }
        }
    }

    // ---------------------------------------------------------------- giving away

    private void beginMoves(Owner me, List<Taker> takers) {
        if (isLeaving()) {
            long leftNs = Math.max(0, leaveEndNs - Waits.nanoTime());
            Duration limit = Duration.ofNanos(leftNs / 4 * 3); // the rest is for writes
            List<Integer> all = own.in(State.OWNED);
            if (!all.isEmpty()) {
                LOG.info("{} leaves, and gives shards {} away", membership, ShardHead.names(all));
            }
            all.forEach(shard -> begin(new Move(shard, me), limit));
            return;
        }
        Move move = own.underWay() == 0 ? known.nextMove(me, takers) : null;
        if (move != null && own.stateOf(move.shard()) == State.OWNED) {
            LOG.info(
                    "{} gives shard {} to node {}",
                    membership,
                    hex(move.shard()),
                    move.to().node());
            begin(move, timing.giveAway());
        }
    }

    private void begin(Move move, Duration limit) {
        own.begin(move);
        Fiber.spin("gives shard " + hex(move.shard()), () -> give(move.shard(), limit));
    }

    private void give(int shard, Duration limit) {
        try {
            handler.giveAway(shard, limit);
        } catch (Throwable failure) {
            Waits.throwIfSignal(failure);
            LOG.warn("{} keeps shard {}: it was not stopped", this, hex(shard), failure);
            own.keep(shard);
            own.reconcile(known, membership.name(), membership.lease());
            return; // again at the next look
        }
        own.stopped(shard);
        own.reconcile(known, membership.name(), membership.lease());
        wake();
    }

    private boolean hasLeft() {
        return hasLeft;
    }

    private boolean isLeaving() {
        return !leaving.isEmpty();
    }

    /**
     * Gives all shards away, so that others have them before this node ends. It takes none from now
     * on, and follows the table until {@link #end}, because messages go on to other nodes. Before
     * {@link Membership#leave}. A switchpoint.
     *
     * @return false if the limit passed first; what was left then has stopped
     */
    public boolean leave(Duration limit) {
        if (own.isOver()) {
            return true;
        }
        long limitNs = Waits.nanos(limit);
        if (leaving.isEmpty()) {
            leaveEndNs = Waits.nanoTime() + limitNs;
            own.leave();
        }
        WaitCell over = new WaitCell();
        leaving.add(over);
        wake();
        boolean isAll = Boolean.TRUE.equals(over.await("all shards of " + this + " move", limitNs));
        own.end();
        return isAll;
    }

    /** Follows the table no more. On the cord. */
    public void end() {
        hasLeft = true;
        wake();
    }

    /**
     * {@return whether a message may find an owner elsewhere: a node that has shards or takes them,
     * and is not leaving, as far as this one knows} On the cord.
     */
    public boolean hasOthers() {
        ShardTable now = known;
        Set<Owner> others = now.named();
        membership
                .live()
                .forEach(
                        (node, register) -> {
                            if (register.takesShards()) {
                                others.add(new Owner(node, register.life()));
                            }
                        });
        return others.stream()
                .anyMatch(each -> !each.node().equals(membership.name()) && !now.isLeaving(each));
    }

    /** Whether nothing is left, and nobody gives this node anything. */
    private void checkLeft() {
        Lease lease = membership.lease();
        Owner me = new Owner(membership.name(), lease.life());
        boolean isMarked = known.isLeaving(me) || !lease.isHeld() || !wasThere;
        boolean isEmpty =
                own.underWay() == 0
                        && own.in(State.OWNED).isEmpty()
                        && known.shardsOf(me).isEmpty();
        if (isLeaving() && isMarked && isEmpty) {
            tellLeft(true);
        }
    }

    private void tellLeft(boolean isAll) {
        leaving.forEach(each -> each.give(isAll));
    }

    // ---------------------------------------------------------------- for any thread

    /**
     * Whether this node may take a message for a shard: it owns it, is not giving it away, and its
     * lease is held at this moment.
     */
    public boolean isOwned(int shard) {
        return isOwned(shard, Waits.nanoTime());
    }

    /**
     * The same, before each message.
     *
     * @param nowNs a reading of the clock that the caller has just made, or an older one where
     *     another look follows
     */
    public boolean isOwned(int shard, long nowNs) {
        return own.isOwned(shard, nowNs);
    }

    /**
     * Whether this node may finish and answer what it has taken for a shard: it owns it, perhaps is
     * giving it away, and its lease is held at this moment. Asked before each answer.
     *
     * @param nowNs a reading of the clock that the caller has just made
     */
    public boolean isHeld(int shard, long nowNs) {
        return own.isHeld(shard, nowNs);
    }

    /**
     * {@return the epoch of a shard: greater than that of each owner before; 0 if this life of this
     * node does not own it} Also while it is given away, and not a look at the lease.
     */
    public long epoch(int shard) {
        return own.epoch(shard);
    }

    /** {@return the node that owns a shard, as far as this one knows; null if nobody does} */
    public @Nullable String owner(int shard) {
        Owner owner = known.owner(shard);
        return owner == null ? null : owner.node();
    }

    /** {@return the reason why no shard moves; empty if all is well} */
    public String trouble() {
        return trouble.text();
    }

    /** {@return whether there is a table, and this node knows it} */
    public boolean isKnown() {
        return known.revision() > 0;
    }

    /** {@return what is known now, for a dump} */
    public Snapshot snapshot() {
        ShardTable table = known;
        long nowNs = Waits.nanoTime();
        List<Part> parts = new ArrayList<>();
        for (int shard = 0; shard < COUNT; shard++) {
            Owner owner = table.owner(shard);
            parts.add(
                    new Part(
                            shard,
                            owner == null ? null : owner.node(),
                            owner == null ? 0 : owner.life(),
                            table.epoch(shard),
                            own.stateOf(shard),
                            Duration.ofNanos(Math.max(0, nowNs - sinceNs.get(shard)))));
        }
        return new Snapshot(
                table.revision(), parts, own.taken(), own.given(), own.lost(), trouble());
    }

    /** On the cord. */
    public void checkInvariants() {
        own.checkInvariants(known, membership.name());
        if (!isLeaving() && own.underWay() > 1) {
            throw new IllegalStateException(this + " gives " + own.underWay() + " shards at once");
        }
    }

    @Override
    public String toString() {
        return "shards of " + membership;
    }
}
