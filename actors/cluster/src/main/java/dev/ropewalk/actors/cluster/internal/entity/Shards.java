package dev.ropewalk.actors.cluster.internal.entity;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * The parts into which the keys of a kind fall. A key belongs to a part for ever, because states
 * are found by it after years: the number is CRC-32C of its UTF-8, modulo {@link #COUNT}. It stands
 * in the key of a state, so that the states of one part can be listed.
 *
 * <p>Rejected: {@code hashCode}, which the JDK may change for other types than text, and which
 * other programs do not have.
 */
public final class Shards {
    public static final int COUNT = 256;

    private Shards() {}

    /** {@return the part of a key, from 0} */
    public static int of(String key) {
        CRC32C sum = new CRC32C();
        sum.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (sum.getValue() % COUNT);
    }

    /** {@return a part, as it stands in the store} */
    static String name(int shard) {
        return HexFormat.of().toHexDigits((byte) shard);
    }
}
