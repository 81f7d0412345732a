package dev.ropewalk.actors.internal;

import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import java.util.Objects;

/** An ask whose asker, a fiber or a plain thread, waits for the reply. */
final class AwaitedAsk<M, R> extends Ask<M, R> {
    private final WaitCell waiter = new WaitCell();

    AwaitedAsk(ActorCell<M> target, long limitNanos) {
        super(target, limitNanos);
    }

    @Override
    boolean take(Object result) {
        return waiter.give(result);
    }

    @Override
    boolean isOpen() {
        return waiter.isWaiting();
    }

    @SuppressWarnings("unchecked") // the waiter is given nothing but R and Failed
    R await(long limitNanos) {
        Object result = waiter.await(this, limitNanos);
        if (result == Waits.TIMED_OUT) {
            throw timeout(limitNanos);
        }
        if (result instanceof Failed failed) {
            throw failure(failed);
        }
        return (R) Objects.requireNonNull(result, "reply");
    }
}
