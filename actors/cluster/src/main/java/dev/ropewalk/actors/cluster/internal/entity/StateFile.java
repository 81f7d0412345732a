package dev.ropewalk.actors.cluster.internal.entity;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.cluster.entity.EntityException;
import dev.ropewalk.actors.cluster.internal.wire.KryoCodec;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.WriteResult;

import org.jspecify.annotations.Nullable;

/**
 * The stored value of one entity, for one incarnation of its actor: a version of its form, whether
 * something of it is to be done later, the number of its owner, the state, and the ledger. One with
 * nothing to keep is removed, but where owners come and go its number stays: otherwise a write of
 * an earlier owner that comes late finds the key as that owner has read it, absent, and stands. A
 * write that is refused, or whose outcome is unknown, is the end of the incarnation, and the next
 * one reads again. Confined to the actor's fiber; all calls are switchpoints.
 */
final class StateFile<S> {
    /** Of the form of what follows; another one is refused. */
    private static final byte FORM = 2;

    private static final int FIRST_SIZE = 256;

    private final StateStore store;
    private final StateCodec<S> codec;
    private final String key;
    private final Ownership ownership;
    private final int shard;
    private long epoch;
    private long revision;

    /** Neither a state nor anything else is stored. */
    private boolean isEmpty;

    /**
     * The content of a value.
     *
     * @param state null if there is none
     * @param ledger beside it
     */
    record Content<S>(@Nullable S state, Ledger ledger) {}

    StateFile(StateStore store, StateCodec<S> codec, String key, Ownership ownership, int shard) {
        this.store = store;
        this.codec = codec;
        this.key = key;
        this.ownership = ownership;
        this.shard = shard;
    }

    /** Whether this process may work for it now. */
    boolean mayWork() {
        return ownership.mayWork(shard);
    }

    /** Whether the owner that has read it may write it: the shard may have come back meanwhile. */
    boolean isOwned() {
        return ownership.mayWrite(shard, epoch);
    }

    Ownership ownership() {
        return ownership;
    }

    /** Of the owner that has read it; greater than that of each one before. */
    long epoch() {
        return epoch;
    }

    /**
     * Reads it.
     *
     * @throws EntityException if this program does not know what it is
     * @throws dev.ropewalk.actors.cluster.store.StoreException if the store cannot tell
     */
    Content<S> read() {
        epoch = ownership.epoch(shard);
        StoreEntry entry = store.read(key);
        revision = entry.revision();
        Content<S> content = entry.isPresent() ? content(entry) : new Content<>(null, new Ledger());
        isEmpty = content.state == null && content.ledger.isEmpty();
        return content;
    }

    private Content<S> content(StoreEntry entry) {
        WireInput from = new WireInput();
        from.setBuffer(entry.value(), 0, entry.value().length);
        byte[] state;
        Ledger ledger;
        try {
            readForm(entry, from);
            from.readBoolean();
            checkEpoch(from.readVarLong(true));
            state = from.readBytes(from.readSize(1));
            ledger = Ledger.read(from);
            if (from.left() > 0) {
                throw new KryoException(from.left() + " bytes are left");
            }
        } catch (KryoException damaged) {
            throw new EntityException(entry + " cannot be read: " + damaged.getMessage(), damaged);
        }
        return new Content<>(state.length == 0 ? null : codec.read(entry, state), ledger);
    }

    private void checkEpoch(long written) {
        if (written > epoch()) {
            throw new EntityException(
                    key
                            + " was written by a later owner: epoch="
                            + written
                            + " > "
                            + epoch()
                            + "; this process does not own it any more");
        }
    }

    private static void readForm(StoreEntry entry, WireInput from) {
        byte form = from.readByte();
        if (form != FORM) {
            throw new EntityException(
                    entry + " has form=" + form + ", and this program knows " + FORM);
        }
    }

    /** Whether the value is one of an entity that has something to do. */
    static boolean isWaiting(StoreEntry entry) {
        byte[] value = entry.value();
        return value.length > 1 && value[0] == FORM && value[1] != 0;
    }

    /** Whether it has a state, or something to do. */
    static boolean isAny(StoreEntry entry) {
        byte[] value = entry.value();
        if (value.length < 2 || value[0] != FORM || value[1] != 0) {
            return isWaiting(entry);
        }
        WireInput from = new WireInput();
        from.setBuffer(value, 2, value.length - 2);
        try {
            from.readVarLong(true);
            return from.readVarInt(true) > 0;
        } catch (KryoException damaged) {
            return true; // its entity says so
        }
    }

    /**
     * Writes the next content.
     *
     * @throws EntityException if it was not written, or nobody knows
     */
    void write(@Nullable S state, Ledger ledger) {
        if (!isOwned()) {
            throw new EntityException(
                    "the state of "
                            + key
                            + " was not written, because this process does not own it, or cannot"
                            + " tell; it is read again");
        }
        boolean isNone = state == null && ledger.isEmpty();
        if (isNone && isEmpty) {
            return;
        }
        if (isNone && !ownership.isShared()) {
            written(store.replace(key, revision, null));
            revision = 0;
            isEmpty = true;
            return;
        }
        Output to = new Output(FIRST_SIZE, Store.MAX_VALUE);
        to.writeByte(FORM);
        to.writeBoolean(ledger.isWaiting());
        to.writeVarLong(epoch(), true);
        byte[] bytes = state == null ? new byte[0] : codec.write(state);
        try {
            to.writeVarInt(bytes.length, true);
            to.writeBytes(bytes);
            ledger.write(to);
        } catch (KryoException full) {
            throw KryoCodec.tooLarge(key, Store.MAX_VALUE, full);
        }
        codec.ensureDescribed();
        revision = written(store.replace(key, revision, to.toBytes()));
        isEmpty = isNone;
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
