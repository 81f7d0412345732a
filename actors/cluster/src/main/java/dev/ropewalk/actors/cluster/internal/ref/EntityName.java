package dev.ropewalk.actors.cluster.internal.ref;

import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.cluster.internal.wire.Text;

import org.jspecify.annotations.Nullable;

/**
 * The kind and the key of an entity of the cluster, wherever it runs, and its shard. It keeps its
 * form on the wire, because a sender tells one entity many times.
 */
public final class EntityName {
    private static final int ROOM = 64;

    private final String kind;
    private final String key;
    private final int shard;

    /** Null until it is sent; any thread makes the same. Volatile, so that its bytes are there. */
    private volatile byte @Nullable [] encoded;

    /** The name of an entity of that kind with that key. */
    public EntityName(String kind, String key) {
        this(kind, key, Shards.of(key));
    }

    /** The same, of which the shard is known. */
    public EntityName(String kind, String key, int shard) {
        this.kind = kind;
        this.key = key;
        this.shard = shard;
    }

    public String kind() {
        return kind;
    }

    public String key() {
        return key;
    }

    public int shard() {
        return shard;
    }

    /** Writes both, as {@link Text}. */
    void write(Output to) {
        byte[] bytes = encoded;
        if (bytes == null) {
            Output made = new Output(ROOM, -1);
            Text.write(made, kind);
            Text.write(made, key);
            bytes = made.toBytes();
            encoded = bytes;
        }
        to.writeBytes(bytes);
    }

    @Override
    public String toString() {
        return kind + "/" + key;
    }
}
