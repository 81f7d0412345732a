package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.measure.Heap;
import dev.ropewalk.benchmarks.measure.Turns;
import dev.ropewalk.benchmarks.scenario.Frames;
import dev.ropewalk.benchmarks.scenario.Guarded;
import dev.ropewalk.benchmarks.scenario.Sizes;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Virtual threads that yield, wait, and wake each other. */
final class VirtualThreadTurns {
    private VirtualThreadTurns() {}

    static long few(long n) throws InterruptedException {
        return yieldInTurn(n, Sizes.FEW, false);
    }

    static long many(long n) throws InterruptedException {
        return yieldInTurn(n, Sizes.MANY, false);
    }

    static long afterCollection(long n) throws InterruptedException {
        return yieldInTurn(n, Sizes.MANY, true);
    }

    private static long yieldInTurn(long n, int threads, boolean collecting)
            throws InterruptedException {
        LongAdder sum = new LongAdder();
        CountDownLatch ended = new CountDownLatch(threads);
        // By one of them: else the first runs while the others are still being started.
        ThreadCrew.run(List.of(() -> startAll(threads, n / threads, collecting, sum, ended)));
        ended.await();
        return sum.sum();
    }

    private static void startAll(
            int threads, long laps, boolean collecting, LongAdder sum, CountDownLatch ended) {
        for (int i = 0; i < threads; i++) {
            int number = i;
            ThreadCrew.start(
                    () -> {
                        sum.add(Turns.take(number, laps, collecting, ThreadCrew::giveWay));
                        ended.countDown();
                    });
        }
    }

    static long roundTrips(long n) throws InterruptedException {
        return ThreadPeer.roundTrips(n, Thread.ofVirtual().factory());
    }

    private static final class Gate {
        private final CountDownLatch arrived;
        private volatile boolean open;

        Gate(int threads) {
            arrived = new CountDownLatch(threads);
        }

        void pass() {
            arrived.countDown();
            while (!open) {
                LockSupport.park();
            }
        }
    }

    static long parked(long n) throws InterruptedException {
        Gate gate = new Gate(Math.toIntExact(n));
        Runnable pass = gate::pass;
        LongAdder sum = new LongAdder();
        List<Thread> all = new ArrayList<>(Math.toIntExact(n));
        while (all.size() < n) {
            all.add(Thread.startVirtualThread(() -> sum.add(Frames.first(pass))));
        }
        gate.arrived.await();
        Heap.measure();
        gate.open = true;
        all.forEach(LockSupport::unpark);
        for (Thread thread : all) {
            thread.join();
        }
        return sum.sum();
    }

    /** Fair, as the others are: else who unlocks takes it again, and it is never handed on. */
    static long busyLock(long n) throws InterruptedException {
        ReentrantLock lock = new ReentrantLock(true);
        Guarded guarded = new Guarded();
        List<ThreadCrew.Body> bodies = new ArrayList<>();
        for (int i = 0; i < Sizes.FEW; i++) {
            bodies.add(
                    () -> {
                        for (long k = 0; k < n / Sizes.FEW; k++) {
                            lock.lock();
                            try {
                                if (guarded.count() == 0) {
                                    ThreadCrew.giveWay();
                                }
                                guarded.add();
                            } finally {
                                lock.unlock();
                            }
                        }
                    });
        }
        ThreadCrew.run(bodies);
        return guarded.count();
    }
}
