package dev.ropewalk.fibers.blocking;

import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How a {@link BlockingPool} is made; immutable. Start from {@link #named} and change what differs.
 */
public final class BlockingOptions {
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

    private final Values values;

    private BlockingOptions(Values values) {
        String name = Objects.requireNonNull(values.name, "name");
        Objects.requireNonNull(values.undelivered, "undelivered");
        if (values.maxConcurrency < 1) {
            throw new IllegalArgumentException(
                    "maxConcurrency="
                            + values.maxConcurrency
                            + " < 1: pool "
                            + name
                            + " could run no call");
        }
        if (values.maxPending < 0) {
            throw new IllegalArgumentException(
                    "maxPending="
                            + values.maxPending
                            + " < 0 for pool "
                            + name
                            + "; 0 lets none wait");
        }
        Waits.nanos(values.stopLimit);
        this.values = values;
    }

    /**
     * {@return the defaults: 256 calls at once, as many waiting callers as there are fibers, a stop
     * limit of 1 s, and a result without a taker is closed if it is {@link AutoCloseable}}
     *
     * @param name the pool's name
     */
    public static BlockingOptions named(String name) {
        return new BlockingOptions(new Values(name));
    }

    /** {@return the pool's name, also that of its virtual threads} */
    public String name() {
        return values.name;
    }

    /** {@return how many calls run at once} */
    public int maxConcurrency() {
        return values.maxConcurrency;
    }

    /** {@return how many callers may wait for a place; one more is refused} */
    public int maxPending() {
        return values.maxPending;
    }

    /** {@return how long an interrupted call may take to return before it is abandoned} */
    public Duration stopLimit() {
        return values.stopLimit;
    }

    /** {@return the hook that is given each result without a taker} */
    public UndeliveredHook undelivered() {
        return values.undelivered;
    }

    /**
     * {@return these options with another number of calls that run at once}
     *
     * @param calls how many, at least 1
     */
    public BlockingOptions withMaxConcurrency(int calls) {
        return with(copy -> copy.maxConcurrency = calls);
    }

    /**
     * {@return these options with another bound on the callers that wait}
     *
     * @param callers how many may wait for a place; 0 refuses a call that cannot run at once
     */
    public BlockingOptions withMaxPending(int callers) {
        return with(copy -> copy.maxPending = callers);
    }

    /**
     * {@return these options with another stop limit}
     *
     * @param limit how long an interrupted call may take to return
     */
    public BlockingOptions withStopLimit(Duration limit) {
        return with(copy -> copy.stopLimit = limit);
    }

    /**
     * {@return these options with another hook for results without a taker}
     *
     * @param hook is called instead of closing the result
     */
    public BlockingOptions withUndelivered(UndeliveredHook hook) {
        return with(copy -> copy.undelivered = hook);
    }

    private BlockingOptions with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new BlockingOptions(copy);
    }

    private static void closeIfCloseable(Object result) throws Exception {
        if (result instanceof AutoCloseable closeable) {
            closeable.close();
        }
    }

    /** Changed only while it is a copy that no options have yet. */
    private static final class Values implements Cloneable {
        final String name;
        int maxConcurrency = 256;
        int maxPending = Integer.MAX_VALUE;
        Duration stopLimit = Duration.ofSeconds(1);
        UndeliveredHook undelivered = BlockingOptions::closeIfCloseable;

        Values(String name) {
            this.name = name;
        }

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
