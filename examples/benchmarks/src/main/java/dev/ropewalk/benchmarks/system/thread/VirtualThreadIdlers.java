package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.measure.Heap;
import dev.ropewalk.benchmarks.scenario.Sizes;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Virtual threads that wait most of the time: for the clock, or for a message. */
final class VirtualThreadIdlers {
    private sealed interface Message {}

    private record Add(long value) implements Message {}

    private record Stop() implements Message {}

    private VirtualThreadIdlers() {}

    static long timers(long n) throws InterruptedException {
        int sleepers = Math.toIntExact(n / Sizes.SLEEPS);
        LongAdder sleeps = new LongAdder();
        CountDownLatch ended = new CountDownLatch(sleepers);
        ThreadCrew.run(
                List.of(
                        () -> {
                            for (int sleeper = 0; sleeper < sleepers; sleeper++) {
                                long millis = Sizes.sleepMillis(sleeper);
                                ThreadCrew.start(() -> sleepAll(millis, sleeps, ended));
                            }
                        }));
        ended.await();
        return sleeps.sum();
    }

    static long mem(long n) throws InterruptedException {
        int actors = Math.toIntExact(n);
        List<BlockingQueue<Message>> mailboxes = new ArrayList<>(actors);
        LongAdder sum = new LongAdder();
        CountDownLatch handled = new CountDownLatch(actors);
        CountDownLatch ended = new CountDownLatch(actors);
        ThreadCrew.run(
                List.of(
                        () -> {
                            for (int actor = 0; actor < actors; actor++) {
                                BlockingQueue<Message> mailbox = new LinkedBlockingQueue<>();
                                mailboxes.add(mailbox);
                                ThreadCrew.start(() -> handle(mailbox, sum, handled, ended));
                                mailbox.add(new Add(1));
                                if (mailboxes.size() % Sizes.BURST == 0) {
                                    ThreadCrew.giveWay();
                                }
                            }
                        }));
        handled.await();
        Heap.measure();
        ThreadCrew.run(List.of(() -> stopAll(mailboxes)));
        ended.await();
        return sum.sum();
    }

    /** Each is up before any is told to end, and each ends by itself. */
    static long children(long n) throws InterruptedException {
        int threads = Math.toIntExact(n);
        LongAdder sum = new LongAdder();
        CountDownLatch up = new CountDownLatch(threads);
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(threads);
        ThreadCrew.run(
                List.of(
                        () -> {
                            for (int made = 1; made <= threads; made++) {
                                ThreadCrew.start(
                                        () -> {
                                            up.countDown();
                                            end.await();
                                            sum.increment();
                                            ended.countDown();
                                        });
                                if (made % Sizes.BURST == 0) {
                                    ThreadCrew.giveWay();
                                }
                            }
                        }));
        up.await();
        end.countDown();
        ended.await();
        return sum.sum();
    }

    private static void stopAll(List<BlockingQueue<Message>> mailboxes) {
        int told = 0;
        for (BlockingQueue<Message> mailbox : mailboxes) {
            mailbox.add(new Stop());
            told++;
            if (told % Sizes.BURST == 0) {
                ThreadCrew.giveWay();
            }
        }
    }

    /**
     * Parks, as {@code Thread.sleep} does inside, which the build forbids. Nobody else knows these
     * threads, so nothing unparks them early.
     */
    private static void sleepAll(long millis, LongAdder sleeps, CountDownLatch ended)
            throws InterruptedException {
        long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        for (int i = 0; i < Sizes.SLEEPS; i++) {
            LockSupport.parkNanos(nanos);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            sleeps.increment();
        }
        ended.countDown();
    }

    private static void handle(
            BlockingQueue<Message> mailbox,
            LongAdder sum,
            CountDownLatch handled,
            CountDownLatch ended)
            throws InterruptedException {
        while (true) {
            switch (mailbox.take()) {
                case Add(long value) -> {
                    sum.add(value);
                    handled.countDown();
                }
                case Stop() -> {
                    ended.countDown();
                    return;
                }
            }
        }
    }
}
