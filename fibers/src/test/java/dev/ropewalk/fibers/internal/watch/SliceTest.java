package dev.ropewalk.fibers.internal.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.SleepTest;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.FiberLoop;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.observe.Slice;
import dev.ropewalk.fibers.observe.SliceExceededException;
import dev.ropewalk.fibers.observe.SliceLimits;
import dev.ropewalk.fibers.spi.Waits;
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

/** Rule F13: a fiber that asks is told that it has run for too long. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SliceTest {
    private static final long MS = 1_000_000;

    /**
     * As {@link Slice#checkpoint} of the running fiber, so long after the beginning of its turn.
     */
    private static void checkpointAfter(long ms) {
        Fiber<?> fiber = Fiber.current();
        FiberImpl.of(fiber).cord.loop.slices.check(FiberImpl.of(fiber), ms * MS);
    }

    private static int warnings() {
        return CordImpl.current().loop.slices.warnings();
    }

    @Test
    void F13_warnedOncePerSlice() {
        Runs.inAnyOrder(
                () -> {
                    checkpointAfter(500);
                    assertEquals(0, warnings());
                    checkpointAfter(501);
                    checkpointAfter(502);
                    assertEquals(1, warnings());
                    Fiber.snooze();
                    checkpointAfter(1);
                    checkpointAfter(600);
                    assertEquals(2, warnings());
                });
    }

    @Test
    void F13_pastTheErrorLimitEachCheckpointThrows() {
        Runs.inAnyOrder(
                () -> {
                    for (int i = 0; i < 2; i++) {
                        Throwable thrown = Runs.failureOf(() -> checkpointAfter(1_001));
                        assertTrue(thrown instanceof SliceExceededException, thrown::toString);
                        String text = String.valueOf(thrown.getMessage());
                        assertTrue(text.contains("has not yielded for 1001 ms"), text);
                        assertTrue(text.contains("PT1S"), text);
                    }
                });
    }

    @Test
    void F13_extendPutsOffBothLimitsInThisSliceOnly() {
        Runs.inAnyOrder(
                () -> {
                    Slice.extend(Duration.ofSeconds(1));
                    Slice.extend(Duration.ofSeconds(2));
                    checkpointAfter(3_500);
                    assertEquals(0, warnings());
                    checkpointAfter(4_000);
                    assertEquals(1, warnings());
                    assertThrows(SliceExceededException.class, () -> checkpointAfter(4_001));
                    Slice.extend(Waits.FOREVER);
                    checkpointAfter(1_000_000);
                    Fiber.snooze();
                    assertThrows(SliceExceededException.class, () -> checkpointAfter(1_001));
                });
    }

    @Test
    void F13_fiberHasLimitsOfItsOwn() {
        Runs.inAnyOrder(
                () -> {
                    Slice.setLimits(new SliceLimits(Waits.FOREVER, Duration.ofMillis(10)));
                    assertThrows(SliceExceededException.class, () -> checkpointAfter(11));
                    Fiber.spin(() -> checkpointAfter(11)).await(); // not inherited
                    Slice.setLimits(new SliceLimits(Waits.FOREVER, Waits.FOREVER));
                    checkpointAfter(1_000_000);
                    assertEquals(0, warnings());
                });
    }

    @Test
    void F13_cordHasLimits() {
        Reports reports = new Reports();
        SliceLimits limits = new SliceLimits(Duration.ofMillis(5), Duration.ofMillis(10));
        Cord.run(
                Runs.virtualOptions(reports).withSliceLimits(limits),
                () -> {
                    checkpointAfter(6);
                    assertThrows(SliceExceededException.class, () -> checkpointAfter(11));
                    return "";
                });
        reports.assertNone();
    }

    /** Scenario S2 of SQLOS: two over their quantum alternate, one below it goes on. */
    @Test
    void F13_giveWayIsASwitchpointOnlyAfterTheQuantum() {
        Runs.real(
                () -> {
                    Duration quantum = Duration.ofMillis(4);
                    List<String> log = new ArrayList<>();
                    List<Fiber<?>> pair = new ArrayList<>();
                    for (String name : List.of("a", "b")) {
                        pair.add(
                                Fiber.spin(
                                        () -> {
                                            for (int i = 0; i < 3; i++) {
                                                log.add(name);
                                                runUntilItGivesWay(quantum);
                                            }
                                        }));
                    }
                    pair.forEach(Fiber::await);
                    assertEquals(List.of("a", "b", "a", "b", "a", "b"), log);
                    Fiber<?> other = Fiber.spin(() -> {});
                    SleepTest.busy(quantum);
                    assertFalse(Slice.snooze(Duration.ofHours(1)));
                    assertEquals(FiberState.RUNNABLE, other.state());
                });
    }

    /** However late the ticker comes on a busy machine. */
    private static void runUntilItGivesWay(Duration quantum) {
        while (!Slice.snooze(quantum)) {
            Thread.onSpinWait();
        }
    }

    @Test
    void F6_giveWayRaisesWhatIsPendingOnlyIfItGivesWay() {
        Runs.real(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        Fiber.current().terminate();
                                        assertFalse(Slice.snooze(Duration.ofHours(1)));
                                        log.add("not raised");
                                        runUntilItGivesWay(Duration.ofMillis(1));
                                        log.add("not ended");
                                    });
                    assertTrue(Runs.failureOf(fiber::await) instanceof FiberTerminatedException);
                    assertEquals(List.of("not raised"), log);
                });
    }

    @Test
    void F13_everySwitchpointBeginsANewTurn() {
        Runs.real(
                () -> {
                    Cord cord = Cord.current();
                    Set<Long> turns = new HashSet<>();
                    int switches = 0;
                    for (int i = 0; i < 3 * FiberLoop.POLL_INTERVAL; i++) {
                        turns.add(CordImpl.of(cord).loop.turnNumber());
                        Fiber.snooze();
                        turns.add(CordImpl.of(cord).loop.turnNumber());
                        Fiber.current().schedule("at once");
                        Fiber.suspend();
                        turns.add(CordImpl.of(cord).loop.turnNumber());
                        Fiber<?> other =
                                Fiber.spin(
                                        () -> {
                                            turns.add(CordImpl.of(cord).loop.turnNumber());
                                            Fiber.snooze();
                                            turns.add(CordImpl.of(cord).loop.turnNumber());
                                        });
                        other.await();
                        assertEquals(
                                CordImpl.of(cord).loop.turnNumber(),
                                CordImpl.of(cord).loop.turnNumber());
                        switches += 5;
                    }
                    assertEquals(switches, turns.size());
                });
    }

    @Test
    void F13_loopThatDoesNotGiveWayIsEnded() {
        Runs.real(
                () -> {
                    Slice.setLimits(new SliceLimits(Waits.FOREVER, Duration.ofMillis(5)));
                    Fiber.snooze();
                    long startNs = Cord.current().nanoTime();
                    assertThrows(
                            SliceExceededException.class,
                            () -> {
                                for (; ; ) {
                                    Slice.checkpoint();
                                }
                            });
                    long tookMs = (Cord.current().nanoTime() - startNs) / MS;
                    assertTrue(tookMs >= 4, "took " + tookMs + " ms");
                    Slice.extend(Duration.ofDays(1));
                    Slice.checkpoint();
                });
    }

    @Test
    void F13_noTimePassesOnAVirtualClock() {
        Runs.inAnyOrder(
                () -> {
                    Slice.setLimits(new SliceLimits(Duration.ZERO, Duration.ZERO));
                    Slice.checkpoint();
                    Fiber.sleep(Duration.ofDays(1));
                    Slice.checkpoint();
                });
    }

    @Test
    void misuse_whereNoFiberRunsAndWrongTimes() {
        assertThrows(IllegalStateException.class, Slice::checkpoint);
        assertThrows(IllegalStateException.class, () -> Slice.extend(Duration.ZERO));
        assertThrows(IllegalStateException.class, () -> Slice.setLimits(SliceLimits.DEFAULT));
        Duration negative = Duration.ofMillis(-1);
        assertThrows(
                IllegalArgumentException.class, () -> new SliceLimits(negative, Waits.FOREVER));
        assertThrows(
                IllegalArgumentException.class, () -> new SliceLimits(Waits.FOREVER, negative));
        Runs.inAnyOrder(
                () -> assertThrows(IllegalArgumentException.class, () -> Slice.extend(negative)));
    }
}
