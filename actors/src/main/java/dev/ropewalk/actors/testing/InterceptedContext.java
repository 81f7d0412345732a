package dev.ropewalk.actors.testing;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.Exit;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.Monitor;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.Timers;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.routing.GroupChange;
import dev.ropewalk.actors.routing.GroupWatch;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The context of a loop whose messages go past an interceptor; all else is the actor's own. */
final class InterceptedContext<M> implements ActorContext<M> {
    private final ActorContext<M> self;
    private final Interceptor<M> interceptor;

    /** What the loop received last; null before the first. */
    private @Nullable M current;

    InterceptedContext(ActorContext<M> self, Interceptor<M> interceptor) {
        this.self = self;
        this.interceptor = interceptor;
    }

    /** The body failed. */
    void failed(Throwable failure) {
        if (current != null) {
            interceptor.failed(current, failure);
        }
    }

    // ---------------------------------------------------------------- receiving

    @Override
    public M receive() {
        return next(self::receive);
    }

    @Override
    public @Nullable M receive(Duration limit) {
        long untilNs = Waits.nanoTime() + Waits.nanos(limit);
        Duration left = limit;
        while (true) {
            current = null;
            M message = self.receive(left);
            if (message == null || isTaken(message)) {
                return message;
            }
            left = Duration.ofNanos(Math.max(0, untilNs - Waits.nanoTime()));
        }
    }

    @Override
    public <T extends M> T receive(Class<T> type) {
        return type.cast(next(() -> self.receive(type)));
    }

    @Override
    public M receive(Predicate<? super M> wanted) {
        return next(() -> self.receive(wanted));
    }

    private M next(Supplier<? extends M> receive) {
        while (true) {
            current = null;
            M message = receive.get();
            if (isTaken(message)) {
                return message;
            }
        }
    }

    private boolean isTaken(M message) {
        current = message;
        try {
            return interceptor.take(message);
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception failure) {
            throw new IllegalStateException("an interceptor failed on " + message, failure);
        }
    }

    // ---------------------------------------------------------------- the actor's own

    @Override
    public ActorRef<M> self() {
        return self.self();
    }

    @Override
    public int attempt() {
        return self.attempt();
    }

    @Override
    public void postpone() {
        self.postpone();
    }

    @Override
    public int postponed() {
        return self.postponed();
    }

    @Override
    public void insert(M message) {
        self.insert(message);
    }

    @Override
    public void stateTimeout(Duration after, M message) {
        self.stateTimeout(after, message);
    }

    @Override
    public void cancelStateTimeout() {
        self.cancelStateTimeout();
    }

    @Override
    public void idleTimeout(Duration after, M message) {
        self.idleTimeout(after, message);
    }

    @Override
    public void atEnd(Consumer<? super ExitReason> hook) {
        self.atEnd(hook);
    }

    @Override
    public <T extends AutoCloseable> T owns(T resource) {
        return self.owns(resource);
    }

    @Override
    public Timers<M> timers() {
        return self.timers();
    }

    @Override
    public <C> ActorRef<C> spin(String name, Actor<C> actor) {
        return self.spin(name, actor);
    }

    @Override
    public <C> ActorRef<C> spin(
            String name, Actor<C> actor, Function<? super Down, ? extends M> whenOver) {
        return self.spin(name, actor, whenOver);
    }

    @Override
    public Supervisor children() {
        return self.children();
    }

    @Override
    public Monitor monitor(ActorRef<?> actor, Function<? super Down, ? extends M> message) {
        return self.monitor(actor, message);
    }

    @Override
    public Monitor monitorEach(ActorRef<?> actor, Function<? super Down, ? extends M> message) {
        return self.monitorEach(actor, message);
    }

    @Override
    public <G> GroupWatch<G> watch(
            Group<G> group, Function<? super GroupChange<G>, ? extends M> message) {
        return self.watch(group, message);
    }

    @Override
    public void link(ActorRef<?> actor) {
        self.link(actor);
    }

    @Override
    public void unlink(ActorRef<?> actor) {
        self.unlink(actor);
    }

    @Override
    public void trapExits(Function<? super Exit, ? extends M> message) {
        self.trapExits(message);
    }

    @Override
    public <R> Recipient<R> adapt(Function<? super R, ? extends M> message) {
        return self.adapt(message);
    }

    @Override
    public <R> Recipient<R> adapt(
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure) {
        return self.adapt(message, onFailure);
    }

    @Override
    public <R extends @Nullable Object> void pipe(
            CompletionStage<R> stage, Function<? super R, ? extends M> message) {
        self.pipe(stage, message);
    }

    @Override
    public <R extends @Nullable Object> void pipe(
            CompletionStage<R> stage,
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure) {
        self.pipe(stage, message, onFailure);
    }

    @Override
    public <R extends @Nullable Object> void pipe(
            Fiber<R> fiber, Function<? super R, ? extends M> message) {
        self.pipe(fiber, message);
    }

    @Override
    public <R extends @Nullable Object> void pipe(
            Fiber<R> fiber,
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure) {
        self.pipe(fiber, message, onFailure);
    }

    @Override
    public String toString() {
        return self.toString();
    }
}
