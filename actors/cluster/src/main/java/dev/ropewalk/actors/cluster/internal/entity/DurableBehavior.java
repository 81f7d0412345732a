package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.actors.spi.Handlers;
import dev.ropewalk.actors.spi.HasState;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * A server whose state is in the store before anybody hears of it (rule A8): a message runs the
 * server's function, then the next state is written, then the message is complete, and the reply
 * and all that the function told leave. A failure of any of these is the failure of the message,
 * and ends the incarnation; the next one reads the state again.
 *
 * <p>The state is read at the first message, so that what the store has against it is the failure
 * of an ask, and not of a start that nobody sees.
 */
final class DurableBehavior<M, S> implements Behavior<M>, HasState {
    private final ActorContext<M> self;
    private final Server<M, S> server;
    private final StateFile<S> file;

    /** The actor is to stop behind the messages that it has, and what comes starts the next one. */
    private final Runnable stop;

    /** Null until the state was read. */
    private @Nullable Behavior<M> now;

    DurableBehavior(ActorContext<M> self, Server<M, S> server, StateFile<S> file, Runnable stop) {
        this.self = self;
        this.server = server;
        this.file = file;
        this.stop = stop;
    }

    @Override
    public Object state() {
        return now instanceof HasState known ? known.state() : "not read yet";
    }

    @Override
    public Behavior<M> onMessage(M message) throws Exception {
        Behavior<M> current = now == null ? read() : now;
        Behavior<M> next = Handlers.holding(self, () -> current.onMessage(message));
        if (next == Behavior.<M>same() || next == Behavior.<M>unhandled()) {
            return next;
        }
        if (next == Behavior.<M>stopped()) {
            file.remove();
            now = null;
            stop.run(); // by itself it would lose the messages that are queued
            return Behavior.same();
        }
        file.write(stateOf(next));
        now = next;
        return Behavior.same();
    }

    private Behavior<M> read() {
        S stored = file.read();
        Behavior<M> first = (stored == null ? server : server.withState(stored)).behavior(self);
        now = first;
        return first;
    }

    @SuppressWarnings("unchecked") // a server returns itself in another state
    private S stateOf(Behavior<M> next) {
        return (S) ((HasState) Objects.requireNonNull(next)).state();
    }

    @Override
    public String toString() {
        return now == null ? "a durable server, not read yet" : "durable: " + now;
    }
}
