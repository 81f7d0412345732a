package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.scenario.Stages;
import dev.ropewalk.benchmarks.scenario.Work;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.stream.LongStream;

/** One thread that hands nothing on: a loop, and the streams of the JDK. */
public final class LoopPeer implements Peer {
    private final Map<String, Program> programs;

    private LoopPeer(Map<String, Program> programs) {
        this.programs = programs;
    }

    /** {@return the floor of what is done to each element in turn} */
    public static Peer loop() {
        return new LoopPeer(
                Map.of(
                        "fused", LoopPeer::stages,
                        "chan_buffered", LoopPeer::queue,
                        "chan_work", LoopPeer::work));
    }

    public static Peer streams() {
        return new LoopPeer(Map.of("fused", LoopPeer::stream));
    }

    @Override
    public Map<String, Program> programs() {
        return programs;
    }

    private static long stages(long n) {
        long sum = 0;
        for (long value = 1; value <= n; value++) {
            Stages.Item item = new Stages.Item(value);
            item = Stages.one(item);
            item = Stages.two(item);
            item = Stages.three(item);
            item = Stages.four(item);
            item = Stages.five(item);
            item = Stages.six(item);
            item = Stages.seven(item);
            item = Stages.eight(item);
            item = Stages.nine(item);
            item = Stages.ten(item);
            sum += item.value();
        }
        return sum;
    }

    private static long stream(long n) {
        return LongStream.rangeClosed(1, n)
                .mapToObj(Stages.Item::new)
                .map(Stages::one)
                .map(Stages::two)
                .map(Stages::three)
                .map(Stages::four)
                .map(Stages::five)
                .map(Stages::six)
                .map(Stages::seven)
                .map(Stages::eight)
                .map(Stages::nine)
                .map(Stages::ten)
                .mapToLong(Stages.Item::value)
                .sum();
    }

    private record Item(long value) {}

    /** A plain queue that is filled to the slots of the channel, and emptied. */
    private static long queue(long n) {
        ArrayDeque<Item> queue = new ArrayDeque<>(Sizes.BUFFER);
        long sum = 0;
        for (long value = 1; value <= n; ) {
            for (int i = 0; i < Sizes.BUFFER && value <= n; i++) {
                queue.add(new Item(value++));
            }
            for (Item item = queue.poll(); item != null; item = queue.poll()) {
                sum += item.value();
            }
        }
        return sum;
    }

    private static long work(long n) {
        long sum = 0;
        for (long value = 1; value <= n; value++) {
            sum += Work.on(Work.on(value));
        }
        return sum;
    }
}
