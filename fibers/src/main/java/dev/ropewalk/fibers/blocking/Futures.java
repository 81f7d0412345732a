package dev.ropewalk.fibers.blocking;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.internal.platform.SafeText;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Waiting for {@link CompletionStage}s, wherever they are completed (rule F12). {@link
 * Fiber#toFuture} is the other direction.
 */
public final class Futures {
    private Futures() {}

    /**
     * Waits until the stage completes, and takes its result. A switchpoint, also if it is complete.
     * Works from any thread. Terminating or cancelling the waiting fiber ends the wait and leaves
     * the stage as it is; a time limit is given by {@link CancelScope#cancelAfter}.
     *
     * @param <T> the type of the result
     * @param stage completed by any thread
     * @return the stage's result
     * @throws FiberFailedException if the stage failed or was cancelled; fresh for each caller,
     *     with the stage's failure as the cause, not wrapped in a {@link CompletionException}
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public static <T extends @Nullable Object> T await(CompletionStage<? extends T> stage) {
        return take(stage, false);
    }

    /**
     * Like {@link #await}, but a caller that leaves before the stage is complete cancels it, as far
     * as the stage lets itself be cancelled.
     *
     * @param <T> the type of the result
     * @param stage completed by any thread
     * @return the stage's result
     * @throws FiberFailedException if the stage failed or was cancelled; fresh for each caller
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public static <T extends @Nullable Object> T awaitOrCancel(CompletionStage<? extends T> stage) {
        return take(stage, true);
    }

    /**
     * {@return an alternative of a select: the stage's result} If the select takes it, and the
     * stage has failed, the select throws what {@link #await} does. Otherwise the stage stays as it
     * is.
     *
     * @param <T> the type of the stage's result
     * @param <R> the type of the select's result
     * @param stage completed by any thread
     * @param taken makes the select's result of the stage's; runs in the caller of the select
     * @throws UnsupportedOperationException if the stage has no {@link
     *     CompletionStage#toCompletableFuture}
     */
    public static <T extends @Nullable Object, R extends @Nullable Object> Clause<R> onResult(
            CompletionStage<? extends T> stage, Function<? super T, ? extends R> taken) {
        return new StageClause<>(
                Objects.requireNonNull(stage, "stage"), Objects.requireNonNull(taken, "taken"));
    }

    /** The result of a future that is complete. */
    static <T extends @Nullable Object> T result(CompletableFuture<? extends T> done) {
        try {
            return done.join();
        } catch (CancellationException | CompletionException failed) {
            throw failure(done, failed);
        }
    }

    private static FiberFailedException failure(CompletionStage<?> stage, Throwable thrown) {
        Throwable cause = unwrapped(thrown);
        return new FiberFailedException(stage + " failed: " + SafeText.of(cause), cause);
    }

    private static <T extends @Nullable Object> T take(
            CompletionStage<? extends T> stage, boolean cancels) {
        End<T> end = new End<>(stage);
        if (!awaitEnd(end, Long.MAX_VALUE, cancels)) {
            throw new IllegalStateException("a wait without a limit timed out: " + end);
        }
        return end.take();
    }

    /** Waits until the stage is complete, however that ends; false if the limit passed first. */
    static boolean awaitEnd(CompletionStage<?> stage, long limitNanos) {
        return awaitEnd(new End<@Nullable Object>(stage), limitNanos, false);
    }

    private static boolean awaitEnd(End<?> end, long limitNanos, boolean cancels) {
        Object result = Waits.TIMED_OUT;
        try {
            Waits.switchpoint();
            result = end.await(end, limitNanos);
        } finally {
            if (result == Waits.TIMED_OUT) {
                end.leaveStage(cancels);
            }
        }
        return result != Waits.TIMED_OUT;
    }

    /** The failure of the stage, without the exceptions that stages wrap around it. */
    static Throwable unwrapped(Throwable failure) {
        Throwable inner = failure;
        while (inner instanceof CompletionException && inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner;
    }

    /**
     * One wait for the end of a stage.
     *
     * <p>It hangs on the first of two futures, the stage's and one of its own: completing its own
     * is the only way to take it out of the stage's list again. Otherwise a stage that lives long
     * would keep every fiber that ever timed out at it (rule F5).
     */
    private static final class End<T extends @Nullable Object> extends WaitCell {
        private final CompletionStage<? extends T> stage;
        private final CompletableFuture<@Nullable Object> left = new CompletableFuture<>();
        private @Nullable T value;
        private @Nullable Throwable failure;

        End(CompletionStage<? extends T> stage) {
            this.stage = Objects.requireNonNull(stage, "stage");
            CompletionStage<?> first = stage;
            if (stage instanceof CompletableFuture<?> future) {
                first = CompletableFuture.anyOf(future, left);
            }
            CompletionStage<?> _ = first.whenComplete(this::completed);
        }

        @SuppressWarnings("unchecked") // the value is the stage's, unless the waiter has left
        private void completed(@Nullable Object result, @Nullable Throwable thrown) {
            value = (T) result;
            failure = thrown;
            give(null);
        }

        void leaveStage(boolean cancels) {
            left.complete(null);
            if (cancels) {
                try {
                    stage.toCompletableFuture().cancel(true);
                } catch (UnsupportedOperationException cannotBeCancelled) {
                    // Its maker has decided so, and the exception that made the caller leave says
                    // more.
                }
            }
        }

        @SuppressWarnings("NullAway") // null only if the stage's type is nullable
        T take() {
            if (failure != null) {
                throw failure(stage, failure);
            }
            return value;
        }

        @Override
        public String toString() {
            return "the end of " + stage;
        }
    }
}
