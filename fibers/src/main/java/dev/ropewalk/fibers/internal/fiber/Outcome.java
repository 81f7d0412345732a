package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.internal.report.SpinTraces;

import org.jspecify.annotations.Nullable;

/** How a fiber ended; immutable, read by any thread once published. */
public sealed interface Outcome<T extends @Nullable Object> {
    /** Returned {@code value}. */
    record Success<T extends @Nullable Object>(T value) implements Outcome<T> {}

    /** Was stopped with {@code value}; the same to all awaiters. */
    record Stopped<T extends @Nullable Object>(Unwind.Stop signal, T value) implements Outcome<T> {}

    /** Threw {@code cause}. */
    record Failure<T extends @Nullable Object>(Throwable cause) implements Outcome<T> {}

    /** Was terminated. */
    record Terminated<T extends @Nullable Object>(Unwind.Terminate signal) implements Outcome<T> {}

    /** Was abandoned, and reported so. */
    record Abandoned<T extends @Nullable Object>(FiberAbandonedException report)
            implements Outcome<T> {}

    /** The result, or a fresh exception that names {@code fiber}. */
    default T take(FiberImpl<?> fiber) {
        return switch (this) {
            case Success<T> s -> s.value();
            case Stopped<T> s -> s.value();
            case Failure<T> f -> throw failed(fiber, f.cause());
            case Abandoned<T> a -> throw new FiberAbandonedException(a.report());
            case Terminated<T> t ->
                    throw new FiberTerminatedException(
                            fiber, fiber + " was terminated before it returned", t.signal());
        };
    }

    /** What ended the fiber, as its handler is told; null for a result. */
    default @Nullable Throwable failure(FiberImpl<?> fiber) {
        return switch (this) {
            case Success<T> _, Stopped<T> _ -> null;
            // Another fiber's end that this one awaited is this one's failure, not its termination.
            case Failure<T> f ->
                    f.cause() instanceof FiberFailedException
                            ? failed(fiber, f.cause())
                            : f.cause();
            case Abandoned<T> a -> a.report();
            case Terminated<T> t ->
                    new FiberTerminatedException(fiber, fiber + " was terminated", t.signal());
        };
    }

    /** What nobody took yet and is a failure: fresh, for the parent; otherwise null. */
    default @Nullable FiberFailedException untaken(FiberImpl<?> fiber) {
        return switch (this) {
            case Success<T> _, Stopped<T> _, Terminated<T> _ -> null;
            case Failure<T> f -> failed(fiber, f.cause());
            case Abandoned<T> a -> new FiberAbandonedException(a.report());
        };
    }

    /** Those above are named once, where it began; each level repeats the text of the one below. */
    private static FiberFailedException failed(FiberImpl<?> fiber, Throwable cause) {
        String who = cause instanceof FiberFailedException ? fiber.toString() : fiber.lineage();
        FiberFailedException failed =
                new FiberFailedException(fiber, who + " failed: " + FiberImpl.textOf(cause), cause);
        if (SpinTraces.ON) {
            SpinTraces.addTo(failed, fiber);
        }
        return failed;
    }
}
