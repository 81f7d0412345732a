package dev.ropewalk.actors.cluster.internal.entity;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.cluster.entity.EntityException;
import dev.ropewalk.actors.cluster.internal.wire.KryoCodec;
import dev.ropewalk.actors.cluster.internal.wire.PeerTypes;
import dev.ropewalk.actors.cluster.internal.wire.Recipients;
import dev.ropewalk.actors.cluster.internal.wire.RefusedTypeException;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;

/**
 * States of a kind as bytes: a version of this form, the number of the owner that wrote it, the
 * hash of the description of its types, and the state. Confined to a cord; never waits but for a
 * description that is not known yet.
 */
final class StateCodec<S> {
    /** Of the form of what follows; another one is refused. */
    private static final byte FORM = 1;

    private static final int FIRST_SIZE = 256;

    private final StateTypes<S> types;
    private final Schemas schemas;
    private final Recipients addresses;
    private final KryoCodec kryo;

    StateCodec(StateTypes<S> types, Schemas schemas, Recipients addresses, KryoCodec kryo) {
        this.types = types;
        this.schemas = schemas;
        this.addresses = addresses;
        this.kryo = kryo;
    }

    /**
     * Writes a state.
     *
     * @throws dev.ropewalk.actors.cluster.NotSendableException if it has something that cannot be
     *     stored, or is too large
     */
    byte[] write(S state) {
        Output to = new Output(FIRST_SIZE, Store.MAX_VALUE);
        to.writeByte(FORM);
        to.writeVarLong(0, true); // one process owns all
        to.writeLong(schemas.own());
        kryo.write(to, state, addresses);
        return to.toBytes();
    }

    /**
     * Reads a state. A switchpoint.
     *
     * @throws EntityException if this program does not know what it is
     */
    S read(StoreEntry entry) {
        WireInput from = new WireInput();
        from.setBuffer(entry.value(), 0, entry.value().length);
        try {
            byte form = from.readByte();
            if (form != FORM) {
                throw new EntityException(
                        entry + " has form=" + form + ", and this program knows " + FORM);
            }
            from.readVarLong(true);
            PeerTypes written = schemas.of(from.readLong());
            return upgraded(entry, kryo.read(from, written, addresses));
        } catch (RefusedTypeException refused) {
            throw new EntityException(
                    entry
                            + " was written by another version of the program: "
                            + refused.getMessage()
                            + "; start that one, or say how the state becomes one of this program"
                            + " with EntityKind.upgrade",
                    refused);
        } catch (KryoException damaged) {
            throw new EntityException(entry + " cannot be read: " + damaged.getMessage(), damaged);
        }
    }

    private S upgraded(StoreEntry entry, Object read) {
        if (!types.isKnown(read)) {
            throw new EntityException(
                    entry
                            + " is a "
                            + read.getClass().getName()
                            + ", no "
                            + types.type().getName()
                            + "; say how it becomes one with EntityKind.upgrade");
        }
        S state;
        try {
            state = types.upgraded(read);
        } catch (RuntimeException broken) {
            throw new EntityException("the upgrade of " + entry + " failed: " + broken, broken);
        }
        if (state == null) {
            throw new EntityException("the upgrade of " + entry + " returned null");
        }
        return state;
    }
}
