package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.Exit;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.Monitor;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.Timers;
import dev.ropewalk.actors.internal.behavior.Committing;
import dev.ropewalk.actors.internal.behavior.StateChange;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.InContext;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.internal.routing.GroupCell;
import dev.ropewalk.actors.internal.supervision.SupervisorCell;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.routing.GroupChange;
import dev.ropewalk.actors.routing.GroupWatch;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The handle that an actor has on itself. It belongs to one incarnation, unless the actor keeps its
 * state: a behavior that is kept has kept its context too, which then means the incarnation that
 * runs.
 */
final class Context<M> implements ActorContext<M>, Committing {
    private final ActorCell<M> cell;
    private final Incarnation<M> madeFor;

    Context(ActorCell<M> cell, Incarnation<M> madeFor) {
        this.cell = cell;
        this.madeFor = madeFor;
    }

    private Incarnation<M> now() {
        Incarnation<M> running = cell.definition().keepsState ? cell.running() : null;
        return running == null ? madeFor : running;
    }

    @Override
    public ActorRef<M> self() {
        return cell.ref();
    }

    @Override
    public int attempt() {
        return now().attempt();
    }

    @Override
    public M receive() {
        return Objects.requireNonNull(now().receiver().receive(Long.MAX_VALUE));
    }

    @Override
    public @Nullable M receive(Duration limit) {
        return now().receiver().receive(Waits.nanos(limit));
    }

    @Override
    public <T extends M> T receive(Class<T> type) {
        Objects.requireNonNull(type, "type");
        return type.cast(now().receiver().receive(type));
    }

    @Override
    public M receive(Predicate<? super M> wanted) {
        Objects.requireNonNull(wanted, "wanted");
        return now().receiver().receive(wanted);
    }

    @Override
    public void postpone() {
        now().postpone();
    }

    @Override
    public int postponed() {
        cell.checkCord("postponed");
        return Postponing.count(cell);
    }

    @Override
    public void insert(M message) {
        now().requests("insert").insert(message);
    }

    @Override
    public void checkRequests() {
        StateChange.check(now(), Objects.requireNonNull(now().behavior(), "behavior"));
    }

    @Override
    public void whenCommitted(Runnable action) {
        now().requests("a reply").afterwards(action);
    }

    @Override
    public <T extends @Nullable Object> T holding(Callable<T> code) throws Exception {
        Objects.requireNonNull(code, "code");
        return now().requests("holding").holding(cell.deadLetters()).run(code);
    }

    @Override
    public void stateTimeout(Duration after, M message) {
        now().requests("stateTimeout").stateTimeout(after, message);
    }

    @Override
    public void cancelStateTimeout() {
        now().requests("cancelStateTimeout").cancelStateTimeout();
    }

    @Override
    public void idleTimeout(Duration after, M message) {
        now().requests("idleTimeout").idleTimeout(after, message);
    }

    @Override
    public void atEnd(Consumer<? super ExitReason> hook) {
        now().ownedBy("atEnd").hooks().add(Objects.requireNonNull(hook, "hook"));
    }

    @Override
    public <T extends AutoCloseable> T owns(T resource) {
        Objects.requireNonNull(resource, "resource");
        now().ownedBy("owns").hooks().add((AutoCloseable) resource);
        return resource;
    }

    @Override
    public Timers<M> timers() {
        return now().ownedBy("timers").timers();
    }

    @Override
    public <C> ActorRef<C> spin(String name, Actor<C> actor) {
        return children().spin(name, actor);
    }

    @Override
    public <C> ActorRef<C> spin(
            String name, Actor<C> actor, Function<? super Down, ? extends M> whenOver) {
        Objects.requireNonNull(whenOver, "whenOver");
        ActorRef<C> child = children().spin(name, actor);
        monitor(child, whenOver);
        return child;
    }

    @Override
    public Supervisor children() {
        Belongings<M> own = now().ownedBy("children");
        SupervisorCell below = own.children;
        if (below == null) {
            below = SupervisorCell.below(cell);
            cell.core().addChildrenOf(cell, below);
            own.children = below;
        }
        return below;
    }

    @Override
    public Monitor monitor(ActorRef<?> actor, Function<? super Down, ? extends M> message) {
        return watch("monitor", actor, message, false);
    }

    @Override
    public Monitor monitorEach(ActorRef<?> actor, Function<? super Down, ? extends M> message) {
        return watch("monitorEach", actor, message, true);
    }

    private Monitor watch(
            String caller,
            ActorRef<?> actor,
            Function<? super Down, ? extends M> message,
            boolean ofEach) {
        checkOther(caller, actor);
        Belongings<M> own = now().ownedBy(caller);
        MonitorEntry<M> monitor =
                new MonitorEntry<>(
                        cell,
                        actor,
                        Objects.requireNonNull(message, "message"),
                        ofEach,
                        own.monitors());
        monitor.begin();
        return monitor;
    }

    @Override
    public <G> GroupWatch<G> watch(
            Group<G> group, Function<? super GroupChange<G>, ? extends M> message) {
        Belongings<M> own = now().ownedBy("watch");
        GroupWatchEntry<M, G> watch =
                new GroupWatchEntry<>(
                        cell,
                        (GroupCell<G>) Objects.requireNonNull(group, "group"),
                        Objects.requireNonNull(message, "message"),
                        own.groupWatches());
        watch.begin();
        return watch;
    }

    @Override
    public void link(ActorRef<?> actor) {
        checkOther("link", actor);
        now().ownedBy("link").links().link(actor);
    }

    @Override
    public void unlink(ActorRef<?> actor) {
        Objects.requireNonNull(actor, "actor");
        Links links = now().ownedBy("unlink").linksOrNull();
        if (links != null) {
            links.unlink(actor.target());
        }
    }

    @Override
    public void trapExits(Function<? super Exit, ? extends M> message) {
        now().ownedBy("trapExits").trap = Objects.requireNonNull(message, "message");
    }

    private void checkOther(String caller, ActorRef<?> actor) {
        if (Objects.requireNonNull(actor, "actor").equals(cell.ref())) {
            throw new IllegalArgumentException(
                    caller + " of " + actor + " was called by that actor itself");
        }
    }

    @Override
    public <R> Recipient<R> adapt(Function<? super R, ? extends M> message) {
        return new Adapter<>(cell, Objects.requireNonNull(message, "message"), null);
    }

    @Override
    public <R> Recipient<R> adapt(
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure) {
        return new Adapter<>(
                cell,
                Objects.requireNonNull(message, "message"),
                Objects.requireNonNull(onFailure, "onFailure"));
    }

    @Override
    public <R extends @Nullable Object> void pipe(
            CompletionStage<R> stage, Function<? super R, ? extends M> message) {
        send(stage, message, PipedFailureException::rethrow);
    }

    @Override
    public <R extends @Nullable Object> void pipe(
            CompletionStage<R> stage,
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure) {
        send(stage, message, Objects.requireNonNull(onFailure, "onFailure"));
    }

    private <R extends @Nullable Object> void send(
            CompletionStage<R> stage,
            Function<? super R, ?> message,
            Function<? super Throwable, ?> onFailure) {
        Objects.requireNonNull(message, "message");
        ActorCell<M> to = cell;
        Object here = Taps.onTells() ? to.core().contextHere() : null;
        if (here == null) {
            stage.whenComplete(
                    (result, failure) ->
                            to.deliver(
                                    failure == null
                                            ? piped(to, message, result, null)
                                            : piped(to, onFailure, unwrap(failure), null)));
        } else {
            stage.whenComplete(
                    (result, failure) ->
                            to.deliver(
                                    failure == null
                                            ? piped(to, message, result, here)
                                            : piped(to, onFailure, unwrap(failure), here)));
        }
    }

    /** In the context of whoever completes it, or else in that of the call. */
    private static <R extends @Nullable Object> Envelope piped(
            ActorCell<?> to, Function<? super R, ?> function, R value, @Nullable Object ofCall) {
        Object here = Taps.onTells() ? to.core().contextHere() : null;
        Object context = here == null ? ofCall : here;
        return context == null
                ? new Envelope.Adapted<>(function, value, true)
                : new InContext.Adapted<>(function, value, true, false, context);
    }

    private static Throwable unwrap(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    @Override
    public <R extends @Nullable Object> void pipe(
            Fiber<R> done, Function<? super R, ? extends M> message) {
        pipe(done.toFuture(), message);
    }

    @Override
    public <R extends @Nullable Object> void pipe(
            Fiber<R> done,
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure) {
        pipe(done.toFuture(), message, onFailure);
    }

    @Override
    public String toString() {
        return "the context of " + cell;
    }

    /** The exception that an actor fails with if a stage that it piped to itself failed. */
    private static final class PipedFailureException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private PipedFailureException(Throwable cause) {
            super("what was piped failed: " + cause, cause);
        }

        /** Stands where a message would be made; never returns. */
        static Object rethrow(Throwable failure) {
            throw new PipedFailureException(failure);
        }
    }
}
