package dev.ropewalk.benchmarks.system.ropewalk;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.benchmarks.measure.Heap;
import dev.ropewalk.benchmarks.measure.Laps;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Row;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.system.ropewalk.RopewalkActors.Add;
import dev.ropewalk.benchmarks.system.ropewalk.RopewalkActors.CounterMessage;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/** Ropewalk's actors in one of their two styles: who passes messages on, and who adds them up. */
public final class RopewalkPeer implements Peer {
    private record Hop(long left, long sum) {}

    private final RopewalkActors actors;
    private final Map<String, Program> programs = new HashMap<>();

    private RopewalkPeer(boolean loops) {
        actors = new RopewalkActors(loops);
        programs.put("pingpong", n -> RopewalkActors.onOneCord(s -> ring(n, 2, List.of(s))));
        programs.put(
                "pingpong_apart",
                n -> RopewalkActors.onTwoCords((a, b) -> ring(n, 2, List.of(a, b))));
        // Nothing is said of cords: an actor lives where it is made.
        programs.put("pingpong_free", programs.get("pingpong"));
        programs.put("ring", n -> RopewalkActors.onOneCord(s -> ring(n, Sizes.RING, List.of(s))));
        programs.put(Row.SCALE_CORDS + 1, n -> RopewalkActors.onOneCord(s -> rings(n, s, s)));
        programs.put(Row.SCALE_CORDS + 2, n -> RopewalkActors.onTwoCords((a, b) -> rings(n, a, b)));
        programs.put("counting", n -> RopewalkActors.onOneCord(s -> counting(n, s, s)));
        programs.put("counting_apart", n -> RopewalkActors.onTwoCords((a, b) -> counting(n, a, b)));
        programs.put("counting_free", programs.get("counting"));
        programs.put("counting_bounded", n -> RopewalkActors.onOneCord(s -> countingBounded(n, s)));
        programs.put("fanin", n -> RopewalkActors.onOneCord(s -> fanin(n, List.of(s), s)));
        programs.put(
                "fanin_apart", n -> RopewalkActors.onTwoCords((a, b) -> fanin(n, List.of(a), b)));
        programs.put("fanin_free", programs.get("fanin"));
        programs.put("forkjoin_create", n -> RopewalkActors.onOneCord(s -> create(n, s)));
        programs.put("forkjoin_msg", n -> RopewalkActors.onOneCord(s -> forkjoin(n, s)));
        programs.put("children", n -> RopewalkActors.onOneCord(s -> children(n, s)));
        programs.put("mem", n -> RopewalkActors.onOneCord(s -> mem(n, s)));
        programs.putAll(new RopewalkProtocols(actors).programs());
    }

    public static Peer handlers() {
        RopewalkPeer peer = new RopewalkPeer(false);
        peer.programs.putAll(RopewalkSockets.byMessages());
        return peer;
    }

    public static Peer loops() {
        return new RopewalkPeer(true);
    }

    @Override
    public Map<String, Program> programs() {
        return programs;
    }

    // ---------------------------------------------------------------- passing on

    /** A ring of {@code size}, its actors over the systems in turn. */
    private long ring(long hops, int size, List<ActorSystem> systems) {
        Fiber<?> main = Fiber.current();
        ringOf(size, systems, main::schedule)
                .tell(new Hop(Laps.hops(hops, size), Laps.sum(hops, size)));
        return answer(Fiber.suspend());
    }

    private ActorRef<Hop> ringOf(int size, List<ActorSystem> systems, LongConsumer whenDone) {
        List<ActorRef<Hop>> ring = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            int next = (i + 1) % size;
            ring.add(
                    systems.get(i % systems.size())
                            .spin(
                                    actors.stateless(
                                            (Hop hop) -> pass(hop, ring.get(next), whenDone))));
        }
        return ring.getFirst();
    }

    private static boolean pass(Hop hop, ActorRef<Hop> next, LongConsumer whenDone) {
        Laps.passed(hop.left());
        long sum = hop.sum() + hop.left();
        if (hop.left() == 1) {
            whenDone.accept(sum);
        } else {
            next.tell(new Hop(hop.left() - 1, sum));
        }
        return true;
    }

    private long rings(long hops, ActorSystem first, ActorSystem second) {
        List<Fiber<Long>> rings = new ArrayList<>();
        for (ActorSystem system : List.of(first, second)) {
            rings.add(Fiber.<Long>spin(() -> ring(hops / 2, Sizes.RING, List.of(system))));
        }
        long sum = 0;
        for (Fiber<Long> ring : rings) {
            sum += ring.await();
        }
        return sum;
    }

    private static long answer(@Nullable Object given) {
        if (given instanceof Long answer) {
            return answer;
        }
        throw new IllegalStateException("the answer is no number: " + given);
    }

    // ---------------------------------------------------------------- adding up

    private record From(long value) {}

    /** Sends what {@code send} makes of 1 to last, and yields after each burst. */
    private Actor<From> producer(long last, LongConsumer send, Runnable whenDone) {
        return actors.actor(
                (ActorContext<From> self) -> from -> burst(from, self, last, send, whenDone));
    }

    private static boolean burst(
            From from, ActorContext<From> self, long last, LongConsumer send, Runnable whenDone) {
        long end = Math.min(last, from.value() + Sizes.BURST - 1);
        for (long value = from.value(); value <= end; value++) {
            send.accept(value);
        }
        if (end < last) {
            self.self().tell(new From(end + 1));
            return true;
        }
        whenDone.run();
        return false;
    }

    private long counting(long n, ActorSystem producers, ActorSystem counters) {
        ActorRef<CounterMessage> counter = counters.spin(actors.counter());
        produce(n, producers, value -> counter.tell(new Add(value)));
        return RopewalkActors.total(counter);
    }

    private long countingBounded(long n, ActorSystem system) {
        ActorRef<CounterMessage> counter =
                system.spin(actors.counter().mailbox(MailboxOptions.bounded(Sizes.MAILBOX)));
        produce(n, system, value -> counter.tell(new Add(value)));
        return RopewalkActors.total(counter);
    }

    private void produce(long n, ActorSystem system, LongConsumer send) {
        Fiber<?> main = Fiber.current();
        system.spin(producer(n, send, () -> main.schedule(null))).tell(new From(1));
        Fiber.suspend();
    }

    private long fanin(long n, List<ActorSystem> producers, ActorSystem counters) {
        Fiber<?> main = Fiber.current();
        long each = n / Sizes.PRODUCERS;
        ActorRef<CounterMessage> counter = counters.spin(actors.counter());
        ActorRef<Long> ends =
                producers.getFirst().spin(actors.<Long>actor(_ -> new Ends(main)::on));
        for (int i = 0; i < Sizes.PRODUCERS; i++) {
            producers
                    .get(i % producers.size())
                    .spin(
                            producer(
                                    each,
                                    value -> counter.tell(new Add(value)),
                                    () -> ends.tell(each)))
                    .tell(new From(1));
        }
        Fiber.suspend();
        return RopewalkActors.total(counter);
    }

    private static final class Ends {
        private final Fiber<?> main;
        private int ended;

        Ends(Fiber<?> main) {
            this.main = main;
        }

        boolean on(Long sent) {
            if (++ended == Sizes.PRODUCERS) {
                main.schedule(sent);
            }
            return true;
        }
    }

    private long forkjoin(long n, ActorSystem system) {
        List<ActorRef<CounterMessage>> counters = new ArrayList<>();
        for (int i = 0; i < Sizes.FORKED; i++) {
            counters.add(system.spin(actors.counter()));
        }
        produce(
                n,
                system,
                value -> counters.get((int) (value % Sizes.FORKED)).tell(new Add(value)));
        return counters.stream().mapToLong(RopewalkActors::total).sum();
    }

    // ---------------------------------------------------------------- making

    /** Confined to the cord. */
    private static final class Sum {
        private long sum;
        private long handled;
    }

    private long create(long n, ActorSystem system) {
        Fiber<?> main = Fiber.current();
        Sum sum = new Sum();
        LongPredicate handle =
                value -> {
                    sum.sum += value;
                    if (++sum.handled == n) {
                        main.schedule(null);
                    }
                    return false;
                };
        Actor<Add> forked = actors.stateless(add -> handle.test(add.value()));
        system.spin(producer(n, value -> system.spin(forked).tell(new Add(value)), () -> {}))
                .tell(new From(1));
        Fiber.suspend();
        return sum.sum;
    }

    /** The supervisor ends last, so all are up before the first of them is stopped. */
    private long children(long n, ActorSystem system) {
        Fiber<?> main = Fiber.current();
        Sum sum = new Sum();
        Actor<Add> child =
                actors.actor(
                        _ -> {
                            if (++sum.handled == n) {
                                main.schedule(null);
                            }
                            return _ -> true;
                        });
        Supervisor dynamic = system.supervise("dynamic", Supervision.dynamic());
        system.spin(producer(n, _ -> dynamic.spin(child), () -> {})).tell(new From(1));
        Fiber.suspend();
        system.root().stop("dynamic");
        return sum.handled;
    }

    private long mem(long n, ActorSystem system) {
        Fiber<?> main = Fiber.current();
        Sum sum = new Sum();
        Actor<Add> idle =
                actors.stateless(
                        add -> {
                            sum.sum += add.value();
                            if (++sum.handled == n) {
                                main.schedule(null);
                            }
                            return true;
                        });
        List<ActorRef<Add>> all = new ArrayList<>((int) n);
        system.spin(
                        producer(
                                n,
                                _ -> {
                                    ActorRef<Add> actor = system.spin(idle);
                                    actor.tell(new Add(1));
                                    all.add(actor);
                                },
                                () -> {}))
                .tell(new From(1));
        Fiber.suspend();
        Heap.measure();
        all.forEach(ActorRef::terminate);
        return sum.sum;
    }
}
