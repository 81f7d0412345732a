package dev.ropewalk.fibers.internal.fiber;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.RaiseTest.Switchpoint;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule F6: termination is level-triggered, an Error, and cannot be outlived. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
public class TerminationTest {
    @ParameterizedTest
    @EnumSource(Switchpoint.class)
    void F6_everySwitchpointOfATerminatedFiberRaises(Switchpoint switchpoint) {
        Runs.inAnyOrder(
                () -> {
                    int[] raised = new int[1];
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        Runs.failureOf(Fiber::suspend);
                                        for (int i = 0; i < 5; i++) {
                                            Throwable thrown = Runs.failureOf(switchpoint::pass);
                                            assertTrue(thrown instanceof Unwind.Terminate);
                                            raised[0]++;
                                        }
                                    });
                    Runs.settle();
                    long before = Cord.current().nanoTime();
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(5, raised[0]);
                    assertEquals(before, Cord.current().nanoTime());
                });
    }

    @Test
    void F6_catchExceptionDoesNotSeeIt() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            Fiber.suspend();
                                        } catch (Exception e) {
                                            log.add("seen: " + e);
                                        } finally {
                                            log.add("finally");
                                        }
                                        log.add("went on");
                                    });
                    Runs.settle();
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(List.of("finally"), log);
                });
    }

    @Test
    void F6_terminationEndsALongWaitWithoutTimePassing() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> fiber = Fiber.spin(() -> Fiber.sleep(Duration.ofDays(1)));
                    Fiber<?> awaiter = Fiber.spin(() -> Runs.failureOf(fiber::await));
                    Runs.settle();
                    long before = Cord.current().nanoTime();
                    fiber.terminate();
                    fiber.terminate();
                    awaiter.await();
                    assertEquals(before, Cord.current().nanoTime());
                    assertThrows(FiberTerminatedException.class, fiber::await);
                });
    }

    @Test
    void F6_fiberMayTerminateItself() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        Fiber.current().terminate();
                                        log.add("before");
                                        Fiber.snooze();
                                        log.add("after");
                                    });
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(List.of("before"), log);
                });
    }

    @Test
    void F6_rootMayBeTerminatedToo() {
        assertThrows(
                FiberTerminatedException.class,
                () ->
                        Runs.virtual(
                                new Reports(),
                                () -> {
                                    Fiber.current().terminate();
                                    return Fiber.suspend();
                                }));
    }

    @Test
    void F6_eachAwaiterGetsAFreshException() {
        Runs.inAnyOrder(
                () -> {
                    Exception boom = new Exception("boom");
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        Fiber.suspend();
                                        throw boom;
                                    });
                    assertFreshFailures(fiber, () -> fiber.schedule(null));
                    assertSame(boom, Runs.cause(Runs.failureOf(fiber::await)));
                    Fiber<?> terminated = Fiber.spin(() -> Fiber.suspend());
                    assertFreshFailures(terminated, terminated::terminate);
                });
    }

    @Test
    void F6_eachAwaiterOfAnAbandonedFiberGetsAFreshException() {
        Runs.inAnyOrder(
                () -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    Fiber<?> stubborn = Fiber.spin(TerminationTest::swallowForEver);
                    assertFreshFailures(stubborn, stubborn::terminate);
                    assertTrue(Runs.failureOf(stubborn::await) instanceof FiberAbandonedException);
                });
    }

    private static void assertFreshFailures(Fiber<?> fiber, Action end) throws Exception {
        List<Fiber<Throwable>> awaiters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            awaiters.add(Fiber.spin(() -> Runs.failureOf(fiber::await)));
        }
        Runs.settle();
        end.run();
        Throwable last = Runs.failureOf(fiber::await);
        for (Fiber<Throwable> awaiter : awaiters) {
            Throwable own = awaiter.await();
            assertTrue(own instanceof FiberFailedException, own::toString);
            assertSame(last.getCause(), own.getCause());
            assertNotSame(last, own);
            last = own;
        }
    }

    public static void swallowForEver() {
        for (; ; ) {
            Runs.failureOf(Fiber::suspend);
        }
    }

    /** Polyphony's fiber lived on for ever. */
    @Test
    void F6_whoSwallowsItInALoopLetsOthersRunAndIsAbandoned() {
        Runs.fifo(
                () -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    int[] swallowed = new int[1];
                    int[] otherTurns = new int[1];
                    Fiber<?> stubborn =
                            Fiber.spin(
                                    () -> {
                                        for (; ; ) {
                                            Runs.failureOf(Fiber::suspend);
                                            swallowed[0]++;
                                        }
                                    });
                    Fiber<?> other =
                            Fiber.spin(
                                    () -> {
                                        while (stubborn.state() != FiberState.DEAD) {
                                            Fiber.snooze();
                                            otherTurns[0]++;
                                        }
                                    });
                    Fiber.snooze();
                    stubborn.terminate();
                    Throwable failure = Runs.failureOf(stubborn::await);
                    assertTrue(failure instanceof FiberAbandonedException, failure::toString);
                    other.await();
                    // The first where it waited, the others at the switchpoints that it tried.
                    assertEquals(Unwind.MAX_RAISES, swallowed[0]);
                    assertTrue(otherTurns[0] >= Unwind.MAX_RAISES - 1, "turns=" + otherTurns[0]);
                });
    }

    @Test
    void F6_abandonedFiberIsReportedOnceAndNeverRunsAgain() {
        Reports reports = new Reports();
        int[] swallowed = new int[1];
        Runs.virtual(
                reports,
                () -> {
                    Fiber<?> stubborn = Fiber.spin("stubborn", () -> swallow(swallowed));
                    Runs.settle();
                    stubborn.terminate();
                    Runs.failureOf(stubborn::await);
                    Fiber.sleep(Duration.ofSeconds(1));
                    CordImpl.current().checkInvariants();
                    return null;
                });
        assertEquals(Unwind.MAX_RAISES, swallowed[0]);
        Reports.Report report = reports.only();
        assertEquals("stubborn", report.fiber().name());
        assertTrue(report.failure() instanceof FiberAbandonedException);
        assertTrue(report.failure().toString().contains("stubborn"));
        assertEquals(FiberState.DEAD, report.fiber().state());
        FiberImpl.of(report.fiber()).checkInvariants();
    }

    private static void swallow(int[] swallowed) {
        for (; ; ) {
            Runs.failureOf(Fiber::suspend);
            swallowed[0]++;
        }
    }

    @Test
    void F7_parentOfAnAbandonedChildFailsWithItAndIsNotAbandonedItself() {
        Runs.inAnyOrder(
                () -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    Fiber<?> parent =
                            Fiber.spin(
                                    "parent",
                                    () -> {
                                        Fiber.spin("stubborn", TerminationTest::swallowForEver);
                                        Runs.settle();
                                    });
                    Throwable failure = Runs.failureOf(parent::await);
                    assertEquals(FiberFailedException.class, failure.getClass());
                    assertTrue(String.valueOf(failure.getMessage()).contains("parent"));
                    assertTrue(Runs.cause(failure) instanceof FiberAbandonedException);
                });
    }

    /** The calls that need no stack of their own count too. */
    @Test
    void F6_blockingCallOfATerminatedFiberDoesNotHappen() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        Fiber.current().terminate();
                                        Blocking.call(() -> log.add("happened"));
                                    });
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(List.of(), log);
                });
    }
}
