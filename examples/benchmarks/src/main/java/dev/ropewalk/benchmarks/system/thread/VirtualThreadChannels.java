package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.measure.Heap;
import dev.ropewalk.benchmarks.measure.Sharing;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.scenario.Work;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;

/** Queues of the JDK as channels between virtual threads. */
final class VirtualThreadChannels {
    /** From whose thread it comes is for {@link Sharing}. */
    private record Item(long value, int from) {
        Item(long value) {
            this(value, Sharing.here());
        }
    }

    private static final Item END = new Item(-1);

    private VirtualThreadChannels() {}

    static long rendezvous(long n) throws InterruptedException, ExecutionException {
        return sendAndReceive(new SynchronousQueue<>(), n);
    }

    static long buffered(long n) throws InterruptedException, ExecutionException {
        return sendAndReceive(new ArrayBlockingQueue<>(Sizes.BUFFER), n);
    }

    static long pipeline(long n) throws InterruptedException, ExecutionException {
        List<ThreadCrew.Body> bodies = new ArrayList<>();
        BlockingQueue<Item> first = new ArrayBlockingQueue<>(Sizes.BUFFER);
        bodies.add(() -> sendAll(first, n));
        BlockingQueue<Item> last = first;
        for (int stage = 0; stage < Sizes.STAGES; stage++) {
            BlockingQueue<Item> in = last;
            BlockingQueue<Item> out = new ArrayBlockingQueue<>(Sizes.BUFFER);
            bodies.add(() -> addOneToEach(in, out));
            last = out;
        }
        BlockingQueue<Item> end = last;
        CompletableFuture<Long> answer = new CompletableFuture<>();
        bodies.add(() -> answer.complete(addUp(end)));
        ThreadCrew.run(bodies, bodies.size() / 2);
        return answer.get();
    }

    /** The same with a microsecond of work at each end. */
    static long work(long n) throws InterruptedException, ExecutionException {
        BlockingQueue<Item> channel = new ArrayBlockingQueue<>(Sizes.BUFFER);
        CompletableFuture<Long> answer = new CompletableFuture<>();
        ThreadCrew.run(
                List.of(
                        () -> {
                            for (long value = 1; value <= n; value++) {
                                channel.put(new Item(Work.on(value)));
                            }
                            channel.put(END);
                        },
                        () -> {
                            long sum = 0;
                            for (Item item = channel.take(); item != END; item = channel.take()) {
                                Sharing.received(item.from());
                                sum += Work.on(item.value());
                            }
                            answer.complete(sum);
                        }));
        return answer.get();
    }

    /** Both ends on the calling thread, which takes each element as soon as it has put it. */
    static long workAlone(long n) throws InterruptedException {
        BlockingQueue<Item> channel = new ArrayBlockingQueue<>(Sizes.BUFFER);
        long sum = 0;
        for (long value = 1; value <= n; value++) {
            channel.put(new Item(Work.on(value)));
            sum += Work.on(channel.take().value());
        }
        return sum;
    }

    static long idle(long n) throws InterruptedException {
        List<BlockingQueue<Item>> all = new ArrayList<>();
        for (long i = 0; i < n; i++) {
            BlockingQueue<Item> channel = new ArrayBlockingQueue<>(Sizes.BUFFER);
            channel.put(END);
            channel.take();
            all.add(channel);
        }
        Heap.measure();
        return all.size();
    }

    private static long sendAndReceive(BlockingQueue<Item> channel, long n)
            throws InterruptedException, ExecutionException {
        CompletableFuture<Long> answer = new CompletableFuture<>();
        ThreadCrew.run(List.of(() -> sendAll(channel, n), () -> answer.complete(addUp(channel))));
        return answer.get();
    }

    private static void sendAll(BlockingQueue<Item> out, long n) throws InterruptedException {
        for (long value = 1; value <= n; value++) {
            out.put(new Item(value));
        }
        out.put(END);
    }

    private static void addOneToEach(BlockingQueue<Item> in, BlockingQueue<Item> out)
            throws InterruptedException {
        for (Item item = in.take(); item != END; item = in.take()) {
            Sharing.received(item.from());
            out.put(new Item(item.value() + 1));
        }
        out.put(END);
    }

    private static long addUp(BlockingQueue<Item> in) throws InterruptedException {
        long sum = 0;
        for (Item item = in.take(); item != END; item = in.take()) {
            Sharing.received(item.from());
            sum += item.value();
        }
        return sum;
    }
}
