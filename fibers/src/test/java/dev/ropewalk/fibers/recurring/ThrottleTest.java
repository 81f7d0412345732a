package dev.ropewalk.fibers.recurring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Rule F5 for throttles: first in, first out, and who leaves the line used up nothing. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ThrottleTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration FAR = Duration.ofDays(1);

    private static long now() {
        return Cord.current().nanoTime();
    }

    private static Duration tenths(long tenths) {
        return Duration.ofMillis(100 * tenths);
    }

    /** What fibers of a throttle do, with the tenth of a second in which they do it. */
    private static final class Log {
        private final long startNs = now();
        private final List<String> lines = new ArrayList<>();

        void add(String what) {
            lines.add(what + " " + (now() - startNs) / 100_000_000);
        }

        Fiber<?> acquiring(Throttle throttle, String name) {
            Action body =
                    () -> {
                        throttle.acquire();
                        add(name);
                    };
            return Fiber.spin(name, body);
        }

        void assertLines(String... expected) {
            assertEquals(List.of(expected), lines);
        }
    }

    // ---------------------------------------------------------------- leaving the line

    @Test
    void F5_terminatedWaiterGivesItsPlaceToTheNext() {
        Runs.fifo(
                () -> {
                    Throttle throttle = Throttle.interval(SECOND);
                    Log log = new Log();
                    log.acquiring(throttle, "a");
                    Fiber<?> first = log.acquiring(throttle, "first");
                    log.acquiring(throttle, "b");
                    Fiber<?> middle = log.acquiring(throttle, "middle");
                    log.acquiring(throttle, "c");
                    Fiber<?> last = log.acquiring(throttle, "last");
                    Fiber.sleep(tenths(5));
                    first.terminate();
                    middle.terminate();
                    last.terminate();
                    Fiber.sleep(FAR);
                    log.assertLines("a 0", "b 10", "c 20");
                    assertEquals(0, throttle.waiting());
                });
    }

    /** At the very moment at which its run would be allowed, just before it runs. */
    @Test
    void F5_waiterTerminatedAsItsTurnComesUsesUpNothing() {
        Runs.fifo(
                () -> {
                    Throttle throttle = Throttle.interval(SECOND);
                    Log log = new Log();
                    assertTrue(throttle.tryAcquire());
                    List<Fiber<?>> ended = new ArrayList<>();
                    Timed.after(SECOND, () -> ended.getFirst().terminate());
                    Fiber.snooze(); // its timer is armed, and fires first
                    ended.add(log.acquiring(throttle, "ended"));
                    log.acquiring(throttle, "next");
                    Fiber.sleep(FAR);
                    log.assertLines("next 10");
                });
    }

    @Test
    void F5_fiberTerminatedInItsFirstTurnUsesUpNothing() {
        Runs.fifo(
                () -> {
                    Throttle throttle = Throttle.interval(SECOND);
                    Log log = new Log();
                    List<Fiber<?>> ended = new ArrayList<>();
                    Fiber.spin(
                            () -> {
                                ended.add(log.acquiring(throttle, "ended"));
                                Fiber.snooze(); // the other runs into the throttle and yields
                                ended.getFirst().terminate();
                            });
                    Fiber.spin(() -> Runs.snooze(4));
                    Fiber.sleep(tenths(1));
                    assertTrue(throttle.tryAcquire());
                    log.assertLines();
                });
    }

    @Test
    void F5_timeLimitEndsTheWaitAndUsesUpNothing() {
        Runs.fifo(
                () -> {
                    Throttle throttle = Throttle.interval(SECOND);
                    Log log = new Log();
                    throttle.acquire();
                    Fiber<?> late =
                            Fiber.spin(
                                    () -> {
                                        assertFalse(throttle.acquire(tenths(9)));
                                        log.add("late");
                                        assertFalse(throttle.acquire(Duration.ZERO));
                                        log.add("at once");
                                    });
                    Runs.settle();
                    log.acquiring(throttle, "behind");
                    Fiber<?> inTime =
                            Fiber.spin(
                                    () -> {
                                        assertTrue(throttle.acquire(tenths(20)));
                                        log.add("in time");
                                    });
                    late.await();
                    inTime.await();
                    log.assertLines("late 9", "at once 9", "behind 10", "in time 20");
                });
    }

    @Test
    void F5_newcomerDoesNotOvertakeWhoIsAboutToRun() {
        Runs.fifo(
                () -> {
                    Throttle throttle = Throttle.interval(SECOND);
                    Log log = new Log();
                    throttle.acquire();
                    Timed.after(
                            SECOND,
                            () -> {
                                assertFalse(throttle.tryAcquire());
                                throttle.acquire();
                                log.add("newcomer");
                            });
                    Fiber.snooze(); // its timer is armed, and fires first
                    log.acquiring(throttle, "waiter");
                    Fiber.sleep(FAR);
                    log.assertLines("waiter 10", "newcomer 20");
                });
    }

    @Test
    void F5_cancelledWaiterUsesUpNothing() {
        Runs.inAnyOrder(
                () -> {
                    Throttle throttle = Throttle.interval(SECOND);
                    Log log = new Log();
                    throttle.acquire();
                    assertFalse(CancelScope.moveOnAfter(tenths(5), () -> throttle.acquire()));
                    throttle.acquire();
                    log.add("next");
                    log.assertLines("next 10");
                    assertFalse(CancelScope.moveOnAfter(Duration.ZERO, () -> throttle.acquire()));
                    Fiber.sleep(SECOND);
                    assertTrue(throttle.tryAcquire());
                });
    }

    /** One that is in a shield when its limit for ending is over, so it never leaves by itself. */
    @Test
    void F5_abandonedWaiterHoldsUpNobody() {
        Reports reports = new Reports();
        Runs.virtual(
                reports,
                () -> {
                    Throttle throttle = Throttle.interval(Duration.ofSeconds(20));
                    Log log = new Log();
                    throttle.acquire();
                    Fiber<?> stubborn =
                            Fiber.spin(
                                    "parent",
                                    () -> {
                                        Fiber.spin(
                                                () ->
                                                        CancelScope.shielded(
                                                                FAR, () -> throttle.acquire()));
                                        Runs.settle();
                                        return 1;
                                    });
                    Fiber.sleep(tenths(1));
                    log.acquiring(throttle, "a");
                    log.acquiring(throttle, "b");
                    stubborn.await();
                    Fiber.sleep(Duration.ofSeconds(90));
                    log.assertLines("a 400", "b 600");
                    return 0;
                });
        assertInstanceOf(FiberAbandonedException.class, reports.only().failure());
    }

    // ---------------------------------------------------------------- misuse

    @Test
    void misuse_noRunsAreAnError() {
        Runs.fifo(
                () -> {
                    for (Action use :
                            List.<Action>of(
                                    () -> Throttle.rate(0, SECOND),
                                    () -> Throttle.rate(-1, SECOND),
                                    () -> Throttle.interval(SECOND).withBurst(0),
                                    () ->
                                            Timed.throttled(
                                                    Throttle.interval(SECOND), -1, _ -> {}))) {
                        Throwable thrown = Runs.failureOf(use);
                        assertInstanceOf(IllegalArgumentException.class, thrown);
                        assertTrue(thrown.toString().contains("runs="), thrown::toString);
                    }
                });
    }

    @Test
    void misuse_anotherCordCannotUseIt() {
        Reports reports = new Reports();
        Cord other = Runs.started("other", reports);
        Runs.real(
                reports,
                () -> {
                    Throttle throttle = Throttle.interval(SECOND);
                    Throwable thrown =
                            Runs.onCord(other, () -> Runs.failureOf(() -> throttle.acquire()));
                    assertInstanceOf(WrongThreadException.class, thrown);
                    assertTrue(thrown.toString().contains("cord real"), thrown::toString);
                    assertTrue(thrown.toString().contains("one for each cord"), thrown::toString);
                    Throwable tried =
                            Runs.onCord(other, () -> Runs.failureOf(() -> throttle.tryAcquire()));
                    assertInstanceOf(WrongThreadException.class, tried);
                    assertTrue(throttle.tryAcquire());
                });
        Runs.checkAndClose(other);
        reports.assertNone();
        assertThrows(IllegalStateException.class, () -> Throttle.interval(SECOND));
    }

    // ---------------------------------------------------------------- the rate

    @Test
    void F2_runsAreSpreadEvenlyAndFirstInFirstOut() {
        Runs.fifo(
                () -> {
                    Throttle throttle = Throttle.rate(4, SECOND.multipliedBy(2));
                    Log log = new Log();
                    for (String name : List.of("a", "b", "c", "d")) {
                        log.acquiring(throttle, name);
                    }
                    Fiber.sleep(tenths(7));
                    assertFalse(throttle.tryAcquire());
                    log.acquiring(throttle, "e");
                    Fiber.sleep(FAR);
                    log.assertLines("a 0", "b 5", "c 10", "d 15", "e 20");
                });
    }

    @Test
    void F2_whatWasNotUsedIsGoneUnlessThereIsABurst() {
        Runs.fifo(
                () -> {
                    Throttle even = Throttle.interval(SECOND);
                    Throttle burst = even.withBurst(3);
                    for (Throttle throttle : List.of(even, burst)) {
                        Fiber.sleep(FAR);
                        Log log = new Log();
                        for (int i = 0; i < 5; i++) {
                            throttle.acquire();
                            log.add("run");
                        }
                        if (throttle == even) {
                            log.assertLines("run 0", "run 10", "run 20", "run 30", "run 40");
                        } else {
                            log.assertLines("run 0", "run 0", "run 0", "run 10", "run 20");
                        }
                    }
                });
    }

    @Test
    void F2_lateRunMovesThoseAfterItUnlessABurstMakesUpForIt() {
        Runs.fifo(
                () -> {
                    Throttle even = Throttle.interval(SECOND);
                    Throttle burst = even.withBurst(2);
                    Log log = new Log();
                    for (Throttle throttle : List.of(even, burst)) {
                        while (throttle.tryAcquire()) {
                            log.add(throttle == even ? "even" : "burst");
                        }
                    }
                    Fiber.sleep(tenths(15));
                    for (Throttle throttle : List.of(even, burst)) {
                        assertTrue(throttle.tryAcquire());
                        assertFalse(throttle.tryAcquire());
                    }
                    Fiber.sleep(tenths(5));
                    assertFalse(even.tryAcquire());
                    assertTrue(burst.tryAcquire());
                    Fiber.sleep(tenths(5));
                    assertTrue(even.tryAcquire());
                    log.assertLines("even 0", "burst 0", "burst 0");
                });
    }

    @Test
    void F2_onRealTimeNoFasterThanTheRateAndStillInOrder() {
        Runs.real(
                () -> {
                    Throttle throttle = Throttle.rate(1_000, SECOND);
                    List<Integer> order = new ArrayList<>();
                    List<Fiber<?>> fibers = new ArrayList<>();
                    long startNs = now();
                    for (int i = 0; i < 10; i++) {
                        int number = i;
                        fibers.add(Fiber.spin(() -> throttle.call(() -> order.add(number))));
                    }
                    fibers.forEach(fiber -> assertTrue(fiber.awaitEnd(FAR)));
                    assertTrue(now() - startNs >= 9_000_000);
                    assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), order);
                });
    }

    @Test
    void F2_anIntervalOfCenturiesDoesNotOverflow() {
        Runs.fifo(
                () -> {
                    Throttle throttle = Throttle.interval(Duration.ofDays(200 * 365)).withBurst(4);
                    for (int i = 0; i < 4; i++) {
                        assertTrue(throttle.tryAcquire());
                    }
                    Fiber.sleep(FAR);
                    assertFalse(throttle.tryAcquire());
                    assertFalse(throttle.acquire(FAR));
                });
    }

    /** Who comes is not compared with all who wait. */
    @Test
    void F2_aLongLineIsJoinedAtOnce() {
        Runs.fifo(
                () -> {
                    Throttle throttle = Throttle.interval(Duration.ofMillis(1));
                    throttle.acquire();
                    int[] runs = {0};
                    for (int i = 0; i < 50_000; i++) {
                        Fiber.spin(() -> throttle.run(() -> runs[0]++));
                    }
                    Fiber.sleep(Duration.ofNanos(10_500_000));
                    assertEquals(10, runs[0]);
                });
    }

    @Test
    void F2_blockRunsWhenAllowedAndItsFailureUsesTheRunUp() {
        Runs.inAnyOrder(
                () -> {
                    Throttle throttle = Throttle.interval(SECOND);
                    Log log = new Log();
                    assertEquals("result", throttle.call(() -> "result"));
                    assertThrows(
                            IOException.class,
                            () ->
                                    throttle.run(
                                            () -> {
                                                log.add("bad");
                                                throw new IOException("bad");
                                            }));
                    throttle.run(() -> log.add("good"));
                    log.assertLines("bad 10", "good 20");
                });
    }

    // ---------------------------------------------------------------- loops

    @Test
    void F2_throttledLoopRunsAsOftenAsAllowedUntilItsCountOrItsStop() {
        Runs.inAnyOrder(
                () -> {
                    Log log = new Log();
                    Throttle throttle = Throttle.rate(2, SECOND);
                    Timed.throttled(throttle, 3, repeat -> log.add("a" + repeat.number()));
                    Timed.throttled(throttle, 0, _ -> log.add("never"));
                    Timed.throttled(
                            throttle,
                            repeat -> {
                                log.add("b" + repeat.number());
                                if (repeat.number() == 2) {
                                    repeat.stop();
                                }
                            });
                    log.assertLines("a1 0", "a2 5", "a3 10", "b1 15", "b2 20");
                });
    }

    @Test
    void F2_twoLoopsShareOneRateInTurn() {
        Runs.fifo(
                () -> {
                    Log log = new Log();
                    Throttle throttle = Throttle.rate(2, SECOND);
                    for (String name : List.of("a", "b")) {
                        Fiber.spin(() -> Timed.throttled(throttle, 3, repeat -> log.add(name)));
                    }
                    Fiber.sleep(FAR);
                    log.assertLines("a 0", "b 5", "a 10", "b 15", "a 20", "b 25");
                });
    }

    /** Also a rate that is never reached leaves a switchpoint in each round. */
    @Test
    void F6_loopThatIsNeverHeldUpCanBeTerminated() {
        Runs.real(
                () -> {
                    Throttle throttle = Throttle.interval(Duration.ofNanos(1));
                    Fiber<?> loop = Fiber.spin(() -> Timed.throttled(throttle, _ -> {}));
                    Fiber.snooze();
                    loop.terminate();
                    assertTrue(loop.awaitEnd(FAR));
                });
    }

    // ---------------------------------------------------------------- at random

    /**
     * Runs at random, some of which leave the line: none too early, none lost, nobody forgotten.
     */
    private static void playAtRandom(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int runs = 1 + random.nextInt(5);
        int burst = 1 + random.nextInt(4);
        long intervalNs = Math.ceilDiv(SECOND.toNanos(), runs);
        Throttle throttle = Throttle.rate(runs, SECOND).withBurst(burst);
        List<Long> times = new ArrayList<>();
        List<Fiber<?>> fibers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Duration limit = tenths(random.nextInt(200));
            boolean isPatient = random.nextInt(3) > 0;
            fibers.add(
                    Fiber.spin(
                            () -> {
                                if (isPatient) {
                                    throttle.acquire();
                                    times.add(now());
                                } else if (throttle.acquire(limit)) {
                                    times.add(now());
                                }
                            }));
            if (random.nextInt(3) == 0) {
                fibers.get(random.nextInt(fibers.size())).terminate();
            }
            if (random.nextInt(4) == 0) {
                Fiber.sleep(Duration.ofNanos(random.nextInt(2_000_000_000)));
            }
        }
        long allInNs = now();
        for (Fiber<?> fiber : fibers) {
            assertTrue(fiber.awaitEnd(FAR), () -> "seed=" + seed + " " + fiber);
        }
        assertEquals(0, throttle.waiting(), "seed=" + seed);
        for (int i = burst; i < times.size(); i++) {
            // The burst's worth of runs before this one took at least an interval.
            long tookNs = times.get(i) - times.get(i - burst);
            assertTrue(tookNs >= intervalNs, "seed=" + seed + " took=" + tookNs);
        }
        long lastNs = times.isEmpty() ? allInNs : times.getLast();
        long waitNs = Math.max(0, lastNs - allInNs);
        assertTrue(
                waitNs <= intervalNs * (fibers.size() + 1L),
                "seed=" + seed + ": somebody waited longer than all before it took");
    }

    @Test
    void F5_conservation() {
        Runs.inAnyOrder(() -> playAtRandom(Cord.current().nextInt(1_000_000)));
    }

    @Test
    @Tag("stress")
    void F5_conservationUnderManySeeds() {
        for (long seed = 0; seed < 2_000; seed++) {
            long each = seed;
            TestCord.run(each, true, () -> playAtRandom(each));
        }
    }
}
