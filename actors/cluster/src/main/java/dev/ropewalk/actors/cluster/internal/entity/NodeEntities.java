package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.cluster.NodeDump;
import dev.ropewalk.actors.cluster.entity.EntityException;
import dev.ropewalk.actors.cluster.internal.ref.Conversation;
import dev.ropewalk.actors.cluster.internal.ref.EntityDoor;
import dev.ropewalk.actors.cluster.internal.ref.EntityName;
import dev.ropewalk.actors.cluster.internal.ref.RoutedAsk;
import dev.ropewalk.actors.cluster.internal.session.Contexts;
import dev.ropewalk.actors.cluster.internal.session.Session;
import dev.ropewalk.actors.cluster.internal.shard.ShardHandler;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.actors.spi.Handlers;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The entities of a cluster on one of its nodes: the kinds that are open here, the ways to the
 * shards of others, and the moves of those of this node. Owned by the node; its cord handles all
 * changes, and any thread sends.
 */
public final class NodeEntities implements EntityDoor, ShardHandler, Ownership {
    /** Of the supervisor below which they stand. */
    static final String NAME = "entities";

    /** The kind of singletons. */
    private static final String SINGLETON = "singleton";

    /** A hundred years. */
    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    /** So many are told. */
    private static final int MAX_NOT_OPEN = 100;

    private static final Log LOG = Logs.logger(NodeEntities.class);

    /** One that is terminated has so long to end, before its shard goes on without it. */
    private static final Duration TERMINATED = Duration.ofSeconds(1);

    /** While it leaves, it looks so often for messages that wait. */
    private static final Duration WAYS_LOOK = Duration.ofMillis(10);

    private final ActorSystem system;
    private final String self;
    private final Cord cord;
    private final Contexts contexts;
    private final @Nullable StateStore states;
    private final WayTiming timing;
    private final InstantSource clock;
    private final Wakes.Pace pace = new Wakes.Pace();
    private final Map<String, KindRoute<?>> routes = new ConcurrentHashMap<>();

    /** Of the fences that were not answered. On the cord. */
    private final Map<Long, Fence> fences = new ConcurrentHashMap<>();

    /** Names of kinds that others have asked for; on the cord. */
    private final Set<String> notOpen = new HashSet<>();

    /** By their names. */
    private final Map<String, Actor<?>> singletons = new ConcurrentHashMap<>();

    private final AtomicLong nextFence = new AtomicLong();

    /** The node's, and how it reaches others; null before it has begun, and without a store. */
    private volatile @Nullable Parts parts;

    private @Nullable Supervisor supervisor;
    private volatile boolean isClosed;

    /** Whether an entity was used; changed on the cord. */
    private volatile boolean isFollowing;

    /** Waits for that; null before it does. */
    private @Nullable WaitCell unused;

    private record Parts(Shards shards, Sessions sessions) {}

    /** The sessions of a node. */
    public interface Sessions {
        /** With the node of that name; null if there is none. From any thread. */
        @Nullable Conversation with(String node);

        /** All that are up. */
        List<Conversation> all();

        /** The node seeks no other one any more. On the cord. */
        void dialNoMore();

        /**
         * Whether one is about to begin: for the other node it may have begun, and messages may be
         * on their way. On the cord.
         */
        boolean isMeeting();
    }

    /**
     * A question to a session.
     *
     * @param with the session
     * @param passed runs when it is answered
     */
    private record Fence(Conversation with, Runnable passed) {}

    /**
     * The entities of a node.
     *
     * @param self the node's name
     * @param cord of the node
     * @param contexts beside messages
     * @param states of durable ones; null if the node has no store
     * @param clock the time of the day
     * @param timing how soon messages follow a move
     */
    public NodeEntities(
            ActorSystem system,
            String self,
            Cord cord,
            Contexts contexts,
            @Nullable StateStore states,
            InstantSource clock,
            WayTiming timing) {
        this.contexts = contexts;
        this.system = system;
        this.self = self;
        this.cord = cord;
        this.states = states;
        this.clock = clock;
        this.timing = timing;
    }

    /** The node has a store, and begins. On its cord. */
    public void begin(Shards shards, Sessions sessions) {
        parts = new Parts(shards, sessions);
    }

    /**
     * Follows the table of shards, from the first use of an entity until the end. A switchpoint.
     */
    public void run() {
        if (!isFollowing) {
            WaitCell first = new WaitCell();
            unused = first;
            first.await("the first use of an entity");
        }
        Parts of = parts;
        if (of != null) {
            of.shards().run();
        }
    }

    private void follow() {
        isFollowing = true;
        if (unused != null) {
            unused.give(true);
        }
    }

    ActorSystem system() {
        return system;
    }

    String self() {
        return self;
    }

    Cord cord() {
        return cord;
    }

    /** The reason that no entity is ever reached from here; null if that is not so. */
    @Nullable EntityException unusable() {
        return parts != null
                ? null
                : new EntityException(
                        "node "
                                + self
                                + " reaches no entities, because it has no store; give it one with"
                                + " NodeOptions.withStore");
    }

    WayTiming timing() {
        return timing;
    }

    String name() {
        return NAME;
    }

    String path() {
        return system.name() + "/" + NAME;
    }

    boolean isClosed() {
        return isClosed;
    }

    // ---------------------------------------------------------------- kinds

    public KindHost host() {
        return new KindHost(states, this::home, clock, this);
    }

    /** The home of a kind; null if it is not open here. */
    public @Nullable EntityHome<?> home(String kind) {
        KindRoute<?> route = routes.get(kind);
        return route == null ? null : route.home();
    }

    /** How a kind is opened. */
    @FunctionalInterface
    public interface Opening<M> {
        EntityHome<M> open(EntityHome.Place place, Route<M> route);
    }

    /**
     * Opens a kind.
     *
     * @throws IllegalArgumentException if it is open already, or has the name of that of singletons
     * @throws IllegalStateException if the node has no store, or has left
     */
    public <M> EntityHome<M> open(String kind, boolean isDurable, Opening<M> opening) {
        if (kind.equals(SINGLETON)) {
            throw new IllegalArgumentException(
                    "kind "
                            + kind
                            + " was not opened on node "
                            + self
                            + ", because Node.singleton has that name; give the kind another one");
        }
        return openAny(kind, isDurable, opening);
    }

    @SuppressWarnings("unchecked") // the program says what a kind takes
    private synchronized <M> EntityHome<M> openAny(
            String kind, boolean isDurable, Opening<M> opening) {
        Parts of = parts;
        if (of == null || isClosed) {
            throw new IllegalStateException(
                    "kind "
                            + kind
                            + " was not opened, because node "
                            + self
                            + (isClosed
                                    ? " has left"
                                    : " has no store; give it one with NodeOptions.withStore"));
        }
        KindRoute<M> route = (KindRoute<M>) route(kind);
        if (route.home() != null) {
            throw new IllegalArgumentException(
                    "node " + self + " has a kind " + kind + " already; a kind is opened once");
        }
        if (supervisor == null) {
            supervisor = system.supervise(NAME, Supervision.oneForOne());
        }
        EntityHome<M> home = opening.open(new EntityHome.Place(system, supervisor, this), route);
        if (isDurable) {
            home.wakes(Wakes.start(supervisor, Objects.requireNonNull(states), home, pace));
        }
        route.open(home);
        later(
                () -> {
                    of.shards().take();
                    follow();
                    for (int shard = 0; shard < Shards.COUNT; shard++) {
                        if (of.shards().isOwned(shard)) {
                            home.take(shard);
                        }
                        route.look(shard);
                    }
                    route.begins();
                });
        return home;
    }

    /**
     * An actor that runs once in the cluster, on the node that owns its name.
     *
     * @throws IllegalArgumentException if there is one of the name, or it is started again after
     *     each end
     * @throws IllegalStateException as {@link #open}
     */
    @SuppressWarnings("unchecked") // the program says what it takes
    public synchronized <M> ActorRef<M> singleton(String name, Actor<M> actor) {
        Handlers.checkEnds(actor);
        EntityNames.check(name);
        if (singletons.putIfAbsent(name, actor) != null) {
            throw new IllegalArgumentException(
                    "node " + self + " has a singleton " + name + " already");
        }
        EntityHome<Object> home = (EntityHome<Object>) home(SINGLETON);
        if (home == null) {
            home = openSingletons(name);
        }
        home.keep(name);
        return (ActorRef<M>) home.ref(name);
    }

    private EntityHome<Object> openSingletons(String first) {
        boolean isOpen = false;
        try {
            EntityHome<Object> made =
                    openAny(
                            SINGLETON,
                            false,
                            (place, route) ->
                                    new EntityHome<>(
                                            place,
                                            route,
                                            SINGLETON,
                                            null,
                                            new Running(FOR_EVER, false),
                                            (_, _) -> this::singleton));
            isOpen = true;
            return made;
        } finally {
            if (!isOpen) {
                singletons.remove(first);
            }
        }
    }

    @SuppressWarnings("unchecked") // as above
    private Actor<Object> singleton(String name) {
        Actor<?> found = singletons.get(name);
        if (found == null) {
            throw new IllegalStateException(
                    "node "
                            + self
                            + " owns the singleton "
                            + name
                            + " and does not know it; define it on each node");
        }
        return (Actor<Object>) found;
    }

    private KindRoute<?> route(String kind) {
        return routes.computeIfAbsent(kind, each -> new KindRoute<>(this, each));
    }

    private void eachHome(Consumer<EntityHome<?>> code) {
        for (KindRoute<?> each : routes.values()) {
            EntityHome<?> home = each.home();
            if (home != null) {
                code.accept(home);
            }
        }
    }

    /** A failure of one is not one of the others. */
    private void eachWay(Consumer<Way<?>> code) {
        routes.values().forEach(route -> route.each(way -> safely(way, code)));
    }

    private static void safely(Way<?> way, Consumer<Way<?>> code) {
        try {
            code.accept(way);
        } catch (RuntimeException | Error failure) {
            Waits.throwIfSignal(failure);
            LOG.error("{} failed", way, failure);
        }
    }

    private void look(int shard) {
        routes.values().forEach(each -> each.look(shard));
    }

    /** On the node's cord, behind all that it was told before. From any thread. */
    void later(Runnable code, Runnable whenOver) {
        cord.post(
                new CordMessage() {
                    @Override
                    public void onCord() {
                        code.run();
                    }

                    @Override
                    public void onClosed() {
                        whenOver.run();
                    }
                });
    }

    private void later(Runnable code) {
        later(code, () -> {});
    }

    Contexts contexts() {
        return contexts;
    }

    // ---------------------------------------------------------------- who owns what

    @Override
    public boolean mayWork(int shard, long nowNs) {
        Parts of = parts;
        return of != null && of.shards().isHeld(shard, nowNs);
    }

    @Override
    public boolean mayReply(int shard, long epoch) {
        return timing.mayReply(this, shard, epoch);
    }

    @Override
    public boolean mayWrite(int shard, long epoch) {
        return timing.mayWrite(this, shard, epoch);
    }

    @Override
    public boolean isHolding() {
        return timing.isHolding();
    }

    @Override
    public boolean countsAgain() {
        return timing.countsAgain();
    }

    @Override
    public long epoch(int shard) {
        Parts of = parts;
        return of == null ? 0 : of.shards().epoch(shard);
    }

    @Override
    public boolean isShared() {
        return true;
    }

    /** Where the owner takes messages for a shard; null if that is not known, or not reached. */
    Way.@Nullable Place place(int shard) {
        Parts of = parts;
        String owner = of == null ? null : of.shards().owner(shard);
        if (of == null || owner == null) {
            return null;
        }
        if (owner.equals(self)) {
            return of.shards().isOwned(shard) ? new Way.Place.Here(self) : null;
        }
        Conversation with = of.sessions().with(owner);
        return with == null || with.isOver() || with.entities().isRetired()
                ? null
                : new Way.Place.There(with);
    }

    // ---------------------------------------------------------------- as the handler of shards

    @Override
    public void giveAway(int shard, Duration limit) {
        look(shard); // those of this node are held from now on
        Duration last = limit.dividedBy(4);
        Duration ends = TERMINATED.compareTo(last) < 0 ? TERMINATED : last;
        Duration orderly = limit.minus(ends);
        if (!awaitGone(shard, orderly, (home, gone) -> home.giveAway(shard, gone))) {
            LOG.warn(
                    "{}: entities of shard {} had not ended after {}; they are terminated",
                    this,
                    Shards.hex(shard),
                    orderly);
            boolean isGone =
                    awaitGone(
                            shard,
                            ends,
                            (home, gone) -> home.lose(shard, ActorRef::terminate, gone));
            if (!isGone) {
                LOG.warn(
                        "{}: an entity of shard {} does not end; it owns nothing",
                        this,
                        Shards.hex(shard));
            }
        }
    }

    @FunctionalInterface
    private interface Ending {
        void of(EntityHome<?> home, Runnable gone);
    }

    private boolean awaitGone(int shard, Duration limit, Ending ending) {
        WaitCell all = new WaitCell();
        Countdown homes = new Countdown(() -> all.give(true));
        eachHome(each -> ending.of(each, homes.part()));
        homes.begin();
        return all.await("the end of the entities of shard " + shard, Waits.nanos(limit))
                != Waits.TIMED_OUT;
    }

    @Override
    public void lost(int shard) {
        eachHome(home -> home.lose(shard, ActorRef::terminate, () -> {}));
        look(shard);
    }

    @Override
    public void taken(int shard) {
        eachHome(home -> home.take(shard));
        look(shard);
    }

    @Override
    public void changed() {
        eachWay(Way::look);
    }

    // ---------------------------------------------------------------- as the sessions see them

    @Override
    public @Nullable EntityName nameOf(ActorRef<?> actor) {
        return actor.target() instanceof EntityTarget<?> entity && entity.isOf(this)
                ? entity.name()
                : null;
    }

    @Override
    public ActorRef<?> address(EntityName name) {
        Parts of = parts;
        if (of != null) {
            later(this::follow);
        }
        return new EntityTarget<>(route(name.kind()), name.key()).ref();
    }

    @Override
    public @Nullable ActorRef<?> here(EntityName name, @Nullable ActorRef<?> known) {
        if (known != null) { // the home of a kind is one for ever
            Parts of = parts;
            return of != null && mayEnter(of.shards(), name.shard()) ? known : null;
        }
        EntityHome<?> home = ownHome(name);
        return home == null ? null : home.local(name.key());
    }

    /** As {@link Ownership#mayEnter}, of a shard that is not about to be given away. */
    private boolean mayEnter(Shards shards, int shard) {
        return shards.isOwned(shard, Waits.tickTime(cord) + TICK_NS) || shards.isOwned(shard);
    }

    private @Nullable EntityHome<?> ownHome(EntityName name) {
        Parts of = parts;
        KindRoute<?> route = routes.get(name.kind());
        EntityHome<?> home = route == null ? null : route.home();
        if (of == null || !of.shards().isOwned(name.shard())) {
            return null;
        }
        if (home == null && notOpen.size() < MAX_NOT_OPEN && notOpen.add(name.kind())) {
            LOG.warn(
                    "{} owns shards, and the kind {} is not open on it: messages to its entities"
                            + " wait at their senders; open the same kinds on each node",
                    this,
                    name.kind());
        }
        return route != null && route.hasBegun() ? home : null;
    }

    @Override
    public boolean letter(EntityName name, WireInput from) {
        EntityHome<?> home = ownHome(name);
        if (home == null) {
            return false;
        }
        home.letter(name.key(), Letter.read(from));
        return true;
    }

    @Override
    public void bounced(Conversation by, Session.Lost message) {
        if (((ActorRef<?>) message.to()).target() instanceof EntityTarget<?> entity) {
            bounced(by, entity, message.message());
        }
    }

    @Override
    public void bounced(Conversation by, RoutedAsk<?> ask) {
        if (ask.entity().target() instanceof EntityTarget<?> entity) {
            bounced(by, entity, new Question<>((EntityAsk<?>) ask.asked(), ask.question()));
        }
    }

    @SuppressWarnings("unchecked") // it was sent on the way of its kind
    private <M> void bounced(Conversation by, EntityTarget<M> to, Object item) {
        ((KindRoute<M>) to.route()).bounced(by, to, item);
    }

    /** The session answers behind all that it says of what was sent before. On the cord. */
    void fence(Conversation with, Way<?> way) {
        fence(with, way::fenced, id -> with.entities().fence(id, way.kind(), way.shard()));
    }

    private void fence(Conversation with, Runnable passed, LongConsumer sending) {
        long id = nextFence.incrementAndGet();
        fences.put(id, new Fence(with, passed));
        sending.accept(id); // one that is over has told so, or is about to
        if (with.isOver() && fences.remove(id) != null) {
            passed.run();
        }
    }

    @Override
    public void fenced(Conversation by, long id) {
        Fence fence = fences.remove(id);
        if (fence != null) {
            fence.passed.run();
        }
    }

    @Override
    public void retired(Conversation by, Runnable left) {
        Countdown ways = new Countdown(left);
        eachWay(way -> way.leave(by, ways.part())); // one that is made later does not go there
        ways.begin();
    }

    @Override
    public void begun() {
        changed();
    }

    @Override
    public void over(Conversation ended) {
        List<Fence> open = new ArrayList<>();
        fences.forEach(
                (id, fence) -> {
                    if (fence.with == ended && fences.remove(id) != null) {
                        open.add(fence);
                    }
                });
        eachWay(way -> way.over(ended));
        open.forEach(each -> each.passed.run());
    }

    // ---------------------------------------------------------------- the end

    /**
     * Gives all shards away, sends the messages that wait for owners, and lets other nodes know
     * that no shard is here, so that no message is on its way to this node when its sessions end. A
     * switchpoint.
     *
     * @return false if the limit passed first
     */
    public boolean leave(long limitNs) {
        Parts of = parts;
        if (of == null) {
            return true;
        }
        long endNs = Waits.nanoTime() + Math.min(limitNs, Long.MAX_VALUE / 4);
        boolean isComplete = true;
        boolean hasGiven = false;
        try {
            List<Conversation> told;
            do { // messages of this node's actors go on first, and do not come back afterwards
                if (isFollowing && !hasGiven) { // perhaps since a moment ago
                    hasGiven = true;
                    isComplete = of.shards().leave(Duration.ofNanos(left(endNs)));
                }
                if (!awaitWays(of, endNs) || !awaitMeetings(of.sessions(), endNs)) {
                    return false;
                }
                told = of.sessions().all();
                if (!retire(told, left(endNs))) {
                    return false;
                }
            } while ((isFollowing && !hasGiven)
                    || isAnyWaiting(of)
                    || !told.containsAll(of.sessions().all()));
            return isComplete;
        } finally {
            of.shards().end();
        }
    }

    private static long left(long endNs) {
        return Math.max(0, endNs - Waits.nanoTime());
    }

    /**
     * For another node a session begins before it does here, and what that sends is to be seen. The
     * port is closed, so no other one comes.
     */
    private static boolean awaitMeetings(Sessions sessions, long endNs) {
        sessions.dialNoMore();
        while (sessions.isMeeting()) {
            if (left(endNs) == 0) {
                return false;
            }
            Fiber.sleep(WAYS_LOOK);
        }
        return true;
    }

    /** For another node, which may not be reached yet, or not own the shard yet. */
    private boolean isAnyWaiting(Parts of) {
        return of.shards().hasOthers() && waiting() > 0;
    }

    private boolean awaitWays(Parts of, long endNs) {
        while (isAnyWaiting(of)) {
            if (Waits.nanoTime() - endNs >= 0) {
                return false;
            }
            Fiber.sleep(WAYS_LOOK);
        }
        return true;
    }

    private boolean retire(List<Conversation> others, long limitNs) {
        WaitCell all = new WaitCell();
        Countdown told = new Countdown(() -> all.give(true));
        for (Conversation each : others) {
            fence(each, told.part(), each.entities()::retire);
        }
        told.begin();
        return all.await("other nodes, which hear that it has no shards", limitNs)
                != Waits.TIMED_OUT;
    }

    /** Nothing is sent any more, and all entities end. On the cord; waits for nothing. */
    public void close() {
        isClosed = true;
        eachWay(Way::close);
        eachHome(home -> home.close(() -> {}));
    }

    /** After {@link #close}: ends the supervisor, so that another node may have one. */
    public void end() {
        boolean isMade;
        synchronized (this) {
            isMade = supervisor != null;
        }
        if (isMade) {
            try {
                system.root().stop(NAME);
            } catch (IllegalArgumentException none) {
                LOG.debug("{} has ended already", this, none);
            }
        }
    }

    /** Whether the table of shards is known, or nobody asks for it. From any thread. */
    public boolean isReady() {
        Parts of = parts;
        return of == null || !isFollowing || of.shards().isKnown();
    }

    /** From any thread; null without a store. */
    public NodeDump.@Nullable Shards dump() {
        Parts of = parts;
        if (of == null) {
            return null;
        }
        Shards.Snapshot now = of.shards().snapshot();
        Map<String, Integer> owners = new TreeMap<>();
        List<NodeDump.Shard> own = new ArrayList<>();
        for (Shards.Part each : now.parts()) {
            if (each.owner() != null) {
                owners.merge(each.owner(), 1, Integer::sum);
            }
            if (each.state() != Shards.State.NONE) {
                own.add(
                        new NodeDump.Shard(
                                each.shard(), each.epoch(), each.state().name(), each.since()));
            }
        }
        List<NodeDump.Kind> kinds = new ArrayList<>();
        new TreeMap<>(routes).forEach((name, route) -> kinds.add(route.dump()));
        return new NodeDump.Shards(
                now.revision(),
                owners.entrySet().stream()
                        .map(each -> new NodeDump.Share(each.getKey(), each.getValue()))
                        .toList(),
                own,
                kinds,
                now.taken(),
                now.given(),
                now.lost(),
                now.trouble());
    }

    /** On the cord, of a system with that one alone. */
    public void checkInvariants() {
        eachWay(Way::checkInvariants);
        eachHome(EntityHome::checkInvariants);
    }

    /** Fences without an answer. For tests. */
    public int fences() {
        return fences.size();
    }

    /** Messages that wait for owners of shards. */
    public int waiting() {
        return routes.values().stream().mapToInt(KindRoute::waiting).sum();
    }

    @Override
    public String toString() {
        return "node " + self;
    }
}
