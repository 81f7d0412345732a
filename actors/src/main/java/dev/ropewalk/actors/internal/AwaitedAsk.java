package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskCycleException;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.internal.sending.Gate;
import dev.ropewalk.actors.spi.OpenAsk;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

/** An ask whose asker, a fiber or a plain thread, waits for the reply. */
final class AwaitedAsk<M, R> extends Ask<M, R> implements OpenAsk {
    private final WaitCell waiter = new WaitCell();

    /** It waits for room, and not for its reply. */
    private volatile boolean waitsForRoom;

    AwaitedAsk(ActorCell<M> target, long limitNanos, @Nullable Incarnation<?> caller) {
        super(target, limitNanos, caller);
    }

    /** See {@link dev.ropewalk.actors.ActorRef#ask}. */
    static <M, R> R ask(
            ActorCell<M> target, Function<Recipient<R>, ? extends M> message, Duration limit) {
        Objects.requireNonNull(message, "message");
        long limitNanos = Waits.nanos(limit);
        Waits.switchpoint(); // before the message is made: an exception means that none was sent
        Incarnation<?> caller = Caller.incarnation();
        limitNanos = Caller.inherited(caller, limitNanos);
        AwaitedAsk<M, R> ask = new AwaitedAsk<>(target, limitNanos, caller);
        ActorCell<?> asker = ask.askingActor();
        ask.setMessage(Objects.requireNonNull(message.apply(ask), "message"));
        if (asker == null) {
            return ask.sendAndAwait(target, limitNanos);
        }
        AskCycles.publish(asker, ask);
        try {
            AskCycles.check(asker, target);
            return ask.sendAndAwait(target, limitNanos);
        } finally {
            AskCycles.publish(asker, null);
        }
    }

    private R sendAndAwait(ActorCell<M> target, long limitNanos) {
        Gate<M> gate = target.gate();
        if (gate == null) {
            target.deliver(this);
        } else {
            waitsForRoom = true;
            if (!gate.send(this, limitNanos, null)) {
                throw timeout(limitNanos);
            }
            waitsForRoom = false;
        }
        isSent();
        return await(limitNanos);
    }

    @Override
    boolean take(Object result) {
        return waiter.give(result);
    }

    @Override
    public ActorRef<?> asked() {
        return target().ref();
    }

    @Override
    public boolean isOpen() {
        return waiter.isWaiting();
    }

    @Override
    public boolean fails(AskCycleException circle) {
        boolean taken = !waitsForRoom && waiter.give(circle);
        target().answered(this);
        return taken;
    }

    @SuppressWarnings("unchecked") // the waiter is given nothing but R and Failed
    private R await(long limitNanos) {
        Object result = waiter.awaitUntil(this, deadlineNs, limitNanos);
        if (result == Waits.TIMED_OUT) {
            throw timeout(limitNanos);
        }
        if (result instanceof Failed failed) {
            throw failure(failed);
        }
        if (result instanceof AskCycleException circle) {
            throw circle;
        }
        return (R) Objects.requireNonNull(result, "reply");
    }
}
