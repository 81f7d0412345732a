package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/** One armed deadline: when it passes, wait {@code number} of the fiber ends with a timeout. */
final class Timer {
    final long deadlineNs;
    final long sequence;
    private final long number;

    /** Null once cancelled or fired, so that a dead entry of the heap holds no fiber. */
    private @Nullable Fiber<?> fiber;

    Timer(long deadlineNs, long sequence, Fiber<?> fiber, long number) {
        this.deadlineNs = deadlineNs;
        this.sequence = sequence;
        this.fiber = fiber;
        this.number = number;
    }

    boolean isCancelled() {
        return fiber == null;
    }

    void markCancelled() {
        fiber = null;
    }

    void fire() {
        Fiber<?> waiting = fiber;
        fiber = null;
        if (waiting != null) {
            waiting.resume(number, Waits.TIMED_OUT);
        }
    }

    /** Earlier deadline first; of the same deadline the one armed first. */
    boolean isBefore(Timer other) {
        long difference = deadlineNs - other.deadlineNs;
        return difference < 0 || (difference == 0 && sequence < other.sequence);
    }
}
