package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/** One armed deadline; a link of the cord's {@link Timers}. */
abstract sealed class Timer {
    final long deadlineNs;
    final long sequence;

    private Timer(long deadlineNs, long sequence) {
        this.deadlineNs = deadlineNs;
        this.sequence = sequence;
    }

    /** It is over; lets go of what it refers to, so that a dead entry of the heap holds nothing. */
    abstract void markCancelled();

    abstract boolean isCancelled();

    /** Its deadline has passed; it has left the heap. */
    abstract void fire();

    /** Ends wait {@code number} of the fiber with a timeout. */
    static final class OfWait extends Timer {
        private final long number;
        private @Nullable Fiber<?> fiber;

        OfWait(long deadlineNs, long sequence, Fiber<?> fiber, long number) {
            super(deadlineNs, sequence);
            this.fiber = fiber;
            this.number = number;
        }

        @Override
        boolean isCancelled() {
            return fiber == null;
        }

        @Override
        void markCancelled() {
            fiber = null;
        }

        @Override
        void fire() {
            Fiber<?> waiting = fiber;
            fiber = null;
            if (waiting != null) {
                waiting.resume(number, Waits.TIMED_OUT);
            }
        }
    }

    /** Cancels a scope, or lifts a shield. */
    static final class OfScope extends Timer {
        private @Nullable CancelScope scope;

        OfScope(long deadlineNs, long sequence, CancelScope scope) {
            super(deadlineNs, sequence);
            this.scope = scope;
        }

        @Override
        boolean isCancelled() {
            return scope == null;
        }

        @Override
        void markCancelled() {
            scope = null;
        }

        @Override
        void fire() {
            CancelScope limited = scope;
            scope = null;
            if (limited != null) {
                limited.limitPassed();
            }
        }
    }
}
