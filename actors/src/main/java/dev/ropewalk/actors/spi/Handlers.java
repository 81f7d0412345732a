package dev.ropewalk.actors.spi;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.internal.Definition;
import dev.ropewalk.actors.internal.behavior.Committing;

import java.util.concurrent.Callable;

/** For builders of actors around those of a program. */
public final class Handlers {
    private Handlers() {}

    /**
     * {@return the same definition, whose actors say when their factory has returned, or their body
     * begins}
     *
     * @param <M> the type of the messages
     * @param actor any
     * @param up is run at each start, on the fiber of the actor; must not wait
     */
    public static <M> Actor<M> whenUp(Actor<M> actor, Runnable up) {
        return Definition.of(actor)
                .around(
                        factory ->
                                self -> {
                                    var first = factory.apply(self);
                                    up.run();
                                    return first;
                                },
                        body ->
                                self -> {
                                    up.run();
                                    body.run(self);
                                });
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
}
