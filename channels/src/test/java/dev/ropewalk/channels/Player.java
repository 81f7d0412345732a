package dev.ropewalk.channels;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.Callable;

/** A sender or receiver of a test: a fiber or a thread. What it throws is kept for the test. */
abstract class Player<T> {
    private final Callable<T> body;

    /** Written by the player, read after its end. */
    private @Nullable T result;

    private @Nullable Throwable thrown;

    Player(Callable<T> body) {
        this.body = body;
    }

    /** Terminates the fiber or interrupts the thread; does not wait. */
    abstract void terminate();

    /** Waits for the end; true if {@link #terminate} brought it about. */
    abstract boolean awaitEnd();

    final void play() {
        try {
            result = body.call();
        } catch (Throwable t) {
            thrown = t;
        }
    }

    /** Waits for the end and takes the result. */
    final T await() {
        if (awaitEnd() || thrown != null) {
            throw new AssertionError(this + " did not return a result", thrown);
        }
        return Objects.requireNonNull(result);
    }

    final void awaitTerminated() {
        if (!awaitEnd()) {
            throw new AssertionError(this + " was not ended by its termination", thrown);
        }
    }

    /** Waits for the end and takes the failure. */
    final <X extends Throwable> X awaitFailure(Class<X> type) {
        awaitEnd();
        if (!type.isInstance(thrown)) {
            throw new AssertionError(
                    this + " did not throw a " + type.getSimpleName() + ", result=" + result,
                    thrown);
        }
        return type.cast(thrown);
    }

    /** After the end, also of one that was terminated: what the body returned, if it did. */
    final @Nullable T result() {
        return result;
    }

    /** After the end: what the body threw, if it did. */
    final @Nullable Throwable thrown() {
        return thrown;
    }
}
