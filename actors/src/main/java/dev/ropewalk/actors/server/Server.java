package dev.ropewalk.actors.server;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.internal.behavior.Committing;
import dev.ropewalk.actors.spi.HasState;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * An actor as a state and a function of it for each type of message; immutable. A {@link #call}
 * answers a {@link Request}, a {@link #cast} takes a message without a reply, an {@link #info}
 * takes the actor's own messages: those of its timers, the ends that it monitors, replies that it
 * adapts.
 *
 * {@snippet file="dev/ropewalk/actors/server/ServerSnippetsTest.java" region="stock"}
 *
 * <p>A function gets the state and the message, and returns the next state, which is committed when
 * the message has completed; the reply leaves after that. A function that throws fails the actor,
 * whose supervisor starts it again, and fails the ask of that message. A message without a function
 * is a dead letter, and an ask fails.
 *
 * <p>The semantics are those of Erlang's gen_server.
 *
 * @param <M> the type of the messages: the protocol
 * @param <S> the type of the state, which is best immutable
 */
public final class Server<M, S> {
    /** The function for one type of message. */
    private sealed interface Clause<S> {}

    private record Call<S>(CallHandler<S, Request<Object>, Object> handler) implements Clause<S> {}

    private record Told<S>(MessageHandler<S, Object> handler) implements Clause<S> {}

    private final S initial;
    private final Map<Class<?>, Clause<S>> clauses;
    private final @Nullable Predicate<? super S> ends;

    private Server(
            S initial, Map<Class<?>, Clause<S>> clauses, @Nullable Predicate<? super S> ends) {
        this.initial = initial;
        this.clauses = clauses;
        this.ends = ends;
    }

    /**
     * {@return a server without functions}
     *
     * @param <M> the type of the messages
     * @param <S> the type of the state
     * @param state what each start begins with; it must not be changed in place, because a restart
     *     would find it changed
     */
    public static <M, S> Server<M, S> of(S state) {
        return new Server<>(Objects.requireNonNull(state, "state"), Map.of(), null);
    }

    /**
     * {@return this server, which begins with another state}
     *
     * @param state what each start begins with
     */
    public Server<M, S> withState(S state) {
        return new Server<>(Objects.requireNonNull(state, "state"), clauses, ends);
    }

    // ---------------------------------------------------------------- functions

    /**
     * {@return the server with a function for a type of request}
     *
     * @param <C> the type of the request
     * @param <R> the type of the reply
     * @param type the type, and all that extend it, unless a nearer type has a function
     * @param handler returns the reply and the next state
     * @throws IllegalArgumentException if there is one for the type
     */
    @SuppressWarnings("unchecked") // it is called with messages of the type only
    public <R, C extends Request<R>> Server<M, S> call(
            Class<C> type, CallHandler<S, ? super C, R> handler) {
        Objects.requireNonNull(handler, "handler");
        return with(type, new Call<>((CallHandler<S, Request<Object>, Object>) (Object) handler));
    }

    /**
     * {@return the server with a function for a type of message that others tell}
     *
     * @param <C> the type of the message
     * @param type the type, and all that extend it, unless a nearer type has a function
     * @param handler returns the next state
     * @throws IllegalArgumentException if there is one for the type
     */
    @SuppressWarnings("unchecked") // it is called with messages of the type only
    public <C extends M> Server<M, S> cast(Class<C> type, MessageHandler<S, ? super C> handler) {
        Objects.requireNonNull(handler, "handler");
        return with(type, new Told<>((MessageHandler<S, Object>) (Object) handler));
    }

    /**
     * {@return the server with a function for a type of message that it has itself told} It works
     * like a {@link #cast}; the name says where the message comes from.
     *
     * @param <C> the type of the message
     * @param type the type, and all that extend it, unless a nearer type has a function
     * @param handler returns the next state
     * @throws IllegalArgumentException if there is one for the type
     */
    public <C extends M> Server<M, S> info(Class<C> type, MessageHandler<S, ? super C> handler) {
        return cast(type, handler);
    }

    private Server<M, S> with(Class<?> type, Clause<S> clause) {
        Map<Class<?>, Clause<S>> more = new LinkedHashMap<>(clauses);
        if (more.put(Objects.requireNonNull(type, "type"), clause) != null) {
            throw new IllegalArgumentException(
                    "two functions for " + type.getName() + "; a type has one");
        }
        return new Server<>(initial, more, ends);
    }

    /**
     * {@return the server, which ends normally when a state passes} It is asked after each message
     * that changed the state, when the reply has left.
     *
     * @param last whether a state is the last one
     */
    public Server<M, S> endsWhen(Predicate<? super S> last) {
        return new Server<>(initial, clauses, Objects.requireNonNull(last, "last"));
    }

    // ---------------------------------------------------------------- as an actor

    /** {@return the definition of an actor} */
    public Actor<M> actor() {
        return Actor.handler(this::behavior);
    }

    /**
     * {@return the definition of an actor that has a function for each message of its protocol}
     *
     * @param protocol the type of its messages; if it is sealed, each class below it is looked for
     * @throws IllegalArgumentException if one has no function, or a function is for none of them
     */
    public Actor<M> actor(Class<M> protocol) {
        for (Class<?> type : clauses.keySet()) {
            if (!protocol.isAssignableFrom(type)) {
                throw new IllegalArgumentException(
                        "a function is for " + type.getName() + ", which is no " + protocol);
            }
        }
        List<String> without = new ArrayList<>();
        addUnhandled(protocol, without);
        if (!without.isEmpty()) {
            throw new IllegalArgumentException(
                    "no function is for "
                            + without
                            + " of "
                            + protocol.getName()
                            + "; add call, cast or info");
        }
        return actor();
    }

    private void addUnhandled(Class<?> type, List<String> without) {
        if (clauseOf(type) != null) {
            return;
        }
        if (!type.isSealed() || !Modifier.isAbstract(type.getModifiers())) {
            without.add(type.getSimpleName());
        }
        if (type.isSealed()) {
            for (Class<?> below : type.getPermittedSubclasses()) {
                addUnhandled(below, without);
            }
        }
    }

    private @Nullable Clause<S> clauseOf(Class<?> type) {
        Clause<S> own = clauses.get(type);
        if (own != null) {
            return own;
        }
        Class<?> nearest = null;
        for (Class<?> each : clauses.keySet()) {
            boolean isNearer = nearest == null || nearest.isAssignableFrom(each);
            if (isNearer && each.isAssignableFrom(type)) {
                nearest = each;
            }
        }
        return nearest == null ? null : clauses.get(nearest);
    }

    /**
     * {@return the first behavior, for a factory that needs the context} The functions may use it:
     *
     * {@snippet file="dev/ropewalk/actors/server/ServerSnippetsTest.java" region="context"}
     *
     * @param self the context of the actor
     */
    public Behavior<M> behavior(ActorContext<M> self) {
        return new Serving(Objects.requireNonNull(self, "self"), initial);
    }

    /** The server in one state. */
    private final class Serving implements Behavior<M>, HasState {
        private final ActorContext<M> self;
        private final S state;

        Serving(ActorContext<M> self, S state) {
            this.self = self;
            this.state = state;
        }

        @Override
        public Object state() {
            return state;
        }

        @Override
        @SuppressWarnings("unchecked") // a call is found for requests only
        public Behavior<M> onMessage(M message) throws Exception {
            return switch (clauseOf(message.getClass())) {
                case null -> Behavior.unhandled();
                case Told<S> told -> next(told.handler().onMessage(state, message));
                case Call<S> call -> answer(call, (Request<Object>) message);
            };
        }

        private Behavior<M> answer(Call<S> call, Request<Object> request) throws Exception {
            Reply<Object, S> reply = call.handler().onCall(state, request);
            return switch (reply) {
                case null ->
                        throw new IllegalStateException(
                                self.self()
                                        + ": the function for "
                                        + request
                                        + " returned null; it returns Reply.of, later or last");
                case Reply.Now<Object, S> now -> {
                    send(request, now.value());
                    yield next(now.state());
                }
                case Reply.Later<Object, S> later -> next(later.state());
                case Reply.Last<Object, S> last -> {
                    send(request, last.value());
                    yield Behavior.stopped();
                }
            };
        }

        /** When the state is committed: an asker that sees the reply sees no state before it. */
        private void send(Request<Object> request, Object value) {
            Committing.of(self).whenCommitted(() -> request.replyTo().tell(value));
        }

        private Behavior<M> next(@Nullable S next) {
            if (next == null) {
                throw new IllegalStateException(
                        self.self()
                                + ": a function returned null in place of the next state; return"
                                + " the state that it was given if it does not change");
            }
            if (next == state) {
                return Behavior.same();
            }
            return ends != null && ends.test(next) ? Behavior.stopped() : new Serving(self, next);
        }

        @Override
        public String toString() {
            return "a server with " + state;
        }
    }
}
