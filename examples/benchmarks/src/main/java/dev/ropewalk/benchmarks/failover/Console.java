package dev.ropewalk.benchmarks.failover;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.function.Consumer;

/**
 * The lines that a process of a cluster reads and prints, a word and what it is about each. A line
 * is in the pipe when the method returns. For any thread.
 */
final class Console {
    // Orders.

    /** Asks all keys from now on, and tells where they are. */
    static final String WATCH = "watch";

    /** Starts so many entities on a node. */
    static final String FILL = "fill";

    /** Says how many entities run here. */
    static final String COUNT = "count";

    /** Asks the entities that FILL has started, again and again. */
    static final String PRESS = "press";

    static final String LEAVE = "leave";

    /** Ends what PRESS has begun, and says what came of it. */
    static final String STOP = "stop";

    // Answers.

    /** It is in the cluster, and so are the others. */
    static final String READY = "ready";

    /** A key was answered by a node, and by another one or none before. */
    static final String AT = "at";

    static final String FILLED = "filled";
    static final String RUNNING = "running";
    static final String LEFT = "left";
    static final String ASKED = "asked";

    /** Something that must not happen. */
    static final String WRONG = "wrong";

    private final PrintStream out;

    Console(PrintStream out) {
        this.out = new PrintStream(out, true, UTF_8);
    }

    void say(String word, Object... about) {
        StringBuilder line = new StringBuilder(word);
        for (Object each : about) {
            line.append(' ').append(each);
        }
        synchronized (this) {
            out.println(line);
        }
    }

    /** Carries orders out until the process that gives them has ended, and ends this one then. */
    void obey(InputStream orders, Consumer<String[]> each) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(orders, UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            each.accept(line.split(" ", -1));
        }
        Runtime.getRuntime().halt(0); // nobody is there to leave for
    }

    void doesNotKnow(String order) {
        say(WRONG, "it does not know the order " + order);
    }
}
