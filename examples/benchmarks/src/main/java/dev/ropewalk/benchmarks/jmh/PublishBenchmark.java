package dev.ropewalk.benchmarks.jmh;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.routing.EventBus;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntConsumer;

/**
 * An event told to a thousand subscribers by an event bus, beside a loop over them. All on one
 * cord; each event is a fresh object, and is handled before the next.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class PublishBenchmark {
    private static final int OPERATIONS = 1_000_000;
    private static final int SUBSCRIBERS = 1_000;

    private record Message(int number) {}

    /** How many messages were handled; of one cord. */
    private long handled;

    private Actor<Message> counter() {
        return Actor.handler(
                () ->
                        _ -> {
                            handled++;
                            return Behavior.same();
                        });
    }

    private void awaitHandled(long until) {
        while (handled < until) {
            Fiber.snooze();
        }
    }

    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void byHand() {
        onSubscribers(
                all ->
                        number -> {
                            Message event = new Message(number);
                            for (ActorRef<Message> each : all) {
                                each.tell(event);
                            }
                        });
    }

    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void eventBus() {
        onSubscribers(
                all -> {
                    EventBus<Message> bus = EventBus.make();
                    all.forEach(each -> bus.subscribe(Message.class, each));
                    return number -> bus.publish(new Message(number));
                });
    }

    private void onSubscribers(Function<List<ActorRef<Message>>, IntConsumer> publisher) {
        Cord.run(
                () -> {
                    handled = 0;
                    try (ActorSystem system = ActorSystem.start("bus")) {
                        List<ActorRef<Message>> all = new ArrayList<>();
                        for (int i = 0; i < SUBSCRIBERS; i++) {
                            all.add(system.start("s" + i, counter()));
                        }
                        IntConsumer publish = publisher.apply(all);
                        for (int i = 0; i < OPERATIONS / SUBSCRIBERS; i++) {
                            publish.accept(i);
                            awaitHandled((i + 1L) * SUBSCRIBERS);
                        }
                    }
                });
    }
}
