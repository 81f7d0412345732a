package dev.ropewalk.fibers.internal.timer;

import org.jspecify.annotations.Nullable;

/** Runs code of a library when its time has come. */
public final class AlarmTimer extends Timer {
    private @Nullable Runnable action;

    public AlarmTimer(long deadlineNs, Runnable action) {
        super(deadlineNs);
        this.action = action;
    }

    @Override
    public void markCancelled() {
        action = null;
    }

    @Override
    public boolean isCancelled() {
        return action == null;
    }

    @Override
    public void fire() {
        Runnable due = action;
        if (due != null) {
            due.run();
        }
        action = null;
    }
}
