package dev.ropewalk.fibers.recurring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.SleepTest;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule F2 for loops: ticks are never early, do not drift, and come in no bursts. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class TimedTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration FAR = Duration.ofDays(1);

    private static long now() {
        return Cord.current().nanoTime();
    }

    private static Duration tenths(long tenths) {
        return Duration.ofMillis(100 * tenths);
    }

    /** Tenths of a second since the start. */
    private static long since(long startNs) {
        return (now() - startNs) / 100_000_000;
    }

    // ---------------------------------------------------------------- every: bad cases

    @Test
    void misuse_aPeriodThatIsNoneIsAnError() {
        Runs.fifo(
                () -> {
                    for (Duration period :
                            List.of(
                                    Duration.ZERO,
                                    Duration.ofNanos(-1),
                                    Duration.ofSeconds(Long.MAX_VALUE))) {
                        for (Action use :
                                List.<Action>of(
                                        () -> Timed.every(period, () -> {}),
                                        () -> Timed.spinEvery("x", period, () -> {}),
                                        () -> Throttle.interval(period),
                                        () -> Throttle.rate(1, period))) {
                            Throwable thrown = Runs.failureOf(use);
                            assertInstanceOf(IllegalArgumentException.class, thrown);
                            assertTrue(thrown.toString().contains("" + period), thrown::toString);
                        }
                    }
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> Timed.after(Duration.ofNanos(-1), () -> {}));
                });
    }

    @Test
    void misuse_loopsNeedAFiber() {
        for (Action use :
                List.<Action>of(
                        () -> Timed.every(SECOND, () -> {}),
                        () -> Timed.spinEvery("x", SECOND, () -> {}),
                        () -> Timed.after(SECOND, () -> {}))) {
            Throwable thrown = Runs.failureOf(use);
            assertTrue(thrown.toString().contains("no fiber runs"), thrown::toString);
        }
    }

    @Test
    void misuse_onlyTheActionStopsALoop() {
        Runs.inAnyOrder(
                () -> {
                    List<Repeat> loops = new ArrayList<>();
                    Fiber<?> fiber = Timed.spinEvery("loop", SECOND, loops::add);
                    Fiber.sleep(tenths(15));
                    Throwable thrown = Runs.failureOf(() -> loops.getFirst().stop());
                    assertInstanceOf(IllegalStateException.class, thrown);
                    assertTrue(thrown.toString().contains("PT1S in " + fiber), thrown::toString);
                    Fiber.sleep(SECOND);
                    assertEquals(2, loops.size());
                });
    }

    @Test
    void misuse_stopByItsFiberWhenNoActionRuns() {
        Runs.inAnyOrder(
                () -> {
                    List<Repeat> loops = new ArrayList<>();
                    assertThrows(
                            IOException.class,
                            () ->
                                    Timed.every(
                                            SECOND,
                                            repeat -> {
                                                loops.add(repeat);
                                                throw new IOException("once");
                                            }));
                    Throwable thrown = Runs.failureOf(() -> loops.getFirst().stop());
                    assertInstanceOf(IllegalStateException.class, thrown);
                    assertTrue(thrown.toString().contains("no action of it runs"));
                });
    }

    @Test
    void F2_failureOfTheActionEndsTheLoop() {
        Runs.inAnyOrder(
                () -> {
                    int[] runs = {0};
                    assertThrows(
                            IOException.class,
                            () ->
                                    Timed.every(
                                            SECOND,
                                            () -> {
                                                runs[0]++;
                                                throw new IOException("once");
                                            }));
                    assertEquals(1, runs[0]);
                });
    }

    @Test
    void F6_loopEndsWithItsFiberAndItsScope() {
        Runs.inAnyOrder(
                () -> {
                    int[] runs = {0};
                    long startNs = now();
                    Fiber<?> fiber = Timed.spinEvery("loop", SECOND, () -> runs[0]++);
                    Fiber.sleep(tenths(25));
                    fiber.terminate();
                    assertTrue(fiber.awaitEnd(Duration.ofNanos(1)));
                    assertFalse(
                            CancelScope.moveOnAfter(
                                    tenths(25), () -> Timed.every(SECOND, () -> runs[0]++)));
                    assertEquals(4, runs[0]);
                    assertEquals(50, since(startNs));
                });
    }

    /** In the same look in which its timer fires. */
    @Test
    void F6_actionOfAFiberThatIsTerminatedAsItsTimeComesDoesNotRun() {
        Runs.fifo(
                () -> {
                    List<String> log = new ArrayList<>();
                    List<Fiber<?>> ended = new ArrayList<>();
                    Fiber.spin(
                            () -> {
                                Fiber.sleep(SECOND);
                                ended.forEach(Fiber::terminate);
                            });
                    Fiber.snooze(); // its timer is armed, and fires first
                    ended.add(Timed.after(SECOND, () -> log.add("after")));
                    ended.add(Timed.spinEvery("loop", SECOND, () -> log.add("every")));
                    Fiber.sleep(FAR);
                    assertEquals(List.of(), log);
                    for (Fiber<?> each : ended) {
                        assertInstanceOf(FiberTerminatedException.class, each.failure());
                    }
                });
    }

    /** Its own rounds are switchpoints, also if all of its ticks are past. */
    @Test
    void F6_loopThatIsAlwaysLateCanBeTerminatedAndStarvesNobody() {
        Runs.real(
                () -> {
                    int[] others = {0};
                    Fiber<?> other =
                            Fiber.spin(
                                    () -> {
                                        for (; ; ) {
                                            others[0]++;
                                            Fiber.snooze();
                                        }
                                    });
                    Fiber<?> loop = Timed.spinEvery("loop", Duration.ofNanos(1), () -> {});
                    while (others[0] < 1_000) {
                        Fiber.snooze();
                    }
                    loop.terminate();
                    assertTrue(loop.awaitEnd(FAR));
                    other.terminate();
                });
    }

    // ---------------------------------------------------------------- every: ticks

    @Test
    void F2_ticksComeAtMultiplesOfThePeriodWhateverTheActionTakes() {
        Runs.inAnyOrder(
                () -> {
                    List<Long> times = new ArrayList<>();
                    long startNs = now();
                    Timed.every(
                            SECOND,
                            repeat -> {
                                times.add(since(startNs));
                                assertEquals(times.size(), repeat.number());
                                assertEquals(0, repeat.skipped());
                                Fiber.sleep(tenths(repeat.number()));
                                if (repeat.number() == 5) {
                                    repeat.stop();
                                }
                            });
                    assertEquals(List.of(10L, 20L, 30L, 40L, 50L), times);
                    assertEquals(55, since(startNs));
                });
    }

    @Test
    void F2_ticksMissedBySlowRunsAreSkippedAndTold() {
        Runs.inAnyOrder(
                () -> {
                    List<String> runs = new ArrayList<>();
                    long[] takes = {25, 10, 9, 11, 0};
                    long startNs = now();
                    Timed.every(
                            SECOND,
                            repeat -> {
                                runs.add(
                                        since(startNs)
                                                + ": "
                                                + repeat.number()
                                                + " after "
                                                + repeat.skipped());
                                Fiber.sleep(tenths(takes[runs.size() - 1]));
                                if (runs.size() == takes.length) {
                                    repeat.stop();
                                }
                            });
                    assertEquals(
                            List.of(
                                    "10: 1 after 0",
                                    "40: 4 after 2",
                                    "50: 5 after 0",
                                    "60: 6 after 0",
                                    "80: 8 after 1"),
                            runs);
                });
    }

    /** Two of the systems we follow took the loop's cached time, and fired at once. */
    @Test
    void F2_neverEarlyAndNoBurstAfterABusyStretch() {
        Runs.real(
                () -> {
                    long periodNs = 2_000_000;
                    Fiber.sleep(Duration.ofMillis(1));
                    SleepTest.busy(Duration.ofMillis(10));
                    long startNs = now();
                    Fiber.spin(
                            () -> {
                                Fiber.sleep(Duration.ofMillis(3));
                                SleepTest.busy(Duration.ofMillis(11));
                            });
                    long[] last = {0};
                    Timed.every(
                            Duration.ofNanos(periodNs),
                            repeat -> {
                                long elapsedNs = now() - startNs;
                                assertTrue(elapsedNs >= repeat.number() * periodNs);
                                assertEquals(last[0] + 1 + repeat.skipped(), repeat.number());
                                last[0] = repeat.number();
                                if (elapsedNs > 20_000_000) {
                                    repeat.stop();
                                }
                            });
                });
    }

    @Test
    void F2_periodIsCountedFromTheCallNotFromTheStartOfTheFiber() {
        Runs.real(
                () -> {
                    long startNs = now();
                    List<String> log = new ArrayList<>();
                    Fiber<?> loop =
                            Timed.spinEvery(
                                    "loop",
                                    Duration.ofMillis(30),
                                    repeat -> {
                                        assertTrue(repeat.number() >= 2 && repeat.skipped() >= 1);
                                        assertTrue(now() - startNs >= 60_000_000);
                                        repeat.stop();
                                    });
                    Timed.after(Duration.ofMillis(30), () -> log.add("once"));
                    Fiber<?> other =
                            Fiber.spin(
                                    () -> {
                                        Runs.snooze(3);
                                        log.add("other");
                                    });
                    SleepTest.busy(Duration.ofMillis(31));
                    loop.await();
                    other.await(); // where the thread was held up, the loop may come first
                    assertEquals(List.of("once", "other"), log);
                });
    }

    @Test
    void F2_aSecondTickBeyondAllTimeNeverComesAndTheFirstIsExact() {
        Runs.fifo(
                () -> {
                    Duration period = Duration.ofDays(250 * 365);
                    List<Long> numbers = new ArrayList<>();
                    long startNs = now();
                    Fiber<?> loop =
                            Timed.spinEvery("loop", period, repeat -> numbers.add(repeat.number()));
                    Fiber.sleep(Duration.ofDays(140 * 365));
                    Fiber.sleep(Duration.ofDays(110 * 365 - 1));
                    assertEquals(List.of(), numbers);
                    Fiber.sleep(Duration.ofDays(1));
                    Runs.settle();
                    assertEquals(List.of(1L), numbers);
                    assertEquals(period.toNanos() + 1, now() - startNs);
                    loop.terminate();
                });
    }

    @Test
    void F2_restartedLoopCountsFromItsRestart() {
        Runs.inAnyOrder(
                () -> {
                    long startNs = now();
                    List<String> runs = new ArrayList<>();
                    Fiber<?> loop =
                            Timed.spinEvery(
                                    "loop",
                                    SECOND,
                                    repeat ->
                                            runs.add(
                                                    since(startNs)
                                                            + ": "
                                                            + repeat.number()
                                                            + " after "
                                                            + repeat.skipped()));
                    Fiber.sleep(tenths(25));
                    loop.restart();
                    Fiber.sleep(tenths(15));
                    loop.terminate();
                    assertEquals(List.of("10: 1 after 0", "20: 2 after 0", "35: 1 after 0"), runs);
                });
    }

    @Test
    void F7_failureInALoopOfItsOwnIsAChilds() {
        Runs.inAnyOrder(
                () -> {
                    Throwable thrown =
                            Runs.failureOf(
                                    () ->
                                            Fiber.spin(
                                                            () -> {
                                                                Timed.spinEvery(
                                                                        "loop",
                                                                        SECOND,
                                                                        TimedTest::fail);
                                                                Fiber.sleep(FAR);
                                                            })
                                                    .await());
                    assertTrue(thrown.toString().contains("loop"), thrown::toString);
                });
    }

    private static void fail() throws IOException {
        throw new IOException("bad");
    }

    // ---------------------------------------------------------------- after

    @Test
    void F2_afterRunsOnceWhenTheTimeHasPassed() {
        Runs.inAnyOrder(
                () -> {
                    long startNs = now();
                    List<Long> times = new ArrayList<>();
                    Timed.after(tenths(20), () -> times.add(since(startNs)));
                    Fiber<Long> second = Timed.after(tenths(10), () -> since(startNs));
                    Timed.after(Duration.ZERO, () -> times.add(since(startNs)));
                    assertEquals(10, second.await());
                    assertEquals(List.of(0L), times);
                    Fiber.sleep(FAR);
                    assertEquals(List.of(0L, 20L), times);
                });
    }

    @Test
    void F6_afterIsCancelledByTerminateAndByTheEndOfItsParent() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> cancelled = Timed.after(SECOND, () -> log.add("cancelled"));
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Timed.after(SECOND, () -> log.add("orphan"));
                                        Fiber.snooze();
                                    });
                    Fiber.sleep(tenths(9));
                    cancelled.terminate();
                    parent.await();
                    Fiber.sleep(FAR);
                    assertEquals(List.of(), log);
                    assertInstanceOf(FiberTerminatedException.class, cancelled.failure());
                    assertNull(parent.failure());
                });
    }
}
