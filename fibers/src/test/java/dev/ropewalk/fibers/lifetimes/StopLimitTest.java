package dev.ropewalk.fibers.lifetimes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.blocking.BlockingTest;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.Cancellation;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** Rule F7: an ending fiber waits for its children up to the stop limit, and then abandons them. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class StopLimitTest {
    private static final Duration LIMIT = Duration.ofSeconds(3);
    private static final int MANY = 10_000;

    private final Reports reports = new Reports();

    private <T extends @Nullable Object> T run(Callable<? extends T> body) {
        return Cord.run(Runs.virtualOptions(reports).withStopLimit(LIMIT), body);
    }

    /** Waits for a time whatever happens, as clean-up of the library does. */
    private static void shieldedSleep(Duration time) {
        Cancellation.shielded(
                FiberImpl.current(),
                () -> {
                    Fiber.sleep(time);
                    return true;
                });
    }

    @Test
    void F7_childThatEndsWithinTheLimitIsWaitedFor() {
        List<String> log = new ArrayList<>();
        long took =
                run(
                        () -> {
                            Fiber<?> parent =
                                    Fiber.spin(
                                            () -> {
                                                Fiber.spin(
                                                        () -> {
                                                            shieldedSleep(Duration.ofSeconds(2));
                                                            log.add("cleaned up");
                                                        });
                                                Runs.settle();
                                            });
                            long before = Cord.current().nanoTime();
                            parent.await();
                            return Cord.current().nanoTime() - before;
                        });
        assertEquals(List.of("cleaned up"), log);
        assertEquals(2_000_000_000, took);
        reports.assertNone();
    }

    @Test
    void F7_childThatDoesNotIsAbandonedAtTheLimitAndReported() {
        List<String> log = new ArrayList<>();
        run(
                () -> {
                    long[] number = new long[1];
                    Fiber<?>[] child = new FiberImpl<?>[1];
                    Fiber<String> parent =
                            Fiber.spin(
                                    "parent",
                                    () -> {
                                        child[0] =
                                                Fiber.spin(
                                                        "child",
                                                        () -> {
                                                            number[0] = Waits.nextNumber();
                                                            shieldedSleep(Duration.ofDays(1));
                                                            log.add("ran again");
                                                        });
                                        Runs.settle();
                                        return "result";
                                    });
                    long before = Cord.current().nanoTime();
                    Runs.settle();
                    Fiber<Throwable> awaiter = Fiber.spin(() -> Runs.failureOf(child[0]::await));
                    assertEquals("result", parent.await());
                    assertEquals(LIMIT.toNanos() + 1, Cord.current().nanoTime() - before);
                    assertTrue(awaiter.await() instanceof FiberAbandonedException);

                    assertEquals(FiberState.DEAD, child[0].state());
                    FiberImpl.of(child[0]).checkInvariants();
                    assertFalse(Waits.resume(child[0], number[0], "late"));
                    assertFalse(child[0].schedule("late"));
                    assertThrows(FiberAbandonedException.class, child[0]::await);
                    Fiber.sleep(Duration.ofDays(2));
                    CordImpl.current().checkInvariants();
                    return null;
                });
        assertEquals(List.of(), log);
        Reports.Report report = reports.only();
        assertEquals("child", report.fiber().name());
        String message = String.valueOf(report.failure().getMessage());
        assertTrue(message.contains("3000 ms"), message);
        assertTrue(message.contains("sleep"), message);
    }

    @Test
    void F8_valueOfAnAbandonedFiberIsRefusedOrReported() {
        for (boolean given : new boolean[] {false, true}) {
            reports.all().clear();
            WaitCell waiter =
                    run(
                            () -> {
                                WaitCell[] open = new WaitCell[1];
                                Fiber.spin(
                                        "child",
                                        () -> {
                                            open[0] = new WaitCell();
                                            Cancellation.shielded(
                                                    FiberImpl.current(),
                                                    () -> open[0].await("") == "");
                                        });
                                Runs.settle();
                                // Its wake-up does not come any more.
                                assertEquals(given, given && open[0].claim("value"));
                                return open[0];
                            });
            assertFalse(waiter.give("late"));
            long lost =
                    reports.all().stream()
                            .filter(report -> report.failure().toString().contains("was lost"))
                            .count();
            assertEquals(given ? 1 : 0, lost, reports.all()::toString);
        }
    }

    @Test
    void F7_whatIsBelowAnAbandonedFiberIsAbandonedWithIt() {
        run(
                () -> {
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber.spin(
                                                "child",
                                                () -> {
                                                    Fiber.spin(
                                                            "grandchild",
                                                            () ->
                                                                    shieldedSleep(
                                                                            Duration.ofDays(1)));
                                                    shieldedSleep(Duration.ofDays(1));
                                                });
                                        Runs.settle();
                                    });
                    parent.await();
                    CordImpl.current().checkInvariants();
                    return null;
                });
        List<String> abandoned = new ArrayList<>();
        for (Reports.Report report : reports.all()) {
            assertTrue(report.failure() instanceof FiberAbandonedException);
            abandoned.add(report.fiber().name());
        }
        assertEquals(List.of("child", "grandchild"), abandoned);
    }

    @Test
    void F7_othersOfTheCordGoOnMeanwhile() {
        int turns =
                run(
                        () -> {
                            int[] count = new int[1];
                            Fiber.spin(
                                    () -> {
                                        for (; ; ) {
                                            Fiber.sleep(Duration.ofMillis(100));
                                            count[0]++;
                                        }
                                    });
                            Fiber<?> parent =
                                    Fiber.spin(
                                            () -> {
                                                Fiber.spin(() -> shieldedSleep(Duration.ofDays(1)));
                                                Runs.settle();
                                            });
                            parent.await();
                            return count[0];
                        });
        assertEquals(30, turns);
        assertEquals(1, reports.all().size());
    }

    @Test
    void F7_withoutALimitTheParentWaitsAsLongAsItTakes() {
        Reports none = new Reports();
        CordOptions forEver = Runs.virtualOptions(none).withStopLimit(Waits.FOREVER);
        assertEquals(
                "result",
                Cord.run(
                        forEver,
                        () -> {
                            Fiber.spin(() -> shieldedSleep(Duration.ofDays(100)));
                            Runs.settle();
                            return "result";
                        }));
        none.assertNone();
    }

    @Test
    void F9_deadlockOfAnEndingRootIsToldToTheCallerOfRun() {
        CordOptions forEver = Runs.virtualOptions(reports).withStopLimit(Waits.FOREVER);
        Throwable thrown =
                Runs.failureOf(
                        () ->
                                Cord.run(
                                        forEver,
                                        () -> {
                                            Fiber.spin("stuck", StopLimitTest::shieldedForEver);
                                            Runs.settle();
                                            return "result";
                                        }));
        assertTrue(thrown.toString().contains("stuck"), thrown::toString);
        assertTrue(
                thrown instanceof DeadlockException
                        || Runs.cause(thrown) instanceof DeadlockException,
                thrown::toString);
    }

    private static void shieldedForEver() {
        Cancellation.shielded(
                FiberImpl.current(),
                () -> {
                    Waits.park("nothing");
                    return true;
                });
    }

    /** The one case in which real time passes: the child's wait cannot be ended. */
    @Test
    void F7_blockingCallThatIgnoresItsInterruptIsLeftBehindAtTheLimit() {
        CountDownLatch release = new CountDownLatch(1);
        CordOptions shortLimit =
                CordOptions.named("short")
                        .withUncaught(reports)
                        .withStopLimit(Duration.ofMillis(20));
        Cord.<@Nullable Object>run(
                shortLimit,
                () -> {
                    Fiber.spin(
                            "child",
                            () -> Blocking.call(() -> BlockingTest.uninterruptibly(release)));
                    Fiber.sleep(Duration.ofMillis(1));
                    return null;
                });
        release.countDown();
        assertEquals("child", reports.only().fiber().name());
    }

    @Test
    void F7_uncaughtHandlerThatFailsDoesNotBreakTheCord() {
        CordOptions broken =
                Runs.virtualOptions(reports)
                        .withUncaught(
                                (fiber, failure) -> {
                                    throw new IllegalStateException("broken handler");
                                });
        assertEquals(
                "result",
                Cord.run(
                        broken,
                        () -> {
                            Fiber<?> parent =
                                    Fiber.spin(
                                            () -> {
                                                Fiber.spin(() -> shieldedSleep(Duration.ofDays(1)));
                                                Runs.settle();
                                            });
                            parent.await();
                            return "result";
                        }));
    }

    /** Of ten thousand that end at once, on a cord that needs longer for them than the limit. */
    @Test
    void F7_childThatHasHadNoTurnSinceItWasToldToEndIsNotLate() {
        int[] ended = {0};
        Cord.<@Nullable Object>run(
                CordOptions.named("busy").withUncaught(reports).withStopLimit(Duration.ofNanos(1)),
                () -> {
                    for (int i = 0; i < MANY; i++) {
                        Fiber.spin(
                                () -> {
                                    try {
                                        Fiber.suspend();
                                    } finally {
                                        ended[0]++;
                                    }
                                });
                    }
                    Fiber.spin("stuck", () -> shieldedSleep(Duration.ofDays(1)));
                    Runs.settle();
                    return null;
                });
        assertEquals(MANY, ended[0]);
        assertEquals("stuck", reports.only().fiber().name());
    }
}
