package dev.ropewalk.fibers.internal.cord;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.internal.fiber.Cancellation;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Rule F14: the same seed gives the same run. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class VirtualClockTest {
    /** A program with all that could differ: order, time, random numbers, failures. */
    private static List<String> trace(long seed, boolean seededOrder) {
        List<String> log = new ArrayList<>();
        CordOptions options =
                CordOptions.named("traced")
                        .withClock(new CordOptions.VirtualClock(seed, seededOrder));
        Cord.run(
                options,
                () -> {
                    Cord cord = Cord.current();
                    long start = cord.nanoTime();
                    List<Fiber<?>> fibers = new ArrayList<>();
                    for (int i = 0; i < 20; i++) {
                        int index = i;
                        fibers.add(
                                Fiber.spin(
                                        () -> {
                                            for (int k = 0; k < 10; k++) {
                                                log.add(index + "@" + (cord.nanoTime() - start));
                                                int choice = cord.nextInt(4);
                                                if (choice == 0) {
                                                    Fiber.sleep(Duration.ofNanos(cord.nextInt(50)));
                                                } else if (choice == 1) {
                                                    Fiber.spin(() -> log.add("child of " + index));
                                                } else {
                                                    Fiber.snooze();
                                                }
                                            }
                                        }));
                    }
                    for (Fiber<?> fiber : fibers) {
                        fiber.await();
                    }
                    return log;
                });
        return log;
    }

    @Test
    void F14_sameSeedSameRun() {
        for (long seed = 0; seed < 10; seed++) {
            assertEquals(trace(seed, false), trace(seed, false), "seed=" + seed);
            assertEquals(trace(seed, true), trace(seed, true), "seed=" + seed);
        }
    }

    @Test
    void F14_otherSeedOtherRun() {
        Set<List<String>> fifo = new HashSet<>();
        Set<List<String>> seeded = new HashSet<>();
        for (long seed = 0; seed < 10; seed++) {
            fifo.add(trace(seed, false));
            seeded.add(trace(seed, true));
        }
        assertEquals(10, fifo.size());
        assertEquals(10, seeded.size());
        assertNotEquals(trace(1, false), trace(1, true));
    }

    @Test
    void F14_seededOrderReachesEveryOrder() {
        Set<List<Integer>> orders = new HashSet<>();
        for (long seed = 0; seed < 200; seed++) {
            List<Integer> log = new ArrayList<>();
            CordOptions options =
                    CordOptions.named("ordered")
                            .withClock(new CordOptions.VirtualClock(seed, true));
            Cord.run(
                    options,
                    () -> {
                        for (int i = 0; i < 3; i++) {
                            int index = i;
                            Fiber.spin(() -> log.add(index));
                        }
                        Runs.settle();
                        return log;
                    });
            orders.add(log);
        }
        assertEquals(6, orders.size());
    }

    @Test
    void F14_seededOrderLosesAndDoublesNobody() {
        for (long seed = 0; seed < 20; seed++) {
            CordOptions options =
                    CordOptions.named("ordered")
                            .withClock(new CordOptions.VirtualClock(seed, true));
            int[] turns = new int[100];
            Cord.run(
                    options,
                    () -> {
                        for (int i = 0; i < turns.length; i++) {
                            int index = i;
                            Fiber.spin(
                                    () -> {
                                        for (int k = 0; k < 10; k++) {
                                            turns[index]++;
                                            Fiber.snooze();
                                        }
                                    });
                        }
                        Runs.settle();
                        CordImpl.current().checkInvariants();
                        return null;
                    });
            for (int each : turns) {
                assertEquals(10, each, "seed=" + seed);
            }
        }
    }

    @Test
    void F14_timeDoesNotPassWhileSomebodyIsRunnable() {
        Runs.inAnyOrder(
                () -> {
                    long before = Cord.current().nanoTime();
                    Fiber<?> sleeper = Fiber.spin(() -> Fiber.sleep(Duration.ofNanos(1)));
                    Runs.snooze(10 * FiberLoop.POLL_INTERVAL);
                    assertEquals(FiberState.WAITING, sleeper.state());
                    assertEquals(before, Cord.current().nanoTime());
                    sleeper.await();
                    assertEquals(before + 1, Cord.current().nanoTime());
                });
    }

    @Test
    void F14_nextIntStaysBelowItsBound() {
        Runs.inAnyOrder(
                () -> {
                    Set<Integer> drawn = new HashSet<>();
                    for (int i = 0; i < 1_000; i++) {
                        drawn.add(Cord.current().nextInt(3));
                    }
                    assertEquals(Set.of(0, 1, 2), drawn);
                });
        Runs.real(
                () ->
                        IntStream.range(0, 100)
                                .forEach(i -> assertEquals(0, Cord.current().nextInt(1))));
    }

    /** Polyphony's suspend returned nil; a real hang is worse. */
    @Test
    void F9_whenNothingCanEverRunAgainTheRootFailsWithAReport() {
        Reports reports = new Reports();
        FiberFailedException failure =
                assertThrows(
                        FiberFailedException.class,
                        () ->
                                Runs.virtual(
                                        reports,
                                        () -> {
                                            Fiber<?> stuck =
                                                    Fiber.spin(
                                                            "stuck",
                                                            () -> Waits.park("a lost signal"));
                                            return stuck.await();
                                        }));
        assertTrue(Runs.cause(failure) instanceof DeadlockException, failure::toString);
        String report = String.valueOf(Runs.cause(failure).getMessage());
        for (String part : List.of("root", "stuck", "a lost signal", "cord virtual")) {
            assertTrue(report.contains(part), report);
        }
        reports.assertNone();
    }

    @Test
    void F9_deadlockEndsTheOthersInOrder() {
        List<String> log = new ArrayList<>();
        assertThrows(
                FiberFailedException.class,
                () ->
                        Runs.virtual(
                                new Reports(),
                                () -> {
                                    Fiber.spin(
                                            () -> {
                                                try {
                                                    Fiber.suspend();
                                                } finally {
                                                    log.add("cleaned up");
                                                }
                                            });
                                    return Fiber.suspend();
                                }));
        assertEquals(List.of("cleaned up"), log);
    }

    /** What the shield holds off would be tried again and again. */
    @Test
    void F9_deadlockOfARootBehindAShieldEndsTheRun() {
        Reports reports = new Reports();
        assertThrows(
                DeadlockException.class,
                () ->
                        Runs.virtual(
                                reports,
                                () ->
                                        Cancellation.shielded(
                                                FiberImpl.current(),
                                                () -> Fiber.suspend() == null)));
        assertTrue(reports.only().failure() instanceof FiberAbandonedException);
    }

    @Test
    void F9_reportOfManyStaysReadable() {
        FiberFailedException failure =
                assertThrows(
                        FiberFailedException.class,
                        () ->
                                Runs.virtual(
                                        new Reports(),
                                        () -> {
                                            for (int i = 0; i < 10_000; i++) {
                                                Fiber.spin(() -> Fiber.suspend());
                                            }
                                            return Fiber.suspend();
                                        }));
        long lines = String.valueOf(Runs.cause(failure).getMessage()).lines().count();
        assertTrue(lines < 100, "lines=" + lines);
    }

    /** The ages of messages are counted from it. */
    @Test
    void F14_timeOfTheTickIsThatBehindASleep() {
        TestCord.run(
                () -> {
                    Cord cord = Cord.current();
                    List<Long> behind = new ArrayList<>();
                    Alarm.after(
                            Duration.ofSeconds(1).toNanos(),
                            () -> behind.add(cord.nanoTime() - Waits.tickTime(cord)));
                    Fiber.sleep(Duration.ofSeconds(1));
                    behind.add(cord.nanoTime() - Waits.tickTime(cord));
                    assertEquals(List.of(0L, 0L), behind);
                });
    }
}
