package dev.ropewalk.benchmarks.measure;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts how often the receiver of an element ran on the thread of its sender: on one that is no
 * virtual thread. Off while a program is measured, but for one look at a field.
 */
public final class Sharing {
    private static final MethodHandle CARRIER = carrier();
    private static final LongAdder RECEIVED = new LongAdder();
    private static final LongAdder SHARED = new LongAdder();

    /** Written between two runs of a program. */
    private static boolean isCounting;

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
        return isCounting ? thread() : 0;
    }

    /** The receiver has it. */
    public static void received(int sender) {
        if (isCounting) {
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

    static void begin() {
        RECEIVED.reset();
        SHARED.reset();
        isCounting = true;
    }

    /** {@return the share in percent; negative if the program does not count} */
    static double end() {
        isCounting = false;
        long received = RECEIVED.sum();
        return received == 0 ? -1 : 100.0 * SHARED.sum() / received;
    }
}
