package dev.ropewalk.benchmarks.system.pekko;

import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.system.pekko.PekkoGuardian.Answer;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;

import java.time.Duration;

/** The Pekko program timers. */
final class PekkoTimers {
    /** What the parent gets. */
    private sealed interface Message {}

    /** Makes the sleepers from this one on. */
    private record Create(long next) implements Message {}

    /** Tells how often a sleeper has slept, at its end. */
    private record Slept(int times) implements Message {}

    private final ActorContext<Message> context;
    private final long sleepers;
    private final ActorRef<Answer> caller;
    private long missing;
    private long sleeps;

    private PekkoTimers(ActorContext<Message> context, long sleepers, ActorRef<Answer> caller) {
        this.context = context;
        this.sleepers = sleepers;
        this.caller = caller;
        this.missing = sleepers;
    }

    static Behavior<?> program(long operations, ActorRef<Answer> caller) {
        long sleepers = operations / Sizes.SLEEPS;
        return Behaviors.<Message>setup(
                context -> {
                    context.getSelf().tell(new Create(0));
                    return Behaviors.receiveMessage(
                            new PekkoTimers(context, sleepers, caller)::onMessage);
                });
    }

    private Behavior<Message> onMessage(Message message) {
        switch (message) {
            case Create(long next) -> create(next);
            case Slept(int times) -> {
                sleeps += times;
                if (--missing == 0) {
                    caller.tell(new Answer(sleeps));
                }
            }
        }
        return Behaviors.same();
    }

    private void create(long from) {
        ActorRef<Message> self = context.getSelf();
        long end = Math.min(from + Sizes.BURST, sleepers);
        for (long index = from; index < end; index++) {
            context.spawnAnonymous(Sleeper.create(index, self));
        }
        if (end < sleepers) {
            self.tell(new Create(end));
        }
    }

    /** Sleeps again and again, then ends. */
    private static final class Sleeper {
        private static final String KEY = "sleep";

        /** Ends a sleep. */
        private record Wake() {}

        private final TimerScheduler<Wake> timers;
        private final Duration sleep;
        private final ActorRef<Message> parent;
        private int slept;

        private Sleeper(TimerScheduler<Wake> timers, Duration sleep, ActorRef<Message> parent) {
            this.timers = timers;
            this.sleep = sleep;
            this.parent = parent;
        }

        static Behavior<Wake> create(long index, ActorRef<Message> parent) {
            return Behaviors.withTimers(
                    timers -> {
                        Duration sleep = Duration.ofMillis(Sizes.sleepMillis(index));
                        Sleeper sleeper = new Sleeper(timers, sleep, parent);
                        sleeper.sleep();
                        return Behaviors.receiveMessage(sleeper::onWake);
                    });
        }

        private Behavior<Wake> onWake(Wake wake) {
            if (++slept == Sizes.SLEEPS) {
                parent.tell(new Slept(slept));
                return Behaviors.stopped();
            }
            sleep();
            return Behaviors.same();
        }

        private void sleep() {
            timers.startSingleTimer(KEY, new Wake(), sleep);
        }
    }
}
