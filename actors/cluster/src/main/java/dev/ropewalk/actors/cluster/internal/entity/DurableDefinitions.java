package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.cluster.entity.EntityContext;
import dev.ropewalk.actors.cluster.internal.wire.KryoCodec;
import dev.ropewalk.actors.cluster.internal.wire.TypeTable;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.fibers.Cord;

import java.util.function.Consumer;
import java.util.function.Function;

/** Makes the actors of a durable kind. For any thread; what it makes for a cord stays there. */
public final class DurableDefinitions<M, S> implements EntityHome.ByCord<M> {
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
     * @param store for the states
     * @param kind its name
     * @param types of the states
     * @param addresses in the states
     * @param mailbox of each entity
     * @param server makes the functions of an entity
     * @throws IllegalArgumentException if a type cannot be stored
     */
    public DurableDefinitions(
            StateStore store,
            String kind,
            StateTypes<S> types,
            EntityAddresses addresses,
            MailboxOptions mailbox,
            Function<EntityContext<M>, Server<M, S>> server) {
        this.store = store;
        this.kind = kind;
        this.types = types;
        this.table = types.table();
        this.schemas = new Schemas(store, table, types::mayDrop);
        this.addresses = addresses;
        this.mailbox = mailbox;
        this.server = server;
    }

    @Override
    public EntityHome.Definitions<M> on(Cord cord, Consumer<String> stop) {
        StateCodec<S> codec = new StateCodec<>(types, schemas, addresses, new KryoCodec(table));
        return key -> definition(key, codec, () -> stop.accept(key));
    }

    private Actor<M> definition(String key, StateCodec<S> codec, Runnable stop) {
        return Actor.<M>handler(
                        self -> {
                            EntityContext<M> context = new EntityContext<>(key, self);
                            StateFile<S> file =
                                    new StateFile<>(store, schemas, codec, stateKey(kind, key));
                            return new DurableBehavior<>(self, server.apply(context), file, stop);
                        })
                .mailbox(mailbox);
    }

    /** The key of a state, within the host's part of the store. */
    public static String stateKey(String kind, String key) {
        return "entity/" + kind + "/" + Shards.name(key) + "/" + key;
    }
}
