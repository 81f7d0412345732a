package dev.ropewalk.fibers.internal.watch;

import dev.ropewalk.fibers.internal.context.LocalKey;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.observe.Slice;
import dev.ropewalk.fibers.observe.SliceExceededException;
import dev.ropewalk.fibers.observe.SliceLimits;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * A cord's notes on the slice of its running fiber. A slice is named by the number of the turn, so
 * nothing has to be reset at a switch. Confined to the cord.
 */
public final class Slices {
    /** Limits that fibers have set for themselves. */
    public static final LocalKey<@Nullable SliceLimits> OWN_LIMITS = LocalKey.of(null);

    private static final Log LOG = Logs.logger(Slice.class);

    /** No turn has this number. */
    private static final long NONE = Long.MIN_VALUE;

    private final CordImpl cord;
    private final SliceLimits limits;

    private long warnedIn = NONE;
    private long extendedIn = NONE;
    private long extraNs;
    private int warnings;

    public Slices(CordImpl cord, SliceLimits limits) {
        this.cord = cord;
        this.limits = limits;
    }

    public void check(FiberImpl<?> fiber, long turnNs) {
        long turn = cord.loop.turnNumber();
        long countedNs = turnNs - (extendedIn == turn ? extraNs : 0);
        SliceLimits own = OWN_LIMITS.valueIn(fiber);
        SliceLimits valid = own == null ? limits : own;
        if (countedNs > Waits.nanos(valid.error())) {
            throw new SliceExceededException(
                    textOf(fiber, turnNs)
                            + ", more than its limit of "
                            + valid.error()
                            + "; call Fiber.snooze in between, or Slice.extend if it may take as"
                            + " long");
        }
        if (countedNs > Waits.nanos(valid.warning()) && warnedIn != turn) {
            warnedIn = turn;
            warnings++;
            LOG.warn("{}; call Fiber.snooze in between", textOf(fiber, turnNs));
        }
    }

    public void extend(long moreNs) {
        long turn = cord.loop.turnNumber();
        long before = extendedIn == turn ? extraNs : 0;
        extendedIn = turn;
        extraNs = Math.min(before, Long.MAX_VALUE - moreNs) + moreNs;
    }

    /** How often it has warned. */
    int warnings() {
        return warnings;
    }

    private static String textOf(FiberImpl<?> fiber, long turnNs) {
        return fiber + " has not yielded for " + Duration.ofNanos(turnNs).toMillis() + " ms";
    }
}
