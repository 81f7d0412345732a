package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.cluster.entity.EntityContext;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.cluster.internal.wire.KryoCodec;
import dev.ropewalk.actors.cluster.internal.wire.TypeTable;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Objects;
import java.util.function.Function;

/** Makes the actors of a durable kind. For any thread; what it makes for a cord stays there. */
public final class DurableDefinitions<M, S> implements EntityHome.ByCord<M> {
    private final KindHost host;
    private final StateStore store;
    private final String kind;
    private final StateTypes<S> types;
    private final TypeTable table;
    private final Schemas schemas;
    private final EntityAddresses addresses;
    private final MailboxOptions mailbox;
    private final Function<EntityContext<M>, Server<M, S>> server;

    /**
     * Of a kind.
     *
     * @param host with a store for the states
     * @param kind its name
     * @param types of the states
     * @param mailbox of each entity
     * @param server makes the functions of an entity
     * @throws IllegalArgumentException if a type cannot be stored
     */
    public DurableDefinitions(
            KindHost host,
            String kind,
            StateTypes<S> types,
            MailboxOptions mailbox,
            Function<EntityContext<M>, Server<M, S>> server) {
        this.host = host;
        this.store = Objects.requireNonNull(host.states(), "states");
        this.kind = kind;
        this.types = types;
        this.table = types.table();
        this.schemas = new Schemas(store, table, types::mayDrop);
        this.addresses = new EntityAddresses(host.homes()::home);
        this.mailbox = mailbox;
        this.server = server;
    }

    @Override
    public EntityHome.Definitions<M> on(Cord cord, EntityHome.Keeper keeper) {
        StateCodec<S> codec = new StateCodec<>(types, schemas, addresses, new KryoCodec(table));
        Mail mail = new Mail(host.homes()::home, addresses);
        return key ->
                Actor.<M>handler(
                                self -> {
                                    StateFile<S> file =
                                            new StateFile<>(
                                                    store,
                                                    codec,
                                                    stateKey(kind, key),
                                                    host.ownership(),
                                                    Shards.of(key));
                                    return behavior(
                                            new DurableBehavior.Parts<>(
                                                    new Letter.Peer(kind, key),
                                                    file,
                                                    mail,
                                                    keeper,
                                                    host.clock()),
                                            self);
                                })
                        .mailbox(mailbox);
    }

    /** Its functions are made with a context that leads to it. */
    private Behavior<M> behavior(DurableBehavior.Parts<S> parts, ActorContext<M> self) {
        Changes<M, S> changes = new Changes<>();
        EntityContext<M> context = new EntityContext<>(parts.own().key(), self, changes);
        DurableBehavior<M, S> made = new DurableBehavior<>(parts, self, server.apply(context));
        changes.behavior = made;
        return made;
    }

    /** Of a behavior that is made behind the context of its functions. */
    private static final class Changes<M, S> implements EntityContext.Changes<M> {
        private @Nullable DurableBehavior<M, S> behavior;

        private DurableBehavior<M, S> behavior() {
            if (behavior == null) {
                throw new IllegalStateException(
                        "the functions of an entity are not made yet; call it where one runs");
            }
            return behavior;
        }

        @Override
        public long fence() {
            return behavior().fence();
        }

        @Override
        public void deliver(ActorRef<?> to, Object message) {
            behavior().deliver(to, message);
        }

        @Override
        public void remindAt(String name, Instant when, M message) {
            behavior().remindAt(name, when, Objects.requireNonNull(message, "message"));
        }

        @Override
        public void forgetReminder(String name) {
            behavior().forgetReminder(name);
        }
    }

    /** The key of a state, within the host's part of the store. */
    public static String stateKey(String kind, String key) {
        return prefix(kind, Shards.of(key)) + key;
    }

    /** The beginning of the keys of a kind's states. */
    static String prefix(String kind) {
        return "entity/" + kind + "/";
    }

    /** The same, of one shard. */
    static String prefix(String kind, int shard) {
        return prefix(kind) + Shards.hex(shard) + "/";
    }

    /** The key of an entity, by that of its state. */
    static String keyOf(String stateKey, String kind) {
        return stateKey.substring(prefix(kind).length() + Shards.hex(0).length() + 1);
    }
}
