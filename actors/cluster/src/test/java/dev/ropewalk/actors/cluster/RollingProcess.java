package dev.ropewalk.actors.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.RollingProgram.Tally;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Arrays;

/** A node of a version of {@link RollingProgram}, in a process of its own. */
final class RollingProcess {
    /** A line for it: leave in order, and end. Any other one has it tell its tally. */
    static final String LEAVE = "leave";

    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);

    private RollingProcess() {}

    /** Name, version, port, and the ports of other nodes. */
    public static void main(String[] arguments) throws IOException {
        Tally tally = new Tally();
        String[] others =
                Arrays.stream(arguments)
                        .skip(3)
                        .map(each -> "127.0.0.1:" + each)
                        .toArray(String[]::new);
        Node node =
                RollingProgram.valueOf(arguments[1])
                        .start(
                                NodeOptions.named(arguments[0])
                                        .withAddress("127.0.0.1", Integer.parseInt(arguments[2]))
                                        .withDiscovery(Discovery.of(others)),
                                tally);
        OUT.println("port " + node.port());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            boolean isEnd = line.equals(LEAVE);
            if (isEnd) {
                OUT.println("left " + RollingProgram.leave(node));
            }
            OUT.println("tally peers=" + node.peers().size() + " " + tally);
            if (!tally.unreadable.isEmpty()) {
                OUT.println("unreadable " + tally.unreadable.getFirst());
            }
            if (isEnd) {
                return;
            }
        }
        System.exit(0); // because its starter is gone
    }
}
