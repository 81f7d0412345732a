package dev.ropewalk.actors.testing;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.internal.Definition;
import dev.ropewalk.actors.internal.observe.ObservedActor;
import dev.ropewalk.actors.internal.observe.Tap;
import dev.ropewalk.actors.internal.observe.Taps;

import java.util.function.Function;

/** A definition whose actors have a tap, from each start to the end of what that start made. */
final class Tapped {
    private Tapped() {}

    /**
     * The tap is made first of all at a start; with kept state it stays with the state. Of two, the
     * outer one sees a message first.
     */
    static <M> Actor<M> around(Actor<M> actor, Function<ActorContext<M>, Tap> ofStart) {
        return Definition.of(actor)
                .around(
                        factory ->
                                self -> {
                                    put(self, ofStart.apply(self));
                                    return factory.apply(self);
                                },
                        body ->
                                self -> {
                                    put(self, ofStart.apply(self));
                                    body.run(self);
                                });
    }

    private static void put(ActorContext<?> self, Tap tap) {
        ObservedActor actor = observed(self);
        Taps.opened(tap);
        actor.addTap(tap);
        self.atEnd(
                _ -> {
                    actor.removeTap(tap);
                    Taps.closed(tap);
                });
    }

    private static ObservedActor observed(ActorContext<?> self) {
        if (self instanceof RecordingContext<?> steps) {
            return steps.observed();
        }
        ActorRef<?> ref = self.self();
        if (ref.target() instanceof ObservedActor actor) {
            return actor;
        }
        throw new IllegalStateException(
                ref + " is not of this process; faults and traces are put around local actors");
    }
}
