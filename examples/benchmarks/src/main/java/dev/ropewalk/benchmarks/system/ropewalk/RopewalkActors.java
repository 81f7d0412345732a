package dev.ropewalk.benchmarks.system.ropewalk;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.benchmarks.measure.Sharing;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import java.time.Duration;
import java.util.function.Function;

/** What Ropewalk's programs share: the style of the actors, and the cords they run on. */
final class RopewalkActors {
    static final Duration LIMIT = Duration.ofSeconds(60);

    /** Handles messages; false is the end of the actor. */
    @FunctionalInterface
    interface Receiver<M> {
        boolean on(M message) throws Exception;
    }

    /** A program inside a system on the calling thread's cord. */
    @FunctionalInterface
    interface Body {
        long run(ActorSystem system) throws Exception;
    }

    /** The same on two cords, each with a system of its own. */
    @FunctionalInterface
    interface BodyOnTwo {
        long run(ActorSystem here, ActorSystem there) throws Exception;
    }

    private final boolean loops;

    RopewalkActors(boolean loops) {
        this.loops = loops;
    }

    /** An actor whose receiver is made for each. */
    <M> Actor<M> actor(Function<ActorContext<M>, Receiver<M>> make) {
        if (loops) {
            return Actor.loop(
                    self -> {
                        Receiver<M> receiver = make.apply(self);
                        boolean goesOn = true;
                        while (goesOn) {
                            goesOn = receiver.on(self.receive());
                        }
                    });
        }
        return Actor.handler(
                self -> {
                    Receiver<M> receiver = make.apply(self);
                    return message -> receiver.on(message) ? Behavior.same() : Behavior.stopped();
                });
    }

    /** An actor that needs nothing of its own side. */
    <M> Actor<M> stateless(Receiver<M> receiver) {
        return actor(_ -> receiver);
    }

    static long onOneCord(Body body) {
        return Cord.<Long>run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("benchmark")) {
                        return body.run(system);
                    }
                });
    }

    static long onTwoCords(BodyOnTwo body) {
        return Cord.<Long>run(
                () -> {
                    try (Cord second = Cord.start("second");
                            ActorSystem here = ActorSystem.start("here")) {
                        return withSystemOn(second, there -> body.run(here, there));
                    }
                });
    }

    private static long withSystemOn(Cord cord, Body body) throws Exception {
        Fiber<?> main = Fiber.current();
        Fiber<?> keeper =
                cord.spin(
                        "keeper",
                        () -> {
                            try (ActorSystem system = ActorSystem.start("there")) {
                                main.schedule(system);
                                Fiber.suspend();
                            }
                        });
        try {
            ActorSystem there = (ActorSystem) Fiber.suspend();
            if (there == null) {
                throw new IllegalStateException("no system on " + cord);
            }
            return body.run(there);
        } finally {
            keeper.schedule(null);
            keeper.await();
        }
    }

    /** Adds up what it is told. */
    sealed interface CounterMessage {}

    /** From whose thread it comes is for {@link Sharing}. */
    record Add(long value, int from) implements CounterMessage {
        Add(long value) {
            this(value, Sharing.here());
        }
    }

    record Total(Recipient<Long> reply) implements CounterMessage {}

    Actor<CounterMessage> counter() {
        return actor(
                _ -> {
                    Counter counter = new Counter();
                    return counter::on;
                });
    }

    private static final class Counter {
        private long total;

        boolean on(CounterMessage message) {
            switch (message) {
                case Add(long value, int from) -> {
                    Sharing.received(from);
                    total += value;
                }
                case Total(var reply) -> reply.tell(total);
            }
            return true;
        }
    }

    static long total(ActorRef<CounterMessage> counter) {
        return counter.<Long>ask(Total::new, LIMIT);
    }
}
