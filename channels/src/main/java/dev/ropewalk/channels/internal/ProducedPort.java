package dev.ropewalk.channels.internal;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Clause;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Function;

/** The receiving side of a channel that fibers send to: to cancel it ends them. */
public final class ProducedPort<E> extends ReceiveSide<E> {
    private final QueueChannel<E> channel;
    private final List<? extends Fiber<?>> producers;

    public ProducedPort(QueueChannel<E> channel, List<? extends Fiber<?>> producers) {
        this.channel = channel;
        this.producers = producers;
    }

    @Override
    public Object receiveWithin(long limitNanos) {
        return channel.receiveWithin(limitNanos);
    }

    @Override
    public Object takeNow() {
        return channel.takeNow();
    }

    @Override
    public @Nullable Throwable closeCause() {
        return channel.closeCause();
    }

    @Override
    protected <R extends @Nullable Object> Clause<R> receiveClause(
            Function<Object, ? extends R> made) {
        return channel.receiveClause(made);
    }

    @Override
    public List<E> drain() {
        return channel.drain();
    }

    @Override
    public boolean isDrained() {
        return channel.isDrained();
    }

    @Override
    public void onEnd(Runnable told) {
        channel.onEnd(told);
    }

    @Override
    public void cancel() {
        try {
            channel.cancel(); // whose hook may throw
        } finally {
            producers.forEach(Fiber::terminate);
        }
    }

    @Override
    public void cancel(Throwable cause) {
        try {
            channel.cancel(cause);
        } finally {
            producers.forEach(Fiber::terminate);
        }
    }

    @Override
    public boolean isClosed() {
        return channel.isClosed();
    }

    @Override
    public String toString() {
        return channel.toString();
    }
}
