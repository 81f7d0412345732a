package dev.ropewalk.channels.flow;

import dev.ropewalk.channels.ReceiveResult;
import dev.ropewalk.channels.internal.QueueChannel;
import dev.ropewalk.channels.internal.ReceiveSide;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** The receiving side of an {@link Intake}: tells it what was taken, so that it requests more. */
final class IntakePort<E> extends ReceiveSide<E> {
    private final Intake<E> intake;
    private final QueueChannel<E> channel;

    IntakePort(Intake<E> intake) {
        this.intake = intake;
        this.channel = intake.queue();
    }

    @Override
    public Object receiveWithin(long limitNanos) {
        return counted(channel.receiveWithin(limitNanos));
    }

    @Override
    public Object takeNow() {
        return counted(channel.takeNow());
    }

    private Object counted(Object given) {
        if (given != CLOSED && given != NOTHING && given != Waits.TIMED_OUT) {
            intake.taken(1);
        }
        return given;
    }

    @Override
    public List<E> drain() {
        List<E> drained = channel.drain();
        intake.taken(drained.size()); // only now, as a publisher may refill it inside request
        return drained;
    }

    @Override
    protected <R extends @Nullable Object> Clause<R> receiveClause(
            Function<Object, ? extends R> made) {
        return channel.onReceiveResult(
                result ->
                        made.apply(
                                result instanceof ReceiveResult.Element<E>(E element)
                                        ? counted(element)
                                        : CLOSED));
    }

    @Override
    public void cancel() {
        intake.cancel(null);
    }

    @Override
    public void cancel(Throwable cause) {
        intake.cancel(Objects.requireNonNull(cause, "cause"));
    }

    @Override
    public boolean isClosed() {
        return channel.isClosed();
    }

    @Override
    public @Nullable Throwable closeCause() {
        return channel.closeCause();
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
    public String toString() {
        return channel.toString();
    }
}
