package dev.ropewalk.fibers.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.cord.FiberLoop;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Rule F8: give, time limit, raise and termination race for a waiter; exactly one wins, and every
 * value that was accepted is taken by exactly one waiter.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class WaitCellRaceTest {
    private static final int GIVERS = 2;

    /** Waiters that lie in the open, each for the givers and the raisers to find. */
    private final ConcurrentLinkedQueue<WaitCell> open = new ConcurrentLinkedQueue<>();

    private final ConcurrentSkipListSet<Integer> accepted = new ConcurrentSkipListSet<>();
    private final ConcurrentSkipListSet<Integer> taken = new ConcurrentSkipListSet<>();
    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicInteger nextValue = new AtomicInteger();
    private volatile boolean over;

    /** A number of endings of each kind; a race in which one side always wins shows nothing. */
    private final AtomicInteger timeouts = new AtomicInteger();

    private final AtomicInteger raises = new AtomicInteger();

    @Test
    void F8_everyAcceptedValueIsTakenOnce() throws InterruptedException {
        race(1, 3_000);
    }

    @Test
    @Tag("stress")
    void F8_everyAcceptedValueIsTakenOnceUnderStress() throws InterruptedException {
        for (long seed = 2; seed < 6; seed++) {
            race(seed, 30_000);
        }
    }

    private void race(long seed, int waits) throws InterruptedException {
        accepted.clear();
        taken.clear();
        over = false;
        Reports reports = new Reports();
        Cord first = Runs.started("first", reports);
        Cord second = Runs.started("second", reports);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < GIVERS; i++) {
            SplittableRandom random = new SplittableRandom(seed * 31 + i);
            threads.add(Thread.ofPlatform().start(() -> giveUntilOver(random)));
        }
        List<Fiber<?>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            SplittableRandom random = new SplittableRandom(seed * 37 + i);
            Cord cord = i % 2 == 0 ? first : second;
            waiting.add(cord.spin("waiting" + i, () -> waitOften(random, waits)));
        }
        Fiber<?> localGiver = first.spin("giver", this::giveFromAFiber);
        waitOnThisThread(new SplittableRandom(seed * 41), waits / 10);
        for (Fiber<?> fiber : waiting) {
            fiber.await();
        }
        over = true;
        localGiver.await();
        for (Thread thread : threads) {
            thread.join();
        }
        Runs.checkAndClose(first);
        Runs.checkAndClose(second);
        reports.assertNone();
        assertEquals(List.of(), new ArrayList<>(wrong), "seed=" + seed);
        assertEquals(new TreeSet<>(accepted), new TreeSet<>(taken), "seed=" + seed);
        assertTrue(!taken.isEmpty() && timeouts.get() > 0 && raises.get() > 0, "seed=" + seed);
    }

    private void waitOften(SplittableRandom random, int waits) {
        Fiber<?> me = Fiber.current();
        for (int i = 0; i < waits; i++) {
            WaitCell waiter = new WaitCell();
            open.add(waiter);
            if (random.nextInt(10) == 0) {
                Cord.current().post(Runs.message(() -> me.raise(new Wanted())));
            }
            try {
                take(waiter, random);
            } catch (Wanted raised) {
                raises.incrementAndGet();
                if (waiter.isWaiting() || waiter.give("must be refused")) {
                    wrong.add("left by a raise and still open");
                }
            }
            try {
                Fiber.snooze();
            } catch (Wanted late) {
                // Came when the value had been given; it belongs to this switchpoint.
            }
        }
        dropLastRaise();
    }

    /** The message of the last wait may still be under way. */
    private static void dropLastRaise() {
        for (int i = 0; i < 2 * FiberLoop.POLL_INTERVAL; i++) {
            try {
                Fiber.snooze();
            } catch (Wanted late) {
                // Not needed any more.
            }
        }
    }

    private void waitOnThisThread(SplittableRandom random, int waits) {
        for (int i = 0; i < waits; i++) {
            WaitCell waiter = new WaitCell();
            open.add(waiter);
            take(waiter, random);
        }
    }

    private void take(WaitCell waiter, SplittableRandom random) {
        Object value = waiter.await("a value", random.nextInt(20_000));
        if (value == Waits.TIMED_OUT) {
            timeouts.incrementAndGet();
            if (waiter.give("must be refused")) {
                wrong.add("timed out and still open");
            }
        } else if (!(value instanceof Integer number) || !taken.add(number)) {
            wrong.add("taken twice, or nobody's: " + value);
        }
    }

    private void giveUntilOver(SplittableRandom random) {
        while (!over) {
            giveOne();
            for (int i = random.nextInt(200); i > 0; i--) {
                Thread.onSpinWait();
            }
        }
    }

    private void giveFromAFiber() {
        while (!over) {
            giveOne();
            Fiber.snooze();
        }
    }

    private void giveOne() {
        @Nullable WaitCell waiter = open.poll();
        if (waiter != null) {
            int value = nextValue.incrementAndGet();
            if (waiter.give(value)) {
                accepted.add(value);
                if (waiter.give(-value)) {
                    wrong.add("given twice: " + value);
                }
            }
        }
    }

    /** What the raisers throw. */
    private static final class Wanted extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
