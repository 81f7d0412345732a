package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.atomic.LongAdder;

/** The fork-join pool of the JDK, whose tasks cannot wait but for each other. */
public final class ForkJoinPeer implements Peer {
    private final ForkJoinPool one = pool(1);
    private final ForkJoinPool two = pool(2);

    /** First in, first out, as is right for tasks that nobody joins. */
    private static ForkJoinPool pool(int threads) {
        return new ForkJoinPool(
                threads, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);
    }

    @Override
    public Map<String, Program> programs() {
        return Map.of(
                "tasks", n -> tasks(n, one),
                "tasks_free", n -> tasks(n, two),
                "skynet", n -> one.invoke(new Node(0, n)),
                "skynet_free", n -> two.invoke(new Node(0, n)));
    }

    private static long tasks(long n, ForkJoinPool pool) throws InterruptedException {
        LongAdder sum = new LongAdder();
        CountDownLatch ended = new CountDownLatch(Math.toIntExact(n));
        pool.execute(() -> makeBurst(1, n, pool, sum, ended));
        ended.await();
        return sum.sum();
    }

    /** A task cannot yield, so it makes the one that goes on. */
    private static void makeBurst(
            long first, long n, ForkJoinPool pool, LongAdder sum, CountDownLatch ended) {
        long end = Math.min(n, first + Sizes.BURST - 1);
        for (long value = first; value <= end; value++) {
            long added = value;
            pool.execute(
                    () -> {
                        sum.add(added);
                        ended.countDown();
                    });
        }
        if (end < n) {
            pool.execute(() -> makeBurst(end + 1, n, pool, sum, ended));
        }
    }

    private static final class Node extends RecursiveTask<Long> {
        private static final long serialVersionUID = 1L;

        private final long number;
        private final long size;

        Node(long number, long size) {
            this.number = number;
            this.size = size;
        }

        @Override
        protected Long compute() {
            if (size == 1) {
                return number;
            }
            List<Node> children = new ArrayList<>(Sizes.FANOUT);
            long part = size / Sizes.FANOUT;
            for (int i = 0; i < Sizes.FANOUT; i++) {
                Node child = new Node(number + i * part, part);
                child.fork();
                children.add(child);
            }
            long sum = 0;
            for (Node child : children) {
                sum += child.join();
            }
            return sum;
        }
    }

    @Override
    public void close() {
        one.close();
        two.close();
    }
}
