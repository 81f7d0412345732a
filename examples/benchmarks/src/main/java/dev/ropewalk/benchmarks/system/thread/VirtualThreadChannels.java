package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.scenario.Sizes;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;

/** Queues of the JDK as channels between virtual threads. */
final class VirtualThreadChannels {
    private record Item(long value) {}

    private static final Item END = new Item(-1);

    private VirtualThreadChannels() {}

    static long rendezvous(long n) throws InterruptedException, ExecutionException {
        return sendAndReceive(new SynchronousQueue<>(), n);
    }

    static long buffered(long n) throws InterruptedException, ExecutionException {
        return sendAndReceive(new ArrayBlockingQueue<>(Sizes.BUFFER), n);
    }

    static long pipeline(long n) throws InterruptedException, ExecutionException {
        List<VirtualThreadCrew.Body> bodies = new ArrayList<>();
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
        VirtualThreadCrew.run(bodies);
        return answer.get();
    }

    private static long sendAndReceive(BlockingQueue<Item> channel, long n)
            throws InterruptedException, ExecutionException {
        CompletableFuture<Long> answer = new CompletableFuture<>();
        VirtualThreadCrew.run(
                List.of(() -> sendAll(channel, n), () -> answer.complete(addUp(channel))));
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
            out.put(new Item(item.value() + 1));
        }
        out.put(END);
    }

    private static long addUp(BlockingQueue<Item> in) throws InterruptedException {
        long sum = 0;
        for (Item item = in.take(); item != END; item = in.take()) {
            sum += item.value();
        }
        return sum;
    }
}
