package dev.ropewalk.benchmarks.system.pekko;

import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.system.pekko.PekkoGuardian.Answer;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** The Pekko program skynet: an inner actor of the tree, which waits for its children's numbers. */
final class PekkoSkynet {
    private final ActorRef<Answer> parent;
    private int missing = Sizes.FANOUT;
    private long sum;

    private PekkoSkynet(ActorRef<Answer> parent) {
        this.parent = parent;
    }

    static Behavior<?> program(long operations, ActorRef<Answer> caller) {
        return node(0, operations, caller);
    }

    private static Behavior<Answer> node(long number, long size, ActorRef<Answer> parent) {
        return Behaviors.setup(
                context -> {
                    if (size == 1) {
                        parent.tell(new Answer(number));
                        return Behaviors.stopped();
                    }
                    long part = size / Sizes.FANOUT;
                    for (int i = 0; i < Sizes.FANOUT; i++) {
                        context.spawnAnonymous(node(number + i * part, part, context.getSelf()));
                    }
                    return Behaviors.receiveMessage(new PekkoSkynet(parent)::onAnswer);
                });
    }

    private Behavior<Answer> onAnswer(Answer answer) {
        sum += answer.value();
        if (--missing > 0) {
            return Behaviors.same();
        }
        parent.tell(new Answer(sum));
        return Behaviors.stopped();
    }
}
