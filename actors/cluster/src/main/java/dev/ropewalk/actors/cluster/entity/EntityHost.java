package dev.ropewalk.actors.cluster.entity;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.cluster.NodeDump;
import dev.ropewalk.actors.cluster.internal.entity.Countdown;
import dev.ropewalk.actors.cluster.internal.entity.EntityHome;
import dev.ropewalk.actors.cluster.internal.entity.KindHost;
import dev.ropewalk.actors.cluster.internal.entity.Ownership;
import dev.ropewalk.actors.cluster.internal.entity.StateStore;
import dev.ropewalk.actors.cluster.internal.entity.Wakes;
import dev.ropewalk.actors.cluster.internal.node.CountedStore;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Runs the entities of one process: actors that are found by a key for ever, and of which only
 * those run that have something to do.
 *
 * {@snippet file="dev/ropewalk/actors/cluster/entity/EntitySnippetsTest.java" region="host"}
 *
 * <p>The first message to a key starts its actor, on a cord of the system that the key belongs to.
 * It is stopped when no message has come for a while, and the next one starts it again. Messages of
 * one sender arrive in the order in which they were told, also across that. An entity that fails is
 * started again by its supervisor, with a growing pause; its mailbox stays. One whose very start
 * fails is tried again by a message that comes after a growing pause; those in between are dead
 * letters, and their asks fail with the reason.
 *
 * <p>With a store the state of {@linkplain EntityKind#durable durable} kinds outlasts the process:
 * the same program, started again over the same store, goes on with it. No other process may have
 * the store meanwhile, because both would run each entity; SQLite sees to that itself.
 *
 * <p>All methods work from any thread.
 */
public final class EntityHost implements AutoCloseable {
    /** How long {@link #close} waits for entities that have messages. */
    public static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private static final Log LOG = Logs.logger(EntityHost.class);

    /** Of all that are open. Two with one name would run each entity twice. */
    private static final Map<Place, EntityHost> OPEN = new ConcurrentHashMap<>();

    private final ActorSystem system;
    private final String name;
    private final @Nullable Place place;
    private final @Nullable CountedStore counted;
    private final @Nullable StateStore states;
    private final Supervisor supervisor;
    private final InstantSource clock;
    private final Wakes.Pace pace = new Wakes.Pace();

    private final Consumer<Duration> beforeStop = this::close;

    /** By the names of the kinds. */
    private final Map<String, EntityHome<?>> homes = new ConcurrentHashMap<>();

    /** Held while a kind is opened, and while the host begins to close. */
    private final Object opening = new Object();

    /** Null while it is open; guarded by {@link #opening}. */
    private @Nullable Closing closing;

    /** A part of a store. A store is equal to itself alone. */
    private record Place(Store store, String name) {}

    private EntityHost(
            ActorSystem system, String name, @Nullable Store store, InstantSource clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
        Objects.requireNonNull(system, "system");
        this.name = Objects.requireNonNull(name, "name");
        this.system = system;
        this.place = store == null ? null : new Place(store, name);
        this.counted = store == null ? null : new CountedStore(store);
        this.states = counted == null ? null : StateStore.ofHost(counted, name);
        if (place != null) {
            checkStore(place);
        }
        boolean isMade = false;
        try {
            this.supervisor = system.supervise(name, Supervision.oneForOne());
            isMade = true;
        } finally {
            if (!isMade) {
                forget();
            }
        }
        system.beforeStop(beforeStop);
    }

    private void checkStore(Place at) {
        if (!at.store.isOfOneProcess()) {
            throw new IllegalArgumentException(
                    "entities "
                            + name
                            + " cannot stand on "
                            + at.store
                            + ": another process may have it too, and both would run each entity;"
                            + " take the store of one process, as SQLite");
        }
        EntityHost other = OPEN.merge(at, this, (open, mine) -> open.isSystemOver() ? mine : open);
        if (other != this) {
            throw new IllegalStateException(
                    "entities "
                            + name
                            + " are open in "
                            + other.system
                            + " on the same store; close those first, or give these another name");
        }
    }

    /** A system may end without a close. */
    private boolean isSystemOver() {
        return !ActorSystem.all().contains(system);
    }

    /**
     * Starts a host for entities whose state is in memory.
     *
     * @param system in which the entities run; the host is closed with it
     * @param name of a supervisor of the system, below which they stand
     * @return the host
     * @throws IllegalArgumentException if the name is taken or none
     */
    public static EntityHost start(ActorSystem system, String name) {
        return new EntityHost(system, name, null, InstantSource.system());
    }

    /**
     * Starts a host for durable entities too.
     *
     * @param system in which the entities run; the host is closed with it
     * @param name of a supervisor of the system, below which they stand. Their states have it too:
     *     the next process finds them by it
     * @param store for the states; it stays open when the host is closed
     * @return the host
     * @throws IllegalArgumentException if the name is taken or none, or other processes may have
     *     the store too
     * @throws IllegalStateException if a host with that name is open on that store
     */
    public static EntityHost start(ActorSystem system, String name, Store store) {
        return start(system, name, store, InstantSource.system());
    }

    /**
     * Starts a host whose reminders follow another clock, as a test on virtual time needs it.
     *
     * @param system in which the entities run; the host is closed with it
     * @param name as of {@link #start(ActorSystem, String, Store)}
     * @param store for the states
     * @param clock tells the time of the day
     * @return the host
     * @throws IllegalArgumentException if the name is taken or none, or other processes may have
     *     the store too
     * @throws IllegalStateException if a host with that name is open on that store
     */
    public static EntityHost start(
            ActorSystem system, String name, Store store, InstantSource clock) {
        return new EntityHost(system, name, Objects.requireNonNull(store, "store"), clock);
    }

    /**
     * {@return the entities of a kind} None of them runs before a message comes.
     *
     * @param <M> the type of the messages
     * @param kind what they are
     * @throws IllegalArgumentException if the host has a kind of that name, the kind is durable and
     *     the host has no store, or its state has a type that cannot be stored
     * @throws IllegalStateException if the host is closed
     */
    public <M> Entities<M> entities(EntityKind<M, ?> kind) {
        if (kind.isDurable() && states == null) {
            throw new IllegalArgumentException(
                    kind + " needs a store, and " + this + " has none; start it with one");
        }
        synchronized (opening) {
            if (closing != null) {
                throw new IllegalStateException(
                        kind + " was not opened, because " + this + " is closed");
            }
            if (homes.containsKey(kind.name())) {
                throw new IllegalArgumentException(
                        this + " has a kind " + kind.name() + " already; a kind is opened once");
            }
            EntityHome<M> made =
                    kind.open(
                            new KindHost(states, this::home, clock, Ownership.ALONE),
                            new EntityHome.Place(system, supervisor, Ownership.ALONE),
                            null);
            homes.put(kind.name(), made);
            if (states != null && kind.isDurable()) {
                Wakes.all(supervisor, states, made, pace);
            }
            return kind.entities(made, states);
        }
    }

    private @Nullable EntityHome<?> home(String kind) {
        return homes.get(kind);
    }

    /** {@return its name} */
    public String name() {
        return name;
    }

    /**
     * {@return the calls of this host to its store so far, as the {@linkplain
     * NodeDump.Registration#store dump} of a node tells those of the node; null if it has no store}
     * The name of the engine, and each way in which a call may end: a refused write found a value
     * that is not this host's, an unknown one may have taken effect, and a failed call has thrown.
     */
    public NodeDump.@Nullable StoreCalls storeCalls() {
        return counted == null ? null : counted.calls();
    }

    /**
     * Ends all entities, each behind the messages that it has, and waits for that {@link
     * #CLOSE_LIMIT} at most; those that still run then are ended as by a supervisor that stops. The
     * things that are told from now on are dead letters. To close twice is harmless, and waits too.
     * Also a fiber that is being ended, or a thread that is interrupted, waits for it.
     *
     * @throws IllegalStateException if an entity of the host calls it, or a cord where no fiber
     *     runs: it would wait for itself
     */
    @Override
    public void close() {
        checkOutside();
        Waits.cleanUp(
                () -> {
                    close(CLOSE_LIMIT);
                    return true;
                });
    }

    private void checkOutside() {
        boolean isOnCord = Cord.currentOrNull() != null && Fiber.currentOrNull() == null;
        if (isOnCord || Calls.isBelow(path())) {
            throw new IllegalStateException(
                    "close of "
                            + this
                            + " would wait for its own caller, "
                            + Calls.callerName()
                            + "; close it from outside");
        }
    }

    private String path() {
        return system.name() + "/" + name;
    }

    /** To wait may be broken off, and begins again then; what it waits for does not. */
    private void close(Duration limit) {
        Closing now = closing(limit);
        now.await();
        try {
            system.root().stop(name);
        } catch (IllegalArgumentException none) {
            LOG.debug("{} has ended already", this, none);
        } finally {
            forget();
        }
    }

    private Closing closing(Duration limit) {
        synchronized (opening) {
            if (closing == null) {
                closing = new Closing(List.copyOf(homes.values()), Waits.nanos(limit));
            }
            return closing;
        }
    }

    /** The end of all entities. */
    private static final class Closing {
        private final CompletableFuture<@Nullable Object> allGone = new CompletableFuture<>();
        private final long endNs;

        Closing(List<EntityHome<?>> all, long limitNs) {
            this.endNs = Waits.nanoTime() + Math.min(limitNs, Long.MAX_VALUE / 4);
            Countdown homes = new Countdown(() -> allGone.complete(null));
            all.forEach(each -> each.close(homes.part())); // all before any is waited for
            homes.begin();
        }

        @SuppressWarnings("FutureReturnValueIgnored") // the cell is given
        void await() {
            WaitCell over = new WaitCell();
            allGone.thenRun(() -> over.give(allGone));
            over.await("the end of entities", Math.max(0, endNs - Waits.nanoTime()));
        }
    }

    private void forget() {
        system.removeBeforeStop(beforeStop);
        if (place != null) {
            OPEN.remove(place, this);
        }
    }

    @Override
    public String toString() {
        return "entities " + name + " of " + system;
    }
}
