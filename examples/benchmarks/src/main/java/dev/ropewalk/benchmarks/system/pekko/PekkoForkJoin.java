package dev.ropewalk.benchmarks.system.pekko;

import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.system.pekko.PekkoCounter.Add;
import dev.ropewalk.benchmarks.system.pekko.PekkoCounter.Get;
import dev.ropewalk.benchmarks.system.pekko.PekkoCounter.Total;
import dev.ropewalk.benchmarks.system.pekko.PekkoGuardian.Answer;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The Pekko programs forkjoin_create and forkjoin_msg. */
final class PekkoForkJoin {
    /** Tells the creator to go on with this value. */
    private record Create(long next) {}

    private PekkoForkJoin() {}

    static Behavior<?> create(long operations, ActorRef<Answer> caller) {
        return Behaviors.<Create>setup(
                context -> {
                    ActorRef<Create> self = context.getSelf();
                    int burst = PekkoPeer.burst(context);
                    Behavior<Add> once = once(operations, caller);
                    self.tell(new Create(1));
                    return Behaviors.receiveMessage(
                            create -> {
                                long from = create.next();
                                long end = Math.min(from + burst, operations + 1);
                                for (long value = from; value < end; value++) {
                                    context.spawnAnonymous(once).tell(new Add(value));
                                }
                                if (end <= operations) {
                                    self.tell(new Create(end));
                                }
                                return Behaviors.same();
                            });
                });
    }

    private static Behavior<Add> once(long actors, ActorRef<Answer> caller) {
        AtomicLong sum = new AtomicLong();
        AtomicLong left = new AtomicLong(actors);
        return Behaviors.receiveMessage(
                add -> {
                    sum.addAndGet(add.value());
                    if (left.decrementAndGet() == 0) {
                        caller.tell(new Answer(sum.get()));
                    }
                    return Behaviors.stopped();
                });
    }

    static Behavior<?> messages(long operations, ActorRef<Answer> caller) {
        return Behaviors.<Distributor.Message>setup(
                context ->
                        Behaviors.receiveMessage(
                                new Distributor(context, operations, caller)::onMessage));
    }

    /** The producer of forkjoin_msg. */
    private static final class Distributor {
        private final ActorRef<Message> self;
        private final ActorRef<Total> reply;
        private final List<ActorRef<PekkoCounter.Message>> counters;
        private final long operations;
        private final int burst;
        private final ActorRef<Answer> caller;
        private int missing = Sizes.FORKED;
        private long sum;

        /** What it gets. */
        sealed interface Message {}

        /** Goes on with this value. */
        record Send(long next) implements Message {}

        /** Wraps a counter's reply. */
        record Counted(long total) implements Message {}

        Distributor(ActorContext<Message> context, long operations, ActorRef<Answer> caller) {
            this.self = context.getSelf();
            this.operations = operations;
            this.burst = PekkoPeer.burst(context);
            this.caller = caller;
            this.reply = context.messageAdapter(Total.class, t -> new Counted(t.value()));
            List<ActorRef<PekkoCounter.Message>> made = new ArrayList<>();
            for (int i = 0; i < Sizes.FORKED; i++) {
                made.add(context.spawnAnonymous(PekkoCounter.create()));
            }
            this.counters = List.copyOf(made);
            self.tell(new Send(1));
        }

        Behavior<Message> onMessage(Message message) {
            switch (message) {
                case Send(long from) -> send(from);
                case Counted(long total) -> {
                    sum += total;
                    if (--missing == 0) {
                        caller.tell(new Answer(sum));
                    }
                }
            }
            return Behaviors.same();
        }

        private void send(long from) {
            long end = Math.min(from + burst, operations + 1);
            for (long value = from; value < end; value++) {
                counters.get((int) (value % Sizes.FORKED)).tell(new Add(value));
            }
            if (end <= operations) {
                self.tell(new Send(end));
            } else {
                counters.forEach(counter -> counter.tell(new Get(reply)));
            }
        }
    }
}
