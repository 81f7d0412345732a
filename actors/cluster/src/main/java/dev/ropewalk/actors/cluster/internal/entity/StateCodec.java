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

/**
 * States, or messages, of a kind as bytes: the hash of the description of their types, and the
 * value. Confined to a cord; never waits but for a description that is not known yet.
 */
final class StateCodec<S> {
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

    /** Before the first value is written. A switchpoint. */
    void ensureDescribed() {
        schemas.ensureStored();
    }

    /**
     * Writes a value, once the store has the description.
     *
     * @throws dev.ropewalk.actors.cluster.NotSendableException if it has something that cannot be
     *     stored, or is too large
     */
    byte[] write(S state) {
        Output to = new Output(FIRST_SIZE, Store.MAX_VALUE);
        to.writeLong(schemas.own());
        kryo.write(to, state, addresses);
        return to.toBytes();
    }

    /**
     * Reads a value. A switchpoint.
     *
     * @param entry for errors
     * @param value the bytes
     * @throws EntityException if this program does not know what it is
     */
    S read(Object entry, byte[] value) {
        WireInput from = new WireInput();
        from.setBuffer(value, 0, value.length);
        try {
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

    private S upgraded(Object entry, Object read) {
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
