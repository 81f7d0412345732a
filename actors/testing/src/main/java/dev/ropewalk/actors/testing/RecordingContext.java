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
import dev.ropewalk.actors.internal.SteppedActor;
import dev.ropewalk.actors.internal.behavior.Committing;
import dev.ropewalk.actors.internal.observe.ObservedActor;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.routing.GroupChange;
import dev.ropewalk.actors.routing.GroupWatch;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The context of a behavior that is run step by step: the actor's own, but for what other actors
 * are. Its children are probes, and the ends of those that it watches come when the test says so.
 */
final class RecordingContext<M> implements ActorContext<M>, Committing {
    private final ActorContext<M> own;
    private final SteppedActor<M> actor;
    private final ActorRef<M> address;
    private final Probe.Recorder probes;
    private final Consumer<Effect> effects;
    private final Map<String, Probe<?>> children = new LinkedHashMap<>();

    /** Those whose actor is not over; also those of a kept state, which keeps this context too. */
    private final List<Watch> watches = new ArrayList<>();

    /**
     * The context of what one start makes.
     *
     * @param own the actor's
     * @param address under which the behavior knows itself
     */
    RecordingContext(
            ActorContext<M> own,
            SteppedActor<M> actor,
            ActorRef<M> address,
            Probe.Recorder probes,
            Consumer<Effect> effects) {
        this.own = own;
        this.actor = actor;
        this.address = address;
        this.probes = probes;
        this.effects = effects;
    }

    // ---------------------------------------------------------------- the test's side

    ObservedActor observed() {
        return actor.observed();
    }

    Map<String, Probe<?>> childProbes() {
        return children;
    }

    /** The monitors of the actor that are told; they are over then if it is. */
    List<WatchedTarget<?>> watching(ActorRef<?> other, boolean isLast) {
        List<WatchedTarget<?>> told = new ArrayList<>();
        for (Watch each : List.copyOf(watches)) {
            if (each.actor().equals(other) && (each.target.isOfEach() || isLast)) {
                told.add(each.target);
                if (isLast) {
                    watches.remove(each);
                }
            }
        }
        if (told.isEmpty()) {
            throw new AssertionError(
                    address
                            + " does not monitor "
                            + other
                            + "; it monitors "
                            + watches.stream().map(Watch::actor).toList());
        }
        return told;
    }

    // ---------------------------------------------------------------- what others are

    @Override
    public ActorRef<M> self() {
        return address;
    }

    @Override
    public <C> ActorRef<C> spin(String name, Actor<C> definition) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(definition, "actor");
        Probe<C> child = Probe.recorded(address.path(), name, probes);
        children.put(name, child);
        effects.accept(new Effect.Spun(name, definition, child.ref()));
        return child.ref();
    }

    @Override
    public <C> ActorRef<C> spin(
            String name, Actor<C> definition, Function<? super Down, ? extends M> whenOver) {
        Objects.requireNonNull(whenOver, "whenOver");
        ActorRef<C> child = spin(name, definition);
        monitor(child, whenOver);
        return child;
    }

    @Override
    public Supervisor children() {
        throw new UnsupportedOperationException(
                address
                        + " is run step by step and has no supervisor; let it spin(name, actor), or"
                        + " test it in an ActorSystem, with a Probe");
    }

    @Override
    public Monitor monitor(ActorRef<?> other, Function<? super Down, ? extends M> message) {
        checkOther("monitor", other);
        WatchedTarget<?> target = new WatchedTarget<>(other, false);
        return watch(target, own.monitor(target.ref(), message));
    }

    @Override
    public Monitor monitorEach(ActorRef<?> other, Function<? super Down, ? extends M> message) {
        checkOther("monitorEach", other);
        WatchedTarget<?> target = new WatchedTarget<>(other, true);
        return watch(target, own.monitorEach(target.ref(), message));
    }

    private Monitor watch(WatchedTarget<?> target, Monitor monitor) {
        Watch watch = new Watch(target, monitor);
        watches.add(watch);
        effects.accept(new Effect.Watched(target.actor(), target.isOfEach()));
        return watch;
    }

    @Override
    public <G> GroupWatch<G> watch(
            Group<G> group, Function<? super GroupChange<G>, ? extends M> message) {
        throw new UnsupportedOperationException(
                address
                        + " is run step by step, where there is no group; tell it the changes, or"
                        + " test it in an ActorSystem, with a Probe");
    }

    @Override
    public void link(ActorRef<?> other) {
        checkOther("link", other);
        boolean isNew = !actor.linked().contains(other);
        own.link(actor.peer(other));
        if (isNew) {
            effects.accept(new Effect.Linked(other));
        }
    }

    @Override
    public void unlink(ActorRef<?> other) {
        boolean was = actor.linked().contains(Objects.requireNonNull(other, "actor"));
        ActorRef<?> peer = actor.peerOrNull(other);
        if (peer != null) {
            own.unlink(peer);
        }
        if (was) {
            effects.accept(new Effect.Unlinked(other));
        }
    }

    @Override
    public void trapExits(Function<? super Exit, ? extends M> message) {
        Objects.requireNonNull(message, "message");
        own.trapExits(exit -> message.apply(new Exit(actor.linkedAs(exit.from()), exit.reason())));
        effects.accept(new Effect.TrappedExits());
    }

    private void checkOther(String caller, ActorRef<?> other) {
        if (Objects.requireNonNull(other, "actor").equals(address)) {
            throw new IllegalArgumentException(
                    caller + " of " + other + " was called by that actor itself");
        }
    }

    /** A monitor whose actor ends when the test says so. */
    private final class Watch implements Monitor {
        private final WatchedTarget<?> target;
        private final Monitor monitor;

        Watch(WatchedTarget<?> target, Monitor monitor) {
            this.target = target;
            this.monitor = monitor;
        }

        @Override
        public ActorRef<?> actor() {
            return target.actor();
        }

        @Override
        public void cancel() {
            boolean isActive = watches.remove(this) || actor.isPending(monitor);
            monitor.cancel();
            if (isActive) {
                effects.accept(new Effect.Unwatched(actor()));
            }
        }
    }

    // ---------------------------------------------------------------- the actor's own

    @Override
    public int attempt() {
        return own.attempt();
    }

    @Override
    public M receive() {
        return own.receive();
    }

    @Override
    public @Nullable M receive(Duration limit) {
        return own.receive(limit);
    }

    @Override
    public <T extends M> T receive(Class<T> type) {
        return own.receive(type);
    }

    @Override
    public M receive(Predicate<? super M> wanted) {
        return own.receive(wanted);
    }

    @Override
    public void postpone() {
        own.postpone();
    }

    @Override
    public int postponed() {
        return own.postponed();
    }

    @Override
    public void insert(M message) {
        own.insert(message);
    }

    @Override
    public void checkRequests() {
        Committing.of(own).checkRequests();
    }

    @Override
    public void whenCommitted(Runnable action) {
        Committing.of(own).whenCommitted(action);
    }

    @Override
    public <T extends @Nullable Object> T holding(Callable<T> code) throws Exception {
        return Committing.of(own).holding(code);
    }

    @Override
    public void stateTimeout(Duration after, M message) {
        own.stateTimeout(after, message);
    }

    @Override
    public void cancelStateTimeout() {
        own.cancelStateTimeout();
    }

    @Override
    public void idleTimeout(Duration after, M message) {
        own.idleTimeout(after, message);
    }

    @Override
    public void atEnd(Consumer<? super ExitReason> hook) {
        own.atEnd(hook);
    }

    @Override
    public <T extends AutoCloseable> T owns(T resource) {
        return own.owns(resource);
    }

    @Override
    public Timers<M> timers() {
        return own.timers();
    }

    @Override
    public <R> Recipient<R> adapt(Function<? super R, ? extends M> message) {
        return own.adapt(message);
    }

    @Override
    public <R> Recipient<R> adapt(
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure) {
        return own.adapt(message, onFailure);
    }

    @Override
    public <R extends @Nullable Object> void pipe(
            CompletionStage<R> stage, Function<? super R, ? extends M> message) {
        own.pipe(stage, message);
    }

    @Override
    public <R extends @Nullable Object> void pipe(
            CompletionStage<R> stage,
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure) {
        own.pipe(stage, message, onFailure);
    }

    @Override
    public <R extends @Nullable Object> void pipe(
            Fiber<R> fiber, Function<? super R, ? extends M> message) {
        own.pipe(fiber, message);
    }

    @Override
    public <R extends @Nullable Object> void pipe(
            Fiber<R> fiber,
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure) {
        own.pipe(fiber, message, onFailure);
    }

    @Override
    public String toString() {
        return "the context of " + address;
    }
}
