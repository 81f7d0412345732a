package dev.ropewalk.fibers.observe;

import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How fibers that do not yield are seen (rule F13); immutable, a part of {@link CordOptions}, which
 * has methods to change it.
 */
public final class WatchOptions {
    private static final Log LOG = Logs.logger("dev.ropewalk.fibers");

    /**
     * One object, so that cords which share it get one report of a fault that concerns them all.
     */
    private static final WatchdogHandler LOGS = new Logged();

    /** The options of a cord without others. */
    public static final WatchOptions DEFAULT = new WatchOptions(new Values());

    private final Values values;

    private WatchOptions(Values values) {
        Objects.requireNonNull(values.stuckLimit, "stuckLimit");
        Objects.requireNonNull(values.stuckHandler, "stuckHandler");
        Objects.requireNonNull(values.sliceLimits, "sliceLimits");
        if (Waits.nanos(values.stuckLimit) == 0) {
            throw new IllegalArgumentException(
                    "stuckLimit="
                            + values.stuckLimit
                            + " is no time at all; Waits.FOREVER switches the watchdog off");
        }
        this.values = values;
    }

    /**
     * {@return how long the cord may be busy without a switchpoint before it is reported; {@link
     * Waits#FOREVER} for never}
     */
    public Duration stuckLimit() {
        return values.stuckLimit;
    }

    /** {@return the handler that is told of it} */
    public WatchdogHandler stuckHandler() {
        return values.stuckHandler;
    }

    /** {@return what {@link Slice#checkpoint} checks in fibers that have set no limits} */
    public SliceLimits sliceLimits() {
        return values.sliceLimits;
    }

    /**
     * {@return these options with another limit for turns}
     *
     * @param limit how long a turn may take before it is reported; {@link Waits#FOREVER} for any
     */
    public WatchOptions withStuckLimit(Duration limit) {
        return with(copy -> copy.stuckLimit = limit);
    }

    /**
     * {@return these options with another handler}
     *
     * @param handler is told of cords that are stuck or grow, on the watchdog's thread
     */
    public WatchOptions withStuckHandler(WatchdogHandler handler) {
        return with(copy -> copy.stuckHandler = handler);
    }

    /**
     * {@return these options with other limits of slices}
     *
     * @param limits for fibers that have set no limits of their own
     */
    public WatchOptions withSliceLimits(SliceLimits limits) {
        return with(copy -> copy.sliceLimits = limits);
    }

    private WatchOptions with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new WatchOptions(copy);
    }

    /** Logs a report, the default. */
    private static final class Logged implements WatchdogHandler {
        @Override
        public void stuck(WatchdogReport report) {
            if (report instanceof WatchdogReport.AllStuck) {
                LOG.error("{}", report);
            } else {
                LOG.warn("{}", report);
            }
        }
    }

    /** Changed only while it is a copy that no options have yet. */
    private static final class Values implements Cloneable {
        Duration stuckLimit = Duration.ofMillis(500);
        WatchdogHandler stuckHandler = LOGS;
        SliceLimits sliceLimits = SliceLimits.DEFAULT;

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
