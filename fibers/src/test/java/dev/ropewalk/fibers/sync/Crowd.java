package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assertions;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Fibers, and threads, that all do random steps, while some of them are terminated or interrupted
 * in the middle; and the ways in which the tests of this package wait.
 */
final class Crowd {
    private static final int FIBERS = 8;
    private static final int THREADS = 2;
    private static final int DISTURBED_OF = 6;
    private static final long[] FIFO_SEEDS = {1, 2, 3};
    private static final int LONGEST_NS = 100_000;

    private Crowd() {}

    /** One random step of one of the crowd; leaves nothing locked, however it ends. */
    @FunctionalInterface
    interface Step {
        void run(SplittableRandom random) throws Exception;
    }

    // ---------------------------------------------------------------- random

    /** All on the current cord, which has a virtual clock. */
    static void onThisCord(long seed, int rounds, Step step) {
        List<Fiber<?>> all = new ArrayList<>();
        for (int i = 0; i < FIBERS; i++) {
            SplittableRandom random = new SplittableRandom(seed * 31 + i);
            all.add(Fiber.spin("crowd" + i, () -> play(random, rounds, step)));
        }
        all.forEach(Fiber::await);
    }

    /** On two cords with real time, and on plain threads. */
    static void everywhere(long seed, int rounds, Step step) {
        ConcurrentLinkedQueue<Throwable> wrong = new ConcurrentLinkedQueue<>();
        Cord first = start("first", wrong);
        Cord second = start("second", wrong);
        List<Fiber<?>> fibers = new ArrayList<>();
        for (int i = 0; i < FIBERS; i++) {
            SplittableRandom random = new SplittableRandom(seed * 31 + i);
            Cord cord = i % 2 == 0 ? first : second;
            fibers.add(cord.spin("crowd" + i, () -> play(random, rounds, step)));
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            SplittableRandom random = new SplittableRandom(seed * 37 + i);
            threads.add(thread(wrong, () -> playOnThread(random, rounds, step)));
        }
        try {
            fibers.forEach(Fiber::await);
            threads.forEach(Crowd::join);
        } catch (RuntimeException failure) {
            throw new AssertionError("seed=" + seed, failure);
        }
        first.close();
        second.close();
        Assertions.assertEquals(List.of(), new ArrayList<>(wrong), "seed=" + seed);
    }

    static Cord start(String name, ConcurrentLinkedQueue<Throwable> wrong) {
        return Cord.start(
                CordOptions.named(name).withUncaught((fiber, failure) -> wrong.add(failure)));
    }

    static Thread thread(ConcurrentLinkedQueue<Throwable> wrong, Action body) {
        return Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                body.run();
                            } catch (Throwable thrown) {
                                wrong.add(thrown);
                            }
                        });
    }

    static void join(Thread thread) {
        until(() -> !thread.isAlive());
    }

    private static void play(SplittableRandom random, int rounds, Step step) throws Exception {
        for (int i = 0; i < rounds; i++) {
            if (random.nextInt(DISTURBED_OF) == 0) {
                SplittableRandom own = random.split();
                Fiber<?> disturbed = Fiber.spin(() -> step.run(own));
                int before = random.nextInt(4);
                for (int turn = 0; turn < before; turn++) {
                    Fiber.snooze();
                }
                disturbed.terminate();
                disturbed.awaitEnd(Waits.FOREVER);
                Throwable failure = disturbed.failure();
                if (failure != null && !(failure instanceof FiberTerminatedException)) {
                    throw new AssertionError("failed while it was terminated", failure);
                }
            } else {
                step.run(random);
            }
        }
    }

    private static void playOnThread(SplittableRandom random, int rounds, Step step)
            throws Exception {
        for (int i = 0; i < rounds; i++) {
            if (random.nextInt(DISTURBED_OF) == 0) {
                Thread.currentThread().interrupt();
            }
            try {
                step.run(random);
            } catch (WaitInterruptedException expected) {
                // It took nothing, which the test sees at its end.
            }
            Thread.interrupted();
        }
    }

    /** So short that it often passes while the other side gives. */
    static Duration shortLimit(SplittableRandom random) {
        return Duration.ofNanos(random.nextInt(LONGEST_NS));
    }

    static void giveWay(SplittableRandom random) {
        boolean inFiber = Fiber.currentOrNull() != null;
        for (int i = random.nextInt(3); i > 0; i--) {
            if (inFiber) {
                Fiber.snooze();
            } else {
                Thread.onSpinWait();
            }
        }
    }

    // ---------------------------------------------------------------- waiting

    /** On virtual clocks, for tests whose subject is the FIFO order. */
    static void fifo(Action body) {
        for (long seed : FIFO_SEEDS) {
            TestCord.run(seed, false, body);
        }
    }

    /** On a virtual clock: lets the others run until all of them wait. */
    static void settle() {
        Fiber.sleep(Duration.ofNanos(1));
    }

    static void until(Callable<Boolean> condition) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(condition);
    }

    /** What the action throws. */
    static Throwable failureOf(Action action) {
        try {
            action.run();
        } catch (Throwable thrown) {
            return thrown;
        }
        throw new AssertionError("nothing was thrown");
    }

    /** What the action throws on a thread that is no cord. */
    static Throwable failureOnAThread(Action action) {
        ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
        join(thread(thrown, action));
        Assertions.assertEquals(1, thrown.size());
        return thrown.remove();
    }

    static void assertSays(Class<? extends Throwable> type, Throwable thrown, String... parts) {
        Assertions.assertSame(type, thrown.getClass(), thrown::toString);
        for (String part : parts) {
            Assertions.assertTrue(thrown.toString().contains(part), thrown::toString);
        }
    }
}
