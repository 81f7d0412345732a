package dev.ropewalk.benchmarks.observed;

import dev.ropewalk.actors.observer.Observer;
import dev.ropewalk.actors.observer.ObserverOptions;
import dev.ropewalk.benchmarks.measure.Heap;
import dev.ropewalk.benchmarks.measure.Stopwatch;
import dev.ropewalk.benchmarks.result.Observations;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What an observer costs the cord that it looks at: alone, beside an observer at which nobody
 * looks, and beside one with a viewer, in turn. First without a viewer, because one that counts
 * messages changes the code that the JVM compiles.
 */
public final class Observed {
    private static final String KEYWORD = Observations.KEYWORD + " ";
    private static final int ROUNDS = 21;
    private static final int ACTORS = 10_000;
    private static final int MANY = 100_000;
    private static final int PAGES = 20;
    private static final double ROUND_NS = 1.5e9;
    private static final long FIRST_MESSAGES = 2_000_000;
    private static final double MIB = 1 << 20;

    private static final long FIRST_TRANSFERS = 200_000;
    private static final String FIELD = "field";

    private final PrintStream out;
    private final Bank bank;

    private Observed(PrintStream out, Bank bank) {
        this.out = out;
        this.bank = bank;
    }

    /** Accounts that ask each other, on a cord and in a system that it makes each time. */
    @FunctionalInterface
    public interface Bank {
        /** Makes so many transfers. */
        void transfer(long times) throws Exception;
    }

    /**
     * {@return the measurement that a command line asks for}
     *
     * @param arguments none
     * @throws IllegalArgumentException if there are some
     */
    public static Observed of(List<String> arguments, PrintStream out, Bank bank) {
        if (!arguments.isEmpty()) {
            throw new IllegalArgumentException("observed takes no arguments: " + arguments);
        }
        return new Observed(out, bank);
    }

    /** What is beside the observed cord. */
    private enum Beside {
        NOTHING,
        OBSERVER,
        VIEWER
    }

    /** Something to measure. */
    @FunctionalInterface
    private interface Work {
        double run() throws Exception;
    }

    /**
     * Prints a line for each figure.
     *
     * @throws Exception if the observer does not answer, or the bank fails
     */
    public void run() throws Exception {
        try (Field field = new Field(ACTORS)) {
            long pings = messages(field, 2);
            long orders = messages(field, field.size());
            for (Beside beside : List.of(Beside.OBSERVER, Beside.VIEWER)) {
                ratio("2 actors", "message", FIELD, beside, () -> nsEach(field, pings, 2));
                ratio(
                        "10,000 actors",
                        "message",
                        FIELD,
                        beside,
                        () -> nsEach(field, orders, field.size()));
            }
            for (Beside beside : Beside.values()) {
                gaps(beside, orders);
            }
        }
        long transfers = transfers();
        for (Beside beside : List.of(Beside.OBSERVER, Beside.VIEWER)) {
            ratio("the bank", "transfer", "", beside, () -> nsEach(transfers));
        }
        pages();
    }

    /** As many as take a round; behind a warm-up. In bursts, of which the bank ends no half. */
    private long transfers() throws Exception {
        for (int i = 0; i < 5; i++) {
            bank.transfer(FIRST_TRANSFERS);
        }
        double bursts = ROUND_NS / (FIRST_TRANSFERS * nsEach(FIRST_TRANSFERS));
        return FIRST_TRANSFERS * Math.max(1, Math.round(bursts));
    }

    private double nsEach(long transfers) throws Exception {
        Stopwatch time = new Stopwatch();
        bank.transfer(transfers);
        return (double) time.elapsedNs() / transfers;
    }

    /** As many as take a round; behind a warm-up. */
    private static long messages(Field field, int among) {
        for (int i = 0; i < 5; i++) {
            field.pass(FIRST_MESSAGES, among);
        }
        return (long) (ROUND_NS / nsEach(field, FIRST_MESSAGES, among));
    }

    private static double nsEach(Field field, long messages, int among) {
        Stopwatch time = new Stopwatch();
        field.pass(messages, among);
        return (double) time.elapsedNs() / messages;
    }

    /**
     * A round beside it and one alone stand next to each other, in turn the one and the other
     * first, and each such pair has its ratio: a machine that grows slower does so for both.
     */
    private void ratio(String name, String of, String system, Beside beside, Work work)
            throws Exception {
        List<Double> alone = new ArrayList<>();
        List<Double> with = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            if (i % 2 == 0) {
                alone.add(beside(Beside.NOTHING, system, work));
                with.add(beside(beside, system, work));
            } else {
                with.add(beside(beside, system, work));
                alone.add(beside(Beside.NOTHING, system, work));
            }
            ratios.add(with.getLast() / alone.getLast());
        }
        List<Double> sorted = ratios.stream().sorted().toList();
        out.printf(
                Locale.ROOT,
                KEYWORD
                        + "%s beside %s: %.1f ns a %s, alone %.1f; ratio %.2f, half of the %d pairs"
                        + " within %.2f to %.2f%n",
                name,
                beside.name().toLowerCase(Locale.ROOT),
                median(with),
                of,
                median(alone),
                median(ratios),
                ROUNDS,
                sorted.get(ROUNDS / 4),
                sorted.get(ROUNDS - 1 - ROUNDS / 4));
    }

    private static double beside(Beside beside, String system, Work work) throws Exception {
        if (beside == Beside.NOTHING) {
            return work.run();
        }
        try (Observer observer = Observer.start(ObserverOptions.loopback());
                Viewer viewer = new Viewer(observer, system)) {
            if (beside == Beside.VIEWER) {
                viewer.stream();
                // Until a look has seen that they are busy, all messages are counted; those of the
                // bank, whose accounts are new each time, for the first second of a round.
                work.run();
            }
            return work.run();
        }
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    /** Each round with actors of its own, so that the first look of a viewer is in it. */
    private void gaps(Beside beside, long messages) throws IOException, InterruptedException {
        List<Double> longest = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            try (Field field = new Field(ACTORS)) {
                field.pass(FIRST_MESSAGES, field.size());
                long collected = collections();
                double ms = gapBeside(beside, field, messages);
                if (collections() == collected) { // the collector's pauses are not the observer's
                    longest.add(ms);
                }
            }
        }
        if (longest.isEmpty()) {
            out.println(KEYWORD + "no round without a collection; give the JVM -Xmx12g -Xmn10g");
            return;
        }
        out.printf(
                Locale.ROOT,
                KEYWORD
                        + "longest pause of the cord beside %s, in processor time of its thread:"
                        + " median %.2f ms, max %.2f ms of %d"
                        + " rounds without a collection%n",
                beside.name().toLowerCase(Locale.ROOT),
                median(longest),
                longest.stream().mapToDouble(each -> each).max().orElseThrow(),
                longest.size());
    }

    /** The viewer comes while the cord works. */
    private static double gapBeside(Beside beside, Field field, long messages)
            throws IOException, InterruptedException {
        if (beside == Beside.NOTHING) {
            return field.longestGapNs(messages, field.size()) / 1e6;
        }
        try (Observer observer = Observer.start(ObserverOptions.loopback());
                Viewer viewer = new Viewer(observer, FIELD)) {
            if (beside == Beside.VIEWER) {
                Thread.ofPlatform().daemon().name("looks").start(viewer::streamOrFail);
            }
            return field.longestGapNs(messages, field.size()) / 1e6;
        }
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    /** Nobody else looks, so each page looks anew. */
    private void pages() throws IOException, InterruptedException {
        try (Field field = new Field(MANY);
                Observer observer = Observer.start(ObserverOptions.loopback())) {
            long before = Heap.used();
            long after;
            try (Viewer viewer = new Viewer(observer, FIELD)) {
                viewer.stream();
                after = Heap.used();
            }
            List<Double> tookMs = new ArrayList<>();
            long bytes = 0;
            try (Viewer viewer = new Viewer(observer, FIELD)) {
                for (int i = 0; i < PAGES; i++) {
                    field.pass(FIRST_MESSAGES, field.size()); // so all have changed
                    Stopwatch time = new Stopwatch();
                    String page = viewer.page();
                    tookMs.add(time.elapsedNs() / 1e6);
                    bytes = page.length();
                    if (!page.contains("\"silent\":[],")) {
                        throw new IllegalStateException("a page without all actors: " + page);
                    }
                }
            }
            out.printf(
                    Locale.ROOT,
                    KEYWORD
                            + "a page of %,d actors: median %.0f ms, max %.0f ms, %,d characters; a"
                            + " viewer keeps %.1f MiB%n",
                    MANY,
                    median(tookMs),
                    tookMs.stream().mapToDouble(each -> each).max().orElseThrow(),
                    bytes,
                    (after - before) / MIB);
        }
    }
}
