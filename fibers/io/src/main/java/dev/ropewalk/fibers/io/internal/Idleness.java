package dev.ropewalk.fibers.io.internal;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.spi.Alarm;

import org.jspecify.annotations.Nullable;

/** How long no byte has come or gone; tells its owner once, at the limit. Confined to the cord. */
public final class Idleness {
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
    public Idleness(Cord cord, long limitNs, Runnable atLimit) {
        this.cord = cord;
        this.limitNs = limitNs;
        this.atLimit = atLimit;
    }

    /** From now on. */
    public void begin() {
        if (limitNs != Long.MAX_VALUE) {
            lastActiveNs = cord.nanoTime();
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
