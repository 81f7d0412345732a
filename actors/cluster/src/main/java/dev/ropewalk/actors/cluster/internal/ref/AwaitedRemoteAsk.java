package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskCycleException;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.actors.spi.OpenAsk;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/** One whose asker, a fiber or a plain thread, waits for the reply. */
final class AwaitedRemoteAsk<R> extends RemoteAsk<R> implements OpenAsk {
    private final WaitCell waiter = new WaitCell();

    /** Null if the two nodes have no session. */
    private final @Nullable Conversation conversation;

    private final RemoteTarget<?> asked;
    private boolean isActors;

    AwaitedRemoteAsk(Home home, @Nullable Conversation of, RemoteTarget<?> asked, long limitNanos) {
        super(home, asked.ref(), limitNanos);
        this.conversation = of;
        this.asked = asked;
    }

    @Override
    boolean take(R reply) {
        return waiter.give(reply);
    }

    @Override
    boolean fails(AskFailedException failure) {
        return waiter.give(failure);
    }

    @Override
    boolean isOfWaitingActor() {
        return isActors;
    }

    // ---------------------------------------------------------------- as one of a circle

    /** Of an open one. */
    Conversation conversation() {
        return Objects.requireNonNull(conversation);
    }

    /** Of the asked actor, at its node. */
    long number() {
        return asked.number();
    }

    @Override
    public ActorRef<?> asked() {
        return asked.ref();
    }

    @Override
    public boolean isOpen() {
        return waiter.isWaiting();
    }

    @Override
    public boolean fails(AskCycleException circle) {
        return waiter.give(circle);
    }

    // ---------------------------------------------------------------- by its asker

    /** The limit covers the wait for room. */
    R sendAndAwait() {
        Conversation of = conversation;
        if (of == null) {
            throw unreachable(asked.peer());
        }
        long id = of.asks().open(this, of, asked.peer());
        isActors = Calls.asks(this);
        try {
            switch (of.ask(asked, id, this)) {
                case FULL -> throw full(of);
                case OVER -> throw unreachable(asked.peer());
                case YES -> {}
            }
            return result(waiter.await(this, leftNanos()));
        } finally {
            if (isActors) {
                Calls.asks(null);
            }
            of.asks().close(id);
        }
    }

    private AskException full(Conversation of) {
        return leftNanos() == 0 ? timeout() : failed("there is no room", of.full(asked, message()));
    }

    @SuppressWarnings("unchecked") // the waiter is given nothing but R and failures of asks
    private R result(@Nullable Object given) {
        if (given == Waits.TIMED_OUT) {
            throw timeout();
        }
        if (given instanceof AskException failure) {
            throw failure;
        }
        return (R) Objects.requireNonNull(given, "reply");
    }
}
