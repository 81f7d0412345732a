package dev.ropewalk.channels.internal;

import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.ReceiveResult;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

/**
 * The calls that all receiving sides have, over the steps in which they differ: to wait for an
 * element, to take one now, and to stand in a select. A step answers an element or a mark.
 */
public abstract class ReceiveSide<E> implements ReceivePort<E> {
    /** Mark: closed, and nothing is left. */
    public static final Object CLOSED = ChannelCore.CLOSED;

    /** Mark: there is nothing now. */
    public static final Object NOTHING = ChannelCore.NOTHING;

    private static final long NO_LIMIT = Long.MAX_VALUE;

    /** An element, {@link #CLOSED}, or {@link Waits#TIMED_OUT}. */
    public abstract Object receiveWithin(long limitNanos);

    /** An element, {@link #CLOSED} or {@link #NOTHING}; never switches. */
    public abstract Object takeNow();

    /** Once closed: why; null if that was no failure. */
    public abstract @Nullable Throwable closeCause();

    /** Closed, and nothing is left: seen without taking anything. */
    public abstract boolean isDrained();

    /**
     * Has it told once when nothing more comes in, though something may be left; at once if that is
     * so. By the thread that ends the port, so it must not wait, nor fail.
     */
    public abstract void onEnd(Runnable told);

    /** To receive, in a select; {@code made} gets an element or {@link #CLOSED}. */
    protected abstract <R extends @Nullable Object> Clause<R> receiveClause(
            Function<Object, ? extends R> made);

    @Override
    public E receive() {
        return Objects.requireNonNull(elementOf(receiveWithin(NO_LIMIT)));
    }

    @Override
    public final @Nullable E receive(Duration limit) {
        return elementOf(receiveWithin(Waits.nanos(limit)));
    }

    @Override
    public final @Nullable E tryReceive() {
        return elementOf(takeNow());
    }

    @Override
    public final ReceiveResult<E> receiveResult() {
        return resultOf(receiveWithin(NO_LIMIT));
    }

    @Override
    public final ReceiveResult<E> receiveResult(Duration limit) {
        return resultOf(receiveWithin(Waits.nanos(limit)));
    }

    @Override
    public final ReceiveResult<E> tryReceiveResult() {
        return resultOf(takeNow());
    }

    @Override
    public final <R extends @Nullable Object> Clause<R> onReceive(
            Function<? super E, ? extends R> taken) {
        Objects.requireNonNull(taken, "taken");
        return receiveClause(given -> taken.apply(Objects.requireNonNull(elementOf(given))));
    }

    @Override
    public final <R extends @Nullable Object> Clause<R> onReceiveResult(
            Function<? super ReceiveResult<E>, ? extends R> result) {
        Objects.requireNonNull(result, "result");
        return receiveClause(given -> result.apply(resultOf(given)));
    }

    @SuppressWarnings("unchecked") // an object that is no mark is an element
    private @Nullable E elementOf(Object taken) {
        if (taken == CLOSED) {
            throw new ChannelClosedException(
                    this + " is closed and holds nothing more to receive", null, closeCause());
        }
        return isNone(taken) ? null : (E) taken;
    }

    @SuppressWarnings("unchecked") // an object that is no mark is an element
    private ReceiveResult<E> resultOf(Object taken) {
        if (taken == CLOSED) {
            return new ReceiveResult.Closed<>(closeCause());
        }
        return isNone(taken)
                ? new ReceiveResult.TimedOut<>()
                : new ReceiveResult.Element<>((E) taken);
    }

    private static boolean isNone(Object taken) {
        return taken == Waits.TIMED_OUT || taken == NOTHING;
    }
}
