package dev.ropewalk.actors.cluster.internal.shard;

import dev.ropewalk.actors.cluster.internal.lease.Membership;
import dev.ropewalk.actors.cluster.store.Store;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The shards of entities, as one node of a cluster knows them: which it owns, and which node owns
 * the others. Confined to the node's cord, but for the parts that say so.
 *
 * <p>A key belongs to a shard for ever, because states are found by it after years: the number is
 * CRC-32C of its UTF-8, modulo {@link #COUNT}. It stands in the key of a state, so that the states
 * of one shard can be listed. Rejected: {@code hashCode}, which the JDK may change for other types
 * than text, and which other programs do not have.
 */
public final class Shards {
    public static final int COUNT = 256;

    /**
     * A shard, as this node knows it.
     *
     * @param shard its number
     * @param owner the node that owns it; null if nobody does
     * @param life that of the owner
     * @param epoch of the owner; 0 if there is none
     * @param state its state on this node
     * @param since for how long this node has known it like this
     */
    public record Part(
            int shard,
            @Nullable String owner,
            long life,
            long epoch,
            String state,
            Duration since) {}

    /**
     * All shards, as this node knows them at some moment.
     *
     * @param revision of the table; 0 if there is none yet
     * @param parts each shard, in order
     * @param taken how often this node began to own a shard
     * @param given how often it gave one away
     * @param lost how often it lost one
     * @param trouble as {@link Shards#trouble}
     */
    public record Snapshot(
            long revision, List<Part> parts, long taken, long given, long lost, String trouble) {}

    /**
     * The shards of a node. Before {@link Membership#keep} begins, because the node's register says
     * that it takes shards.
     *
     * @param store in which the table is
     * @param cluster its name, which the table's key begins with
     * @param membership of the node
     * @param programVersion that of its program; while two of them run, shards go to the newer one
     * @param handler runs what belongs to shards
     * @param timing how fast they move
     */
    public Shards(
            Store store,
            String cluster,
            Membership membership,
            String programVersion,
            ShardHandler handler,
            ShardTiming timing) {
        membership.takeShards(programVersion);
    }

    /** {@return the shard of a key, from 0} */
    public static int of(String key) {
        CRC32C sum = new CRC32C();
        sum.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (sum.getValue() % COUNT);
    }

    /** {@return a shard, as it stands in the store} */
    public static String hex(int shard) {
        return HexFormat.of().toHexDigits((byte) shard);
    }

    /** Follows the table, takes and gives shards, until the node has left. A switchpoint. */
    public void run() {}

    /**
     * Gives all shards away, so that others have them before this node ends. Before {@link
     * Membership#leave}. A switchpoint.
     *
     * @return false if the limit passed first; what was left then has stopped
     */
    public boolean leave(Duration limit) {
        return true;
    }

    // ---------------------------------------------------------------- for any thread

    /**
     * Whether this node may take a message for a shard: it owns it, is not giving it away, and its
     * lease is held at this moment. Asked before each message.
     */
    public boolean isOwned(int shard) {
        return false;
    }

    /**
     * Whether this node may finish and answer what it has taken for a shard: it owns it, perhaps is
     * giving it away, and its lease is held at this moment. Asked before each answer.
     */
    public boolean isHeld(int shard) {
        return false;
    }

    /**
     * {@return the epoch of a shard: greater than that of each owner before; 0 if this life of this
     * node does not own it} Also while it is given away, and not a look at the lease.
     */
    public long epoch(int shard) {
        return 0;
    }

    /** {@return the node that owns a shard, as far as this one knows; null if nobody does} */
    public @Nullable String owner(int shard) {
        return null;
    }

    /** {@return the reason why no shard moves; empty if all is well} */
    public String trouble() {
        return "";
    }

    /** {@return what is known now, for a dump} */
    public Snapshot snapshot() {
        return new Snapshot(0, List.of(), 0, 0, 0, "");
    }

    /** On the cord. */
    public void checkInvariants() {}
}
