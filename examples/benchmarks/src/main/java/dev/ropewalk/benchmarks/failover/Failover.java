package dev.ropewalk.benchmarks.failover;

import dev.ropewalk.benchmarks.measure.Stopwatch;
import dev.ropewalk.benchmarks.result.Measured;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Kills a process of a cluster, and measures how long its entities do not answer. */
public final class Failover {
    /** Begins the line with the medians of a system. */
    private static final String KEYWORD = "FAILOVER";

    private static final int DEFAULT_ROUNDS = 3;
    private static final int MAX_ROUNDS = 1_000;

    /** As {@code internal.lease.LeaseTiming} says. */
    private static final long LEASE_MS = 3_000;

    private static final long MARGIN_MS = 100;

    private static final int OLDEST = 0;
    private static final int ASKER = 1;
    private static final int YOUNGEST = 2;

    /** When no key has moved for so long, none is about to. */
    private static final Duration QUIET = Duration.ofSeconds(2);

    /** A node with fewer keys has not got its share yet. */
    private static final int FEWEST = 5;

    private static final Duration SETTLE_LIMIT = Duration.ofSeconds(90);
    private static final Duration ANSWER_LIMIT = Duration.ofMinutes(2);

    private final Set<Subject> subjects;
    private final int rounds;
    private final boolean killsOldest;

    private Failover(Set<Subject> subjects, int rounds, boolean killsOldest) {
        this.subjects = subjects;
        this.rounds = rounds;
        this.killsOldest = killsOldest;
    }

    /**
     * {@return the measurement that a command line asks for}
     *
     * @param arguments systems, all if there are none; {@code --rounds} and a number; {@code
     *     --oldest}, to kill the first process of the cluster and not the last one
     * @throws IllegalArgumentException if they are others
     */
    public static Failover of(List<String> arguments) {
        Set<Subject> subjects = new LinkedHashSet<>();
        int rounds = DEFAULT_ROUNDS;
        boolean killsOldest = false;
        for (int i = 0; i < arguments.size(); i++) {
            switch (arguments.get(i)) {
                case "--rounds" -> rounds = Numbers.behind(arguments, i++, MAX_ROUNDS);
                case "--oldest" -> killsOldest = true;
                default -> subjects.add(Subject.of(arguments.get(i)));
            }
        }
        return new Failover(
                subjects.isEmpty() ? new LinkedHashSet<>(List.of(Subject.values())) : subjects,
                rounds,
                killsOldest);
    }

    /** Of a round: since the kill, of keys that the killed process had. */
    record Took(int keys, double firstMs, double lastMs) {}

    /**
     * Prints a line for each round, and one for each system.
     *
     * @throws IOException if a process does not do its part; the message says where its log is
     */
    public void run(PrintStream out) throws IOException, InterruptedException {
        for (Subject subject : subjects) {
            List<Took> all = new ArrayList<>();
            for (int round = 1; round <= rounds; round++) {
                Took took = round(subject);
                all.add(took);
                out.printf(
                        Locale.ROOT,
                        "%s round %d: of %d keys the first is answered after %,.0f ms, the last"
                                + " after %,.0f ms%n",
                        subject,
                        round,
                        took.keys(),
                        took.firstMs(),
                        took.lastMs());
            }
            print(out, "first", subject, all.stream().mapToDouble(Took::firstMs).toArray());
            print(out, "last", subject, all.stream().mapToDouble(Took::lastMs).toArray());
        }
        out.printf(Locale.ROOT, "lease + margin: %,d ms%n", LEASE_MS + MARGIN_MS);
    }

    private void print(PrintStream out, String which, Subject subject, double[] ms) {
        Measured of = Measured.of(ms, rounds);
        out.printf(
                Locale.ROOT,
                "%s %s %s %.0f %.0f %.0f %d%n",
                KEYWORD,
                which,
                subject,
                of.median(),
                of.least(),
                of.most(),
                rounds);
    }

    /** Starts a cluster, and kills a process of it. */
    Took round(Subject subject) throws IOException, InterruptedException {
        try (Trio trio = new Trio(subject)) {
            MemberProcess victim = trio.member(killsOldest ? OLDEST : YOUNGEST);
            trio.member(ASKER).say(Console.WATCH);
            Set<String> lost = keysOf(victim.toString(), settled(trio));
            int keys = lost.size();
            Stopwatch since = new Stopwatch();
            trio.kill(victim);
            double firstMs = 0;
            double lastMs = 0;
            while (!lost.isEmpty()) {
                Trio.Line line = trio.next(ANSWER_LIMIT.minusNanos(since.elapsedNs()));
                lastMs = since.elapsedNs() / 1e6;
                if (line == null) {
                    throw trio.broken(
                            lost.size() + " keys are not answered within " + ANSWER_LIMIT);
                }
                String[] words = line.words();
                if (words[0].equals(Console.AT) && lost.remove(words[1]) && firstMs == 0) {
                    firstMs = lastMs;
                }
            }
            return new Took(keys, firstMs, lastMs);
        }
    }

    /** Names of nodes by keys, once no key moves any more. */
    private static Map<String, String> settled(Trio trio) throws IOException, InterruptedException {
        Map<String, String> nodes = new HashMap<>();
        Stopwatch since = new Stopwatch();
        while (since.elapsedNs() < SETTLE_LIMIT.toNanos()) {
            Trio.Line line = trio.next(QUIET);
            if (line != null) {
                String[] words = line.words();
                if (words[0].equals(Console.AT)) {
                    nodes.put(words[1], words[2]);
                }
            } else if (isShared(nodes)) {
                return nodes;
            }
        }
        throw trio.broken("the nodes do not share the keys within " + SETTLE_LIMIT + ": " + nodes);
    }

    private static boolean isShared(Map<String, String> nodes) {
        for (int place = 0; place < Trio.NODES; place++) {
            if (keysOf(MemberSettings.name(place), nodes).size() < FEWEST) {
                return false;
            }
        }
        return nodes.size() == Askers.KEYS;
    }

    private static Set<String> keysOf(String node, Map<String, String> nodes) {
        Set<String> keys = new HashSet<>(nodes.keySet());
        keys.removeIf(key -> !node.equals(nodes.get(key)));
        return keys;
    }

    /** As it was asked for. */
    @Override
    public String toString() {
        return subjects + " rounds=" + rounds + (killsOldest ? " oldest" : "");
    }
}
