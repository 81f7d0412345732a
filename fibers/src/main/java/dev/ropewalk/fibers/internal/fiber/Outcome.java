package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.internal.platform.SafeText;
import dev.ropewalk.fibers.internal.report.SpinTraces;

import org.jspecify.annotations.Nullable;

/** How a fiber ended; immutable, read by any thread once published. */
public sealed interface Outcome<T extends @Nullable Object> {
    /** The result, or a fresh exception that names {@code fiber}. */
    T take(FiberImpl<?> fiber);

    /** The exception that ended the fiber, as its handler is told; null for a result. */
    @Nullable Throwable failure(FiberImpl<?> fiber);

    /**
     * A fresh exception for the parent if this is a failure without a taker so far; otherwise null.
     */
    @Nullable FiberFailedException untaken(FiberImpl<?> fiber);

    /** Of a handler, which has no result: one for all. */
    @SuppressWarnings("NullAway") // a handler's result type is always Void
    Outcome<?> WITHOUT_RESULT = new Success<>(null);

    /** Returned {@code value}. */
    record Success<T extends @Nullable Object>(T value) implements Outcome<T> {
        @Override
        public T take(FiberImpl<?> fiber) {
            return value;
        }

        @Override
        public @Nullable Throwable failure(FiberImpl<?> fiber) {
            return null;
        }

        @Override
        public @Nullable FiberFailedException untaken(FiberImpl<?> fiber) {
            return null;
        }
    }

    /** Was stopped with {@code value}; the same to all awaiters. */
    record Stopped<T extends @Nullable Object>(Unwind.Stop signal, T value) implements Outcome<T> {
        @Override
        public T take(FiberImpl<?> fiber) {
            return value;
        }

        @Override
        public @Nullable Throwable failure(FiberImpl<?> fiber) {
            return null;
        }

        @Override
        public @Nullable FiberFailedException untaken(FiberImpl<?> fiber) {
            return null;
        }
    }

    /** Threw {@code cause}. */
    record Failure<T extends @Nullable Object>(Throwable cause) implements Outcome<T> {
        @Override
        public T take(FiberImpl<?> fiber) {
            throw failed(fiber, cause);
        }

        /** Another fiber's end that this one awaited is its failure, not its termination. */
        @Override
        public Throwable failure(FiberImpl<?> fiber) {
            return cause instanceof FiberFailedException ? failed(fiber, cause) : cause;
        }

        @Override
        public FiberFailedException untaken(FiberImpl<?> fiber) {
            return failed(fiber, cause);
        }
    }

    /** Was terminated. */
    record Terminated<T extends @Nullable Object>(Unwind.Terminate signal) implements Outcome<T> {
        @Override
        public T take(FiberImpl<?> fiber) {
            throw new FiberTerminatedException(
                    fiber, fiber + " was terminated before it returned", signal);
        }

        @Override
        public Throwable failure(FiberImpl<?> fiber) {
            return new FiberTerminatedException(fiber, fiber + " was terminated", signal);
        }

        @Override
        public @Nullable FiberFailedException untaken(FiberImpl<?> fiber) {
            return null;
        }
    }

    /** Was abandoned, and reported so. */
    record Abandoned<T extends @Nullable Object>(FiberAbandonedException report)
            implements Outcome<T> {
        @Override
        public T take(FiberImpl<?> fiber) {
            throw new FiberAbandonedException(report);
        }

        @Override
        public Throwable failure(FiberImpl<?> fiber) {
            return report;
        }

        @Override
        public FiberFailedException untaken(FiberImpl<?> fiber) {
            return new FiberAbandonedException(report);
        }
    }

    /**
     * The fibers above are named once, where the failure began; each level repeats the text of the
     * level below.
     */
    private static FiberFailedException failed(FiberImpl<?> fiber, Throwable cause) {
        String who = cause instanceof FiberFailedException ? fiber.toString() : fiber.lineage();
        FiberFailedException failed =
                new FiberFailedException(fiber, who + " failed: " + SafeText.of(cause), cause);
        if (SpinTraces.ON) {
            SpinTraces.addTo(failed, fiber);
        }
        return failed;
    }
}
