package dev.ropewalk.fibers.internal.cord;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.observe.CordStats;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** Rule F9: the counters of a cord. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CordStatsTest {
    private static final int TURNS = 1_000;

    private static long switchesDuring(Action body) throws Exception {
        long before = Cord.current().stats().switches();
        body.run();
        return Cord.current().stats().switches() - before;
    }

    @Test
    void F9_everySwitchBetweenTwoFibersCountsOnce() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> other = Fiber.spin(() -> Runs.snooze(TURNS));
                    long switches = switchesDuring(other::await);
                    assertEquals(TURNS + 2, switches); // its first turn, and back to this one
                });
    }

    @Test
    void F9_fibersThatNeverWaitCountOnceEach() {
        Runs.fifo(
                () -> {
                    for (int i = 0; i < TURNS; i++) {
                        Fiber.spin(() -> {});
                    }
                    assertEquals(TURNS + 1, switchesDuring(Fiber::snooze));
                });
    }

    /** Each needs another stack than the one before: the worker hands back to the root frame. */
    @Test
    void F9_inlineTurnsAndStacksInTurnCountOnceEach() {
        Runs.fifo(
                () -> {
                    Fiber<?> snoozer = Fiber.spin(() -> Runs.snooze(TURNS));
                    Fiber.snooze();
                    long switches =
                            switchesDuring(
                                    () -> {
                                        for (int i = 0; i < TURNS; i++) {
                                            Fiber.spin(() -> {});
                                            Fiber.snooze();
                                        }
                                    });
                    assertEquals(3 * TURNS, switches);
                    snoozer.await();
                });
    }

    /** Scenario S1 of SQLOS, which does not count them; here a look depends on them (F2). */
    @Test
    void F9_instantResumesAndLonelySnoozesCount() {
        Runs.fifo(
                () -> {
                    assertEquals(
                            2 * TURNS,
                            switchesDuring(
                                    () -> {
                                        for (int i = 0; i < TURNS; i++) {
                                            Fiber.snooze();
                                            Fiber.current().schedule(i);
                                            Fiber.suspend();
                                        }
                                    }));
                });
    }

    @Test
    void F9_startsEndsTimersAndTheRunQueue() {
        Runs.inAnyOrder(
                () -> {
                    Cord cord = Cord.current();
                    CordStats before = cord.stats();
                    for (int i = 0; i < 10; i++) {
                        Fiber.spin(() -> Fiber.sleep(Duration.ofDays(1)));
                    }
                    Fiber<?> ends = Fiber.spin(() -> {});
                    Fiber.spin(() -> {}).terminate(); // begins, and ends before its body
                    assertEquals(12, cord.stats().runnable());
                    Runs.settle();
                    CordStats after = cord.stats();
                    assertTrue(FiberImpl.of(ends).outcome() != null);
                    assertEquals(12, after.started() - before.started());
                    assertEquals(2, after.ended() - before.ended());
                    assertEquals(before.alive() + 10, after.alive());
                    assertEquals(before.timers() + 10, after.timers());
                    assertTrue(after.polls() > before.polls());
                    assertEquals(Duration.ofNanos(1), after.slept().minus(before.slept()));
                    assertEquals(1, after.sleeps() - before.sleeps());
                    assertEquals(0, after.runnable());
                });
    }

    @Test
    void F9_mostRunnableBeginsAnewWithEachReadingOnTheCord() {
        Runs.fifo(
                () -> {
                    Cord cord = Cord.current();
                    for (int i = 0; i < 2 * FiberLoop.POLL_INTERVAL; i++) {
                        Fiber.spin(() -> {});
                    }
                    Runs.settle();
                    cord.dump(); // reads it, and begins nothing
                    assertTrue(cord.stats().maxRunnable() >= FiberLoop.POLL_INTERVAL - 1);
                    assertEquals(0, cord.stats().maxRunnable());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F9_messagesCount(StackKind stacks) {
        try (Cord cord = Cord.start(CordOptions.named("counted").withStacks(stacks))) {
            CountDownLatch done = new CountDownLatch(TURNS);
            long before = Runs.onCord(cord, () -> cord.stats().messages());
            for (int i = 0; i < TURNS; i++) {
                cord.post(Runs.message(done::countDown));
            }
            Runs.await(done);
            long after = Runs.onCord(cord, () -> cord.stats().messages());
            assertTrue(after - before >= TURNS + 1, () -> "before=" + before + " after=" + after);
        }
    }

    @Test
    void F8_readingFromElsewhereNeitherWaitsNorResets() {
        Cord cord = Cord.start("busy");
        AtomicBoolean go = new AtomicBoolean();
        Fiber<?> busy =
                cord.spin(
                        "busy",
                        () -> {
                            while (!go.get()) {
                                Thread.onSpinWait();
                            }
                        });
        Runs.until(() -> busy.state() == FiberState.RUNNING);
        assertEquals(2, cord.stats().alive());
        go.set(true);
        Runs.checkAndClose(cord);
        assertEquals(0, cord.stats().alive());
    }

    @Test
    void misuse_topWithoutTheFlagSaysWhatToDo() {
        Runs.real(
                () -> {
                    Cord cord = Cord.current();
                    Throwable thrown = Runs.failureOf(() -> cord.top(3));
                    assertTrue(thrown instanceof IllegalStateException, thrown::toString);
                    assertTrue(
                            String.valueOf(thrown.getMessage()).contains("-Dropewalk.fiberTimes"));
                    assertThrows(IllegalArgumentException.class, () -> cord.top(0));
                });
    }
}
