package dev.ropewalk.fibers;

import dev.ropewalk.fibers.internal.timer.Timer;

import org.jspecify.annotations.Nullable;

/** Cancels a scope, or lifts a shield. */
final class ScopeTimer extends Timer {
    private @Nullable CancelScope scope;

    ScopeTimer(long deadlineNs, CancelScope scope) {
        super(deadlineNs);
        this.scope = scope;
    }

    @Override
    public boolean isCancelled() {
        return scope == null;
    }

    @Override
    public void markCancelled() {
        scope = null;
    }

    @Override
    public void fire() {
        CancelScope limited = scope;
        if (limited != null) {
            limited.limitPassed();
        }
        scope = null;
    }
}
