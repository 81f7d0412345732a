package dev.ropewalk.benchmarks.scenario;

/** The numbers that every system's form of a scenario shares. */
public final class Sizes {
    static final String RING_PROPERTY = "benchmarks.ring";

    /** Actors of the ring. */
    public static final int RING = Integer.getInteger(RING_PROPERTY, 1_000);

    /** Who sends without waiting for an answer yields after so many. */
    public static final int BURST = 1_000;

    /** Slots of a mailbox where a full one makes the sender wait. */
    public static final int MAILBOX = 1_024;

    /** Producers of fanin. */
    public static final int PRODUCERS = 64;

    /** Actors of forkjoin_msg. */
    public static final int FORKED = 60;

    /** Children of each inner actor of skynet. */
    public static final int FANOUT = 10;

    /** Actors of big. */
    public static final int BIG = 120;

    /** Accounts of bank. */
    public static final int ACCOUNTS = 1_000;

    /** Actors of children. */
    public static final int CHILDREN = 100_000;

    /** Stages of the pipeline between its source and its sink. */
    public static final int STAGES = 10;

    /** Slots of a buffered channel. */
    public static final int BUFFER = 128;

    /** Channels of a select. */
    public static final int SELECTED = 4;

    /** Connections of an echo server. */
    public static final int ECHO = 64;

    /** Connections of another one. */
    public static final int ECHO_MANY = 1_024;

    /** Askers of remote_ask_64. */
    public static final int REMOTE_ASKERS = 64;

    /** Bytes of a message to another node, beside a number. */
    public static final int PAYLOAD = 100;

    /** How often each sleeper sleeps. */
    public static final int SLEEPS = 20;

    /** No sleep is longer. */
    public static final long LONGEST_SLEEP_MILLIS = 150;

    /** Who yields in turn, or wants one lock. */
    public static final int FEW = 10;

    /** Very many that yield in turn. */
    public static final int MANY = 10_000;

    private Sizes() {}

    /** {@return how long a sleeper sleeps each time, in milliseconds: 100 on average} */
    public static long sleepMillis(long sleeper) {
        return LONGEST_SLEEP_MILLIS - sleeper % 101;
    }

    /** {@return whom an actor of big pings next: any but itself} */
    public static int other(int index, int random) {
        int target = below(BIG, random);
        return target == index ? (target + 1) % BIG : target;
    }

    /** {@return the next number of a simple generator, the same for every system} */
    public static int random(int previous) {
        int next = previous ^ (previous << 13);
        next ^= next >>> 17;
        return next ^ (next << 5);
    }

    /** {@return a number from 0 to {@code bound - 1} made from a random one} */
    public static int below(int bound, int random) {
        return (int) ((Integer.toUnsignedLong(random) * bound) >>> 32);
    }

    /** {@return the account that transfer {@code i} takes from} */
    public static int source(long i) {
        return below(ACCOUNTS / 10 * 8, random((int) i + 1));
    }

    /** {@return the account that transfer {@code i} gives to: a later one, so no circle closes} */
    public static int destination(long i) {
        int source = source(i);
        return source + 1 + below(ACCOUNTS - source - 1, random(random((int) i + 1)));
    }

    /** {@return the amount of transfer {@code i}} */
    public static long amount(long i) {
        return i % 100 + 1;
    }
}
