package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.internal.context.ContextTap;
import dev.ropewalk.actors.internal.context.Contexts;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.InContext;
import dev.ropewalk.actors.internal.observe.DeadLetters;
import dev.ropewalk.actors.internal.observe.Redaction;
import dev.ropewalk.actors.internal.observe.Snapshots;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.internal.routing.GroupCell;
import dev.ropewalk.actors.internal.routing.Routee;
import dev.ropewalk.actors.internal.supervision.Names;
import dev.ropewalk.actors.internal.supervision.Supervising;
import dev.ropewalk.actors.internal.supervision.SupervisorCell;
import dev.ropewalk.actors.internal.supervision.SupervisorHost;
import dev.ropewalk.actors.supervision.ChildSpec;
import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The part that all actors of a system share; for any thread. */
public final class SystemCore implements SupervisorHost {
    final DeadLetters deadLetters;
    final Redaction redaction;

    /** Null if it carries none. */
    private final @Nullable Contexts contexts;

    private final Snapshots snapshots = new Snapshots();

    private final List<Cord> cords;

    /** Why nothing is started any more; null while the system is open. */
    private volatile @Nullable String whyOver;

    private final AtomicLong placed = new AtomicLong();
    private final AtomicLong nextNumber = new AtomicLong(1);

    /** The supervisors of pools, by their names. */
    private final ConcurrentHashMap<String, Supervising> pools = new ConcurrentHashMap<>();

    private final ConcurrentHashMap<String, TypedGroup> groups = new ConcurrentHashMap<>();

    /** How often actors were started again, by the names of their classes. */
    private final ConcurrentHashMap<String, AtomicLong> restarts = new ConcurrentHashMap<>();

    /** The workers of pools, by the pools' names: a group of a program may have any name. */
    private final ConcurrentHashMap<String, GroupCell<?>> workers = new ConcurrentHashMap<>();

    /** The supervisors of those actors that have actors of their own. */
    private final ConcurrentHashMap<ActorCell<?>, SupervisorCell> ownChildren =
            new ConcurrentHashMap<>();

    /** Without contexts. */
    public SystemCore(
            List<Cord> cords,
            @Nullable Consumer<? super DeadLetter> deadLetterTaker,
            Redaction redaction) {
        this(cords, deadLetterTaker, redaction, null);
    }

    /** Without a taker dead letters are logged. */
    public SystemCore(
            List<Cord> cords,
            @Nullable Consumer<? super DeadLetter> deadLetterTaker,
            Redaction redaction,
            @Nullable Contexts contexts) {
        this.contexts = contexts;
        this.redaction = redaction;
        this.cords = List.copyOf(cords);
        this.deadLetters = new DeadLetters(deadLetterTaker);
    }

    @Override
    public <M> ActorCell<M> actor(
            @Nullable String name,
            Cord cord,
            Actor<M> actor,
            Supervising supervisor,
            @Nullable ChildSpec<?> spec) {
        ActorCell<M> made =
                new ActorCell<>(
                        name == null ? Routee.ANONYMOUS : name,
                        cord,
                        actor,
                        supervisor,
                        this,
                        spec);
        if (contexts != null) {
            contexts.check(cord, made.ref());
            made.addTap(new ContextTap(contexts, made.ref(), made::typeName));
        }
        return made;
    }

    // ---------------------------------------------------------------- contexts

    /** The item for a message, while taps, carriers or takers of dead letters want to know. */
    Object seen(Object message) {
        boolean isOfTaker = DeadLetters.areTakenHere();
        Object context = contextHere();
        if (context != null) {
            return new InContext(message, isOfTaker, context);
        }
        return isOfTaker ? new Envelope.Told(message, true) : ActorCell.told(message);
    }

    @Override
    public @Nullable Contexts contexts() {
        return contexts;
    }

    /** The context of the caller, for a message that it sends; null for none. */
    @Nullable Object contextHere() {
        return contexts == null ? null : contexts.current();
    }

    /** From now on messages have contexts, if the system carries them; until it is over. */
    public void openContexts() {
        if (contexts != null) {
            Taps.opened(this);
        }
    }

    /** No effect the second time. */
    public void closeContexts() {
        if (contexts != null) {
            Taps.closed(this);
        }
    }

    /** The light ones. */
    public Snapshots snapshots() {
        return snapshots;
    }

    void addChildrenOf(ActorCell<?> actor, SupervisorCell below) {
        ownChildren.put(actor, below);
    }

    /** Null if it has none. */
    @Nullable SupervisorCell childrenOf(ActorCell<?> actor) {
        return ownChildren.get(actor);
    }

    /** The incarnation that had them is over. */
    void removeChildrenOf(ActorCell<?> actor, SupervisorCell below) {
        ownChildren.remove(actor, below);
    }

    /**
     * The group of the name, made when it is first asked for.
     *
     * @throws IllegalArgumentException if it is one of another type, or the name is none
     */
    @SuppressWarnings("unchecked") // the type is checked here, and no other member can join
    public <M> GroupCell<M> group(String name, Class<?> type) {
        Names.checked("a group", name);
        TypedGroup found =
                groups.computeIfAbsent(
                        name,
                        _ ->
                                new TypedGroup(
                                        type, new GroupCell<>(name, ownerOf(name), deadLetters)));
        if (found.type() != type) {
            throw new IllegalArgumentException(
                    "group "
                            + name
                            + " is one of "
                            + found.type().getName()
                            + ", not of "
                            + type.getName());
        }
        return (GroupCell<M>) found.group();
    }

    /**
     * The workers of a pool.
     *
     * @throws IllegalArgumentException if a pool of the name stands elsewhere too
     */
    <M> GroupCell<M> pool(String id, Supervising supervisor) {
        Supervising owner =
                pools.merge(id, supervisor, (old, now) -> isSamePlace(old, now) ? now : old);
        if (owner != supervisor) {
            throw new IllegalArgumentException(
                    "pool "
                            + id
                            + " stands at "
                            + owner.path()
                            + " and at "
                            + supervisor.path()
                            + "; a system has one pool of a name");
        }
        return pool(id);
    }

    /** Or the old place is no more. */
    private static boolean isSamePlace(Supervising old, Supervising now) {
        return old.isGone() || old.path().equals(now.path());
    }

    /** The workers of a pool, whether it is there yet or not. */
    @SuppressWarnings("unchecked") // no worker of another pool joins
    public <M> GroupCell<M> pool(String id) {
        return (GroupCell<M>)
                workers.computeIfAbsent(
                        id,
                        _ -> {
                            String name = "pool " + id;
                            return new GroupCell<>(name, ownerOf(name), deadLetters);
                        });
    }

    private Cord ownerOf(String group) {
        return cords.get(Math.floorMod(group.hashCode(), cords.size()));
    }

    /** A group, and what its members take. */
    private record TypedGroup(Class<?> type, GroupCell<?> group) {}

    @Override
    public long nextNumbers(int count) {
        return nextNumber.getAndAdd(count);
    }

    /** Where dead letters go. */
    public DeadLetters deadLetters() {
        return deadLetters;
    }

    /** An actor of that class is started again. */
    void restarts(String type) {
        restarts.computeIfAbsent(type, _ -> new AtomicLong()).incrementAndGet();
    }

    /** How often actors were started again, by the names of their classes. */
    public Map<String, Long> restarts() {
        Map<String, Long> all = new HashMap<>();
        restarts.forEach((type, count) -> all.put(type, count.get()));
        return all;
    }

    /** From now on nothing is started. */
    public void close() {
        whyOver = "its system has been closed";
        endGroups();
        closeContexts();
    }

    /** The same, without a close. */
    @Override
    public void rootHasEnded() {
        whyOver = "its system is over: the root supervisor has ended; start a new system";
        endGroups();
        closeContexts();
    }

    private void endGroups() {
        for (TypedGroup each : groups.values()) {
            each.group().end();
        }
        for (GroupCell<?> each : workers.values()) {
            each.end();
        }
    }

    @Override
    public void checkOpen(Object what) {
        String why = whyOver;
        if (why != null) {
            throw new IllegalStateException(what + " was not started, because " + why);
        }
    }

    /** Over which actors are spread. */
    public List<Cord> cords() {
        return cords;
    }

    /** The cord of the next actor of a supervisor that spreads its actors. */
    @Override
    public Cord nextCord() {
        return cords.get((int) (placed.getAndIncrement() % cords.size()));
    }
}
