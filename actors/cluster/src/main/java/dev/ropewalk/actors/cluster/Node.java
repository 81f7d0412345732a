package dev.ropewalk.actors.cluster;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.cluster.internal.entity.KindAccess;
import dev.ropewalk.actors.cluster.internal.entity.NodeEntities;
import dev.ropewalk.actors.cluster.internal.entity.StateStore;
import dev.ropewalk.actors.cluster.internal.lease.Lease;
import dev.ropewalk.actors.cluster.internal.lease.LeaseTiming;
import dev.ropewalk.actors.cluster.internal.lease.Membership;
import dev.ropewalk.actors.cluster.internal.node.Certificates;
import dev.ropewalk.actors.cluster.internal.node.CountedStore;
import dev.ropewalk.actors.cluster.internal.node.Presence;
import dev.ropewalk.actors.cluster.internal.ref.Conversation;
import dev.ropewalk.actors.cluster.internal.ref.Counts;
import dev.ropewalk.actors.cluster.internal.ref.Home;
import dev.ropewalk.actors.cluster.internal.session.Contexts;
import dev.ropewalk.actors.cluster.internal.session.Frame;
import dev.ropewalk.actors.cluster.internal.session.FramePool;
import dev.ropewalk.actors.cluster.internal.session.Hello;
import dev.ropewalk.actors.cluster.internal.session.NodeId;
import dev.ropewalk.actors.cluster.internal.session.Session;
import dev.ropewalk.actors.cluster.internal.shard.ShardTiming;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.cluster.internal.wire.TypeTable;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;
import dev.ropewalk.fibers.io.TcpOptions;
import dev.ropewalk.fibers.io.Tls;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;

/**
 * The presence of an actor system among those of other processes. Actors of another node have
 * addresses like those of this one, found by {@link #at} or received in messages, and are told,
 * asked, monitored and ended like them.
 *
 * {@snippet file="dev/ropewalk/actors/cluster/ClusterSnippetsTest.java" region="two"}
 *
 * <p>Two nodes have a session: one connection, whose messages come in order and without a gap. It
 * ends when the connection is lost, when no byte has come for three seconds, or when one of them
 * leaves. That is final: every monitor hears {@link dev.ropewalk.actors.ExitReason.Unreachable}
 * once, every open ask fails at once, and each message that was not acknowledged becomes a dead
 * letter ({@code UNREACHABLE}), though it may have arrived. A later connection is a new session.
 * Messages arrive at most once.
 *
 * <p>A node that a fiber starts is on the fiber's cord, and ends with the fiber. One that a plain
 * thread starts has a cord of its own. It leaves before its system stops. All methods work from any
 * thread.
 */
public final class Node implements AutoCloseable {
    /** How long {@link #close} waits for its entities, and for what was sent. */
    public static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    /** Two nodes would have one name for each actor, and share each group twice. */
    private static final Map<ActorSystem, String> SYSTEMS =
            Collections.synchronizedMap(new WeakHashMap<>());

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(3);

    /** A peer that lets nothing be written for so long does not read. */
    private static final Duration WRITE_LIMIT = Duration.ofSeconds(30);

    private final ActorSystem system;
    private final NodeOptions options;

    /** Null if it has none. */
    private final @Nullable CountedStore store;

    /** Null if it is on the cord of its starter. */
    private final @Nullable Cord ownCord;

    private final Fiber<?> fiber;
    private final Presence presence;
    private final @Nullable Membership membership;
    private final NodeEntities entities;
    private final WaitCell leaving;

    private volatile boolean isLeaving;

    /** The outcome of the first leave. */
    private volatile boolean isLeftComplete = true;

    /** The things that a fiber of the cord has for the starter. */
    private record Started(
            Presence presence,
            @Nullable Membership membership,
            NodeEntities entities,
            WaitCell leaving) {}

    /** How long what was sent may take to arrive, and who is told whether it has. */
    private record Leave(long limitNanos, WaitCell over) {}

    private Node(ActorSystem system, NodeOptions options) {
        this.system = Objects.requireNonNull(system, "system");
        this.options = Objects.requireNonNull(options, "options");
        options.check();
        this.store = options.store() == null ? null : new CountedStore(options.store());
        TypeTable types = options.protocol().table(); // before its cord, because it may fail
        types.checkFits(options.maxMessage() + Frame.MAX_AROUND - 1);
        String other = SYSTEMS.putIfAbsent(system, options.name());
        if (other != null) {
            throw new IllegalStateException(
                    "node "
                            + options.name()
                            + " cannot start: "
                            + system
                            + " has the node "
                            + other
                            + "; close that one first, or give this one a system of its own");
        }
        this.ownCord = Cord.currentOrNull() == null ? Cord.start("node-" + options.name()) : null;
        WaitCell started = new WaitCell();
        String fiberName = "node " + options.name();
        this.fiber =
                ownCord == null
                        ? Fiber.spin(fiberName, () -> run(system, types, started))
                        : ownCord.spin(fiberName, () -> run(system, types, started));
        Object outcome = null;
        try {
            outcome = started.await(fiberName + " to start");
        } finally {
            if (!(outcome instanceof Started)) {
                SYSTEMS.remove(system, options.name());
                closeCord();
            }
        }
        if (outcome instanceof RuntimeException failure) {
            throw failure;
        }
        Started made = (Started) Objects.requireNonNull(outcome);
        this.presence = made.presence;
        this.membership = made.membership;
        this.entities = made.entities;
        this.leaving = made.leaving;
        system.beforeStop(this::leave);
    }

    /**
     * Starts a node, which is then looked for and looks for others. A switchpoint.
     *
     * @param system whose actors other nodes reach
     * @param options how
     * @return the node
     * @throws IllegalArgumentException if the protocol has something that cannot be sent, or the
     *     address is not of this machine alone and there is no TLS
     * @throws IllegalStateException if the system has a node
     * @throws dev.ropewalk.fibers.io.ConnectionException if the port is in use
     */
    public static Node start(ActorSystem system, NodeOptions options) {
        return new Node(system, options);
    }

    // ---------------------------------------------------------------- its fiber

    private void run(ActorSystem system, TypeTable types, WaitCell started) {
        TcpListener listener;
        try {
            listener = TcpListener.bind(options.host(), options.port(), tcp(options.server()));
        } catch (RuntimeException failure) {
            started.give(failure);
            return;
        }
        try (listener) {
            long incarnation = ((long) random() << 32) | (random() & 0xFFFF_FFFFL);
            NodeId id = new NodeId(options.name(), incarnation);
            Hello self =
                    new Hello(
                            Hello.VERSION, options.cluster(), id, options.host(), listener.port());
            FramePool frames = new FramePool(types, options.maxMessage());
            Contexts contexts = new Contexts(options.context());
            NodeEntities entities =
                    new NodeEntities(
                            system,
                            options.name(),
                            Cord.current(),
                            contexts,
                            states(),
                            options.clock(),
                            options.ways());
            Presence made =
                    new Presence(
                            setting(),
                            self,
                            new Home.Parts(
                                    system, id, Cord.current(), types, frames, contexts, entities));
            WaitCell asked = new WaitCell();
            Membership registered = registered(listener.port(), entities, made);
            Fiber.spin("accepts nodes", () -> made.serve(listener));
            Fiber.spin("finds nodes", () -> made.dialling().run(discoveries(registered)));
            started.give(new Started(made, registered, entities, asked));
            try {
                end(made, registered, entities, listener, asked);
            } finally {
                isLeaving = true; // also if the fiber of the program has ended
                entities.close();
                if (registered != null) {
                    registered.end();
                }
                made.unshareGroups();
                try {
                    Waits.cleanUp(
                            () -> {
                                entities.end();
                                return true;
                            });
                } finally {
                    SYSTEMS.remove(system, options.name());
                }
            }
        }
    }

    /** Begins to keep the node's register, if it has a store. */
    private @Nullable Membership registered(int port, NodeEntities entities, Presence presence) {
        if (store == null) {
            return null;
        }
        Membership made =
                new Membership(
                        store,
                        options.cluster(),
                        options.name(),
                        options.host(),
                        port,
                        new LeaseTiming());
        entities.begin(shards(store, made, entities), presence);
        Fiber.spin("follows shards", entities::run);
        Fiber.spin("keeps the register", made::keep);
        Fiber.spin("observes registers", made::observe);
        return made;
    }

    private Shards shards(Store on, Membership registered, NodeEntities entities) {
        return new Shards(
                on,
                options.cluster(),
                registered,
                options.programVersion(),
                entities,
                new ShardTiming());
    }

    private @Nullable StateStore states() {
        return store == null ? null : StateStore.ofCluster(store, options.cluster());
    }

    private List<Discovery> discoveries(@Nullable Membership registered) {
        return registered == null
                ? List.of(options.discovery())
                : List.of(registered::addresses, options.discovery());
    }

    private static void end(
            Presence presence,
            @Nullable Membership registered,
            NodeEntities entities,
            TcpListener listener,
            WaitCell asked) {
        Leave leave = (Leave) Objects.requireNonNull(asked.await("the end of the node"));
        listener.close();
        boolean isComplete = false;
        try {
            long beganNs = Waits.nanoTime();
            // Between the last look of this one and the first of the other nothing is waited for:
            // no session begins there that nobody is told of.
            boolean isMoved = entities.leave(leave.limitNanos);
            WaitCell told = registered == null ? null : registered.leave();
            long restNs = Math.max(0, leave.limitNanos - (Waits.nanoTime() - beganNs));
            isComplete = presence.leave(restNs) && isMoved;
            if (told != null) {
                long leftNs = leave.limitNanos - (Waits.nanoTime() - beganNs);
                Object outcome = told.await("the store", Math.max(0, leftNs));
                isComplete &= Boolean.TRUE.equals(outcome);
            }
        } finally {
            leave.over.give(isComplete);
        }
    }

    private static int random() {
        return Cord.current().nextInt(Integer.MAX_VALUE);
    }

    private static TcpOptions tcp(@Nullable Tls tls) {
        TcpOptions options =
                TcpOptions.defaults()
                        .withReadLimit(Session.LIVENESS)
                        .withWriteLimit(WRITE_LIMIT)
                        .withConnectLimit(CONNECT_LIMIT);
        return tls == null ? options : options.withTls(tls);
    }

    private Presence.Setting setting() {
        return new Presence.Setting() {
            @Override
            public TcpConnection connect(String host, int port) {
                return TcpConnection.connect(host, port, tcp(options.client()));
            }

            @Override
            public boolean isNamed(TcpConnection connection, String name) {
                return options.server() == null
                        || Certificates.isFor(connection.tlsSession(), name);
            }

            @Override
            public String cluster() {
                return options.cluster();
            }

            @Override
            public int queue() {
                return options.queue();
            }

            @Override
            public int maxMessage() {
                return options.maxMessage();
            }
        };
    }

    // ---------------------------------------------------------------- others

    /**
     * {@return another node, by its name} It need not be there yet.
     *
     * @param name its name
     */
    public RemoteNode at(String name) {
        return new RemoteNode(presence, Objects.requireNonNull(name, "name"));
    }

    /** {@return the names of the nodes that this one has sessions with, in alphabetical order} */
    public List<String> peers() {
        return presence.upNames();
    }

    /**
     * Waits until this node has sessions with so many others. A switchpoint.
     *
     * @param count how many
     * @param limit how long to wait at most
     * @return false if the limit passed
     */
    public boolean awaitPeers(int count, Duration limit) {
        long limitNs = Waits.nanos(limit);
        Waits.switchpoint();
        return presence.awaitPeers(count, limitNs);
    }

    /**
     * Tells what the node knows of others, its sessions, their queues, and what they keep. From any
     * thread; waits for nothing.
     *
     * @return what it is now
     */
    public NodeDump dump() {
        Membership registered = membership;
        if (registered == null) {
            return presence.dump(null, null);
        }
        Lease lease = registered.lease();
        return presence.dump(
                new NodeDump.Registration(
                        Long.toHexString(lease.life()),
                        Duration.ofNanos(lease.leftNs()),
                        List.copyOf(registered.live().keySet()),
                        registered.trouble(),
                        Objects.requireNonNull(store).calls()),
                entities.dump());
    }

    /**
     * {@return whether the node can do its work now} Without a store that is so until it leaves.
     * With one, its lease is held; and if entities are used, the table of their shards is known.
     * For the readiness probe of a platform, which sends no requests to a node that is not ready:
     * it is none while the store does not answer, and while it leaves. From any thread; waits for
     * nothing.
     */
    public boolean isReady() {
        Membership registered = membership;
        return !isLeaving
                && (registered == null || (registered.lease().isHeld() && entities.isReady()));
    }

    /** Its register in the store; null if it has no store. For tests. */
    @Nullable Membership membership() {
        return membership;
    }

    /** The session with another node; null if there is none. For tests. */
    @Nullable Conversation conversation(String name) {
        return presence.conversation(name);
    }

    /** The entries that the session with another node has; null if there is none. For tests. */
    @Nullable Counts counts(String name) {
        Conversation with = conversation(name);
        return with == null ? null : with.counts();
    }

    /**
     * {@return the system's group of the name, shared with the nodes that share it too} Its members
     * are the actors of all of them. Each node is the only authority on its own: they join here
     * ({@link Group#join}), and leave when they end. Those of another node leave when it says so,
     * and all when the session with it ends, before a monitor hears of that. A router over it sends
     * to all of them, see {@link dev.ropewalk.actors.routing.Routing}.
     *
     * <p>The group is that of {@link ActorSystem#group}. When this node has left, the members of
     * this process stay in it.
     *
     * @param <M> the type of the messages that the members take; a node whose group of that name
     *     has another one does not share it, and a warning says so
     * @param name its name
     * @param type the type of the messages
     * @throws IllegalArgumentException if this system has a group of the name with another type, or
     *     the name is blank or has a {@code /}
     */
    public <M> Group<M> group(String name, Class<M> type) {
        return presence.group(
                Objects.requireNonNull(name, "name"), Objects.requireNonNull(type, "type"));
    }

    /**
     * {@return the entities of a kind, which run on the nodes of the cluster} Each key belongs to
     * one of 256 shards, and each shard to one of the nodes on which kinds are open, which share
     * them evenly. The first message to a key starts its actor on that node; see {@link EntityKind}
     * for what it is then. When nodes come, leave or fail, shards move, and messages follow them.
     * All nodes of a cluster open the same kinds: a message to one that its node has not opened
     * waits until it does.
     *
     * @param <M> the type of the messages, which are of the node's protocol
     * @param kind what they are
     * @throws IllegalArgumentException if the node has a kind of that name, or it is that of {@link
     *     #singleton}; if its messages are not of the node's protocol; or if its state has a type
     *     that cannot be stored
     * @throws IllegalStateException if the node has no store, or has left
     */
    public <M> Entities<M> entities(EntityKind<M, ?> kind) {
        KindAccess kinds = KindAccess.get();
        options.protocol().checkHas(kinds.messages(Objects.requireNonNull(kind, "kind")), kind);
        return kinds.open(entities, kind);
    }

    /**
     * {@return the address of an actor that runs once in the cluster} It is an entity with one key,
     * which is started without a message: on the node that owns its name, and on another one when
     * that leaves or fails. It runs always; one that has ended is started again. Each node defines
     * it.
     *
     * @param <M> the type of its messages
     * @param name of it
     * @param actor how it is made; it may have run on another node before
     * @throws IllegalArgumentException if the node has defined one of the name, or the actor is
     *     started again after each end ({@code PERMANENT})
     * @throws IllegalStateException as {@link #entities}
     */
    public <M> ActorRef<M> singleton(String name, Actor<M> actor) {
        return entities.singleton(
                Objects.requireNonNull(name, "name"), Objects.requireNonNull(actor, "actor"));
    }

    /** Of tests. */
    NodeEntities entities() {
        return entities;
    }

    /** {@return the system whose actors other nodes reach} */
    public ActorSystem system() {
        return system;
    }

    /** {@return its name} */
    public String name() {
        return options.name();
    }

    /** {@return the address under which other nodes reach it, without the port} */
    public String host() {
        return options.host();
    }

    /** {@return the port on which it listens} */
    public int port() {
        return presence.self().port();
    }

    // ---------------------------------------------------------------- the end

    /**
     * Leaves the cluster: it gives the shards of its entities to other nodes, accepts no node any
     * more, waits until the others have acknowledged what was sent to them before, and ends all
     * sessions. Entities of this node end behind the messages that they have, those that take
     * longer than three quarters of the limit are terminated, and none runs here afterwards; other
     * actors go on, and answer until then. A switchpoint; to leave twice is harmless.
     *
     * @param limit how long to wait for entities and acknowledgements
     * @return false if the limit passed first, or the node has a store that could not be told. Each
     *     message that was not acknowledged is a dead letter, also one that was sent meanwhile
     */
    public boolean leave(Duration limit) {
        long limitNs = Waits.nanos(limit);
        isLeaving = true;
        WaitCell over = new WaitCell();
        if (leaving.give(new Leave(limitNs, over))) {
            isLeftComplete = Boolean.TRUE.equals(over.await("the end of " + this));
        }
        fiber.awaitEnd(Waits.FOREVER);
        closeCord();
        return isLeftComplete;
    }

    private void closeCord() {
        if (ownCord != null) {
            ownCord.close();
        }
    }

    /**
     * Leaves with a limit of {@link #CLOSE_LIMIT}. Also a fiber that is being ended, or a thread
     * that is interrupted, waits for it.
     */
    @Override
    public void close() {
        Waits.cleanUp(() -> leave(CLOSE_LIMIT));
    }

    @Override
    public String toString() {
        return "node " + options.name();
    }
}
