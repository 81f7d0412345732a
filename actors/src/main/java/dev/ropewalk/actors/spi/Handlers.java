package dev.ropewalk.actors.spi;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.internal.Caller;
import dev.ropewalk.actors.internal.Definition;
import dev.ropewalk.actors.internal.behavior.Committing;

import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

/** For builders of things that start and stop the actors of a program by themselves. */
public final class Handlers {
    private Handlers() {}

    /**
     * Refuses a definition whose actors are started again after each end.
     *
     * @param actor any
     * @throws IllegalArgumentException if they are
     */
    public static void checkEnds(Actor<?> actor) {
        if (Definition.of(actor).isPermanent()) {
            throw new IllegalArgumentException(
                    actor
                            + " is started again after each end, and would never rest; take"
                            + " TRANSIENT");
        }
    }

    /**
     * {@return whether an incarnation of an actor of this process has begun to work} Without one
     * its end is a start that failed. On the actor's cord.
     *
     * @param actor any
     */
    public static boolean wasUp(ActorRef<?> actor) {
        return Caller.wasUp(actor.target());
    }

    /**
     * {@return whether an actor of this process waits for a message, has none, and owes no reply}
     * On the actor's cord.
     *
     * @param actor any
     */
    public static boolean isIdle(ActorRef<?> actor) {
        return Caller.isIdle(actor.target());
    }

    /**
     * Lets an actor of this process ask before it begins a message. While the answer is no, it
     * waits with the message in hand, and asks again after 50 ms to 0.8 s; one that is ended
     * meanwhile has not seen that message. A stop needs no permit. Holds for all incarnations. On
     * the actor's cord, before it is told anything.
     *
     * @param actor any
     * @param mayBegin is asked by the actor; must not wait, nor throw
     */
    public static void needsPermit(ActorRef<?> actor, BooleanSupplier mayBegin) {
        Caller.needsPermit(actor.target(), mayBegin);
    }

    /**
     * Runs a part of the handling of a message: all that the actor tells meanwhile leaves when the
     * message has completed, in that order, and never if it fails. An ask leaves at once, and so
     * does what another fiber tells.
     *
     * @param <T> the type of the result
     * @param context of the actor, whose fiber calls, in a message
     * @param code may wait
     * @return what the code returns
     * @throws Exception what the code throws
     */
    public static <T> T holding(ActorContext<?> context, Callable<T> code) throws Exception {
        return Committing.of(context).holding(code);
    }

    /**
     * Fails if the message in hand has made a request that will be refused when it has completed: a
     * caller that writes in between cannot take that back.
     *
     * @param context of the actor, whose fiber calls, in a message
     */
    public static void checkRequests(ActorContext<?> context) {
        Committing.of(context).checkRequests();
    }
}
