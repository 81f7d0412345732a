package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.system.thread.VirtualThreadMessages.Add;
import dev.ropewalk.benchmarks.system.thread.VirtualThreadMessages.Get;
import dev.ropewalk.benchmarks.system.thread.VirtualThreadMessages.Message;
import dev.ropewalk.benchmarks.system.thread.VirtualThreadMessages.Stop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/** One virtual thread that makes many others, or that sends to several. */
final class VirtualThreadForks {
    private VirtualThreadForks() {}

    static long create(long n) throws InterruptedException {
        LongAdder sum = new LongAdder();
        CountDownLatch ended = new CountDownLatch(Math.toIntExact(n));
        ThreadCrew.run(List.of(() -> createAll(n, sum, ended)));
        ended.await();
        return sum.sum();
    }

    static long tasks(long n) throws InterruptedException {
        LongAdder sum = new LongAdder();
        CountDownLatch ended = new CountDownLatch(Math.toIntExact(n));
        ThreadCrew.run(List.of(() -> makeAll(n, sum, ended)));
        ended.await();
        return sum.sum();
    }

    private static void makeAll(long n, LongAdder sum, CountDownLatch ended) {
        for (long value = 1; value <= n; value++) {
            long added = value;
            Thread.startVirtualThread(
                    () -> {
                        sum.add(added);
                        ended.countDown();
                    });
            if (value % Sizes.BURST == 0) {
                ThreadCrew.giveWay();
            }
        }
    }

    static long messages(long n) throws InterruptedException, ExecutionException {
        List<BlockingQueue<Message>> actors = new ArrayList<>();
        List<ThreadCrew.Body> bodies = new ArrayList<>();
        for (int actor = 0; actor < Sizes.FORKED; actor++) {
            BlockingQueue<Message> mailbox = new LinkedBlockingQueue<>();
            actors.add(mailbox);
            bodies.add(() -> VirtualThreadMessages.count(mailbox));
        }
        CompletableFuture<Long> answer = new CompletableFuture<>();
        bodies.add(() -> sendInTurn(actors, n, answer));
        ThreadCrew.run(bodies);
        return answer.get();
    }

    private static void createAll(long n, LongAdder sum, CountDownLatch ended) {
        for (long value = 1; value <= n; value++) {
            BlockingQueue<Add> mailbox = new LinkedBlockingQueue<>();
            ThreadCrew.start(() -> addOne(mailbox, sum, ended));
            mailbox.add(new Add(value));
            if (value % Sizes.BURST == 0) {
                ThreadCrew.giveWay();
            }
        }
    }

    private static void addOne(BlockingQueue<Add> mailbox, LongAdder sum, CountDownLatch ended)
            throws InterruptedException {
        sum.add(mailbox.take().value());
        ended.countDown();
    }

    private static void sendInTurn(
            List<BlockingQueue<Message>> actors, long n, CompletableFuture<Long> answer)
            throws InterruptedException, ExecutionException {
        int turn = 0;
        for (long value = 1; value <= n; value++) {
            actors.get(turn).add(new Add(value));
            turn = turn + 1 == actors.size() ? 0 : turn + 1;
            if (value % Sizes.BURST == 0) {
                ThreadCrew.giveWay();
            }
        }
        List<CompletableFuture<Long>> totals = new ArrayList<>();
        for (BlockingQueue<Message> actor : actors) {
            CompletableFuture<Long> total = new CompletableFuture<>();
            totals.add(total);
            actor.add(new Get(total));
            actor.add(new Stop());
        }
        long sum = 0;
        for (CompletableFuture<Long> total : totals) {
            sum += total.get();
        }
        answer.complete(sum);
    }
}
