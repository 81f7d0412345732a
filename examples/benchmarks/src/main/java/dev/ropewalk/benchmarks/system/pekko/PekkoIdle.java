package dev.ropewalk.benchmarks.system.pekko;

import dev.ropewalk.benchmarks.measure.Heap;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.system.pekko.PekkoGuardian.Answer;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * The Pekko program mem. The actors have parents of {@link Sizes#BURST} children each: an actor
 * keeps its children in a sorted tree, which gets slow with a million.
 */
final class PekkoIdle {
    /** The one message that each actor gets. */
    private record Visit(ActorRef<Visited> replyTo) {}

    /** Replies to {@link Visit}. */
    private record Visited() {}

    private static final Behavior<Visit> IDLE =
            Behaviors.receiveMessage(
                    visit -> {
                        visit.replyTo().tell(new Visited());
                        return Behaviors.same();
                    });

    private final long operations;
    private final ActorRef<Answer> caller;
    private long visited;

    private PekkoIdle(long operations, ActorRef<Answer> caller) {
        this.operations = operations;
        this.caller = caller;
    }

    static Behavior<?> program(long operations, ActorRef<Answer> caller) {
        return Behaviors.<Visited>setup(
                context -> {
                    for (long made = 0; made < operations; made += Sizes.BURST) {
                        long children = Math.min(Sizes.BURST, operations - made);
                        context.spawnAnonymous(parent(children, context.getSelf()));
                    }
                    return Behaviors.receiveMessage(new PekkoIdle(operations, caller)::onVisited);
                });
    }

    private static Behavior<Void> parent(long children, ActorRef<Visited> counter) {
        return Behaviors.setup(
                context -> {
                    for (long i = 0; i < children; i++) {
                        context.spawnAnonymous(IDLE).tell(new Visit(counter));
                    }
                    return Behaviors.empty();
                });
    }

    private Behavior<Visited> onVisited(Visited message) {
        if (++visited == operations) {
            Heap.measure();
            caller.tell(new Answer(visited));
        }
        return Behaviors.same();
    }
}
