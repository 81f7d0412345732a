package dev.ropewalk.actors.cluster.ratis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.cluster.Node;
import dev.ropewalk.actors.cluster.NodeOptions;
import dev.ropewalk.actors.cluster.RollingSums;
import dev.ropewalk.actors.cluster.RollingSums.Adder;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A node of a version of {@link RollingSums}, in a process with a server of the store. It adds to
 * sums of its own, one after the other.
 *
 * <pre>
 *   added key sum    an ask was answered
 *   failed why       it was not
 *   left true        it has left in order
 * </pre>
 */
final class SumProcess {
    /** A line for it: leave in order, and end. */
    static final String LEAVE = "leave";

    /** So that some are of each node's shards. */
    static final int KEYS = 12;

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);

    private static volatile boolean isLeaving;

    private SumProcess() {}

    /** Its name, its version, its directory, and all servers. */
    public static void main(String[] arguments) throws IOException {
        Map<String, String> servers = new LinkedHashMap<>();
        for (int i = 3; i < arguments.length; i++) {
            int sign = arguments[i].indexOf('=');
            servers.put(arguments[i].substring(0, sign), arguments[i].substring(sign + 1));
        }
        String name = arguments[0];
        RollingSums version = RollingSums.valueOf(arguments[1]);
        RatisStore store = RatisStore.open(RatisOptions.of(name, servers, Path.of(arguments[2])));
        Node node =
                version.start(NodeOptions.named(name).withAddress("127.0.0.1", 0).withStore(store));
        Adder sums = version.entities(node);
        Cord cord = Cord.start("adds");
        Fiber<?> adding = cord.spin("adds", () -> keepAdding(node, sums));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        if (LEAVE.equals(in.readLine())) { // otherwise its starter is gone
            isLeaving = true;
            adding.awaitEnd(LIMIT);
            OUT.println("left " + node.leave(LIMIT));
            store.close();
        }
        Runtime.getRuntime().halt(0);
    }

    private static void keepAdding(Node node, Adder sums) {
        while (!node.isReady()) {
            Fiber.sleep(PAUSE);
        }
        for (int i = 0; !isLeaving; i++) {
            String key = node.name() + "-" + i % KEYS;
            try {
                OUT.println("added " + key + " " + sums.add(key));
            } catch (AskException failed) {
                OUT.println("failed " + key + " " + failed);
            }
            Fiber.sleep(PAUSE);
        }
    }
}
