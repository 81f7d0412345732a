package dev.ropewalk.fibers.internal.timer;

import org.jspecify.annotations.Nullable;

/** Runs code of a library when its time has come. */
public final class AlarmTimer extends Timer {
    private @Nullable Runnable action;
    private @Nullable Runnable whenLeft;

    public AlarmTimer(long deadlineNs, Runnable action, @Nullable Runnable whenLeft) {
        super(deadlineNs);
        this.action = action;
        this.whenLeft = whenLeft;
    }

    @Override
    public String kind() {
        return "alarm";
    }

    @Override
    public @Nullable Runnable owner() {
        return action;
    }

    @Override
    public void markCancelled() {
        action = null;
        whenLeft = null;
    }

    @Override
    public boolean isCancelled() {
        return action == null;
    }

    @Override
    @Nullable Runnable whenLeft() {
        return whenLeft;
    }

    @Override
    public void fire() {
        Runnable due = action;
        if (due != null) {
            due.run();
        }
        markCancelled();
    }
}
