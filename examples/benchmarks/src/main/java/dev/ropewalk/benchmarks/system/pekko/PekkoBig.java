package dev.ropewalk.benchmarks.system.pekko;

import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.system.pekko.PekkoGuardian.Answer;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

import java.util.ArrayList;
import java.util.List;

/** The Pekko program big: one of the actors that ping one another. */
final class PekkoBig {
    /** What such an actor gets. */
    private sealed interface Message {}

    /** Starts it. */
    private record Begin(List<ActorRef<Message>> all) implements Message {}

    /** Wants a {@link Pong}. */
    private record Ping(ActorRef<Message> replyTo) implements Message {}

    /** Replies to {@link Ping}. */
    private record Pong() implements Message {}

    /** Tells how many pongs an actor got. */
    private record Counted(long pongs) {}

    private final ActorRef<Message> self;
    private final int index;
    private final long pings;
    private final ActorRef<Counted> parent;
    private List<ActorRef<Message>> all = List.of();
    private int random;
    private long pongs;

    private PekkoBig(ActorRef<Message> self, int index, long pings, ActorRef<Counted> parent) {
        this.self = self;
        this.index = index;
        this.pings = pings;
        this.parent = parent;
        this.random = index + 1;
    }

    static Behavior<?> program(long operations, ActorRef<Answer> caller) {
        return Behaviors.<Counted>setup(
                context -> {
                    List<ActorRef<Message>> made = new ArrayList<>();
                    for (int i = 0; i < Sizes.BIG; i++) {
                        made.add(
                                context.spawnAnonymous(
                                        create(i, operations / Sizes.BIG, context.getSelf())));
                    }
                    List<ActorRef<Message>> all = List.copyOf(made);
                    all.forEach(actor -> actor.tell(new Begin(all)));
                    return waiting(Sizes.BIG, 0, caller);
                });
    }

    private static Behavior<Counted> waiting(int missing, long sum, ActorRef<Answer> caller) {
        return Behaviors.receiveMessage(
                counted -> {
                    long total = sum + counted.pongs();
                    if (missing > 1) {
                        return waiting(missing - 1, total, caller);
                    }
                    caller.tell(new Answer(total));
                    return Behaviors.same();
                });
    }

    private static Behavior<Message> create(int index, long pings, ActorRef<Counted> parent) {
        return Behaviors.setup(
                context ->
                        Behaviors.receiveMessage(
                                new PekkoBig(context.getSelf(), index, pings, parent)::onMessage));
    }

    private Behavior<Message> onMessage(Message message) {
        switch (message) {
            case Ping(ActorRef<Message> replyTo) -> replyTo.tell(new Pong());
            case Pong() -> {
                pongs++;
                next();
            }
            case Begin(List<ActorRef<Message>> actors) -> {
                all = actors;
                next();
            }
        }
        return Behaviors.same();
    }

    private void next() {
        if (pongs == pings) {
            parent.tell(new Counted(pongs));
            return;
        }
        random = Sizes.random(random);
        all.get(Sizes.other(index, random)).tell(new Ping(self));
    }
}
