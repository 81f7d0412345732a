package dev.ropewalk.fibers;

import java.time.Duration;
import java.util.Objects;

/**
 * How a {@link BlockingPool} is made; immutable. Start from {@link #named} and change what differs.
 *
 * @param name the pool's name, also that of its virtual threads
 * @param maxConcurrency how many calls run at once
 * @param maxPending how many callers may wait for a place; one more is refused
 * @param stopLimit how long an interrupted call may take to return before it is abandoned
 * @param undelivered is given each result that nobody takes
 */
public record BlockingOptions(
        String name,
        int maxConcurrency,
        int maxPending,
        Duration stopLimit,
        UndeliveredHook undelivered) {

    private static final int DEFAULT_AT_ONCE = 256;
    private static final Duration DEFAULT_STOP_LIMIT = Duration.ofSeconds(1);

    /** Is given the results whose callers were ended meanwhile. */
    @FunctionalInterface
    public interface UndeliveredHook {
        /**
         * Called once on the virtual thread of the call, which still counts as running for {@link
         * BlockingPool#close}; it may block.
         *
         * @param result what the code returned; never null
         * @throws Exception whatever goes wrong; it is logged
         */
        void undelivered(Object result) throws Exception;
    }

    /** Checks the values. */
    public BlockingOptions {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(undelivered, "undelivered");
        if (maxConcurrency < 1) {
            throw new IllegalArgumentException(
                    "maxConcurrency="
                            + maxConcurrency
                            + " < 1: pool "
                            + name
                            + " could run no call");
        }
        if (maxPending < 0) {
            throw new IllegalArgumentException(
                    "maxPending=" + maxPending + " < 0 for pool " + name + "; 0 lets none wait");
        }
        Waits.nanos(stopLimit);
    }

    /**
     * {@return the defaults: 256 calls at once, as many waiting callers as there are fibers, a stop
     * limit of 1 s, and a result that nobody takes is closed if it is {@link AutoCloseable}}
     *
     * @param name the pool's name
     */
    public static BlockingOptions named(String name) {
        return new BlockingOptions(
                name,
                DEFAULT_AT_ONCE,
                Integer.MAX_VALUE,
                DEFAULT_STOP_LIMIT,
                BlockingOptions::closeIfCloseable);
    }

    /**
     * {@return these options with another number of calls that run at once}
     *
     * @param calls how many, at least 1
     */
    public BlockingOptions withMaxConcurrency(int calls) {
        return new BlockingOptions(name, calls, maxPending, stopLimit, undelivered);
    }

    /**
     * {@return these options with another bound on the callers that wait}
     *
     * @param callers how many may wait for a place; 0 refuses a call that cannot run at once
     */
    public BlockingOptions withMaxPending(int callers) {
        return new BlockingOptions(name, maxConcurrency, callers, stopLimit, undelivered);
    }

    /**
     * {@return these options with another stop limit}
     *
     * @param limit how long an interrupted call may take to return
     */
    public BlockingOptions withStopLimit(Duration limit) {
        return new BlockingOptions(name, maxConcurrency, maxPending, limit, undelivered);
    }

    /**
     * {@return these options with another hook for results that nobody takes}
     *
     * @param hook is called instead of closing the result
     */
    public BlockingOptions withUndelivered(UndeliveredHook hook) {
        return new BlockingOptions(name, maxConcurrency, maxPending, stopLimit, hook);
    }

    private static void closeIfCloseable(Object result) throws Exception {
        if (result instanceof AutoCloseable closeable) {
            closeable.close();
        }
    }
}
