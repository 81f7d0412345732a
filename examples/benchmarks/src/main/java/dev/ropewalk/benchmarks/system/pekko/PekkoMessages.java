package dev.ropewalk.benchmarks.system.pekko;

import dev.ropewalk.benchmarks.measure.Laps;
import dev.ropewalk.benchmarks.measure.Sharing;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.system.pekko.PekkoCounter.Add;
import dev.ropewalk.benchmarks.system.pekko.PekkoCounter.Get;
import dev.ropewalk.benchmarks.system.pekko.PekkoCounter.Total;
import dev.ropewalk.benchmarks.system.pekko.PekkoGuardian.Answer;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** Pekko programs that only send messages: pingpong, ring, counting, fanin. */
final class PekkoMessages {
    /** Goes around; {@code left} hops are left, this one included. */
    private record Hop(long left, long sum) {}

    /** What the producer of counting gets. */
    private sealed interface Feed {}

    /** Tells a producer to go on with this value. */
    private record Produce(long next) implements Feed {}

    /** Wraps the counter's reply. */
    private record Counted(long total) implements Feed {}

    private PekkoMessages() {}

    static Behavior<?> pingPong(long operations, ActorRef<Answer> caller) {
        return circle(2, operations, caller);
    }

    static Behavior<?> ring(long operations, ActorRef<Answer> caller) {
        return circle(Sizes.RING, operations, caller);
    }

    private static Behavior<Hop> circle(int actors, long operations, ActorRef<Answer> caller) {
        return Behaviors.setup(
                context -> {
                    ActorRef<Hop> next = context.getSelf();
                    for (int i = 1; i < actors; i++) {
                        next = context.spawnAnonymous(member(next, caller), PekkoPeer.far(context));
                    }
                    context.getSelf()
                            .tell(
                                    new Hop(
                                            Laps.hops(operations, actors),
                                            Laps.sum(operations, actors)));
                    return member(next, caller);
                });
    }

    private static Behavior<Hop> member(ActorRef<Hop> next, ActorRef<Answer> caller) {
        return Behaviors.receiveMessage(
                hop -> {
                    Laps.passed(hop.left());
                    long sum = hop.sum() + hop.left();
                    if (hop.left() == 1) {
                        caller.tell(new Answer(sum));
                    } else {
                        next.tell(new Hop(hop.left() - 1, sum));
                    }
                    return Behaviors.same();
                });
    }

    static Behavior<?> counting(long operations, ActorRef<Answer> caller) {
        return Behaviors.<Feed>setup(
                context -> {
                    ActorRef<Feed> self = context.getSelf();
                    int size = PekkoPeer.burst(context);
                    ActorRef<PekkoCounter.Message> counter =
                            context.spawnAnonymous(PekkoCounter.create(), PekkoPeer.far(context));
                    ActorRef<Total> reply =
                            context.messageAdapter(Total.class, t -> new Counted(t.value()));
                    self.tell(new Produce(1));
                    return Behaviors.receiveMessage(
                            message -> {
                                switch (message) {
                                    case Produce(long from) -> {
                                        long next = burst(from, operations, size, counter.narrow());
                                        if (next <= operations) {
                                            self.tell(new Produce(next));
                                        } else {
                                            counter.tell(new Get(reply));
                                        }
                                    }
                                    case Counted(long total) -> caller.tell(new Answer(total));
                                }
                                return Behaviors.same();
                            });
                });
    }

    static Behavior<?> fanIn(long operations, ActorRef<Answer> caller) {
        return Behaviors.setup(
                context -> {
                    ActorRef<Add> counter =
                            context.spawnAnonymous(
                                    new Sum(operations, caller).behavior(), PekkoPeer.far(context));
                    for (int i = 0; i < Sizes.PRODUCERS; i++) {
                        context.spawnAnonymous(producer(operations / Sizes.PRODUCERS, counter));
                    }
                    return Behaviors.empty();
                });
    }

    private static Behavior<Produce> producer(long last, ActorRef<Add> counter) {
        return Behaviors.setup(
                context -> {
                    ActorRef<Produce> self = context.getSelf();
                    int size = PekkoPeer.burst(context);
                    self.tell(new Produce(1));
                    return Behaviors.receiveMessage(
                            produce -> {
                                long next = burst(produce.next(), last, size, counter);
                                if (next > last) {
                                    return Behaviors.stopped();
                                }
                                self.tell(new Produce(next));
                                return Behaviors.same();
                            });
                });
    }

    /** {@return the value to go on with} */
    private static long burst(long from, long last, int size, ActorRef<Add> counter) {
        long end = Math.min(from + size, last + 1);
        for (long value = from; value < end; value++) {
            counter.tell(new Add(value));
        }
        return end;
    }

    /** The counter of fanin, which knows how many messages it gets. */
    private static final class Sum {
        private final ActorRef<Answer> caller;
        private long left;
        private long total;

        Sum(long left, ActorRef<Answer> caller) {
            this.left = left;
            this.caller = caller;
        }

        Behavior<Add> behavior() {
            return Behaviors.receiveMessage(this::onAdd);
        }

        private Behavior<Add> onAdd(Add add) {
            Sharing.received(add.from());
            total += add.value();
            if (--left == 0) {
                caller.tell(new Answer(total));
            }
            return Behaviors.same();
        }
    }
}
