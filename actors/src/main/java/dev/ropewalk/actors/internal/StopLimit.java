package dev.ropewalk.actors.internal;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * Gives up a fiber that does not end within the stop limit of its actor (rule A6). The limit begins
 * anew for a fiber that was told to end and has had no turn since: a cord that ends a million
 * actors at once needs longer than the limit of each of them. Confined to the fiber's cord.
 */
final class StopLimit {
    private final Fiber<?> fiber;
    private final Duration limit;
    private @Nullable Alarm alarm;

    private StopLimit(Fiber<?> fiber, Duration limit) {
        this.fiber = fiber;
        this.limit = limit;
    }

    static StopLimit beginning(Fiber<?> fiber, Duration limit) {
        StopLimit begun = new StopLimit(fiber, limit);
        begun.begin();
        return begun;
    }

    private void begin() {
        alarm = Alarm.after(Waits.nanos(limit), this::over);
    }

    private void over() {
        if (Waits.isNextTurnItsEnd(fiber)) {
            begin();
        } else {
            Waits.abandon(fiber, "its stop limit of " + limit + " ran out");
        }
    }

    void cancel() {
        if (alarm != null) {
            alarm.cancel();
        }
    }
}
