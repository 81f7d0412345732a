package dev.ropewalk.actors.cluster.internal.lease;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The entry that a node has in the store, as lines of text that an operator can read. Lines that
 * are not known are skipped, because a newer program may write more.
 *
 * @param life the number that the node has drawn when it came
 * @param state whether that life is over
 * @param host where the node is reached
 * @param port of the node
 * @param by the name of the node that wrote it: another one declares a life DEAD
 * @param version that of the node's program; empty if it is not told
 * @param takesShards whether shards of entities may be given to the node
 */
public record Register(
        long life,
        State state,
        String host,
        int port,
        String by,
        String version,
        boolean takesShards) {
    private static final String SHARDS = "shards";

    /** A life is UP until it is DEAD. */
    public enum State {
        /** The life goes on, as far as is known. */
        UP,
        /** It is over: its node has left, or another one has seen its lease end. */
        DEAD
    }

    /** The same life, which is over. */
    Register dead(String by) {
        return new Register(life, State.DEAD, host, port, by, version, takesShards);
    }

    byte[] bytes() {
        String text =
                "state: "
                        + state
                        + "\nlife: "
                        + Long.toHexString(life)
                        + "\nhost: "
                        + host
                        + "\nport: "
                        + port
                        + "\nby: "
                        + by
                        + (version.isEmpty() ? "" : "\nversion: " + version)
                        + (takesShards ? "\ntakes: " + SHARDS : "")
                        + "\n";
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The register that the bytes are; null if they are none. */
    static @Nullable Register read(byte[] bytes) {
        Map<String, String> lines = new HashMap<>();
        new String(bytes, StandardCharsets.UTF_8).lines().forEach(line -> put(line, lines));
        State state = state(lines.get("state"));
        String life = lines.get("life");
        String host = lines.get("host");
        String port = lines.get("port");
        if (state == null || life == null || host == null || port == null) {
            return null;
        }
        try {
            int number = Integer.parseInt(port);
            return number < 1 || number > 65_535
                    ? null
                    : new Register(
                            Long.parseUnsignedLong(life, 16),
                            state,
                            host,
                            number,
                            lines.getOrDefault("by", ""),
                            lines.getOrDefault("version", ""),
                            SHARDS.equals(lines.get("takes")));
        } catch (NumberFormatException notOne) {
            return null;
        }
    }

    private static void put(String line, Map<String, String> lines) {
        int colon = line.indexOf(": ");
        if (colon > 0) {
            lines.put(line.substring(0, colon), line.substring(colon + 2));
        }
    }

    private static @Nullable State state(@Nullable String name) {
        return Arrays.stream(State.values())
                .filter(each -> each.name().equals(name))
                .findAny()
                .orElse(null);
    }
}
