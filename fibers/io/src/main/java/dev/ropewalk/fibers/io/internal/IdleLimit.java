package dev.ropewalk.fibers.io.internal;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.spi.Alarm;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * The limit on silence: tells its owner once when no byte has come or gone for so long.
 *
 * <p>Its state is the time of the last byte, and the alarm. A connection owns it, and calls it on
 * the cord: its fibers when they write, and Netty's side for the rest. A byte moves no alarm; the
 * alarm looks how much is left, and is set again.
 */
public final class IdleLimit {
    /** For all connections without a limit, because it has no state. */
    private static final IdleLimit NONE = new IdleLimit(null, Long.MAX_VALUE, () -> {});

    /** Null without a limit. */
    private final @Nullable Cord cord;

    private final long limitNs;
    private final Runnable atLimit;
    private long lastActiveNs;
    private @Nullable Alarm alarm;

    /**
     * {@return one that has not begun}
     *
     * @param limitNs {@link Long#MAX_VALUE} for no limit
     */
    public static IdleLimit of(Cord cord, long limitNs, Runnable atLimit) {
        return limitNs == Long.MAX_VALUE ? NONE : new IdleLimit(cord, limitNs, atLimit);
    }

    private IdleLimit(@Nullable Cord cord, long limitNs, Runnable atLimit) {
        this.cord = cord;
        this.limitNs = limitNs;
        this.atLimit = atLimit;
    }

    /** From now on. */
    public void begin() {
        if (cord != null) {
            lastActiveNs = cord.nanoTime();
            alarm = Alarm.after(limitNs, this::check);
        }
    }

    /** A byte has come, or gone. */
    public void touch() {
        if (cord != null) {
            lastActiveNs = cord.nanoTime();
        }
    }

    private void check() {
        long leftNs = lastActiveNs + limitNs - Objects.requireNonNull(cord).nanoTime();
        if (leftNs > 0) {
            alarm = Alarm.after(leftNs, this::check);
        } else {
            alarm = null;
            atLimit.run();
        }
    }

    /** Ends the watch. */
    public void end() {
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
    }
}
