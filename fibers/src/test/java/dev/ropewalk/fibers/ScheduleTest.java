package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.sync.Event;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule F4: schedule, in each state of the fiber. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ScheduleTest {
    @Test
    void F4_waitingInSuspendTakesTheValue() {
        Runs.cleanly(
                () -> {
                    Object value = new Object();
                    Fiber<@Nullable Object> fiber = Fiber.spin(() -> Fiber.suspend());
                    Runs.settle();
                    assertEquals(FiberState.WAITING, fiber.state());
                    assertTrue(fiber.schedule(value));
                    assertEquals(FiberState.RUNNABLE, fiber.state());
                    assertSame(value, fiber.await());
                    assertEquals(FiberState.DEAD, fiber.state());
                });
    }

    @Test
    void F4_valueIsNeverOverwritten() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<@Nullable Object> fiber = Fiber.spin(() -> Fiber.suspend());
                    Runs.settle();
                    assertTrue(fiber.schedule("first"));
                    assertFalse(fiber.schedule("second"));
                    fiber.raise(new IllegalStateException("third"));
                    Throwable failure = Runs.failureOf(fiber::await);
                    assertEquals("third", Runs.cause(failure).getMessage());
                });
        Runs.inAnyOrder(
                () -> {
                    List<@Nullable Object> values = new ArrayList<>();
                    Fiber<?> fiber = Fiber.spin(() -> values.add(Fiber.suspend()));
                    Runs.settle();
                    fiber.schedule("first");
                    fiber.schedule("second");
                    fiber.terminate();
                    Runs.failureOf(fiber::await);
                    assertEquals(List.of("first"), values);
                });
    }

    @Test
    void F4_runnableKeepsItsPosition() {
        Runs.fifo(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> a = Fiber.spin(() -> log.add("a" + Fiber.suspend()));
                    Fiber<?> b = Fiber.spin(() -> log.add("b" + Fiber.suspend()));
                    Runs.settle();
                    a.schedule(1);
                    b.schedule(2);
                    a.schedule(3);
                    Fiber.snooze();
                    assertEquals(List.of("a1", "b2"), log);
                });
    }

    @Test
    void F4_nullIsAValue() {
        Runs.cleanly(
                () -> {
                    Fiber<@Nullable Object> fiber = Fiber.spin(() -> Fiber.suspend());
                    Runs.settle();
                    assertTrue(fiber.schedule(null));
                    assertFalse(fiber.schedule("second"));
                    assertNull(fiber.await());
                    assertTrue(Fiber.current().schedule(null));
                    assertFalse(Fiber.current().schedule("second"));
                    assertNull(Fiber.suspend());
                });
    }

    @Test
    void F4_throwableGivenAsAValueStaysAValue() {
        Runs.cleanly(
                () -> {
                    Throwable value = new IllegalStateException("not thrown");
                    Fiber<@Nullable Object> fiber = Fiber.spin(() -> Fiber.suspend());
                    Runs.settle();
                    fiber.schedule(value);
                    assertSame(value, fiber.await());
                    Fiber.current().schedule(value);
                    assertSame(value, Fiber.suspend());
                });
    }

    @Test
    void F4_runningFiberResumesInstantlyAndGivesWayToNobody() {
        Runs.fifo(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber.spin(() -> log.add("other"));
                    assertTrue(Fiber.current().schedule("first"));
                    assertFalse(Fiber.current().schedule("second"));
                    assertEquals(FiberState.RUNNING, Fiber.current().state());
                    assertEquals("first", Fiber.suspend());
                    assertEquals(List.of(), log);
                    Fiber.snooze();
                    assertEquals(List.of("other"), log);
                });
    }

    @Test
    void F4_instantResumeIsForTheNextSuspendAndForNoOtherWait() {
        Runs.cleanly(
                () -> {
                    Fiber.current().schedule("kept");
                    long before = Cord.current().nanoTime();
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(1_000_000_000, Cord.current().nanoTime() - before);
                    Fiber.snooze();
                    assertEquals("kept", Fiber.suspend());
                    Fiber<?> me = Fiber.current();
                    Fiber.spin(() -> me.schedule("next"));
                    assertEquals("next", Fiber.suspend());
                });
    }

    @Test
    void F4_deadAndUnstartedAreNotScheduled() {
        Runs.cleanly(
                () -> {
                    Fiber<@Nullable Object> fiber = Fiber.spin(() -> Fiber.suspend());
                    assertEquals(FiberState.RUNNABLE, fiber.state());
                    assertFalse(fiber.schedule("too early"));
                    Runs.settle();
                    assertEquals(FiberState.WAITING, fiber.state());
                    assertTrue(fiber.schedule("in time"));
                    assertEquals("in time", fiber.await());
                    assertFalse(fiber.schedule("too late"));
                    assertEquals("in time", fiber.await());
                });
    }

    /** Where a wait of Tarantool's channel that is woken early twice ends at half its limit. */
    @Test
    void F4_libraryWaitsAreNotEndedBySchedule() {
        Duration limit = Duration.ofSeconds(5);
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> child = Fiber.spin(() -> Fiber.sleep(Duration.ofDays(1)));
                    List<Action> waits =
                            List.of(
                                    () -> Fiber.sleep(limit),
                                    () -> child.awaitEnd(limit),
                                    () -> Event.local().await(limit),
                                    () -> Event.shared().await(limit),
                                    () -> Waits.park("nothing", limit.toNanos()),
                                    () -> new WaitCell().await("nothing", limit.toNanos()));
                    List<Fiber<Long>> waiting = new ArrayList<>();
                    for (Action each : waits) {
                        waiting.add(Fiber.spin(() -> nanosOf(each)));
                    }
                    Fiber<?> handler = Cord.current().spinHandler("handler", value -> Handler.WAIT);
                    for (double part : new double[] {0.4, 0.5}) {
                        Fiber.sleep(Duration.ofNanos((long) (limit.toNanos() * part)));
                        for (Fiber<?> each : waiting) {
                            assertFalse(
                                    each.schedule("foreign"),
                                    () -> FiberImpl.of(each).describeWait());
                            assertEquals(FiberState.WAITING, each.state());
                        }
                        assertFalse(handler.schedule("foreign"));
                    }
                    for (Fiber<Long> each : waiting) {
                        assertEquals(limit.toNanos(), each.await());
                    }
                    child.terminate();
                    handler.terminate();
                });
    }

    private static long nanosOf(Action action) throws Exception {
        long before = Cord.current().nanoTime();
        action.run();
        return Cord.current().nanoTime() - before;
    }

    @Test
    void F4_aFiberGoesThroughAllFourStates() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<FiberState> fiber =
                            Fiber.spin(
                                    () -> {
                                        Fiber.suspend();
                                        return Fiber.current().state();
                                    });
                    assertEquals(FiberState.RUNNABLE, fiber.state());
                    Runs.settle();
                    assertEquals(FiberState.WAITING, fiber.state());
                    fiber.schedule("go");
                    assertEquals(FiberState.RUNNABLE, fiber.state());
                    assertEquals(FiberState.RUNNING, fiber.await());
                    assertEquals(FiberState.DEAD, fiber.state());
                });
    }

    @Test
    void F4_snoozingFiberIsRunnableAndNotScheduled() {
        Runs.fifo(
                () -> {
                    Fiber<@Nullable Object> fiber =
                            Fiber.spin(
                                    () -> {
                                        Fiber.snooze();
                                        return Fiber.suspend();
                                    });
                    Fiber.snooze();
                    assertEquals(FiberState.RUNNABLE, fiber.state());
                    assertFalse(fiber.schedule("too early"));
                    Fiber.snooze();
                    assertTrue(fiber.schedule("in time"));
                    assertEquals("in time", fiber.await());
                });
    }

    @Test
    void F4_eachSuspendTakesOneValue() {
        Runs.cleanly(
                () -> {
                    List<@Nullable Object> values = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        for (int i = 0; i < 100; i++) {
                                            values.add(Fiber.suspend());
                                        }
                                    });
                    List<@Nullable Object> given = new ArrayList<>();
                    for (int i = 0; i < 100; i++) {
                        Runs.settle();
                        assertTrue(fiber.schedule(i));
                        assertFalse(fiber.schedule(-i));
                        given.add(i);
                    }
                    fiber.await();
                    assertEquals(given, values);
                });
    }
}
