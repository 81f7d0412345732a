package dev.ropewalk.actors.testing;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorBody;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.StateEntry;
import dev.ropewalk.actors.internal.Definition;
import dev.ropewalk.actors.internal.behavior.BehaviorShell;
import dev.ropewalk.actors.internal.behavior.Repeat;
import dev.ropewalk.actors.internal.behavior.StateBehavior;

import org.jspecify.annotations.Nullable;

import java.util.function.Function;

/** Puts interceptors around a definition, which keeps its style and its options. */
final class Interception {
    private Interception() {}

    /** Each incarnation has an interceptor of its own; with kept state it stays with the state. */
    static <M> Actor<M> around(
            Actor<M> actor, Function<ActorContext<M>, Interceptor<M>> ofIncarnation) {
        return Definition.of(actor)
                .around(
                        factory -> self -> first(self, factory, ofIncarnation),
                        body -> self -> run(self, body, ofIncarnation));
    }

    private static <M> Behavior<M> first(
            ActorContext<M> self,
            Function<ActorContext<M>, Behavior<M>> factory,
            Function<ActorContext<M>, Interceptor<M>> ofIncarnation) {
        Side<M> side = new Side<>(ofIncarnation.apply(self));
        return around(side, factory.apply(self));
    }

    private static <M> void run(
            ActorContext<M> self,
            ActorBody<M> body,
            Function<ActorContext<M>, Interceptor<M>> ofIncarnation)
            throws Exception {
        InterceptedContext<M> context = new InterceptedContext<>(self, ofIncarnation.apply(self));
        try {
            body.run(context);
        } catch (Throwable failure) {
            context.failed(failure);
            throw failure;
        }
    }

    /** A sign, and null, stay what they are: the actor knows them by identity. */
    @SuppressWarnings("NullAway") // null is passed on to the one that reports it
    private static <M> Behavior<M> around(Side<M> side, @Nullable Behavior<M> inner) {
        if (inner == null
                || inner == Behavior.<M>same()
                || inner == Behavior.<M>stopped()
                || inner == Behavior.<M>unhandled()) {
            return inner;
        }
        return switch (inner) {
            case StateBehavior<M> state -> around(side, state);
            case Repeat<M> repeat when repeat.next() == null -> repeat;
            case Repeat<M> repeat -> Behavior.repeat(around(side, repeat.next()));
            default -> new Intercepted<>(side, inner);
        };
    }

    /** The state stays outside, where the actor finds its name. */
    private static <M> Behavior<M> around(Side<M> side, StateBehavior<M> state) {
        StateEntry<M> entry = state.entry();
        return new StateBehavior<>(
                state.name(),
                entry == null ? null : from -> enter(side, entry, from),
                around(side, state.handler()));
    }

    private static <M> Behavior<M> enter(Side<M> side, StateEntry<M> entry, @Nullable String from)
            throws Exception {
        try {
            return around(side, entry.onEnter(from));
        } catch (Throwable failure) {
            side.failed(failure);
            throw failure;
        }
    }

    /** One incarnation, with the message that it handles: an entry that fails fails on that. */
    private static final class Side<M> {
        private final Interceptor<M> interceptor;

        /** The last one that came; null while the first entry runs. */
        private @Nullable M message;

        Side(Interceptor<M> interceptor) {
            this.interceptor = interceptor;
        }

        boolean takes(M next) throws Exception {
            message = next;
            return interceptor.take(next);
        }

        void failed(Throwable failure) {
            if (message != null) {
                interceptor.failed(message, failure);
            }
        }
    }

    private record Intercepted<M>(Side<M> side, Behavior<M> inner) implements BehaviorShell<M> {
        @Override
        public Behavior<M> onMessage(M message) throws Exception {
            try {
                return side.takes(message)
                        ? around(side, inner.onMessage(message))
                        : Behavior.same();
            } catch (Throwable failure) {
                side.failed(failure);
                throw failure;
            }
        }

        @Override
        public String toString() {
            return inner.toString();
        }
    }
}
