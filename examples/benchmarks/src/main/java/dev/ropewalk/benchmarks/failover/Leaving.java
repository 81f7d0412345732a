package dev.ropewalk.benchmarks.failover;

import dev.ropewalk.benchmarks.measure.Stopwatch;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Lets a node leave whose entities are asked all the time, and counts asks that fail. */
public final class Leaving {
    private static final int DEFAULT_ENTITIES = 10_000;
    private static final int MAX_ENTITIES = 1_000_000;

    private static final int ASKER = 1;
    private static final int LEAVER = 2;

    private static final Duration FILL_LIMIT = Duration.ofMinutes(5);

    /** Asks before the leave, and behind it. */
    private static final Duration AROUND = Duration.ofSeconds(2);

    private static final Duration A_MOMENT = Duration.ofSeconds(10);

    private final int entities;

    private Leaving(int entities) {
        this.entities = entities;
    }

    /**
     * {@return the measurement that a command line asks for}
     *
     * @param arguments none, or {@code --entities} and a number
     * @throws IllegalArgumentException if they are others
     */
    public static Leaving of(List<String> arguments) {
        if (arguments.isEmpty()) {
            return new Leaving(DEFAULT_ENTITIES);
        }
        if (!arguments.getFirst().equals("--entities") || arguments.size() > 2) {
            throw new IllegalArgumentException("leave takes --entities and a number: " + arguments);
        }
        return new Leaving(Numbers.behind(arguments, 0, MAX_ENTITIES));
    }

    /**
     * What was seen.
     *
     * @param isComplete whether the leave says so
     * @param running how many entities the node had
     * @param asks of all entities, from before the leave to after the end of the process
     */
    record Seen(
            boolean isComplete,
            long running,
            double tookMs,
            long asks,
            long failed,
            double longestMs) {}

    /**
     * Prints a line.
     *
     * @return whether the node has left in order, and each ask was answered
     * @throws IOException if a process does not do its part; the message says where its log is
     */
    public boolean run(PrintStream out) throws IOException, InterruptedException {
        Seen seen = round();
        out.printf(
                Locale.ROOT,
                "LEAVE ropewalk: the node with %,d entities has left %s after %,.0f ms; of %,d asks"
                        + " %,d failed, and the longest took %,.0f ms%n",
                seen.running(),
                seen.isComplete() ? "in order" : "with something undone",
                seen.tookMs(),
                seen.asks(),
                seen.failed(),
                seen.longestMs());
        return seen.isComplete() && seen.failed() == 0;
    }

    Seen round() throws IOException, InterruptedException {
        try (Trio trio = new Trio(Subject.ROPEWALK)) {
            MemberProcess asker = trio.member(ASKER);
            MemberProcess leaver = trio.member(LEAVER);
            asker.say(Console.FILL + " " + entities + " " + leaver);
            trio.await(Console.FILLED, FILL_LIMIT);
            leaver.say(Console.COUNT);
            long running = Long.parseLong(trio.await(Console.RUNNING, A_MOMENT)[1]);
            asker.say(Console.PRESS);
            trio.rest(AROUND);
            Stopwatch since = new Stopwatch();
            trio.leave(leaver);
            boolean isComplete =
                    Boolean.parseBoolean(
                            trio.await(Console.LEFT, RopewalkMember.LEAVE_LIMIT.plus(A_MOMENT))[1]);
            double tookMs = since.elapsedNs() / 1e6;
            trio.await(MemberProcess.ENDED, A_MOMENT);
            trio.rest(AROUND);
            asker.say(Console.STOP);
            String[] asked = trio.await(Console.ASKED, RopewalkMember.ASK_LIMIT.plus(A_MOMENT));
            return new Seen(
                    isComplete,
                    running,
                    tookMs,
                    Long.parseLong(asked[1]),
                    Long.parseLong(asked[2]),
                    Long.parseLong(asked[3]) / 1e6);
        }
    }

    /** As it was asked for. */
    @Override
    public String toString() {
        return "entities=" + entities;
    }
}
