package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/** One whose asker, a fiber or a plain thread, waits for the reply. */
final class AwaitedRemoteAsk<R> extends RemoteAsk<R> {
    private final WaitCell waiter = new WaitCell();

    AwaitedRemoteAsk(Home home, ActorRef<?> target, long limitNanos) {
        super(home, target, limitNanos);
    }

    @Override
    boolean take(R reply) {
        return waiter.give(reply);
    }

    @Override
    boolean fails(AskFailedException failure) {
        return waiter.give(failure);
    }

    /** The limit covers the wait for room. */
    R sendAndAwait(Conversation now, RemoteTarget<?> to) {
        long id = now.asks().open(this, now, to.peer());
        try {
            switch (now.ask(to, id, this)) {
                case FULL -> throw timeout();
                case OVER -> throw unreachable(to.peer());
                case YES -> {}
            }
            return result(waiter.await(this, leftNanos()));
        } finally {
            now.asks().close(id);
        }
    }

    @SuppressWarnings("unchecked") // the waiter is given nothing but R and failures of asks
    private R result(@Nullable Object given) {
        if (given == Waits.TIMED_OUT) {
            throw timeout();
        }
        if (given instanceof AskFailedException failure) {
            throw failure;
        }
        return (R) Objects.requireNonNull(given, "reply");
    }
}
