package dev.ropewalk.actors.spi;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.fibers.SwitchHook;

import org.jspecify.annotations.Nullable;

/**
 * Carries a context that is bound to the thread, such as that of a trace, from the sender of a
 * message to the code that handles it: for the code that binds a tracer to this library. Set with
 * {@link dev.ropewalk.actors.ActorSystemOptions#withContexts}.
 *
 * <p>It carries what is told to the actors of that system, asked of them, or sent to their
 * adapters: the context of the sender at that moment. A piped result has the context of whoever
 * completes the stage, or if that has none, of the call of {@code pipe}. The message of a timer
 * that goes off once has the context in which it was set; ends of other actors, and timers that
 * repeat, have none.
 *
 * <p>A carrier that throws costs no message; the first failure is logged.
 */
public interface ContextCarrier {
    /**
     * {@return the hook that keeps the context of each fiber apart} The cords of the system have
     * it: it is always the same one.
     */
    SwitchHook<?> switchHook();

    /**
     * {@return the context of the caller, which sends a message; null for none, and then the
     * message has no envelope} On any thread; must not wait.
     */
    @Nullable Object current();

    /**
     * An actor begins a message. On the actor's fiber, whose context it may set until the message
     * has ended: also where the message has none, because a fiber begins with the context of the
     * one that has spun it. Must not wait.
     *
     * @param actor the actor
     * @param type the class under which it counts, see {@link
     *     dev.ropewalk.actors.observe.ActorGlance#type}
     * @param message as the actor sees it; or, if it cannot be made, what it would be made of
     * @param context from {@link #current} of its sender; null if it has none
     * @return the handling of that message
     */
    Handling begin(ActorRef<?> actor, String type, Object message, @Nullable Object context);

    /** The handling of one message. Exactly one of its methods is called, once. */
    interface Handling {
        /**
         * The actor is done with the message. On the fiber that began it, so what was set there is
         * put back here. Must not wait.
         *
         * @param failure null if it has not failed; otherwise what the handler threw, also to end
         *     its fiber
         */
        void end(@Nullable Throwable failure);

        /**
         * The fiber was given up in the middle of the message. On the cord, but not on the fiber,
         * so the context of the thread is another one. Must not wait.
         */
        void abandon();
    }
}
