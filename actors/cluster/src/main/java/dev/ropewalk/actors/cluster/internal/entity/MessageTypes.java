package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.cluster.internal.wire.KryoCodec;
import dev.ropewalk.actors.cluster.internal.wire.TypeTable;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * The types of the messages that a durable kind takes, as far as they are stored: by those that
 * deliver to it, and as reminders. Made when the first one is, because other kinds may take
 * messages that cannot be stored. For any thread.
 */
public final class MessageTypes {
    private final StateStore store;
    private final Class<?> type;

    /** Null until a message is stored or read. */
    private @Nullable Described described;

    private record Described(TypeTable table, Schemas schemas) {}

    public MessageTypes(StateStore store, Class<?> type) {
        this.store = store;
        this.type = type;
    }

    /**
     * A codec for one cord.
     *
     * @throws IllegalArgumentException if one of the types cannot be stored
     */
    @SuppressWarnings("unchecked") // of whatever type the kind takes
    StateCodec<Object> codec(EntityAddresses addresses) {
        Described now = described();
        StateTypes<Object> types =
                new StateTypes<>((Class<Object>) type, Map.of(), Map.of(), Map.of());
        return new StateCodec<>(types, now.schemas, addresses, new KryoCodec(now.table));
    }

    /** Waits for nothing but another thread that makes it. */
    private synchronized Described described() {
        Described made = described;
        if (made == null) {
            TypeTable table = TypeTable.of(List.of(type), Map.of(), Map.of());
            // A message is not written again, so what it has more may be dropped.
            made = new Described(table, new Schemas(store, table, (_, _) -> true));
            described = made;
        }
        return made;
    }
}
