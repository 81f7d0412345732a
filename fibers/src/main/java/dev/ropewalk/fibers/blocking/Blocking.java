package dev.ropewalk.fibers.blocking;

import dev.ropewalk.fibers.Block;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.VoidBlock;

import org.jspecify.annotations.Nullable;

/**
 * Runs code that blocks its thread away from the cord, on virtual threads, while the fiber waits
 * (rule F12): the default {@link BlockingPool} of the process.
 *
 * <p>At most {@value #MAX_AT_ONCE} calls run at once; further callers wait in FIFO order, each
 * holding its fiber, so the queue is bounded by the fibers that wait. Code that needs bounds of its
 * own gets a pool of its own.
 */
public final class Blocking {
    /** Calls that run at once; the others wait for a place. */
    static final int MAX_AT_ONCE = 256;

    private static final BlockingPool POOL =
            new BlockingPool(BlockingOptions.named("blocking").withMaxConcurrency(MAX_AT_ONCE));

    private Blocking() {}

    /**
     * Runs the code on a virtual thread and waits for its result. A switchpoint. On a virtual
     * clock, and on a thread that is no cord, it runs inline.
     *
     * <p>Terminating, cancelling or raising into the waiting fiber interrupts the code, waits up to
     * a second for it to return, and then abandons it with a report. A result without a taker is
     * closed if it is {@link AutoCloseable}. A time limit is given by {@link
     * CancelScope#cancelAfter}.
     *
     * @param <T> the type of the result
     * @param <X> what the code throws
     * @param code what blocks; must not touch data of the cord
     * @return what the code returned
     * @throws X what the code threw
     * @throws IllegalStateException if the thread is a cord and no fiber runs on it at the moment
     */
    public static <T extends @Nullable Object, X extends Exception> T call(
            Block<? extends T, X> code) throws X {
        return POOL.call(code);
    }

    /**
     * Like {@link #call}, without a result.
     *
     * @param <X> what the code throws
     * @param code what blocks; must not touch data of the cord
     * @throws X what the code threw
     * @throws IllegalStateException if the thread is a cord and no fiber runs on it at the moment
     */
    public static <X extends Exception> void run(VoidBlock<X> code) throws X {
        POOL.run(code);
    }

    /**
     * {@return how many calls have a thread now; for people, because it can change at once} From
     * any thread.
     */
    public static int running() {
        return POOL.running();
    }

    /**
     * {@return how many calls wait for a thread; for people, because it can change at once} From
     * any thread.
     */
    public static int pending() {
        return POOL.pending();
    }
}
