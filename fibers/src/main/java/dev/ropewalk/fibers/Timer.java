package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/**
 * One armed deadline; a link of the cord's {@link Timers}.
 *
 * <pre>
 *   queued, with what it is for         armed
 *   queued, with nothing                cancelled, and not yet swept out
 *   not queued, with what it is for     due: it is fired next, with others that are due
 *   not queued, with nothing            over
 * </pre>
 */
abstract class Timer {
    final long deadlineNs;
    final long sequence;

    /** The next one of its lane, which is not earlier; null while it is not queued. */
    @Nullable Timer next;

    /** It is in the heap, or in the chain behind one that is. */
    boolean isQueued;

    Timer(long deadlineNs, long sequence) {
        this.deadlineNs = deadlineNs;
        this.sequence = sequence;
    }

    /** It is over; lets go of what it refers to, so that a dead entry holds nothing. */
    abstract void markCancelled();

    abstract boolean isCancelled();

    /**
     * Its deadline has passed; it is not queued any more. It is over when this returns; if it fails
     * for want of stack or memory before, it is called again.
     */
    abstract void fire();

    /** Whom {@link #fire} will resume, to be read ahead; null if that is not known or nobody. */
    @Nullable FiberImpl<?> resumed() {
        return null;
    }

    /** Ends wait {@code number} of the fiber with a timeout. */
    static final class OfWait extends Timer {
        private final long number;
        private @Nullable FiberImpl<?> fiber;

        OfWait(long deadlineNs, long sequence, FiberImpl<?> fiber, long number) {
            super(deadlineNs, sequence);
            this.fiber = fiber;
            this.number = number;
        }

        @Override
        @Nullable FiberImpl<?> resumed() {
            return fiber;
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
            FiberImpl<?> waiting = fiber;
            if (waiting != null) {
                waiting.resume(number, Waits.TIMED_OUT);
            }
            fiber = null;
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
            if (limited != null) {
                limited.limitPassed();
            }
            scope = null;
        }
    }
}
