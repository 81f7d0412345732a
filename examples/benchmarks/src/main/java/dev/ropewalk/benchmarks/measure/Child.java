package dev.ropewalk.benchmarks.measure;

import static java.util.Map.entry;

import dev.ropewalk.benchmarks.result.Measured;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Row;
import dev.ropewalk.benchmarks.scenario.Scenario;
import dev.ropewalk.benchmarks.scenario.Sizes;

import java.util.Arrays;
import java.util.Map;

/**
 * The process that measures one program: rounds of the same number of operations after a warm-up,
 * each answer checked. Where the scenario allows it, the number is chosen so that a round takes
 * {@link #ROUND_NS}.
 */
public final class Child {
    private static final long WARM_UP_NS = 500_000_000;

    /** Of what goes through a socket: both sides of a session, Kryo and Netty. */
    private static final long REMOTE_WARM_UP_NS = 6_000_000_000L;

    /** For what is still becoming much faster: its rounds would be too short. */
    private static final long LONGEST_WARM_UP_NS = 3_000_000_000L;

    private static final long ROUND_NS = 150_000_000;
    private static final long LIMIT_NS = 2_000_000_000L;
    private static final int ROUNDS = 5;

    /** A second one gives the same figure to a byte or two, and takes most of a minute. */
    private static final int HEAP_ROUNDS = 1;

    /** Enough that what is measured then is compiled: its frames are smaller. */
    private static final long HEAP_WARM_UP = 100_000;

    private static final int FEWEST_ROUNDS = 2;

    /**
     * Rounds of sleepers to warm up: a body goes on for seconds as it was compiled when it began.
     */
    private static final int SLEEPY_ROUNDS = 2;

    private static final int FIRST_PART = 100;
    private static final int COUNTED_RUNS = 20;

    /** Of a check: small, and a multiple of every step; skynet needs a power of ten. */
    private static final Map<String, Long> FEW =
            Map.ofEntries(
                    entry("skynet", 1_000L),
                    entry("timers", 20L * Sizes.SLEEPS),
                    entry("fanin", 6_400L),
                    entry("big", 1_200L),
                    entry("snooze_10000", 2L * Sizes.MANY),
                    entry("snooze_gc", 2L * Sizes.MANY),
                    entry("wakeup", 20L),
                    entry("durable_sqlite", 2L * Sizes.REMOTE_ASKERS),
                    entry("durable_ratis", 2L * Sizes.REMOTE_ASKERS),
                    entry("durable_postgresql", 2L * Sizes.REMOTE_ASKERS),
                    entry("echo_64", 20L * Sizes.ECHO),
                    entry("echo_64_cpu", 20L * Sizes.ECHO),
                    entry("echo_1024", 2L * Sizes.ECHO_MANY),
                    entry("echo_1024_cpu", 2L * Sizes.ECHO_MANY));

    private static final long OTHERWISE = 2_000;
    private static final int MAX_TRIES = 50;

    private final Row row;
    private final Scenario scenario;
    private final Program program;

    public Child(Row row, Program program) {
        this.row = row;
        this.scenario = row.scenario();
        this.program = program;
    }

    /** Warms up, measures. */
    public Measured measure() throws Exception {
        if (scenario.unit() == Scenario.Unit.BYTES) {
            return measureHeap();
        }
        Stopwatch warmUp = new Stopwatch();
        long operations = warmUp();
        double[] perOperation = new double[ROUNDS];
        Stopwatch all = new Stopwatch();
        int rounds = 0;
        while (rounds < ROUNDS && (rounds < FEWEST_ROUNDS || all.elapsedNs() < LIMIT_NS)) {
            long tookNs = round(operations);
            perOperation[rounds++] = (double) tookNs / operations;
            if (isTooShort(operations, tookNs) && warmUp.elapsedNs() < LONGEST_WARM_UP_NS) {
                operations = ofOneRound((double) tookNs / operations);
                rounds = 0;
                all = new Stopwatch();
            }
        }
        return Measured.of(Arrays.copyOf(perOperation, rounds), operations);
    }

    /**
     * {@return how often both ends shared a thread, in percent; the process measures nothing}
     * Several runs, because a system may place the ends anew each time.
     */
    public double shared() throws Exception {
        long operations = rounded(scenario.most() / FIRST_PART / FIRST_PART);
        Stopwatch all = new Stopwatch();
        Sharing.begin();
        for (int i = 0; i < COUNTED_RUNS && all.elapsedNs() < LIMIT_NS; i++) {
            check(operations, program.run(operations));
        }
        return Sharing.end(row);
    }

    /**
     * Runs the program in small, and again: the answers are checked and, if the process counts,
     * where the ends are.
     */
    public void check() throws Exception {
        long few = FEW.getOrDefault(scenario.name(), OTHERWISE);
        int runs = scenario.sleeps() ? 1 : 2;
        Sharing.begin();
        for (int i = 0; i < runs; i++) {
            check(few, scenario.isAwaited() ? runAsleep(few) : program.run(few));
        }
        if (row.hasEnds() && Sharing.isCounted()) {
            Sharing.end(row);
        }
    }

    /**
     * Where compilers of the JVM want the CPU, a cord that spins has given it up to them, and has
     * work when it gets it back: then it does not fall asleep, and the program says so.
     */
    private long runAsleep(long few) throws Exception {
        for (int i = 1; ; i++) {
            try {
                return program.run(few);
            } catch (IllegalStateException awake) {
                if (i == MAX_TRIES) {
                    throw awake;
                }
            }
        }
    }

    private long warmUp() throws Exception {
        if (scenario.unit() == Scenario.Unit.CPU_NANOSECONDS) {
            // What sleeps takes as long for few as for all, and few warm up little.
            for (int i = 0; i < SLEEPY_ROUNDS; i++) {
                elapsed(scenario.most());
            }
            return scenario.most();
        }
        long operations = rounded(scenario.most() / FIRST_PART);
        double perOperation = Double.MAX_VALUE;
        Stopwatch all = new Stopwatch();
        do {
            double tookNs = Math.max(1.0, (double) elapsed(operations) / operations);
            perOperation = Math.min(perOperation, tookNs);
            operations = ofOneRound(perOperation);
        } while (all.elapsedNs() < (scenario.isRemote() ? REMOTE_WARM_UP_NS : WARM_UP_NS));
        return operations;
    }

    private boolean isTooShort(long operations, long tookNs) {
        return scenario.unit().isElapsed() && operations < scenario.most() && tookNs < ROUND_NS / 2;
    }

    private long ofOneRound(double perOperation) {
        return rounded((long) (ROUND_NS / perOperation));
    }

    private long rounded(long operations) {
        long down = operations - operations % scenario.step();
        return Math.clamp(down, scenario.step(), scenario.most());
    }

    private long round(long operations) throws Exception {
        if (scenario.unit().isElapsed()) {
            return elapsed(operations);
        }
        Stopwatch round = new Stopwatch();
        check(operations, program.run(operations));
        long leastMillis = Sizes.SLEEPS * Sizes.LONGEST_SLEEP_MILLIS;
        if (scenario.sleeps() && round.elapsedNs() < leastMillis * 1_000_000) {
            throw new IllegalStateException(
                    "the sleepers woke too early: elapsed="
                            + round.elapsedNs() / 1_000_000
                            + " ms < "
                            + leastMillis
                            + " ms");
        }
        return round.cpuNs();
    }

    private long elapsed(long operations) throws Exception {
        Stopwatch round = new Stopwatch();
        long answer = program.run(operations);
        long elapsed = round.elapsedNs();
        long part = Laps.takeElapsedNs() + Timing.takeElapsedNs();
        double percentile = scenario.unit().percentile();
        check(operations, answer);
        if (percentile > 0) {
            return operations * Latencies.take(percentile);
        }
        return part > 0 ? part : elapsed;
    }

    private Measured measureHeap() throws Exception {
        long operations = scenario.most();
        double[] perOperation = new double[HEAP_ROUNDS];
        long first = Math.min(operations, HEAP_WARM_UP);
        check(first, program.run(first));
        for (int round = 0; round < HEAP_ROUNDS; round++) {
            long before = Heap.used();
            check(operations, program.run(operations));
            perOperation[round] = (double) (Heap.takeMeasured() - before) / operations;
        }
        return Measured.of(perOperation, operations);
    }

    private void check(long operations, long answer) {
        long right = scenario.answer().applyAsLong(operations);
        if (answer != right) {
            throw new IllegalStateException(
                    scenario.name()
                            + " of operations="
                            + operations
                            + " gave answer="
                            + answer
                            + " != "
                            + right);
        }
    }
}
