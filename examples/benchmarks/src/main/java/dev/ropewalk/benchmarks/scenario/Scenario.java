package dev.ropewalk.benchmarks.scenario;

import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * What is measured, whichever system runs it.
 *
 * @param name the name on the command line
 * @param operation what one operation is
 * @param unit of the figures
 * @param most operations of one round
 * @param step a round's operations are a multiple of it
 * @param answer the right answer of so many operations
 * @param shape what every system's form does
 */
public record Scenario(
        String name,
        String operation,
        Unit unit,
        long most,
        long step,
        LongUnaryOperator answer,
        String shape) {

    /** What a figure counts. */
    public enum Unit {
        /** Elapsed time of a round by its operations. */
        NANOSECONDS("ns"),
        /** Processor time of a round by its operations, of all threads. */
        CPU_NANOSECONDS("CPU ns"),
        /** Elapsed time of one operation of a round: half of them take no longer. */
        P50_NANOSECONDS("p50 ns"),
        /** The same of all but one in a hundred. */
        P99_NANOSECONDS("p99 ns"),
        /** Heap that the program holds by its operations. */
        BYTES("B");

        private final String symbol;

        Unit(String symbol) {
            this.symbol = symbol;
        }

        @Override
        public String toString() {
            return symbol;
        }

        /** {@return which share of the operations takes no longer; 0 if each is not timed} */
        public double percentile() {
            return switch (this) {
                case P50_NANOSECONDS -> 0.5;
                case P99_NANOSECONDS -> 0.99;
                case NANOSECONDS, CPU_NANOSECONDS, BYTES -> 0;
            };
        }

        /** {@return whether figures are times that passed} */
        public boolean isElapsed() {
            return this == NANOSECONDS || percentile() > 0;
        }
    }

    private static final long MILLION = 1_000_000;
    private static final String REMOTE = "remote_";
    private static final String PROCESSES = "processes_";
    private static final String ASKS =
            " an actor of another node, 100 B each way, one ask under way each";

    static final List<Scenario> ALL =
            List.of(
                    of(
                            "pingpong",
                            "message",
                            20 * MILLION,
                            1,
                            Scenario::sumTo,
                            "two actors answer each other"),
                    of(
                            "ring",
                            "message",
                            20 * MILLION,
                            1,
                            Scenario::sumTo,
                            "1,000 actors pass one message on"),
                    of(
                            "counting",
                            "message",
                            10 * MILLION,
                            Sizes.BURST,
                            Scenario::sumTo,
                            "one producer, one actor that adds up; a mailbox with a limit where the"
                                    + " system has one"),
                    of(
                            "fanin",
                            "message",
                            64 * 50_000,
                            Sizes.PRODUCERS,
                            n -> Sizes.PRODUCERS * sumTo(n / Sizes.PRODUCERS),
                            "64 producers, one actor that adds up; a mailbox with a limit where the"
                                    + " system has one"),
                    of(
                            "counting_bounded",
                            "message",
                            10 * MILLION,
                            Sizes.BURST,
                            Scenario::sumTo,
                            "one producer, one actor that adds up, whose mailbox holds 1,024"
                                    + " messages and makes the producer wait"),
                    of(
                            "forkjoin_create",
                            "actor",
                            MILLION,
                            Sizes.BURST,
                            Scenario::sumTo,
                            "make an actor, send it one message, it ends"),
                    of(
                            "forkjoin_msg",
                            "message",
                            20 * MILLION,
                            Sizes.BURST,
                            Scenario::sumTo,
                            "one producer sends to 60 actors in turn"),
                    of(
                            "tasks",
                            "task",
                            MILLION,
                            Sizes.BURST,
                            Scenario::sumTo,
                            "one producer of tasks that add a number and end"),
                    fixed(
                            "skynet",
                            "leaf",
                            MILLION,
                            n -> sumTo(n - 1),
                            "a tree of actors, ten children each, a million leaves, summed up"),
                    of(
                            "big",
                            "ping and pong",
                            120 * 20_000,
                            Sizes.BIG,
                            n -> n,
                            "120 actors ping one another at random"),
                    of(
                            "bank",
                            "transfer",
                            200_000,
                            Sizes.BURST,
                            Scenario::amounts,
                            "1,000 accounts; the one that pays asks the one that gets, in Ropewalk"
                                    + " with a time limit"),
                    of(
                            "bank_messages",
                            "transfer",
                            200_000,
                            Sizes.BURST,
                            Scenario::amounts,
                            "1,000 accounts; the one that pays gets the reply of the one that gets"
                                    + " as a message, and keeps other transfers for later"),
                    fixed(
                            "children",
                            "actor",
                            Sizes.CHILDREN,
                            n -> n,
                            "100,000 actors below one dynamic supervisor are started, and stopped"
                                    + " with it; as bare fibers, spun and ended with their parent"),
                    of(
                            "chan_rendezvous",
                            "element",
                            MILLION,
                            1,
                            Scenario::sumTo,
                            "one sender, one receiver, no buffer"),
                    of(
                            "chan_buffered",
                            "element",
                            20 * MILLION,
                            1,
                            Scenario::sumTo,
                            "one sender, one receiver, 128 slots"),
                    of(
                            "chan_work",
                            "element",
                            MILLION,
                            1,
                            Scenario::sumTo,
                            "one sender, one receiver, 128 slots, and about a microsecond of work"
                                    + " for each element at each end"),
                    of(
                            "select_4",
                            "element",
                            4 * MILLION,
                            Sizes.SELECTED,
                            n -> Sizes.SELECTED * sumTo(n / Sizes.SELECTED),
                            "four senders, a channel of 128 slots each, one receiver that selects"),
                    of(
                            "fused",
                            "element",
                            10 * MILLION,
                            1,
                            n -> sumTo(n) + Sizes.STAGES * n,
                            "ten functions on each element, as the stages of a pipeline without a"
                                    + " boundary, or called one after the other"),
                    of(
                            "pipeline",
                            "element",
                            MILLION,
                            1,
                            n -> sumTo(n) + Sizes.STAGES * n,
                            "ten stages with channels of 128 slots between"),
                    new Scenario(
                            "timers",
                            "sleep",
                            Unit.CPU_NANOSECONDS,
                            100_000 * Sizes.SLEEPS,
                            100_000 * Sizes.SLEEPS,
                            n -> n,
                            "100,000 sleepers, 20 sleeps of 100 ms on average each"),
                    new Scenario(
                            "idle_channel",
                            "channel",
                            Unit.BYTES,
                            100_000,
                            100_000,
                            n -> n,
                            "100,000 channels of 128 slots, each had one element and is empty"),
                    new Scenario(
                            "mem",
                            "idle actor",
                            Unit.BYTES,
                            MILLION,
                            MILLION,
                            n -> n,
                            "a million actors that had one message and wait for the next"),
                    of(
                            "snooze_10",
                            "switch",
                            20 * MILLION,
                            Sizes.FEW,
                            n -> n,
                            "10 fibers yield in turn"),
                    of(
                            "snooze_10000",
                            "switch",
                            20 * MILLION,
                            Sizes.MANY,
                            n -> n,
                            "10,000 fibers yield in turn"),
                    of(
                            "snooze_gc",
                            "switch",
                            10 * Sizes.MANY,
                            Sizes.MANY,
                            n -> n,
                            "10,000 fibers yield once each, right after a full collection that"
                                    + " does not count"),
                    of(
                            "mutex_busy",
                            "lock",
                            20 * MILLION,
                            Sizes.FEW,
                            n -> n,
                            "10 fibers want one fair mutex all the time, which is handed on"),
                    echo("echo_64", Unit.NANOSECONDS, Sizes.ECHO),
                    echo("echo_64_cpu", Unit.CPU_NANOSECONDS, Sizes.ECHO),
                    echo("echo_1024", Unit.NANOSECONDS, Sizes.ECHO_MANY),
                    echo("echo_1024_cpu", Unit.CPU_NANOSECONDS, Sizes.ECHO_MANY),
                    remote(
                            "remote_tell",
                            "message",
                            Unit.NANOSECONDS,
                            Scenario::sumTo,
                            "one producer, one actor of another node that adds up, 100 B each"),
                    remote(
                            "remote_tell_tls",
                            "message",
                            Unit.NANOSECONDS,
                            Scenario::sumTo,
                            "one producer, one actor of another node that adds up, 100 B each,"
                                    + " encrypted by TLS 1.3"),
                    remote(
                            "remote_ask",
                            "ask",
                            Unit.P50_NANOSECONDS,
                            Scenario::sumTo,
                            "one asker asks" + ASKS),
                    remote(
                            "remote_ask_p99",
                            "ask",
                            Unit.P99_NANOSECONDS,
                            Scenario::sumTo,
                            "one asker asks" + ASKS),
                    remote(
                            "remote_ask_64",
                            "ask",
                            Unit.NANOSECONDS,
                            n -> Sizes.REMOTE_ASKERS * sumTo(n / Sizes.REMOTE_ASKERS),
                            "64 askers ask" + ASKS),
                    processes("tell", Unit.NANOSECONDS, Scenario::sumTo),
                    processes("ask", Unit.P50_NANOSECONDS, Scenario::sumTo),
                    processes(
                            "ask_64",
                            Unit.NANOSECONDS,
                            n -> Sizes.REMOTE_ASKERS * sumTo(n / Sizes.REMOTE_ASKERS)),
                    new Scenario(
                            "remote_local",
                            "message",
                            Unit.NANOSECONDS,
                            10 * MILLION,
                            1,
                            Scenario::sumTo,
                            "one producer, one actor of the same cord that adds up, bursts of 64;"
                                    + " alone, or beside what a node does for others"),
                    durable("sqlite", "SQLite, in a file"),
                    durable("ratis", "Ratis, three servers in this process"),
                    durable("postgresql", "PostgreSQL, at the address in BENCHMARKS_POSTGRESQL"),
                    uncontended("semaphore", "a semaphore of one permit that nobody else wants"),
                    uncontended(
                            "event",
                            "an event is signalled, and its signal taken by the same fiber; for a"
                                    + " thread, unpark and park"),
                    of(
                            "cords",
                            "round trip",
                            MILLION,
                            1,
                            n -> n,
                            "a fiber of a cord and one of another schedule each other"),
                    fixed(
                            "wakeup",
                            "wake-up",
                            1_000,
                            n -> n,
                            "a thread wakes a fiber of a cord that sleeps, and spins until it hears"
                                    + " it"),
                    new Scenario(
                            "parked",
                            "parked fiber",
                            Unit.BYTES,
                            100_000,
                            100_000,
                            n -> n * Frames.DEPTH,
                            "100,000 fibers that wait, each below three frames of the user's"));

    /** As many messages around each of two rings, on one cord or on two. */
    static final Scenario RINGS =
            of(
                    "rings",
                    "message",
                    2 * MILLION,
                    2,
                    n -> 2 * sumTo(n / 2),
                    "two rings of 1,000 actors at the same time");

    /** A ring of another size, with enough messages for two laps. */
    static Scenario ringOf(int size) {
        Scenario ring = named("ring");
        long operations = Math.max(MILLION, 2L * size);
        return fixed("ring", ring.operation, operations, ring.answer, ring.shape);
    }

    static Scenario named(String name) {
        return ALL.stream().filter(s -> s.name().equals(name)).findFirst().orElseThrow();
    }

    /** Whether each of its operations is a sleep, so that a round has a least time. */
    public boolean sleeps() {
        return name.equals("timers");
    }

    /** Whether each of its operations wakes a thread that has fallen asleep. */
    public boolean isAwaited() {
        return name.equals("wakeup");
    }

    /** Whether it goes over a socket to another node, whose code takes longer to warm up. */
    public boolean isRemote() {
        return name.startsWith(REMOTE) || name.startsWith(PROCESSES);
    }

    private static Scenario remote(
            String name, String operation, Unit unit, LongUnaryOperator answer, String shape) {
        return new Scenario(
                name,
                operation,
                unit,
                10 * MILLION,
                Sizes.REMOTE_ASKERS,
                answer,
                shape + "; both nodes in one process, over loopback");
    }

    /** The same between two processes. */
    private static Scenario processes(String of, Unit unit, LongUnaryOperator answer) {
        return new Scenario(
                PROCESSES + of,
                of.startsWith("ask") ? "ask" : "message",
                unit,
                10 * MILLION,
                Sizes.REMOTE_ASKERS,
                answer,
                "as " + REMOTE + of + ", each node in a process of its own");
    }

    /** A disk is waited for, so a round has few. */
    private static Scenario durable(String store, String what) {
        return new Scenario(
                "durable_" + store,
                "message",
                Unit.NANOSECONDS,
                640,
                Sizes.REMOTE_ASKERS,
                n -> n / Sizes.REMOTE_ASKERS * Sizes.REMOTE_ASKERS,
                "64 durable entities, each asked by one fiber, 100 B of state; the store is "
                        + what);
    }

    private static Scenario of(
            String name,
            String operation,
            long most,
            long step,
            LongUnaryOperator answer,
            String shape) {
        return new Scenario(name, operation, Unit.NANOSECONDS, most, step, answer, shape);
    }

    private static Scenario uncontended(String name, String shape) {
        return of(name, "take and give back", 100 * MILLION, 1, n -> n, shape);
    }

    /** So many that the connecting, which counts too, is next to nothing. */
    private static Scenario echo(String name, Unit unit, int connections) {
        long requests = connections * (300_000L / connections);
        return new Scenario(
                name,
                "request",
                unit,
                requests,
                requests,
                n -> n,
                "a server of one thread that sends back 32 bytes, and one more thread with "
                        + connections
                        + " clients, each with one request under way"
                        + (unit == Unit.CPU_NANOSECONDS ? "; of both" : ""));
    }

    private static Scenario fixed(
            String name, String operation, long most, LongUnaryOperator answer, String shape) {
        return new Scenario(name, operation, Unit.NANOSECONDS, most, most, answer, shape);
    }

    private static long sumTo(long n) {
        return n * (n + 1) / 2;
    }

    private static long amounts(long n) {
        long sum = 0;
        for (long i = 0; i < n; i++) {
            sum += Sizes.amount(i);
        }
        return sum;
    }
}
