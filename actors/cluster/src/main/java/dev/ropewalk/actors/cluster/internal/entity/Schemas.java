package dev.ropewalk.actors.cluster.internal.entity;

import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.cluster.entity.EntityException;
import dev.ropewalk.actors.cluster.internal.wire.PeerTypes;
import dev.ropewalk.actors.cluster.internal.wire.TypeTable;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.WriteResult;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;

/**
 * The descriptions of the types in stored states. A description of all components by name is longer
 * than most states, so each one is stored once, under a hash of it, and a state names the hash. For
 * any thread.
 */
final class Schemas {
    private final StateStore store;
    private final TypeTable types;
    private final BiPredicate<String, String> mayDrop;
    private final byte[] own;
    private final long ownHash;

    /** As the programs that wrote them described them. */
    private final Map<Long, PeerTypes> known = new ConcurrentHashMap<>();

    /** Whether the store has the own description. */
    private volatile boolean isOwnStored;

    Schemas(StateStore store, TypeTable types, BiPredicate<String, String> mayDrop) {
        this.store = store;
        this.types = types;
        this.mayDrop = mayDrop;
        Output described = new Output(1_024, -1);
        types.describe(described);
        this.own = described.toBytes();
        this.ownHash = hash(own);
    }

    private static long hash(byte[] description) {
        try {
            byte[] all = MessageDigest.getInstance("SHA-256").digest(description);
            return ByteBuffer.wrap(all).getLong();
        } catch (NoSuchAlgorithmException none) {
            throw new AssertionError(none); // each Java has it
        }
    }

    /** Of what this program writes. */
    long own() {
        return ownHash;
    }

    private static String key(long hash) {
        return "schema/" + HexFormat.of().toHexDigits(hash);
    }

    /** Before the first state is written by it. A switchpoint. */
    void ensureStored() {
        if (isOwnStored) {
            return;
        }
        String key = key(ownHash);
        StoreEntry there = store.read(key);
        if (!there.isPresent() && !(store.replace(key, 0, own) instanceof WriteResult.Written)) {
            there = store.read(key); // another one was first, or nobody knows
        }
        if (there.isPresent() && !Arrays.equals(there.value(), own)) {
            throw new EntityException(
                    there + " describes other types than those that have its hash here");
        }
        if (there.isPresent() || store.read(key).isPresent()) {
            isOwnStored = true;
        } else {
            throw new EntityException(key + " could not be written");
        }
    }

    /** The types that the state with that hash was written with. A switchpoint. */
    PeerTypes of(long hash) {
        PeerTypes found = known.get(hash);
        if (found == null) {
            found = read(hash == ownHash ? own : stored(hash));
            known.put(hash, found);
        }
        return found;
    }

    private byte[] stored(long hash) {
        StoreEntry entry = store.read(key(hash));
        if (!entry.isPresent() || hash(entry.value()) != hash) {
            throw new EntityException(
                    "the description of a state's types, "
                            + entry
                            + ", is missing or another one: the store is not whole");
        }
        return entry.value();
    }

    private PeerTypes read(byte[] description) {
        WireInput from = new WireInput();
        from.setBuffer(description, 0, description.length);
        return PeerTypes.readStored(from, types, mayDrop);
    }
}
