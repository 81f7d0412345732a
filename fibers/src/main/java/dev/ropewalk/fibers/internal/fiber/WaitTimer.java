package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.internal.timer.Timer;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

/** Ends one wait of a fiber, named by its number, with a timeout. */
public final class WaitTimer extends Timer {
    private final long number;
    private @Nullable FiberImpl<?> fiber;

    public WaitTimer(long deadlineNs, FiberImpl<?> fiber, long number) {
        super(deadlineNs);
        this.fiber = fiber;
        this.number = number;
    }

    @Override
    public boolean isCancelled() {
        return fiber == null;
    }

    @Override
    public String kind() {
        return "wait";
    }

    @Override
    public @Nullable FiberImpl<?> owner() {
        return fiber;
    }

    @Override
    public void markCancelled() {
        fiber = null;
    }

    @Override
    public void fire() {
        FiberImpl<?> waiting = fiber;
        if (waiting != null) {
            waiting.resume(number, Waits.TIMED_OUT);
        }
        fiber = null;
    }
}
