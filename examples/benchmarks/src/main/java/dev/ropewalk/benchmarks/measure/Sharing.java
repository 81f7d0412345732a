package dev.ropewalk.benchmarks.measure;

import dev.ropewalk.benchmarks.scenario.Row;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts how often the receiver of an element ran on the thread of its sender: on one that is no
 * virtual thread. A process either counts or measures: what says which is a constant, so a program
 * that is measured has nothing of this.
 */
public final class Sharing {
    /** The property of the process that makes it count. */
    public static final String PROPERTY = "benchmarks.sharing";

    private static final boolean IS_COUNTING = Boolean.getBoolean(PROPERTY);

    /** In percent: an end of the elements counts too. */
    private static final double TOLERANCE = 0.1;

    private static final MethodHandle CARRIER = carrier();
    private static final LongAdder RECEIVED = new LongAdder();
    private static final LongAdder SHARED = new LongAdder();

    private Sharing() {}

    private static MethodHandle carrier() {
        try {
            return MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
                    .findStatic(
                            Thread.class,
                            "currentCarrierThread",
                            MethodType.methodType(Thread.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** {@return the sender's thread, for the element} */
    public static int here() {
        return IS_COUNTING ? thread() : 0;
    }

    /** The receiver has it. */
    public static void received(int sender) {
        if (IS_COUNTING) {
            RECEIVED.increment();
            if (sender == thread()) {
                SHARED.increment();
            }
        }
    }

    private static int thread() {
        try {
            return System.identityHashCode((Thread) CARRIER.invokeExact());
        } catch (Throwable e) {
            throw new IllegalStateException("no carrier thread; run with the flags of the jar", e);
        }
    }

    /** {@return whether this process counts} */
    public static boolean isCounted() {
        return IS_COUNTING;
    }

    static void begin() {
        RECEIVED.reset();
        SHARED.reset();
    }

    /**
     * {@return the share in percent}
     *
     * @throws IllegalStateException if the program does not count, or the ends of a row that says
     *     where they are were not there
     */
    static double end(Row row) {
        long received = RECEIVED.sum();
        if (received == 0) {
            throw new IllegalStateException(
                    row.name()
                            + " does not count how often both ends share a thread: call"
                            + " Sharing.here() by the sender, and Sharing.received");
        }
        double percent = 100.0 * SHARED.sum() / received;
        if (!row.isFree() && Math.abs(percent - row.percentTogether()) > TOLERANCE) {
            throw new IllegalStateException(
                    "the ends of "
                            + row.name()
                            + " are not apart: on one thread for percent="
                            + percent
                            + " != "
                            + row.percentTogether()
                            + " of the elements");
        }
        return percent;
    }
}
