package dev.ropewalk.actors.cluster.testing;

import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreException;
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
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A store in memory, for tests: it keeps its entries as long as the process, and does what befalls
 * a store between machines. Calls take no time and always succeed, until a test says otherwise; all
 * choices are drawn from the seed of a run of {@link SimCluster}.
 *
 * <p>A call has three moments: it is sent, takes effect, and is answered. In a run it takes effect
 * on a cord of the store's own, so the request of a caller that is killed or frozen meanwhile goes
 * on, as between machines.
 *
 * <p>Works from any thread. Faults that take virtual time, as a delay, are for stores of a run
 * alone.
 */
public final class MemoryStore implements Store {
    private static final Log LOG = Logs.logger(MemoryStore.class);
    private static final Duration PATIENCE = Duration.ofMillis(1_500);

    private final Object lock = new Object();

    /** In the order of the keys' bytes, which is another one than that of their characters. */
    private final NavigableMap<String, StoreEntry> entries =
            new TreeMap<>((a, b) -> Arrays.compareUnsigned(utf8(a), utf8(b)));

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final Set<String> cutOff = ConcurrentHashMap.newKeySet();
    private long lastRevision;

    /** Where calls take effect; null for the caller's own thread. */
    private final @Nullable Cord server;

    /** Guarded by the lock, as all that follows. */
    private long minNs;

    private long maxNs;
    private int lostOneIn;
    private boolean isDown;
    private boolean areWritesDown;
    private boolean isClosed;

    /** Requests of before a crash do not take effect after it. */
    private int crashes;

    /** The ways in which a call gets no answer, and the one in which it does. */
    private enum Fate {
        ANSWERED,
        NEVER_ARRIVES,
        ARRIVES_LATE,
        NEVER_ANSWERED
    }

    private final class Listener implements StoreWatch {
        private final String prefix;
        private final Consumer<String> changed;
        private final @Nullable Cord cord = Cord.currentOrNull();
        private volatile boolean isOver;

        Listener(String prefix, Consumer<String> changed) {
            this.prefix = prefix;
            this.changed = changed;
        }

        void tell(String key) {
            if (isOver || !key.startsWith(prefix) || isUnreachable(cord)) {
                return;
            }
            try {
                changed.accept(key);
            } catch (Throwable failure) { // of one listener; the others are told
                LOG.warn("{}: a listener of {} failed", MemoryStore.this, prefix, failure);
            }
        }

        @Override
        public void close() {
            isOver = true;
            listeners.remove(this);
        }
    }

    /** An empty store. */
    public MemoryStore() {
        this(null);
    }

    /** With a cord of a run, on which calls take effect. */
    private MemoryStore(@Nullable Cord server) {
        this.server = server;
    }

    /**
     * {@return an empty store whose calls take effect on a cord of a run}
     *
     * @param server the cord, with a virtual clock, which no node is on
     */
    public static MemoryStore on(Cord server) {
        return new MemoryStore(server);
    }

    /**
     * {@return the store of the {@link SimCluster} that the calling fiber is in} One for all nodes,
     * made by the first call, which outlives each of them.
     *
     * @throws IllegalStateException if no fiber of such a run is the caller
     */
    public static MemoryStore current() {
        return SimCluster.store();
    }

    // ---------------------------------------------------------------- what befalls it

    /**
     * Sets how long each call takes: half of it on the way there, half on the way back.
     *
     * @param min the shortest time
     * @param max the longest time, 1 minute at most
     * @return this store
     * @throws IllegalArgumentException if they are in the wrong order, or too long
     * @throws IllegalStateException if it is no store of a run
     */
    public MemoryStore delay(Duration min, Duration max) {
        checkVirtual();
        long shortestNs = Waits.nanos(min);
        long longestNs = Waits.nanos(max);
        if (shortestNs > longestNs || longestNs > Duration.ofMinutes(1).toNanos()) {
            throw new IllegalArgumentException(
                    "min=" + min + ", max=" + max + ": give min <= max <= PT1M");
        }
        synchronized (lock) {
            minNs = shortestNs;
            maxNs = longestNs;
        }
        return this;
    }

    /**
     * Has some calls go without an answer: the request is lost, or arrives up to five seconds
     * later, or the reply is lost. The caller hears of that 1.5 s after the longest time that a
     * call takes, as an unknown outcome or a {@link StoreException}.
     *
     * @param oneIn of so many calls one is lost, on average; 0 for none
     * @return this store
     * @throws IllegalArgumentException if it is negative
     * @throws IllegalStateException if it is no store of a run
     */
    public MemoryStore loseOneIn(int oneIn) {
        checkVirtual();
        if (oneIn < 0) {
            throw new IllegalArgumentException("oneIn=" + oneIn + " < 0; 0 is for none");
        }
        synchronized (lock) {
            lostOneIn = oneIn;
        }
        return this;
    }

    /**
     * Crashes the engine: calls fail at once from now on, and those that have not taken effect
     * never do. No entry is lost.
     */
    public void crash() {
        synchronized (lock) {
            isDown = true;
            crashes++;
        }
    }

    /** As a full disk, or a server that is read-only: reads work, and writes fail at once. */
    public void failWrites() {
        synchronized (lock) {
            areWritesDown = true;
        }
    }

    /** Starts the engine again, with the entries that it had; writes work too. */
    public void recover() {
        synchronized (lock) {
            isDown = false;
            areWritesDown = false;
        }
    }

    /**
     * Cuts a node off from the store: its calls go without an answer, until the heal.
     *
     * @param node the name of the node
     * @throws IllegalStateException if it is no store of a run
     */
    public void cut(String node) {
        checkVirtual();
        cutOff.add(node);
    }

    /**
     * Ends the cut.
     *
     * @param node the name of the node
     */
    public void heal(String node) {
        cutOff.remove(node);
    }

    /** A node was killed: its listeners are no more. */
    void forget(Cord killed) {
        listeners.removeIf(each -> each.cord == killed);
    }

    private void checkVirtual() {
        if (server == null) {
            throw new IllegalStateException(
                    "calls of this store take no time and are not lost, because it is in no run;"
                            + " take MemoryStore.current() in a SimCluster");
        }
    }

    /**
     * {@return the entry that is there, without a call: also while the store is down}
     *
     * @param key which
     */
    public StoreEntry peek(String key) {
        Store.checkKey(key);
        synchronized (lock) {
            return copied(entries.getOrDefault(key, StoreEntry.absent(key)));
        }
    }

    // ---------------------------------------------------------------- the four calls

    @Override
    public StoreEntry read(String key) {
        Store.checkKey(key);
        return answer("read of " + key, () -> checkedUp(() -> peek(key)));
    }

    @Override
    public WriteResult replace(String key, long revision, byte @Nullable [] value) {
        Store.checkWrite(key, revision, value);
        byte[] copy = value == null ? null : value.clone();
        try {
            return answer("write of " + key, () -> takeEffect(key, revision, copy));
        } catch (StoreException noAnswer) {
            return new WriteResult.Unknown(noAnswer);
        }
    }

    @Override
    public List<StoreEntry> list(String prefix, String after, int max) {
        if (max < 1) {
            throw new IllegalArgumentException("max=" + max + " < 1");
        }
        Objects.requireNonNull(prefix, "prefix");
        Objects.requireNonNull(after, "after");
        return answer("list of " + prefix, () -> checkedUp(() -> page(prefix, after, max)));
    }

    private List<StoreEntry> page(String prefix, String after, int max) {
        List<StoreEntry> found = new ArrayList<>();
        boolean isFirstPage = Arrays.compareUnsigned(utf8(after), utf8(prefix)) < 0;
        for (StoreEntry each :
                entries.tailMap(isFirstPage ? prefix : after, isFirstPage).values()) {
            if (found.size() == max || !each.key().startsWith(prefix)) {
                break;
            }
            found.add(copied(each));
        }
        return found;
    }

    /** The effect, under the lock, unless the engine is down. */
    private <T> T checkedUp(Supplier<T> effect) {
        synchronized (lock) {
            checkUp();
            return effect.get();
        }
    }

    private void checkUp() {
        if (isClosed) {
            throw new StoreException("the store in memory is closed", null);
        }
        if (isDown) {
            throw new StoreException(
                    "the store in memory is down; recover() starts it again", null);
        }
    }

    private WriteResult takeEffect(String key, long revision, byte @Nullable [] value) {
        long written =
                checkedUp(
                        () -> {
                            if (areWritesDown) {
                                throw new StoreException("no write works until recover()", null);
                            }
                            StoreEntry there = entries.getOrDefault(key, StoreEntry.absent(key));
                            if (there.revision() != revision) {
                                return 0L;
                            }
                            long next = ++lastRevision;
                            if (value == null) {
                                entries.remove(key);
                            } else {
                                entries.put(key, new StoreEntry(key, next, value));
                            }
                            return next;
                        });
        if (written == 0) {
            return new WriteResult.Refused();
        }
        listeners.forEach(each -> each.tell(key));
        return new WriteResult.Written(written);
    }

    // ---------------------------------------------------------------- the way there and back

    /** The outcome of an effect: its result, or the exception in place of that. */
    private record Outcome<T>(@Nullable T result, @Nullable StoreException failure) {
        static <T> Outcome<T> of(Supplier<T> effect) {
            try {
                return new Outcome<>(effect.get(), null);
            } catch (StoreException failure) {
                return new Outcome<>(null, failure);
            }
        }

        T get() {
            if (failure != null) {
                throw new StoreException(String.valueOf(failure.getMessage()), failure);
            }
            return Objects.requireNonNull(result);
        }
    }

    @SuppressWarnings("unchecked") // the outcome is of this effect
    private <T> T answer(String call, Supplier<T> effect) {
        Waits.switchpoint();
        Cord at = server;
        if (at == null || Cord.currentOrNull() == null) {
            return effect.get();
        }
        int before;
        long limitNs;
        synchronized (lock) {
            checkUp();
            before = crashes;
            limitNs = maxNs + PATIENCE.toNanos();
        }
        Cord caller = Cord.current();
        Fate fate = isUnreachable(caller) ? Fate.NEVER_ARRIVES : fate(caller);
        WaitCell reply = new WaitCell();
        if (fate != Fate.NEVER_ARRIVES) {
            at.spin(call, () -> serve(caller, fate, before, effect, reply));
        }
        Object answered = reply.await(call, limitNs);
        if (answered == Waits.TIMED_OUT) {
            throw new StoreException(
                    call + ": no answer within " + Duration.ofNanos(limitNs), null);
        }
        return ((Outcome<T>) Objects.requireNonNull(answered)).get();
    }

    /** On the store's cord. */
    private void serve(
            Cord caller, Fate fate, int crashesBefore, Supplier<?> effect, WaitCell reply) {
        Fiber.current().detach(); // the caller's end is not the request's
        pause();
        if (fate == Fate.ARRIVES_LATE) {
            Fiber.sleep(PATIENCE.plusMillis(Cord.current().nextInt(5_000)));
        }
        synchronized (lock) {
            if (crashes != crashesBefore) {
                return;
            }
        }
        Outcome<?> outcome = Outcome.of(effect);
        pause();
        if (fate == Fate.ANSWERED && !isUnreachable(caller)) {
            reply.give(outcome);
        }
    }

    /** Half of a call's time. */
    private void pause() {
        long timeNs;
        synchronized (lock) {
            long micros = (maxNs - minNs) / 1_000;
            timeNs = minNs + 1_000L * Cord.current().nextInt((int) micros + 1);
        }
        if (timeNs > 0) {
            Fiber.sleep(Duration.ofNanos(timeNs / 2));
        }
    }

    private Fate fate(Cord caller) {
        int oneIn;
        synchronized (lock) {
            oneIn = lostOneIn;
        }
        if (oneIn == 0 || caller.nextInt(oneIn) != 0) {
            return Fate.ANSWERED;
        }
        return switch (caller.nextInt(3)) {
            case 0 -> Fate.NEVER_ARRIVES;
            case 1 -> Fate.ARRIVES_LATE;
            default -> Fate.NEVER_ANSWERED;
        };
    }

    // ---------------------------------------------------------------- the rest

    @Override
    public StoreWatch watch(String prefix, Consumer<String> changed) {
        Objects.requireNonNull(prefix, "prefix");
        Objects.requireNonNull(changed, "changed");
        synchronized (lock) {
            if (isClosed) {
                throw new IllegalStateException(this + " is closed; watch it before");
            }
        }
        Listener made = new Listener(prefix, changed);
        listeners.add(made);
        return made;
    }

    /** {@return true} It lies in the memory of the process. */
    @Override
    public boolean isOfOneProcess() {
        return true;
    }

    /** Calls fail from now on. */
    @Override
    public void close() {
        synchronized (lock) {
            isClosed = true;
        }
    }

    private static StoreEntry copied(StoreEntry entry) {
        return new StoreEntry(entry.key(), entry.revision(), entry.value().clone());
    }

    private boolean isUnreachable(@Nullable Cord cord) {
        return cord != null && cutOff.contains(cord.name());
    }

    private static byte[] utf8(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    /** Each key has the entry of its name, and no two of them one revision. */
    public void checkInvariants() {
        synchronized (lock) {
            Set<Long> revisions = ConcurrentHashMap.newKeySet();
            entries.forEach(
                    (key, entry) -> {
                        boolean isRight =
                                entry.key().equals(key)
                                        && entry.revision() > 0
                                        && entry.revision() <= lastRevision
                                        && revisions.add(entry.revision());
                        if (!isRight) {
                            throw new IllegalStateException(this + " has " + entry + " at " + key);
                        }
                    });
        }
    }

    @Override
    public String toString() {
        return "store in memory";
    }
}
