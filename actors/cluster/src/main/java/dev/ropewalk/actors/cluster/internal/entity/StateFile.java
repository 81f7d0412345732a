package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.cluster.entity.EntityException;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.WriteResult;

import org.jspecify.annotations.Nullable;

/**
 * The stored state of one entity, for one incarnation of its actor: a write that is refused, or
 * whose outcome is unknown, is its end, and the next incarnation reads again. Confined to the
 * actor's fiber; all calls are switchpoints.
 */
final class StateFile<S> {
    private final StateStore store;
    private final Schemas schemas;
    private final StateCodec<S> codec;
    private final String key;
    private long revision;

    StateFile(StateStore store, Schemas schemas, StateCodec<S> codec, String key) {
        this.store = store;
        this.schemas = schemas;
        this.codec = codec;
        this.key = key;
    }

    /**
     * The state; null if there is none.
     *
     * @throws EntityException if this program does not know what it is
     * @throws dev.ropewalk.actors.cluster.store.StoreException if the store cannot tell
     */
    @Nullable S read() {
        StoreEntry entry = store.read(key);
        revision = entry.revision();
        return entry.isPresent() ? codec.read(entry) : null;
    }

    /**
     * Writes the next state.
     *
     * @throws EntityException if it was not written, or nobody knows
     */
    void write(S state) {
        byte[] value = codec.write(state);
        schemas.ensureStored();
        revision = written(store.replace(key, revision, value));
    }

    /** No state is left. */
    void remove() {
        if (revision > 0) {
            written(store.replace(key, revision, null));
            revision = 0;
        }
    }

    private long written(WriteResult result) {
        return switch (result) {
            case WriteResult.Written(long next) -> next;
            case WriteResult.Refused() ->
                    throw new EntityException(
                            "the state of "
                                    + key
                                    + " was not written, because another one than revision="
                                    + revision
                                    + " is there: somebody else writes it; it is read again");
            case WriteResult.Unknown(Throwable cause) ->
                    throw new EntityException(
                            "whether the state of "
                                    + key
                                    + " was written is unknown: "
                                    + cause.getMessage()
                                    + "; it is read again",
                            cause);
        };
    }
}
