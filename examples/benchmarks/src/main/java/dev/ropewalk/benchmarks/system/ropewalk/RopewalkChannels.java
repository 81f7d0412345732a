package dev.ropewalk.benchmarks.system.ropewalk;

import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.channels.Channel;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Ropewalk without actors: fibers that suspend, spin and await, and channels between them. */
public final class RopewalkChannels implements Peer {
    private record Item(long value) {}

    private final Supplier<Channel<Item>> rendezvous;
    private final IntFunction<Channel<Item>> buffered;
    private final Map<String, Program> programs = new HashMap<>();

    private RopewalkChannels(
            Supplier<Channel<Item>> rendezvous, IntFunction<Channel<Item>> buffered) {
        this.rendezvous = rendezvous;
        this.buffered = buffered;
        programs.put(
                "chan_rendezvous",
                n -> Cord.<Long>run(() -> through(n, this.rendezvous.get(), Cord.current())));
        programs.put(
                "chan_buffered", n -> Cord.<Long>run(() -> through(n, buffer(), Cord.current())));
        programs.put("pipeline", n -> Cord.<Long>run(() -> pipeline(n, List.of(Cord.current()))));
    }

    public static Peer local() {
        RopewalkChannels peer =
                new RopewalkChannels(Channel::localRendezvous, Channel::localBuffered);
        peer.programs.put(
                "skynet", n -> Cord.<Long>run(() -> skynet(0, n, List.of(Cord.current())).await()));
        peer.programs.put("timers", n -> Cord.<Long>run(() -> timers(n)));
        peer.programs.put("parked", n -> Cord.<Long>run(() -> RopewalkFibers.parked(n)));
        peer.programs.putAll(RopewalkFibers.turns());
        peer.programs.putAll(RopewalkLocks.local());
        return peer;
    }

    /** What late unmount is for; a flag of the JVM switches it on. */
    public static Peer late() {
        RopewalkChannels peer =
                new RopewalkChannels(Channel::localRendezvous, Channel::localBuffered);
        peer.programs.putAll(RopewalkLocks.local());
        peer.programs.keySet().retainAll(List.of("chan_rendezvous", "pipeline", "mutex_busy"));
        peer.programs.putAll(RopewalkFibers.turns());
        return peer;
    }

    public static Peer shared() {
        RopewalkChannels peer = new RopewalkChannels(Channel::rendezvous, Channel::buffered);
        peer.programs.put(
                "chan_rendezvous_2",
                n -> onTwoCords(second -> through(n, Channel.rendezvous(), second)));
        peer.programs.put(
                "chan_buffered_2", n -> onTwoCords(second -> through(n, peer.buffer(), second)));
        peer.programs.put(
                "pipeline_2",
                n -> onTwoCords(second -> peer.pipeline(n, List.of(Cord.current(), second))));
        peer.programs.put(
                "skynet_2",
                n -> onTwoCords(second -> skynet(0, n, List.of(Cord.current(), second)).await()));
        peer.programs.put("cords", n -> onTwoCords(second -> RopewalkFibers.roundTrips(n, second)));
        peer.programs.put("wakeup", RopewalkFibers::wakeUps);
        peer.programs.putAll(RopewalkLocks.shared());
        return peer;
    }

    @Override
    public Map<String, Program> programs() {
        return programs;
    }

    @FunctionalInterface
    private interface WithSecond {
        long run(Cord second) throws Exception;
    }

    private static long onTwoCords(WithSecond body) {
        return Cord.<Long>run(
                () -> {
                    try (Cord second = Cord.start("second")) {
                        return body.run(second);
                    }
                });
    }

    private Channel<Item> buffer() {
        return buffered.apply(Sizes.BUFFER);
    }

    // ---------------------------------------------------------------- channels

    private static long through(long n, Channel<Item> channel, Cord receiver) {
        Fiber<Long> sum = receiver.spin("receiver", () -> sum(channel));
        send(n, channel);
        return sum.await();
    }

    private static void send(long n, Channel<Item> channel) {
        for (long value = 1; value <= n; value++) {
            channel.send(new Item(value));
        }
        channel.close();
    }

    private static Long sum(Channel<Item> channel) {
        long sum = 0;
        for (Item item : channel) {
            sum += item.value();
        }
        return sum;
    }

    /** The stages lie on the cords in runs: each cord has neighbours. */
    private long pipeline(long n, List<Cord> cords) {
        Channel<Item> source = buffer();
        Channel<Item> last = source;
        for (int stage = 0; stage < Sizes.STAGES; stage++) {
            Channel<Item> from = last;
            Channel<Item> to = buffer();
            cords.get(stage * cords.size() / Sizes.STAGES).spin("stage", () -> addOne(from, to));
            last = to;
        }
        Channel<Item> end = last;
        Fiber<Long> sum = cords.getLast().spin("sink", () -> sum(end));
        send(n, source);
        return sum.await();
    }

    private static void addOne(Channel<Item> from, Channel<Item> to) {
        for (Item item : from) {
            to.send(new Item(item.value() + 1));
        }
        to.close();
    }

    // ---------------------------------------------------------------- fibers

    /** Confined to the cord. */
    private static final class Count {
        private long slept;
    }

    /** The children of the root lie on the cords in turn, the others with their parent. */
    private static Fiber<Long> skynet(long number, long size, List<Cord> cords) {
        if (size == 1) {
            return Fiber.spin(() -> number);
        }
        return Fiber.spin(
                () -> {
                    List<Fiber<Long>> children = new ArrayList<>(Sizes.FANOUT);
                    for (int i = 0; i < Sizes.FANOUT; i++) {
                        long first = number + i * (size / Sizes.FANOUT);
                        children.add(
                                child(first, size / Sizes.FANOUT, cords.get(i % cords.size())));
                    }
                    long sum = 0;
                    for (Fiber<Long> child : children) {
                        sum += child.await();
                    }
                    return sum;
                });
    }

    private static Fiber<Long> child(long number, long size, Cord cord) {
        if (cord.isCurrent()) {
            return skynet(number, size, List.of(cord));
        }
        return cord.spin("subtree", () -> skynet(number, size, List.of(cord)).await());
    }

    private static long timers(long n) {
        Count count = new Count();
        List<Fiber<?>> sleepers = new ArrayList<>();
        for (long sleeper = 0; sleeper < n / Sizes.SLEEPS; sleeper++) {
            Duration time = Duration.ofMillis(Sizes.sleepMillis(sleeper));
            sleepers.add(
                    Fiber.spin(
                            () -> {
                                for (int i = 0; i < Sizes.SLEEPS; i++) {
                                    Fiber.sleep(time);
                                    count.slept++;
                                }
                            }));
        }
        sleepers.forEach(Fiber::await);
        return count.slept;
    }
}
