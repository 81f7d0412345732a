package dev.ropewalk.benchmarks.system.ropewalk;

import dev.ropewalk.benchmarks.measure.Heap;
import dev.ropewalk.benchmarks.measure.Sharing;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.scenario.Stages;
import dev.ropewalk.benchmarks.scenario.Work;
import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.pipeline.Pipeline;
import dev.ropewalk.channels.select.Select;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Spinner;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.spi.Clause;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Ropewalk without actors: fibers that suspend, spin and await, and channels between them. */
public final class RopewalkChannels implements Peer {
    /** From whose thread it comes is for {@link Sharing}. */
    private record Item(long value, int from) {
        Item(long value) {
            this(value, Sharing.here());
        }
    }

    /** A program where the system says where its ends run. */
    @FunctionalInterface
    private interface Placed {
        long run(long n, Spinner where) throws Exception;
    }

    private final Scheduler scheduler = Scheduler.start(SchedulerOptions.named("two").withCords(2));

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
        programs.put("chan_work", n -> Cord.<Long>run(() -> work(n, buffer(), Cord.current())));
        programs.put("select_4", n -> Cord.<Long>run(() -> select(n)));
        programs.put("idle_channel", n -> Cord.<Long>run(() -> idle(n)));
        programs.put("pipeline", n -> Cord.<Long>run(() -> pipeline(n, List.of(Cord.current()))));
    }

    public static Peer local() {
        RopewalkChannels peer =
                new RopewalkChannels(Channel::localRendezvous, Channel::localBuffered);
        peer.programs.put(
                "skynet", n -> Cord.<Long>run(() -> skynet(0, n, List.of(Cord.current())).await()));
        peer.programs.put("fused", n -> Cord.<Long>run(() -> fused(n)));
        peer.programs.put("timers", n -> Cord.<Long>run(() -> timers(n)));
        peer.programs.put("children", n -> Cord.<Long>run(() -> RopewalkFibers.children(n)));
        peer.programs.put("parked", n -> Cord.<Long>run(() -> RopewalkFibers.parked(n)));
        peer.programs.putAll(RopewalkFibers.turns());
        peer.programs.putAll(RopewalkLocks.local());
        peer.programs.putAll(RopewalkSockets.programs());
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
        peer.onTwo("chan_rendezvous", (n, where) -> through(n, Channel.rendezvous(), where));
        peer.onTwo("chan_buffered", (n, where) -> through(n, peer.buffer(), where));
        peer.onTwo("chan_work", (n, where) -> work(n, peer.buffer(), where));
        peer.programs.put(
                "pipeline_apart",
                n -> onTwoCords(second -> peer.pipeline(n, List.of(Cord.current(), second))));
        peer.programs.put(
                "pipeline_free",
                n -> peer.scheduler.spin(() -> peer.pipeline(n, List.of(peer.scheduler))).await());
        peer.programs.put("cords", n -> onTwoCords(second -> RopewalkFibers.roundTrips(n, second)));
        peer.programs.put("wakeup", RopewalkFibers::wakeUps);
        peer.programs.putAll(RopewalkLocks.shared());
        return peer;
    }

    @Override
    public Map<String, Program> programs() {
        return programs;
    }

    @Override
    public void close() {
        scheduler.close();
    }

    /** The sender on a cord and the receiver on another, or both as tasks of a scheduler of two. */
    private void onTwo(String name, Placed program) {
        programs.put(name + "_apart", n -> onTwoCords(second -> program.run(n, second)));
        programs.put(name + "_free", n -> scheduler.spin(() -> program.run(n, scheduler)).await());
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

    private static long through(long n, Channel<Item> channel, Spinner receiver) {
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
            Sharing.received(item.from());
            sum += item.value();
        }
        return sum;
    }

    private static long work(long n, Channel<Item> channel, Spinner receiver) {
        Fiber<Long> sum =
                receiver.spin(
                        "receiver",
                        () -> {
                            long all = 0;
                            for (Item item : channel) {
                                Sharing.received(item.from());
                                all += Work.on(item.value());
                            }
                            return all;
                        });
        for (long value = 1; value <= n; value++) {
            channel.send(new Item(Work.on(value)));
        }
        channel.close();
        return sum.await();
    }

    private long select(long n) {
        List<Clause<Item>> clauses = new ArrayList<>();
        for (int i = 0; i < Sizes.SELECTED; i++) {
            Channel<Item> channel = buffer();
            clauses.add(channel.onReceive(item -> item));
            Fiber.spin(
                    "sender",
                    () -> {
                        for (long value = 1; value <= n / Sizes.SELECTED; value++) {
                            channel.send(new Item(value));
                        }
                    });
        }
        Select<Item> select = Select.of(clauses);
        long sum = 0;
        for (long i = 0; i < n; i++) {
            sum += select.await().value();
        }
        return sum;
    }

    private long idle(long n) {
        List<Channel<Item>> all = new ArrayList<>();
        for (long i = 0; i < n; i++) {
            Channel<Item> channel = buffer();
            channel.send(new Item(i));
            channel.receive();
            all.add(channel);
        }
        Heap.measure();
        return all.size();
    }

    private static long fused(long n) {
        return Pipeline.from(() -> LongStream.rangeClosed(1, n).iterator())
                .map("item", Stages.Item::new)
                .map("one", Stages::one)
                .map("two", Stages::two)
                .map("three", Stages::three)
                .map("four", Stages::four)
                .map("five", Stages::five)
                .map("six", Stages::six)
                .map("seven", Stages::seven)
                .map("eight", Stages::eight)
                .map("nine", Stages::nine)
                .map("ten", Stages::ten)
                .collect(Collectors.summingLong(Stages.Item::value))
                .run()
                .value();
    }

    /** The stages lie on the cords in runs: each cord has neighbours. */
    private long pipeline(long n, List<? extends Spinner> cords) {
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
            Sharing.received(item.from());
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
