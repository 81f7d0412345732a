package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.TerminationTest;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Rule F7: awaiting the end of a fiber. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class AwaitTest {
    @Test
    void F7_resultCanBeTakenByManyAndAfterDeath() {
        Runs.cleanly(
                () -> {
                    Object result = new Object();
                    Fiber<@Nullable Object> fiber = Fiber.spin(() -> Fiber.suspend());
                    List<Fiber<@Nullable Object>> awaiters = new ArrayList<>();
                    for (int i = 0; i < 10; i++) {
                        awaiters.add(Fiber.spin(fiber::await));
                    }
                    Runs.settle();
                    fiber.schedule(result);
                    for (Fiber<@Nullable Object> awaiter : awaiters) {
                        assertSame(result, awaiter.await());
                    }
                    for (int i = 0; i < 3; i++) {
                        assertSame(result, fiber.await());
                        assertTrue(fiber.awaitEnd(Duration.ZERO));
                    }
                });
    }

    @Test
    void F7_awaitersAreToldInTheOrderTheyCame() {
        Runs.fifo(
                () -> {
                    List<Integer> log = new ArrayList<>();
                    Fiber<?> fiber = Fiber.spin(() -> Fiber.suspend());
                    for (int i = 0; i < 5; i++) {
                        int index = i;
                        Fiber.spin(
                                () -> {
                                    fiber.await();
                                    log.add(index);
                                });
                    }
                    Runs.settle();
                    fiber.schedule(null);
                    Runs.settle();
                    assertEquals(List.of(0, 1, 2, 3, 4), log);
                });
    }

    /** Polyphony raised an exception that a fiber had returned. */
    @Test
    void F7_returnedExceptionIsAResult() {
        Runs.cleanly(
                () -> {
                    Exception returned = new Exception("returned");
                    assertSame(returned, Fiber.spin(() -> returned).await());
                    assertNull(Fiber.<@Nullable Object>spin(() -> null).await());
                });
    }

    /** Polyphony hung. */
    @Test
    void F7_awaitingOneselfIsAnError() {
        Runs.cleanly(
                () -> {
                    Fiber<?> me = Fiber.current();
                    assertThrows(DeadlockException.class, me::await);
                    assertThrows(DeadlockException.class, () -> me.awaitEnd(Duration.ofDays(1)));
                    FiberImpl.of(me).checkInvariants();
                    Fiber.snooze();
                });
    }

    @Test
    void F7_cycleOfAwaitsIsAnErrorThatNamesThePath() {
        Runs.cleanly(
                () -> {
                    Fiber<?>[] ring = new FiberImpl<?>[4];
                    List<Throwable> thrown = new ArrayList<>();
                    for (int i = 0; i < 4; i++) {
                        int next = (i + 1) % 4;
                        ring[i] =
                                Fiber.spin(
                                        "ring" + i,
                                        () -> {
                                            try {
                                                ring[next].await();
                                            } catch (DeadlockException e) {
                                                thrown.add(e);
                                            }
                                        });
                    }
                    for (Fiber<?> fiber : ring) {
                        fiber.await();
                    }
                    assertEquals(1, thrown.size());
                    String message = String.valueOf(thrown.getFirst().getMessage());
                    for (int i = 0; i < 4; i++) {
                        assertTrue(message.contains("ring" + i), message);
                    }
                });
    }

    @Test
    void F7_awaitThatIsOverClosesNoCycle() {
        Runs.cleanly(
                () -> {
                    Fiber<?>[] pair = new FiberImpl<?>[2];
                    pair[0] =
                            Fiber.spin(
                                    () -> {
                                        assertFalse(pair[1].awaitEnd(Duration.ofSeconds(1)));
                                        Fiber.sleep(Duration.ofSeconds(1));
                                    });
                    pair[1] =
                            Fiber.spin(
                                    () -> {
                                        Fiber.sleep(Duration.ofMillis(1_500));
                                        pair[0].await();
                                    });
                    pair[1].await();
                });
    }

    @Test
    void F7_terminatedAwaiterLeavesTheAwaitedAsItIs() {
        Runs.cleanly(
                () -> {
                    Fiber<@Nullable Object> awaited = Fiber.spin(() -> Fiber.suspend());
                    Fiber<?> awaiter = Fiber.spin(awaited::await);
                    Runs.settle();
                    awaiter.terminate();
                    assertThrows(FiberTerminatedException.class, awaiter::await);
                    assertEquals(FiberState.WAITING, awaited.state());
                    awaited.schedule("result");
                    assertEquals("result", awaited.await());
                });
    }

    @Test
    void F7_awaitEndHasALimitAndThrowsNothing() {
        Runs.cleanly(
                () -> {
                    Fiber<?> sleeper = Fiber.spin(() -> Fiber.sleep(Duration.ofSeconds(2)));
                    long before = Cord.current().nanoTime();
                    assertFalse(sleeper.awaitEnd(Duration.ofSeconds(1)));
                    assertEquals(1_000_000_000, Cord.current().nanoTime() - before);
                    assertTrue(sleeper.awaitEnd(Duration.ofSeconds(5)));
                    assertEquals(2_000_000_000, Cord.current().nanoTime() - before);
                    Fiber<?> terminated = Fiber.spin(() -> Fiber.suspend());
                    terminated.terminate();
                    assertTrue(terminated.awaitEnd(Duration.ofSeconds(1)));
                });
    }

    /** Also if both come in the same moment, whoever has the first turn then. */
    @Test
    void F7_awaitEndThatIsTimedOutStillSeesTheEnd() {
        Runs.cleanly(
                () -> {
                    Duration limit = Duration.ofSeconds(1);
                    Fiber<?> sleeper = Fiber.spin(() -> Fiber.sleep(limit));
                    Fiber.spin(
                            () -> {
                                boolean hasEnded = sleeper.awaitEnd(limit);
                                assertEquals(FiberImpl.of(sleeper).outcome() != null, hasEnded);
                            });
                    Runs.settle();
                    Fiber.sleep(limit.multipliedBy(2));
                });
    }

    /** It takes no outcome, so somebody else must: silence would lose the failure. */
    @Test
    void F7_awaitEndTakesNoFailure() {
        Runs.cleanly(
                () -> {
                    Exception boom = new Exception("boom");
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber<?> child =
                                                Fiber.spin(
                                                        () -> {
                                                            throw boom;
                                                        });
                                        child.awaitEnd(Duration.ofSeconds(1));
                                        Fiber.sleep(Duration.ofSeconds(1));
                                    });
                    Throwable failure = Runs.failureOf(parent::await);
                    assertSame(boom, Runs.cause(Runs.cause(failure)));
                });
    }

    @Test
    void F7_plainThreadAwaits() {
        Cord cord = Runs.started("awaited", new Reports());
        CountDownLatch go = new CountDownLatch(1);
        Fiber<String> fiber =
                cord.spin(
                        "slow",
                        () -> {
                            Blocking.call(
                                    () -> {
                                        go.await();
                                        return 0;
                                    });
                            return "result";
                        });
        assertFalse(fiber.awaitEnd(Duration.ofMillis(1)));
        go.countDown();
        assertEquals("result", fiber.await());
        assertEquals("result", fiber.await());
        Runs.checkAndClose(cord);
        assertEquals("result", fiber.await());
    }

    @Test
    void F7_interruptedThreadTakesNothingAndStaysInterrupted() throws InterruptedException {
        Reports reports = new Reports();
        Cord cord = Runs.started("awaited", reports);
        Fiber<?> fiber =
                cord.spin(
                        "failing",
                        () -> {
                            Fiber.suspend();
                            throw new Exception("boom");
                        });
        List<Throwable> thrown = new ArrayList<>();
        boolean[] stillInterrupted = new boolean[1];
        Thread awaiter =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    thrown.add(Runs.failureOf(fiber::await));
                                    stillInterrupted[0] = Thread.currentThread().isInterrupted();
                                });
        Runs.until(() -> awaiter.getState() == Thread.State.WAITING);
        awaiter.interrupt();
        awaiter.join();
        assertTrue(thrown.getFirst() instanceof WaitInterruptedException, thrown::toString);
        assertTrue(stillInterrupted[0]);
        Runs.until(() -> fiber.state() == FiberState.WAITING); // its cord may start it late
        // The awaiter has left, so the failure goes to the handler.
        fiber.schedule(null);
        Runs.until(() -> !reports.all().isEmpty());
        assertEquals("boom", Runs.cause(reports.only().failure()).getMessage());
        Runs.checkAndClose(cord);
    }

    @Test
    void F7_outcomeOfAnAbandonedFiberIsToldToo() {
        Runs.cleanly(
                () -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    Fiber<?> fiber = Fiber.spin(TerminationTest::swallowForEver);
                    Runs.settle();
                    fiber.terminate();
                    assertThrows(FiberAbandonedException.class, fiber::await);
                    assertThrows(FiberAbandonedException.class, fiber::await);
                });
    }
}
