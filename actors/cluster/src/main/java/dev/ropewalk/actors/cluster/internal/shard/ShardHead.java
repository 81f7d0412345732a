package dev.ropewalk.actors.cluster.internal.shard;

import dev.ropewalk.actors.cluster.store.StoreEntry;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.StringJoiner;

/** The first line of a table of shards, which says how keys find their shards; and their names. */
public final class ShardHead {
    /** The key of the table, below the name of a cluster or a host. */
    public static final String KEY = "shards";

    /** All that must be the same for keys to be found, and lines to be read. */
    static final String LINE =
            "ropewalk shards: " + Shards.COUNT + ", hash: CRC-32C, hash version: 1, format: 1";

    private static final int LONGEST = 100;

    private ShardHead() {}

    /** {@return a table without owners, of a process that owns all} */
    public static byte[] bytes() {
        return (LINE + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /**
     * {@return why states beside that table are not found by this program; null if they are}
     *
     * @param table an entry that is there
     */
    public static @Nullable String refusal(StoreEntry table) {
        String first =
                new String(table.value(), StandardCharsets.UTF_8).lines().findFirst().orElse("");
        return first.equals(LINE)
                ? null
                : "the entry "
                        + table.key()
                        + " begins with \""
                        + (first.length() > LONGEST ? first.substring(0, LONGEST) + "..." : first)
                        + "\", and this program needs \""
                        + LINE
                        + "\": keys would be looked for in other shards; run the program that"
                        + " wrote it, or give this one another name or cluster";
    }

    /** {@return several, as 00-3f, 41; those that follow each other as one range} */
    static String names(List<Integer> ascending) {
        StringJoiner all = new StringJoiner(", ");
        int at = 0;
        while (at < ascending.size()) {
            int first = ascending.get(at);
            int last = first;
            while (++at < ascending.size() && ascending.get(at) == last + 1) {
                last++;
            }
            all.add(first == last ? Shards.hex(first) : Shards.hex(first) + "-" + Shards.hex(last));
        }
        return all.toString();
    }
}
