package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;

/** A fiber seen as a future; see {@link Fiber#toFuture}. */
final class FiberFuture<T extends @Nullable Object> extends CompletableFuture<T>
        implements EndListener {
    private final FiberImpl<T> fiber;

    FiberFuture(FiberImpl<T> fiber) {
        this.fiber = fiber;
    }

    /** The failure is taken if it went into this future, which had not been completed before. */
    @Override
    public boolean ended(Fiber<?> ended) {
        Outcome<T> outcome = fiber.outcome();
        if (outcome == null) {
            return super.completeExceptionally(
                    new CordClosedException(fiber + " has no outcome: its cord ended without it"));
        }
        Throwable failure = outcome.failure(fiber);
        return failure == null
                ? super.complete(outcome.take(fiber))
                : super.completeExceptionally(failure);
    }

    /** By hand, or by a time limit. */
    @Override
    public boolean complete(T value) {
        return super.complete(value) && stopListening();
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return super.completeExceptionally(failure) && stopListening();
    }

    /** So that a fiber that goes on keeps nothing of it. */
    private boolean stopListening() {
        FiberAwait.unlisten(fiber, this);
        return true;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning) && stopListening();
        if (cancelled && mayInterruptIfRunning) {
            fiber.terminate();
        }
        return cancelled;
    }

    /** A future made from this one is a plain future: cancelling it ends no fiber. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }

    @Override
    public String toString() {
        return "the future of " + fiber;
    }
}
