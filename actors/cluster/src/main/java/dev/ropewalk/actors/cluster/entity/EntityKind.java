package dev.ropewalk.actors.cluster.entity;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.cluster.internal.entity.DurableDefinitions;
import dev.ropewalk.actors.cluster.internal.entity.EntityHome;
import dev.ropewalk.actors.cluster.internal.entity.KindAccess;
import dev.ropewalk.actors.cluster.internal.entity.KindHost;
import dev.ropewalk.actors.cluster.internal.entity.MessageTypes;
import dev.ropewalk.actors.cluster.internal.entity.NodeEntities;
import dev.ropewalk.actors.cluster.internal.entity.Route;
import dev.ropewalk.actors.cluster.internal.entity.Running;
import dev.ropewalk.actors.cluster.internal.entity.StateStore;
import dev.ropewalk.actors.cluster.internal.entity.StateTypes;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * The definition of entities: their name, the type of their messages, and how one of them is made.
 * Immutable.
 *
 * {@snippet file="dev/ropewalk/actors/cluster/entity/EntitySnippetsTest.java" region="kind"}
 *
 * @param <M> the type of the messages
 * @param <S> the type of the state of a durable kind; {@code Void} of another one
 */
public final class EntityKind<M, S> {
    /** How long an entity without messages runs, unless {@link #idle} says otherwise. */
    public static final Duration IDLE = Duration.ofMinutes(2);

    static {
        KindAccess.KINDS.set(
                new KindAccess() {
                    @Override
                    public <M> Entities<M> open(NodeEntities node, EntityKind<M, ?> kind) {
                        return kind.open(node);
                    }

                    @Override
                    public Class<?> messages(EntityKind<?, ?> kind) {
                        return kind.messages;
                    }
                });
    }

    private static final Running FIRST = new Running(IDLE, false);

    private final String name;
    private final Class<M> messages;
    private final Running running;
    private final MailboxOptions mailbox;

    /** Null if it is durable. */
    private final @Nullable Function<String, Actor<M>> actors;

    /** Null if it is not durable. */
    private final @Nullable Durable<M, S> durable;

    /** How the functions of an entity are made, and what its states are. */
    private record Durable<M, S>(
            Class<S> state,
            Function<EntityContext<M>, Server<M, S>> server,
            Map<Class<?>, Function<Object, S>> upgrades,
            Map<Class<?>, String> names,
            Map<Class<?>, Set<String>> dropped) {
        Durable<M, S> named(Map<Class<?>, String> others) {
            return new Durable<>(state, server, upgrades, others, dropped);
        }

        Durable<M, S> upgraded(Map<Class<?>, Function<Object, S>> others) {
            return new Durable<>(state, server, others, names, dropped);
        }

        Durable<M, S> dropping(Map<Class<?>, Set<String>> others) {
            return new Durable<>(state, server, upgrades, names, others);
        }
    }

    private EntityKind(
            String name,
            Class<M> messages,
            Running running,
            MailboxOptions mailbox,
            @Nullable Function<String, Actor<M>> actors,
            @Nullable Durable<M, S> durable) {
        if (name.isBlank() || name.indexOf('/') >= 0) {
            throw new IllegalArgumentException(
                    "a kind has the name \"" + name + "\"; give one without a /, and not blank");
        }
        this.name = name;
        this.messages = messages;
        this.running = running;
        this.mailbox = mailbox;
        this.actors = actors;
        this.durable = durable;
    }

    /**
     * {@return a kind whose entities have their state in memory} It is lost when the entity stops.
     * When a behavior returns {@code stopped}, the messages that are queued are dead letters, as
     * those of any actor.
     *
     * @param <M> the type of the messages
     * @param name of the kind, which no other one of the host has
     * @param messages the type of the messages
     * @param actor makes the definition of the actor of a key, each time it is started; must not
     *     wait
     */
    public static <M> EntityKind<M, Void> of(
            String name, Class<M> messages, Function<String, Actor<M>> actor) {
        Objects.requireNonNull(messages, "messages");
        Objects.requireNonNull(actor, "actor");
        return new EntityKind<>(name, messages, FIRST, MailboxOptions.unbounded(), actor, null);
    }

    /**
     * {@return a kind whose entities have their state in the store of the host} The state is what
     * the server's functions return. It is written before the message that changed it is complete:
     * the reply, and all that a function tells, leave after that, and never if the write fails. A
     * message whose function returns the state that it was given writes nothing. A server that ends
     * ({@link Server#endsWhen}, {@code Reply.last}) removes its state and its reminders, and the
     * next message finds the first one.
     *
     * <p>If the write is refused, or its outcome unknown, or if a function throws, the message
     * fails, as that of any actor; the entity reads its state again and goes on with the next
     * message. An ask of the message fails with the reason. After an unknown outcome the state may
     * have been written.
     *
     * <p>A function's {@code ask} leaves at once, as does a {@code tell} of a fiber that it has
     * spun. Timers of the entity's actor end with it when it stops for idleness.
     *
     * @param <M> the type of the messages
     * @param <S> the type of the state
     * @param name of the kind, which no other one of the host has
     * @param messages the type of the messages. If one is delivered to it ({@link
     *     EntityContext#deliver}), or it has reminders, all of that type must be such as a {@link
     *     dev.ropewalk.actors.cluster.Protocol} takes
     * @param state the type of the state: a record or enum, or a sealed interface of such, with the
     *     components that a {@link dev.ropewalk.actors.cluster.Protocol} takes. An address in it
     *     must be that of an entity of the same host
     * @param server makes the functions of an entity, each time it is started; must not wait
     */
    public static <M, S> EntityKind<M, S> durable(
            String name,
            Class<M> messages,
            Class<S> state,
            Function<EntityContext<M>, Server<M, S>> server) {
        Objects.requireNonNull(messages, "messages");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(server, "server");
        return new EntityKind<>(
                name,
                messages,
                FIRST,
                MailboxOptions.unbounded(),
                null,
                new Durable<>(state, server, Map.of(), Map.of(), Map.of()));
    }

    /**
     * {@return this kind, whose entities stop after another time without messages} What comes while
     * one stops starts the next one, so no message is lost by it.
     *
     * @param after how long, {@link #IDLE} otherwise
     * @throws IllegalArgumentException if it is not positive
     */
    public EntityKind<M, S> idle(Duration after) {
        if (!after.isPositive()) {
            throw new IllegalArgumentException("idle=" + after + " is not positive");
        }
        Waits.nanos(after);
        return with(new Running(after, running.isRemembered()));
    }

    /**
     * {@return this durable kind, whose entities are remembered} An entity with a state in the
     * store runs always: it does not stop for idleness, and when a process starts, or a shard comes
     * to a node, those that have a state are started without a message, 100 a second of all kinds
     * at most. So a hundred thousand take a quarter of an hour; one that a message comes to is
     * started by it meanwhile. After a failure it runs again within ten seconds. An entity that has
     * removed its state, or has never written one, is not remembered, and stops for idleness. One
     * that was told to stop runs again by its next message, or with the next process or node.
     *
     * @throws IllegalStateException if it is not durable
     */
    public EntityKind<M, S> remembered() {
        checkDurable("remembered");
        return with(new Running(running.idle(), true));
    }

    private EntityKind<M, S> with(Running other) {
        return new EntityKind<>(name, messages, other, mailbox, actors, durable);
    }

    /**
     * {@return this durable kind, whose entities have another mailbox} Of a kind in memory the
     * definition of the actor says.
     *
     * @param options how many messages it holds, and the rule for more
     * @throws IllegalStateException if it is not durable
     */
    public EntityKind<M, S> mailbox(MailboxOptions options) {
        checkDurable("mailbox");
        return new EntityKind<>(
                name,
                messages,
                running,
                Objects.requireNonNull(options, "options"),
                actors,
                durable);
    }

    /**
     * {@return this durable kind, which reads states of another type too} An older program has
     * written them. The next write of the entity is one of the new type.
     *
     * @param <T> the other type
     * @param old the other type: a record or enum
     * @param upgrade makes a state of one; must not wait
     * @throws IllegalStateException if it is not durable
     * @throws IllegalArgumentException if there is an upgrade of the type, or it is the type of the
     *     state itself
     */
    public <T> EntityKind<M, S> upgrade(Class<T> old, Function<T, S> upgrade) {
        Durable<M, S> own = checkDurable("upgrade");
        Objects.requireNonNull(upgrade, "upgrade");
        Map<Class<?>, Function<Object, S>> upgrades = new HashMap<>(own.upgrades);
        Function<Object, S> cast = read -> upgrade.apply(old.cast(read));
        if (old == own.state || upgrades.put(old, cast) != null) {
            throw new IllegalArgumentException(
                    "kind " + name + " reads " + old.getName() + " already");
        }
        return with(own.upgraded(upgrades));
    }

    /**
     * {@return this durable kind, where a type of its states has another name than that of its
     * class} The name stands in the store, so a class that has one may be renamed, or moved to
     * another package. Give a class that was renamed the name that it had.
     *
     * @param type a record or enum
     * @param name of it in the store
     * @throws IllegalStateException if it is not durable
     */
    public EntityKind<M, S> named(Class<?> type, String name) {
        Durable<M, S> own = checkDurable("named");
        Map<Class<?>, String> names = new HashMap<>(own.names);
        names.put(Objects.requireNonNull(type, "type"), Objects.requireNonNull(name, "name"));
        return with(own.named(names));
    }

    /**
     * {@return this durable kind, which drops a component that an older program had} Otherwise a
     * state with a component that is not here is refused, because a newer program may have written
     * it, and this one would write the state without it. A component that only this program has is
     * its {@link dev.ropewalk.actors.cluster.Default}, or zero, empty or null.
     *
     * @param record that had it
     * @param component its name
     * @throws IllegalStateException if it is not durable
     * @throws IllegalArgumentException if the class is no record, or still has the component;
     *     {@link EntityHost#entities} refuses a class that no state has
     */
    public EntityKind<M, S> drop(Class<?> record, String component) {
        Durable<M, S> own = checkDurable("drop");
        if (!record.isRecord() || hasComponent(record, component)) {
            throw new IllegalArgumentException(
                    component
                            + " of "
                            + record.getName()
                            + " cannot be dropped, because that "
                            + (record.isRecord() ? "has it" : "is no record"));
        }
        Map<Class<?>, Set<String>> dropped = new HashMap<>(own.dropped);
        Set<String> components = new HashSet<>(dropped.getOrDefault(record, Set.of()));
        components.add(Objects.requireNonNull(component, "component"));
        dropped.put(record, components);
        return with(own.dropping(dropped));
    }

    private static boolean hasComponent(Class<?> record, String component) {
        return Arrays.stream(record.getRecordComponents())
                .anyMatch(each -> each.getName().equals(component));
    }

    private EntityKind<M, S> with(Durable<M, S> other) {
        return new EntityKind<>(name, messages, running, mailbox, actors, other);
    }

    private Durable<M, S> checkDurable(String what) {
        if (durable == null) {
            throw new IllegalStateException(
                    what + " is for durable kinds, and " + this + " is none");
        }
        return durable;
    }

    /** {@return its name} */
    public String name() {
        return name;
    }

    /** {@return whether its entities have their state in the store} */
    public boolean isDurable() {
        return durable != null;
    }

    /**
     * Opens it.
     *
     * @throws IllegalArgumentException if it needs a store, or its state has a type that cannot be
     *     stored
     */
    EntityHome<M> open(KindHost host, EntityHome.Place place, @Nullable Route<M> route) {
        Durable<M, S> stored = durable;
        if (stored == null) {
            Function<String, Actor<M>> made = Objects.requireNonNull(actors);
            return new EntityHome<>(place, route, name, null, running, (_, _) -> made::apply);
        }
        StateStore states = Objects.requireNonNull(host.states());
        DurableDefinitions<M, S> definitions =
                new DurableDefinitions<>(
                        host,
                        name,
                        new StateTypes<>(
                                stored.state, stored.upgrades, stored.names, stored.dropped),
                        mailbox,
                        stored.server);
        MessageTypes types = new MessageTypes(states, messages);
        return new EntityHome<>(place, route, name, types, running, definitions);
    }

    private Entities<M> open(NodeEntities node) {
        KindHost host = node.host();
        EntityHome<M> home =
                node.open(name, isDurable(), (place, route) -> open(host, place, route));
        return entities(home, host.states());
    }

    /** The addresses of an open kind. */
    Entities<M> entities(EntityHome<M> home, @Nullable StateStore states) {
        return new Entities<>(
                home,
                key -> {
                    if (durable != null) {
                        String stored = DurableDefinitions.stateKey(name, key);
                        Store.checkKey(Objects.requireNonNull(states).full(stored));
                    }
                });
    }

    @Override
    public String toString() {
        return (durable == null ? "kind " : "durable kind ") + name;
    }
}
