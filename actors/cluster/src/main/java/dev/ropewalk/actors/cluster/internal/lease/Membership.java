package dev.ropewalk.actors.cluster.internal.lease;

import dev.ropewalk.actors.cluster.internal.lease.Register.State;
import dev.ropewalk.actors.cluster.internal.store.LimitedStore;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A node's register in the store, and its view of those of others: leases by observation, without a
 * wall clock and without a leader. Confined to the node's cord, but for the parts that say so.
 *
 * <p>A node writes its register again each second. Its lease ends three seconds after it SENT the
 * last write that succeeded. Another node that has seen the register unchanged for three seconds
 * and a margin, on its own clock, replaces it with DEAD, from the revision that it has seen. If
 * that succeeds, the register was not renewed in all that time, so the lease has ended; only then
 * does what the life owned go to others. If the owner's renewal comes first, the DEAD is refused;
 * if the DEAD comes first, the renewal is, and the owner begins a new life that owns nothing.
 */
public final class Membership {
    /*
     * Why no two lives own a thing at once, as long as two clocks run alike within 1 %. Let the
     * owner's last successful renewal be sent at s and take effect at e, and let an observer see
     * that revision first at o and replace it at d: s <= e <= o, and d - o >= LEASE + MARGIN on the
     * observer's clock. The lease ends at s + LEASE on the owner's clock. LEASE on the slower clock
     * lasts at most 2 % longer than on the faster one, which is less than the margin; so the end of
     * the lease lies before d. The moments when replies come are in none of these, apart from o,
     * which is later than the state it tells of.
     *
     * The own register, one writer, state(from, to):
     *
     *   JOINING -> UP        the register was written, or a read shows that it was
     *   UP      -> UNSURE    a renewal was refused, or its outcome is unknown
     *   UNSURE  -> UP        a read shows the life in its register: the revision is taken over. The
     *                        lease stays as it was, because a read is no renewal
     *   UNSURE  -> JOINING   a read shows DEAD, another life or nothing: the life is lost
     *   any     -> LEFT      the node leaves
     *
     * Rejected: a lease that counts from the reply (a reply may be late by any time), a declaration
     * of death without the revision (it may overtake a renewal), a lease by the clock of the store
     * (engines have none, or several).
     */
    private static final Log LOG = Logs.logger(Membership.class);

    /** So many registers come with one call. */
    private static final int PAGE = 1_000;

    /**
     * Steps that follow each other at once, so that a store that is ill is not asked all the time.
     */
    private static final int STEPS_AT_ONCE = 3;

    private final LimitedStore store;

    /**
     * For a lease that is held: a call without an answer must leave time for the next one. A store
     * that always takes half a lease could not keep it held anyway.
     */
    private final LimitedStore quick;

    private final String prefix;

    /** That of the own register. */
    private final String key;

    private final String name;
    private final String host;
    private final int port;
    private final LeaseTiming timing;

    private OwnState state = OwnState.JOINING;
    private long revision;
    private volatile Lease lease;

    /** Whether the store may know the present life. */
    private boolean isWritten;

    /** From when on the lease has been held without a gap; means nothing while it is not held. */
    private long heldSinceNs;

    /** Those of others, and of earlier lives of this node; by their keys. */
    private final Map<String, Observed> seen = new HashMap<>();

    /** For any thread; in alphabetical order. */
    private volatile Map<String, Register> live = Map.of();

    /** Keys of entries that were told to be no registers. */
    private final Set<String> unreadable = new HashSet<>();

    private final Trouble renewals = new Trouble(this, "renews no lease", this::isLeaving);
    private final Trouble observations = new Trouble(this, "sees no other node", this::isLeaving);

    /** That of the program, if the node takes shards; otherwise null. */
    private @Nullable String takesVersion;

    private @Nullable Listener listener;
    private @Nullable WaitCell pause;
    private @Nullable WaitCell leaving;

    private enum OwnState {
        JOINING,
        UP,
        UNSURE,
        LEFT
    }

    /** Is told when the own life is gained, lost, or ended. On the cord; must not wait. */
    @FunctionalInterface
    public interface Listener {
        /** The lease is held now, and was not; or it has ended, and there is another life. */
        void lifeChanged();
    }

    /** A register that has not changed since then, on this node's clock. */
    private record Observed(long revision, long sinceNs) {}

    /**
     * A membership.
     *
     * @param cluster its name, which each key begins with
     * @param timing how long leases last
     */
    public Membership(
            Store store, String cluster, String name, String host, int port, LeaseTiming timing) {
        this.store = new LimitedStore(store);
        this.quick = new LimitedStore(store, timing.lease().dividedBy(2));
        this.prefix = prefix(cluster);
        this.key = prefix + name;
        this.name = name;
        this.host = host;
        this.port = port;
        this.timing = timing;
        this.lease = new Lease(drawn());
    }

    private static String prefix(String cluster) {
        return cluster + "/node/";
    }

    /**
     * Before a node begins.
     *
     * @throws IllegalArgumentException if the names are too long for a key together
     */
    public static void checkNames(String cluster, String name) {
        Store.checkKey(prefix(cluster) + name);
    }

    private static long drawn() {
        Cord cord = Cord.current();
        long high = cord.nextInt(Integer.MAX_VALUE);
        return (high << 32) | cord.nextInt(Integer.MAX_VALUE);
    }

    /**
     * The register says from its next writing on that the node takes shards. On the cord.
     *
     * @param version that of the node's program
     * @throws IllegalArgumentException if the version is no text of one line
     */
    public void takeShards(String version) {
        if (version.isBlank() || version.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "version \"" + version + "\" of the program is no text of one line");
        }
        takesVersion = version;
    }

    /** One listener. Before {@link #keep}. */
    public void tell(Listener told) {
        if (listener != null) {
            throw new IllegalStateException(this + " tells another one already");
        }
        listener = told;
    }

    private void tellLife() {
        Listener told = listener;
        if (told != null) {
            told.lifeChanged();
        }
    }

    private boolean isLeaving() {
        return leaving != null;
    }

    private void state(OwnState from, OwnState to) {
        if (state != from) {
            throw new IllegalStateException(this + " is " + state + ", not " + from + " -> " + to);
        }
        state = to;
    }

    // ---------------------------------------------------------------- the own register

    /** Keeps the register until {@link #leave}. A switchpoint. */
    public void keep() {
        int steps = 0;
        while (leaving == null) {
            long beganNs = Waits.nanoTime();
            boolean isAgain = false;
            try {
                isAgain = step();
            } catch (Throwable failure) { // of an engine; the next step reads again
                renewals.has(failure);
            }
            steps = isAgain ? steps + 1 : 0;
            if (!isAgain || steps % STEPS_AT_ONCE == 0) {
                pauseUntil(beganNs + timing.renewal().toNanos());
            }
        }
        boolean isTold = false;
        try {
            isTold = release();
        } catch (Throwable failure) {
            Waits.throwIfSignal(failure);
            LOG.warn("{} leaves without a word in the store: {}", this, failure.toString());
        } finally {
            state(state, OwnState.LEFT);
            leaving.give(isTold);
        }
    }

    private void pauseUntil(long momentNs) {
        WaitCell waiting = new WaitCell();
        pause = waiting;
        long leftNs = momentNs - Waits.nanoTime();
        if (leaving == null && leftNs > 0) {
            waiting.await("the next renewal of " + this, leftNs);
        }
        pause = null;
    }

    /** Whether the next step is due at once. */
    private boolean step() {
        return switch (state) {
            case JOINING -> join();
            case UP -> renew();
            case UNSURE -> lookAgain();
            case LEFT -> throw new IllegalStateException(this + " has left");
        };
    }

    private boolean join() {
        StoreEntry entry = store.read(key);
        see(entry, Waits.nanoTime());
        Register there = register(entry);
        if (there != null && there.state() == State.DEAD && there.life() == lease.life()) {
            lost(there); // its write had an unknown outcome, and others may have seen it
            return true;
        }
        if (entry.isPresent() && !isFree(entry, there)) {
            return false;
        }
        long sentNs = Waits.nanoTime();
        isWritten = true;
        return switch (store.replace(key, entry.revision(), up().bytes())) {
            case WriteResult.Written(long written) -> {
                state(OwnState.JOINING, OwnState.UP);
                renewed(written, sentNs);
                LOG.info("{} is in the store, with {}", this, lease);
                yield false;
            }
            case WriteResult.Refused() -> true;
            case WriteResult.Unknown(Throwable cause) -> {
                renewals.has(cause);
                yield false; // the next read tells, see isFree
            }
        };
    }

    /**
     * Whether the own register may be written over: the life there is over, or this one's, whose
     * write had an unknown outcome, or one whose lease has ended.
     */
    private boolean isFree(StoreEntry entry, @Nullable Register there) {
        if (there != null && (there.state() == State.DEAD || there.life() == lease.life())) {
            return true;
        }
        if (isUnchanged(entry, timing.unchanged())) {
            LOG.info("{}: the lease of an earlier life of this name has ended", this);
            return true;
        }
        renewals.has(
                "its name is taken by "
                        + (there == null ? "an entry that is no register" : there)
                        + "; it waits until that lease has ended");
        return false;
    }

    private Register up() {
        String version = takesVersion;
        return new Register(
                lease.life(),
                State.UP,
                host,
                port,
                name,
                version == null ? "" : version,
                version != null);
    }

    private boolean renew() {
        long sentNs = Waits.nanoTime();
        return switch (ownCalls().replace(key, revision, up().bytes())) {
            case WriteResult.Written(long written) -> {
                renewed(written, sentNs);
                yield false;
            }
            case WriteResult.Refused() -> {
                state(OwnState.UP, OwnState.UNSURE);
                yield true;
            }
            case WriteResult.Unknown(Throwable cause) -> {
                renewals.has(cause);
                state(OwnState.UP, OwnState.UNSURE);
                yield false; // at once if the call took longer than a renewal
            }
        };
    }

    /** A lease that is over has time. */
    private LimitedStore ownCalls() {
        return lease.isHeld() ? quick : store;
    }

    private void renewed(long written, long sentNs) {
        revision = written;
        boolean wasHeld = lease.isHeld();
        long fromNs = timing.leaseFromNs(sentNs, Waits.nanoTime());
        lease.holdUntil(fromNs + timing.lease().toNanos());
        if (lease.isHeld()) {
            heldSinceNs = wasHeld ? heldSinceNs : Waits.nanoTime();
            renewals.isOver();
            if (!wasHeld) {
                tellLife();
            }
        } else {
            renewals.has(
                    "the store took longer than a lease of "
                            + timing.lease().toSeconds()
                            + " s for it; a write should take less than "
                            + timing.renewal().toMillis()
                            + " ms");
        }
    }

    /** A read that shows the own life is no renewal, because its write may be of any age. */
    private boolean lookAgain() {
        StoreEntry entry = ownCalls().read(key);
        Register there = register(entry);
        if (there != null && there.state() == State.UP && there.life() == lease.life()) {
            revision = entry.revision();
            state(OwnState.UNSURE, OwnState.UP);
            return true;
        }
        lost(there);
        state(OwnState.UNSURE, OwnState.JOINING);
        return true;
    }

    private void lost(@Nullable Register there) {
        lease.end();
        LOG.warn(
                "{} has lost {}: its register says {}; it owns nothing, and comes again with a new"
                        + " life",
                this,
                lease,
                there == null ? "nothing" : there);
        lease = new Lease(drawn());
        isWritten = false;
        tellLife();
    }

    /** Whether the store knows that the life is over. */
    private boolean release() {
        lease.end();
        if (state == OwnState.JOINING && !isWritten) {
            return true;
        }
        StoreEntry entry = store.read(key);
        Register there = register(entry);
        if (there == null || there.life() != lease.life() || there.state() == State.DEAD) {
            return true;
        }
        byte[] dead = up().dead(name).bytes();
        return store.replace(key, entry.revision(), dead) instanceof WriteResult.Written;
    }

    /**
     * Ends the lease, and says so in the store, that others need not wait for it.
     *
     * @return given whether the store knows
     */
    public WaitCell leave() {
        WaitCell over = new WaitCell();
        leaving = over;
        lease.end();
        tellLife();
        if (pause != null) {
            pause.give(true);
        }
        return over;
    }

    // ---------------------------------------------------------------- those of others

    /** Observes all registers, until its fiber is ended. A switchpoint. */
    public void observe() {
        while (leaving == null) {
            try {
                look();
                observations.isOver();
            } catch (Throwable failure) { // of an engine
                observations.has(failure);
            }
            long wholeNs = timing.observation().toNanos();
            long spread = Cord.current().nextInt((int) (wholeNs / 4) + 1);
            Fiber.sleep(Duration.ofNanos(wholeNs - wholeNs / 8 + spread));
        }
    }

    private void look() {
        List<StoreEntry> entries = list();
        long nowNs = Waits.nanoTime();
        Map<String, Register> up = new TreeMap<>();
        Set<String> there = new HashSet<>();
        for (StoreEntry each : entries) {
            Register register = register(each);
            there.add(each.key());
            see(each, nowNs);
            if (register == null) {
                continue;
            }
            if (register.state() == State.UP) {
                up.put(node(each), register);
                if (!each.key().equals(key) && isWatchedUnchanged(each)) {
                    declareDead(each, register);
                }
            } else if (lease.isHeld() && isUnchanged(each, timing.forgotten())) {
                store.replace(each.key(), each.revision(), null);
            }
        }
        seen.keySet().retainAll(there);
        unreadable.retainAll(there);
        live = Collections.unmodifiableMap(up);
    }

    private List<StoreEntry> list() {
        List<StoreEntry> all = new ArrayList<>(store.list(prefix, "", PAGE));
        for (int size = PAGE; all.size() == size; size += PAGE) {
            all.addAll(store.list(prefix, all.getLast().key(), PAGE));
        }
        return all;
    }

    private String node(StoreEntry entry) {
        return entry.key().substring(prefix.length());
    }

    private void see(StoreEntry entry, long nowNs) {
        Observed before = seen.get(entry.key());
        if (before == null || before.revision != entry.revision()) {
            seen.put(entry.key(), new Observed(entry.revision(), nowNs));
        }
    }

    /** Whether the entry was seen unchanged for so long. */
    private boolean isUnchanged(StoreEntry entry, Duration time) {
        Observed observed = seen.get(entry.key());
        return observed != null
                && observed.revision == entry.revision()
                && Waits.nanoTime() - observed.sinceNs >= time.toNanos();
    }

    /**
     * The same for so long that its lease cannot be held, and this node reached the store all the
     * time: after an outage of the store the first one that reaches it again must not declare all
     * others dead.
     */
    private boolean isWatchedUnchanged(StoreEntry entry) {
        return lease.isHeld()
                && Waits.nanoTime() - heldSinceNs >= timing.unchanged().toNanos()
                && isUnchanged(entry, timing.unchanged());
    }

    private void declareDead(StoreEntry entry, Register register) {
        byte[] dead = register.dead(name).bytes();
        if (store.replace(entry.key(), entry.revision(), dead) instanceof WriteResult.Written) {
            LOG.warn(
                    "{} has declared the life {} of node {} dead: its register was unchanged for"
                            + " {} ms",
                    this,
                    Long.toHexString(register.life()),
                    node(entry),
                    timing.unchanged().toMillis());
        }
    }

    private @Nullable Register register(StoreEntry entry) {
        Register read = entry.isPresent() ? Register.read(entry.value()) : null;
        boolean isUnreadable = entry.isPresent() && read == null;
        if (isUnreadable && unreadable.add(entry.key())) {
            LOG.warn("{}: the entry {} is no register of a node", this, entry);
        }
        return read;
    }

    /**
     * Whether a life of a node is over for sure, so that another one may have what it owned. Reads
     * the node's register, so it tells of a moment after this call began: {@link #live} is older,
     * and may not know a life yet that owns something already. A switchpoint.
     *
     * @throws StoreException if the store cannot tell
     */
    public boolean isOver(String node, long life) {
        StoreEntry entry = store.read(prefix + node);
        Register there = register(entry);
        if (entry.isPresent() && there == null) {
            return false; // nobody knows
        }
        return there == null || there.life() != life || there.state() == State.DEAD;
    }

    // ---------------------------------------------------------------- for any thread

    public String name() {
        return name;
    }

    /** That of the present life. */
    public Lease lease() {
        return lease;
    }

    /** The registers of lives that are not over as far as is known, by the names of their nodes. */
    public Map<String, Register> live() {
        return live;
    }

    /** Where they are reached. */
    public List<InetSocketAddress> addresses() {
        return live.values().stream()
                .map(each -> InetSocketAddress.createUnresolved(each.host(), each.port()))
                .toList();
    }

    /** Why the lease is not held, or others are not seen; empty if all is well. */
    public String trouble() {
        String own = renewals.text();
        String others = observations.text();
        if (own.isEmpty() && !lease.isHeld()) {
            own = "renews no lease: the store has not answered yet";
        }
        return own + (own.isEmpty() || others.isEmpty() ? "" : "; ") + others;
    }

    /** The node is over, perhaps without {@link #leave}: it owns nothing from now on. */
    public void end() {
        lease.end();
        tellLife();
    }

    /** On the cord. */
    public void checkInvariants() {
        if (state == OwnState.UP && revision == 0) {
            throw new IllegalStateException(this + " is UP without a revision");
        }
        if (state == OwnState.LEFT && lease.isHeld()) {
            throw new IllegalStateException(this + " has left and holds " + lease);
        }
    }

    @Override
    public String toString() {
        return "node " + name;
    }
}
