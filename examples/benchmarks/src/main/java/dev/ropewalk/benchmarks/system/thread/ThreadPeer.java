package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.measure.Timing;
import dev.ropewalk.benchmarks.measure.Wakeful;
import dev.ropewalk.benchmarks.scenario.Guarded;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;

import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

/** Plain threads and the locks of the JDK. */
public final class ThreadPeer implements Peer {
    private final Map<String, Program> programs;

    private ThreadPeer(Map<String, Program> programs) {
        this.programs = programs;
    }

    public static Peer parking() {
        ThreadFactory platform = Thread.ofPlatform().factory();
        ThreadCrew.Ends ends = new ThreadCrew.Ends(platform, platform);
        return new ThreadPeer(
                Map.ofEntries(
                        Map.entry("cords", n -> roundTrips(n, platform)),
                        Map.entry("wakeup", ThreadPeer::wakeUps),
                        Map.entry("semaphore", ThreadPeer::semaphore),
                        Map.entry("event", ThreadPeer::event),
                        Map.entry("pingpong_apart", ends.of(VirtualThreadMessages::pingpong)),
                        Map.entry("counting_apart", ends.of(VirtualThreadMessages::counting)),
                        Map.entry(
                                "chan_rendezvous_apart",
                                ends.of(VirtualThreadChannels::rendezvous)),
                        Map.entry("chan_buffered_apart", ends.of(VirtualThreadChannels::buffered)),
                        Map.entry("chan_work", VirtualThreadChannels::workAlone),
                        Map.entry("chan_work_apart", ends.of(VirtualThreadChannels::work))));
    }

    /** The floor between two cores. */
    public static Peer spinning() {
        return new ThreadPeer(
                Map.of(
                        "cords", ThreadPeer::roundTripsSpinning,
                        "chan_rendezvous_apart", SpinningSlots::rendezvous,
                        "chan_buffered_apart", n -> SpinningSlots.buffered(Sizes.BUFFER, n)));
    }

    @Override
    public Map<String, Program> programs() {
        return programs;
    }

    // ---------------------------------------------------------------- two threads

    /** A number that each of two threads counts up in turn, parking while it is not its turn. */
    private static final class Ball {
        private volatile long hits;

        /** Waits until the ball was hit so often. */
        void await(long number) {
            while (hits < number) {
                LockSupport.park();
            }
        }

        void awaitSpinning(long number) {
            while (hits < number) {
                Thread.onSpinWait();
            }
        }

        void hit(long number) {
            hits = number;
        }
    }

    static long roundTrips(long n, ThreadFactory factory) throws InterruptedException {
        Ball ball = new Ball();
        Thread[] players = new Thread[2];
        players[1] =
                factory.newThread(
                        () -> {
                            for (long i = 0; i < n; i++) {
                                ball.await(2 * i + 1);
                                ball.hit(2 * i + 2);
                                LockSupport.unpark(players[0]);
                            }
                        });
        players[0] =
                factory.newThread(
                        () -> {
                            for (long i = 0; i < n; i++) {
                                ball.hit(2 * i + 1);
                                LockSupport.unpark(players[1]);
                                ball.await(2 * i + 2);
                            }
                        });
        players[1].start();
        players[0].start();
        players[1].join();
        players[0].join();
        return ball.hits / 2;
    }

    private static long roundTripsSpinning(long n) throws InterruptedException {
        Ball ball = new Ball();
        Thread echo =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (long i = 0; i < n; i++) {
                                        ball.awaitSpinning(2 * i + 1);
                                        ball.hit(2 * i + 2);
                                    }
                                });
        for (long i = 0; i < n; i++) {
            ball.hit(2 * i + 1);
            ball.awaitSpinning(2 * i + 2);
        }
        echo.join();
        return ball.hits / 2;
    }

    private static long wakeUps(long n) throws InterruptedException {
        Ball ball = new Ball();
        Wakeful wakeful = new Wakeful();
        Thread sleeper =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (long i = 0; i <= n; i++) {
                                        wakeful.isAwake(i);
                                        ball.await(i + 1);
                                    }
                                });
        wakeful.awaitAwake(0);
        for (long i = 1; i <= n; i++) {
            Wakeful.letItFallAsleep();
            Timing.begin();
            ball.hit(i);
            LockSupport.unpark(sleeper);
            wakeful.awaitAwake(i);
            Timing.end();
        }
        ball.hit(n + 1);
        LockSupport.unpark(sleeper);
        sleeper.join();
        return n;
    }

    // ---------------------------------------------------------------- locks that nobody else wants

    private static long semaphore(long n) throws InterruptedException {
        Semaphore semaphore = new Semaphore(1, true);
        Guarded guarded = new Guarded();
        for (long i = 0; i < n; i++) {
            semaphore.acquire();
            guarded.add();
            semaphore.release();
        }
        return guarded.count();
    }

    /** A thread's permit is the JDK's nearest to an event that one waiter takes. */
    private static long event(long n) {
        Guarded guarded = new Guarded();
        for (long i = 0; i < n; i++) {
            LockSupport.unpark(Thread.currentThread());
            LockSupport.park();
            guarded.add();
        }
        return guarded.count();
    }
}
