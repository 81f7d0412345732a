package dev.ropewalk.benchmarks;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Ropewalk without actors: fibers that suspend, spin and await, and channels between them. */
final class RopewalkChannels implements Peer {
    private record Item(long value) {}

    private record Hop(long left, long sum) {}

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

    static Peer local() {
        RopewalkChannels peer =
                new RopewalkChannels(Channel::localRendezvous, Channel::localBuffered);
        peer.programs.put("pingpong", n -> Cord.<Long>run(() -> ring(n, 2)));
        peer.programs.put("ring", n -> Cord.<Long>run(() -> ring(n, Sizes.RING)));
        peer.programs.put("forkjoin_create", n -> Cord.<Long>run(() -> create(n)));
        peer.programs.put(
                "skynet", n -> Cord.<Long>run(() -> skynet(0, n, List.of(Cord.current())).await()));
        peer.programs.put("timers", n -> Cord.<Long>run(() -> timers(n)));
        peer.programs.put("mem", n -> Cord.<Long>run(() -> mem(n)));
        return peer;
    }

    static Peer shared() {
        RopewalkChannels peer = new RopewalkChannels(Channel::rendezvous, Channel::buffered);
        peer.programs.put(
                "pipeline_2",
                n -> onTwoCords(second -> peer.pipeline(n, List.of(Cord.current(), second))));
        peer.programs.put(
                "skynet_2",
                n -> onTwoCords(second -> skynet(0, n, List.of(Cord.current(), second)).await()));
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

    private static long ring(long hops, int size) {
        Fiber<?> main = Fiber.current();
        List<Fiber<?>> ring = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            int next = (i + 1) % size;
            ring.add(Fiber.spin(() -> passAlways(ring, next, main)));
        }
        Fiber.snooze();
        ring.getFirst().schedule(new Hop(hops, 0));
        long sum = hop(Fiber.suspend()).sum();
        ring.forEach(Fiber::terminate);
        return sum;
    }

    private static void passAlways(List<Fiber<?>> ring, int next, Fiber<?> main) {
        for (; ; ) {
            Hop hop = hop(Fiber.suspend());
            long sum = hop.sum() + hop.left();
            Fiber<?> to = hop.left() == 1 ? main : ring.get(next);
            to.schedule(new Hop(hop.left() - 1, sum));
        }
    }

    private static Hop hop(@Nullable Object given) {
        if (given instanceof Hop hop) {
            return hop;
        }
        throw new IllegalStateException("not a hop: " + given);
    }

    /** Confined to the cord. */
    private static final class Count {
        private long sum;
        private long handled;
    }

    /** The message is what the body captures. */
    private static long create(long n) {
        Count count = new Count();
        for (long value = 1; value <= n; value++) {
            Item item = new Item(value);
            Fiber.spin(() -> count.sum += item.value());
            if (value % Sizes.BURST == 0) {
                Fiber.snooze();
            }
        }
        Fiber.snooze();
        return count.sum;
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
                                    count.handled++;
                                }
                            }));
        }
        sleepers.forEach(Fiber::await);
        return count.handled;
    }

    private static long mem(long n) {
        Fiber<?> main = Fiber.current();
        Count count = new Count();
        List<Fiber<?>> all = new ArrayList<>((int) n);
        for (long i = 1; i <= n; i++) {
            Fiber<?> fiber = Fiber.spin(() -> idle(count, n, main));
            all.add(fiber);
            if (i % Sizes.BURST == 0) {
                Fiber.snooze();
            }
        }
        Fiber.snooze();
        all.forEach(fiber -> fiber.schedule(new Item(1)));
        Fiber.suspend();
        Heap.measure();
        all.forEach(Fiber::terminate);
        return count.sum;
    }

    private static void idle(Count count, long n, Fiber<?> main) {
        for (; ; ) {
            if (Fiber.suspend() instanceof Item(long value)) {
                count.sum += value;
                if (++count.handled == n) {
                    main.schedule(null);
                }
            }
        }
    }
}
