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
import dev.ropewalk.actors.internal.behavior.Committing;
import dev.ropewalk.actors.internal.behavior.Requests;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.routing.GroupChange;
import dev.ropewalk.actors.routing.GroupWatch;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** The context of a behavior that is run step by step: it keeps what it is asked to do. */
final class StepContext<M> implements ActorContext<M>, Committing {
    /** What the context needs of the steps. */
    interface Steps<M> {
        ActorRef<M> self();

        int attempt();

        /** What the message in hand, or an entry, asks for; an error if there is none. */
        Requests<M> requests(String caller);

        void postpone();

        int countPostponed();

        void add(Effect effect);

        /** The message is made when it is its turn; from any thread. */
        void queue(Message<M> message);

        <C> Probe<C> newChild(String name);
    }

    /** Makes a message on the actor's side. */
    @FunctionalInterface
    interface Message<M> {
        M make();
    }

    /** Where a message comes from that nobody told: a timer, a monitor, a link. */
    interface Source {
        /** Its message does not come any more, also if it was postponed. */
        boolean isRevoked();

        /** The behavior has put the message off, or it has come again. */
        default void postponed(boolean isPostponed) {}

        /** The behavior is done with the message. */
        void done();
    }

    /** A message that nobody told. */
    record Notice<M>(Message<M> message, Source source) implements Message<M> {
        @Override
        public M make() {
            return message.make();
        }
    }

    /** A hook of the end. */
    @FunctionalInterface
    private interface Hook {
        void run(ExitReason reason) throws Exception;
    }

    private final Steps<M> steps;
    private final StepTimers<M> timers;
    private final Deque<Hook> hooks = new ArrayDeque<>();
    private final List<Watch> watches = new ArrayList<>();
    private final Set<ActorRef<?>> links = new LinkedHashSet<>();

    /** Trapped exits that the behavior is not done with. */
    private final Set<TrappedExit> exits = new LinkedHashSet<>();

    private final Map<String, Probe<?>> children = new LinkedHashMap<>();
    private @Nullable Function<? super Exit, ? extends M> trap;

    /** The state is over. */
    private boolean isOver;

    StepContext(Steps<M> steps) {
        this.steps = steps;
        this.timers = new StepTimers<>(steps::add);
    }

    // ---------------------------------------------------------------- the test's side

    StepTimers<M> stepTimers() {
        return timers;
    }

    Map<String, Probe<?>> childProbes() {
        return children;
    }

    /** What the behavior is told of the end, one for each monitor; those are over then. */
    List<Message<M>> down(Down down, boolean isLast) {
        List<Message<M>> messages = new ArrayList<>();
        for (Watch each : List.copyOf(watches)) {
            if (each.actor.equals(down.actor()) && (each.ofEach || isLast)) {
                each.isTold = true;
                messages.add(new Notice<>(() -> each.message.apply(down), each));
                if (isLast) {
                    watches.remove(each);
                }
            }
        }
        if (messages.isEmpty()) {
            throw new AssertionError(
                    steps.self()
                            + " does not monitor "
                            + down.actor()
                            + "; it monitors "
                            + watches.stream().map(Watch::actor).toList());
        }
        return messages;
    }

    /** The message of a trapped exit; null if it is not trapped. Fails if there is no link. */
    @Nullable Message<M> exit(Exit exit) {
        if (!links.remove(exit.from())) {
            throw new AssertionError(
                    steps.self()
                            + " is not linked to "
                            + exit.from()
                            + "; it is linked to "
                            + links);
        }
        Function<? super Exit, ? extends M> trapped = trap;
        if (trapped == null) {
            return null;
        }
        TrappedExit source = new TrappedExit(exit.from());
        exits.add(source);
        return new Notice<>(() -> trapped.apply(exit), source);
    }

    /** The fiber is over, and links with it. */
    void failed() {
        exits.clear();
        links.clear();
    }

    /** Returns what the hooks threw. */
    List<Throwable> end(ExitReason reason) {
        isOver = true;
        failed();
        timers.clear();
        watches.clear();
        List<Throwable> failures = new ArrayList<>();
        for (Hook hook = hooks.poll(); hook != null; hook = hooks.poll()) {
            try {
                hook.run(reason);
            } catch (Throwable failure) {
                failures.add(failure); // of any kind: the other hooks run all the same
            }
        }
        return failures;
    }

    // ---------------------------------------------------------------- the actor's side

    @Override
    public ActorRef<M> self() {
        return steps.self();
    }

    @Override
    public int attempt() {
        return steps.attempt();
    }

    @Override
    public M receive() {
        throw noLoop();
    }

    @Override
    public @Nullable M receive(Duration limit) {
        throw noLoop();
    }

    @Override
    public <T extends M> T receive(Class<T> type) {
        throw noLoop();
    }

    @Override
    public M receive(Predicate<? super M> wanted) {
        throw noLoop();
    }

    private IllegalStateException noLoop() {
        return new IllegalStateException(
                self()
                        + " is handler style: the message comes to the behavior, receive is for"
                        + " loops");
    }

    @Override
    public void postpone() {
        steps.postpone();
    }

    @Override
    public int postponed() {
        return steps.countPostponed();
    }

    @Override
    public void insert(M message) {
        steps.requests("insert").insert(message);
    }

    @Override
    public void whenCommitted(Runnable action) {
        steps.requests("a reply").afterwards(action);
    }

    @Override
    public void stateTimeout(Duration after, M message) {
        steps.requests("stateTimeout").stateTimeout(after, message);
    }

    @Override
    public void cancelStateTimeout() {
        steps.requests("cancelStateTimeout").cancelStateTimeout();
    }

    @Override
    public void idleTimeout(Duration after, M message) {
        steps.requests("idleTimeout").idleTimeout(after, message);
    }

    @Override
    public void atEnd(Consumer<? super ExitReason> hook) {
        Objects.requireNonNull(hook, "hook");
        hooks.push(hook::accept);
    }

    @Override
    public <T extends AutoCloseable> T owns(T resource) {
        AutoCloseable owned = Objects.requireNonNull(resource, "resource");
        hooks.push(_ -> owned.close());
        return resource;
    }

    @Override
    public Timers<M> timers() {
        return timers;
    }

    @Override
    public <C> ActorRef<C> spin(String name, Actor<C> actor) {
        Probe<C> child = steps.newChild(Objects.requireNonNull(name, "name"));
        children.put(name, child);
        steps.add(new Effect.Spun(name, Objects.requireNonNull(actor, "actor"), child.ref()));
        return child.ref();
    }

    @Override
    public <C> ActorRef<C> spin(
            String name, Actor<C> actor, Function<? super Down, ? extends M> whenOver) {
        Objects.requireNonNull(whenOver, "whenOver");
        ActorRef<C> child = spin(name, actor);
        monitor(child, whenOver);
        return child;
    }

    @Override
    public Supervisor children() {
        throw new UnsupportedOperationException(
                self()
                        + " is run step by step and has no supervisor; let it spin(name, actor), or"
                        + " test it in an ActorSystem, with a Probe");
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
        Watch watch = new Watch(actor, Objects.requireNonNull(message, "message"), ofEach);
        watches.add(watch);
        steps.add(new Effect.Watched(actor, ofEach));
        return watch;
    }

    @Override
    public <G> GroupWatch<G> watch(
            Group<G> group, Function<? super GroupChange<G>, ? extends M> message) {
        throw new UnsupportedOperationException(
                self()
                        + " is run step by step, where there is no group; tell it the changes, or"
                        + " test it in an ActorSystem, with a Probe");
    }

    @Override
    public void link(ActorRef<?> actor) {
        checkOther("link", actor);
        if (links.add(actor)) {
            steps.add(new Effect.Linked(actor));
        }
    }

    @Override
    public void unlink(ActorRef<?> actor) {
        exits.removeIf(each -> each.from.equals(actor));
        if (links.remove(Objects.requireNonNull(actor, "actor"))) {
            steps.add(new Effect.Unlinked(actor));
        }
    }

    @Override
    public void trapExits(Function<? super Exit, ? extends M> message) {
        trap = Objects.requireNonNull(message, "message");
        steps.add(new Effect.TrappedExits());
    }

    private void checkOther(String caller, ActorRef<?> actor) {
        if (Objects.requireNonNull(actor, "actor").equals(self())) {
            throw new IllegalArgumentException(
                    caller + " of " + actor + " was called by that actor itself");
        }
    }

    @Override
    public <R> Recipient<R> adapt(Function<? super R, ? extends M> message) {
        Objects.requireNonNull(message, "message");
        return new Adapter<>(message, null);
    }

    @Override
    public <R> Recipient<R> adapt(
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure) {
        Objects.requireNonNull(message, "message");
        return new Adapter<>(message, Objects.requireNonNull(onFailure, "onFailure"));
    }

    @Override
    public <R extends @Nullable Object> void pipe(
            CompletionStage<R> stage, Function<? super R, ? extends M> message) {
        send(
                stage,
                message,
                failure -> {
                    throw new IllegalStateException("what was piped failed", failure);
                });
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
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure) {
        Objects.requireNonNull(message, "message");
        stage.whenComplete(
                (result, failure) ->
                        steps.queue(
                                failure == null
                                        ? () -> message.apply(result)
                                        : () -> onFailure.apply(unwrap(failure))));
    }

    private static Throwable unwrap(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    @Override
    public <R extends @Nullable Object> void pipe(
            Fiber<R> fiber, Function<? super R, ? extends M> message) {
        pipe(fiber.toFuture(), message);
    }

    @Override
    public <R extends @Nullable Object> void pipe(
            Fiber<R> fiber,
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure) {
        pipe(fiber.toFuture(), message, onFailure);
    }

    @Override
    public String toString() {
        return "the context of " + self();
    }

    private final class TrappedExit implements Source {
        private final ActorRef<?> from;

        TrappedExit(ActorRef<?> from) {
            this.from = from;
        }

        @Override
        public boolean isRevoked() {
            return !exits.contains(this);
        }

        @Override
        public void done() {
            exits.remove(this);
        }
    }

    private final class Watch implements Monitor, Source {
        private final ActorRef<?> actor;
        private final Function<? super Down, ? extends M> message;
        private final boolean ofEach;

        /** The behavior is not done with what it was told. */
        private boolean isTold;

        private boolean isCancelled;

        Watch(ActorRef<?> actor, Function<? super Down, ? extends M> message, boolean ofEach) {
            this.actor = actor;
            this.message = message;
            this.ofEach = ofEach;
        }

        @Override
        public ActorRef<?> actor() {
            return actor;
        }

        @Override
        public void cancel() {
            isCancelled = true;
            if (watches.remove(this) || isTold) {
                isTold = false;
                steps.add(new Effect.Unwatched(actor));
            }
        }

        @Override
        public boolean isRevoked() {
            return isCancelled || isOver;
        }

        @Override
        public void done() {
            isTold = false;
        }
    }

    private final class Adapter<R> implements Recipient<R> {
        private final Function<? super R, ? extends M> message;

        /** Null if a failure goes to the actor's own address. */
        private final @Nullable Function<? super Throwable, ? extends M> onFailure;

        Adapter(
                Function<? super R, ? extends M> message,
                @Nullable Function<? super Throwable, ? extends M> onFailure) {
            this.message = message;
            this.onFailure = onFailure;
        }

        @Override
        public void tell(R reply) {
            Objects.requireNonNull(reply, "message");
            steps.queue(() -> message.apply(reply));
        }

        @Override
        public void fail(Throwable failure) {
            Objects.requireNonNull(failure, "failure");
            if (onFailure == null) {
                self().fail(failure);
            } else {
                Function<? super Throwable, ? extends M> made = onFailure;
                steps.queue(() -> made.apply(failure));
            }
        }

        @Override
        public String toString() {
            return "an adapter of " + self();
        }
    }
}
