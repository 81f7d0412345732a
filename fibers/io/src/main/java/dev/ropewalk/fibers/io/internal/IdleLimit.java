package dev.ropewalk.fibers.io.internal;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.spi.Alarm;

import org.jspecify.annotations.Nullable;

/**
 * The limit on silence: tells its owner once when no byte has come or gone for so long.
 *
 * <p>Its state is the time of the last byte, and the alarm. A connection owns it, and calls it on
 * the cord: its fibers when they write, and Netty's side for the rest. A byte moves no alarm; the
 * alarm looks how much is left, and is set again.
 */
public final class IdleLimit {
    private final Cord cord;
    private final long limitNs;
    private final Runnable atLimit;
    private long lastActiveNs;
    private @Nullable Alarm alarm;

    /**
     * Made without having begun.
     *
     * @param limitNs {@link Long#MAX_VALUE} for no limit
     */
    public IdleLimit(Cord cord, long limitNs, Runnable atLimit) {
        this.cord = cord;
        this.limitNs = limitNs;
        this.atLimit = atLimit;
    }

    /** From now on; also again, whether or not the owner was told meanwhile. */
    public void begin() {
        touch();
        if (limitNs != Long.MAX_VALUE && alarm == null) {
            alarm = Alarm.after(limitNs, this::check);
        }
    }

    /** A byte has come, or gone. */
    public void touch() {
        if (limitNs != Long.MAX_VALUE) {
            lastActiveNs = cord.nanoTime();
        }
    }

    private void check() {
        long leftNs = lastActiveNs + limitNs - cord.nanoTime();
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
