package dev.ropewalk.fibers.internal.cord;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** Rule F8: waiting for the end of a cord, and cords that run a body of their own. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CordEndTest {
    private static final Duration SOON = Duration.ofMillis(2);
    private static final Duration FAR = Duration.ofDays(1);

    private final Reports reports = new Reports();
    private final CordOptions options = CordOptions.named("awaited").withUncaught(reports);

    // ---------------------------------------------------------------- awaitEnd

    @Test
    void F8_plainThreadsAndFibersOfOtherCordsAwaitTheEnd() {
        Cord cord = Cord.start(options);
        List<Boolean> ended = new CopyOnWriteArrayList<>();
        Thread thread = Thread.ofPlatform().start(() -> ended.add(cord.awaitEnd(FAR)));
        Runs.until(() -> CordImpl.of(cord).end.waiting() == 1);
        Runs.real(
                () -> {
                    Fiber<Boolean> waiting = Fiber.spin(() -> cord.awaitEnd(Waits.FOREVER));
                    assertEquals("sibling", Fiber.spin(() -> "sibling").await());
                    cord.close();
                    assertTrue(waiting.await());
                    assertTrue(cord.awaitEnd(Duration.ZERO));
                });
        Runs.until(() -> !thread.isAlive());
        assertEquals(List.of(true), ended);
        assertTrue(cord.awaitEnd(Duration.ZERO));
        assertEquals(0, CordImpl.of(cord).end.waiting());
        reports.assertNone();
    }

    /** Nothing of it runs any more when the wait is over. */
    @Test
    void F8_afterTheEndNothingOfTheCordRuns() {
        for (int i = 0; i < 50; i++) {
            List<String> log = new CopyOnWriteArrayList<>();
            CountDownLatch started = new CountDownLatch(1);
            Cord cord = Cord.start(options);
            cord.spin(
                    "last",
                    () -> {
                        started.countDown();
                        try {
                            Fiber.suspend();
                        } finally {
                            CancelScope.shielded(FAR, () -> Runs.snooze(20));
                            log.add("last");
                        }
                    });
            Runs.await(started);
            Thread closer = Thread.ofPlatform().start(cord::close);
            assertTrue(cord.awaitEnd(FAR));
            assertEquals(List.of("last"), log);
            assertThrows(CordClosedException.class, () -> cord.spin("late", () -> {}));
            Runs.until(() -> !closer.isAlive());
        }
    }

    @Test
    void F5_limitPassesAndLeavesNoWaiterBehind() {
        Cord cord = Cord.start(options);
        assertFalse(cord.awaitEnd(SOON));
        assertFalse(cord.awaitEnd(Duration.ZERO));
        Runs.real(
                () -> {
                    assertFalse(cord.awaitEnd(SOON));
                    assertFalse(cord.awaitEnd(Duration.ZERO));
                    assertFalse(CancelScope.moveOnAfter(SOON, () -> cord.awaitEnd(FAR)));
                });
        assertEquals(0, CordImpl.of(cord).end.waiting());
        Runs.checkAndClose(cord);
    }

    @Test
    void F6_terminatedWaiterLeavesTheCordAsItIs() {
        Cord cord = Cord.start(options);
        Runs.real(
                () -> {
                    Fiber<Boolean> waiting = Fiber.spin(() -> cord.awaitEnd(FAR));
                    Runs.snoozeUntil(() -> CordImpl.of(cord).end.waiting() == 1);
                    assertEquals(1, CordImpl.of(cord).end.waiting());
                    waiting.terminate();
                    assertThrows(FiberTerminatedException.class, waiting::await);
                    assertEquals(0, CordImpl.of(cord).end.waiting());
                });
        assertEquals("alive", Runs.onCord(cord, () -> "alive"));
        Runs.checkAndClose(cord);
    }

    @Test
    void F8_interruptedThreadLeavesTheWait() throws InterruptedException {
        Cord cord = Cord.start(options);
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        Thread thread =
                Thread.ofPlatform()
                        .start(() -> thrown.add(Runs.failureOf(() -> cord.awaitEnd(FAR))));
        Runs.until(() -> CordImpl.of(cord).end.waiting() == 1);
        thread.interrupt();
        thread.join();
        assertTrue(thrown.getFirst() instanceof WaitInterruptedException, thrown::toString);
        assertEquals(0, CordImpl.of(cord).end.waiting());
        Runs.checkAndClose(cord);
    }

    @Test
    void F8_endOfACordMadeByRunIsAwaitedToo() {
        CountDownLatch waits = new CountDownLatch(1);
        List<Boolean> ended = new CopyOnWriteArrayList<>();
        Thread[] thread = new Thread[1];
        Runs.real(
                StackKind.LIGHT,
                reports,
                () -> {
                    Cord own = Cord.current();
                    thread[0] =
                            Thread.ofPlatform()
                                    .start(
                                            () -> {
                                                waits.countDown();
                                                ended.add(own.awaitEnd(FAR));
                                            });
                    Runs.await(waits);
                });
        Runs.until(() -> !thread[0].isAlive());
        assertEquals(List.of(true), ended);
    }

    @Test
    void misuse_awaitingTheOwnEndIsADeadlock() {
        Cord cord = Cord.start(options);
        Throwable thrown = Runs.onCord(cord, () -> Runs.failureOf(() -> cord.awaitEnd(FAR)));
        assertTrue(thrown instanceof DeadlockException, thrown::toString);
        assertTrue(thrown.toString().contains("cord awaited would wait for its own end"));
        List<Throwable> inMessage = new CopyOnWriteArrayList<>();
        cord.post(Runs.message(() -> inMessage.add(Runs.failureOf(() -> cord.awaitEnd(FAR)))));
        Runs.until(() -> !inMessage.isEmpty());
        assertTrue(inMessage.getFirst() instanceof DeadlockException, inMessage::toString);
        Runs.checkAndClose(cord);
    }

    @Test
    void misuse_wrongLimitIsRefused() {
        Cord cord = Cord.start(options);
        assertThrows(IllegalArgumentException.class, () -> cord.awaitEnd(Duration.ofMillis(-1)));
        assertThrows(IllegalArgumentException.class, () -> cord.awaitEnd(Duration.ofDays(200_000)));
        Runs.checkAndClose(cord);
    }

    // ---------------------------------------------------------------- a body of its own

    /** Tarantool's cord_cojoin: one cord that is fine, one that fails with 42. */
    @Test
    void F8_cordsAreJoinedForTheirResults() {
        Runs.real(
                () -> {
                    Fiber<String> fine =
                            Cord.start(
                                    options,
                                    () -> {
                                        Fiber.sleep(SOON);
                                        return "fine";
                                    });
                    Fiber<String> failing =
                            Cord.start(
                                    options,
                                    () -> {
                                        throw new IllegalStateException("42");
                                    });
                    Fiber<?> joiner = Fiber.current();
                    // A stray wake-up ends no join.
                    Fiber.spin(() -> joiner.schedule("stray"));
                    assertEquals("fine", fine.await());
                    FiberFailedException thrown =
                            assertThrows(FiberFailedException.class, failing::await);
                    assertEquals("42", Runs.cause(thrown).getMessage());
                    assertEquals("fine", fine.await());
                    assertTrue(fine.cord().awaitEnd(FAR));
                    assertTrue(failing.cord().awaitEnd(FAR));
                });
    }

    @Test
    void F8_bodyIsTheRootFiberOfItsCord() {
        Fiber<Fiber<?>> root = Cord.start(options, Fiber::current);
        assertSame(root, root.await());
        assertNull(root.parent());
        assertEquals("awaited", root.cord().name());
        assertTrue(root.cord().awaitEnd(FAR));
        assertThrows(CordClosedException.class, () -> root.cord().spin("late", () -> {}));
        root.cord().close();
        reports.assertNone();
    }

    @Test
    void F7_childrenOfTheBodyEndBeforeItsResultIsThere() {
        List<String> log = new CopyOnWriteArrayList<>();
        Fiber<String> root =
                Cord.start(
                        options,
                        () -> {
                            Fiber.spin(
                                    () -> {
                                        try {
                                            Fiber.suspend();
                                        } finally {
                                            log.add("child");
                                        }
                                    });
                            Fiber.snooze();
                            return "result";
                        });
        assertEquals("result", root.await());
        assertEquals(List.of("child"), log);
        reports.assertNone();
    }

    @Test
    void F7_failingChildOfTheBodyFailsTheRoot() {
        Fiber<String> root =
                Cord.start(
                        options,
                        () -> {
                            Fiber.spin(
                                    () -> {
                                        throw new Exception("boom");
                                    });
                            Fiber.suspend();
                            return "never";
                        });
        FiberFailedException thrown = assertThrows(FiberFailedException.class, root::await);
        assertEquals("boom", Runs.cause(Runs.cause(thrown)).getMessage());
    }

    @Test
    void F8_failureThatNobodyAwaitsIsReportedOnce() {
        Exception boom = new Exception("boom");
        Fiber<String> root =
                Cord.start(
                        options,
                        () -> {
                            throw boom;
                        });
        assertTrue(root.cord().awaitEnd(FAR));
        assertSame(root, reports.only().fiber());
        assertSame(boom, Runs.cause(reports.only().failure()));
        // Who comes later gets it as well.
        assertSame(boom, Runs.cause(Runs.failureOf(root::await)));
        assertEquals(1, reports.all().size());
    }

    @Test
    void F8_failureThatSomebodyAwaitsIsTheirsOnly() {
        assertTaken(root -> Runs.failureOf(root::await));
        assertTaken(root -> Runs.failureOf(() -> Fiber.awaitAll(List.of(root))));
        assertTaken(root -> Fiber.awaitAny(List.of(root)));
    }

    private void assertTaken(Consumer<Fiber<String>> taker) {
        Fiber<String> root = failingWhenScheduled();
        Thread thread = Thread.ofPlatform().start(() -> taker.accept(root));
        Runs.until(() -> thread.getState() == Thread.State.WAITING);
        root.schedule(null);
        assertTrue(root.cord().awaitEnd(FAR));
        Runs.until(() -> !thread.isAlive());
        reports.assertNone();
    }

    private Fiber<String> failingWhenScheduled() {
        Fiber<String> root =
                Cord.start(
                        options,
                        () -> {
                            Fiber.suspend();
                            throw new Exception("boom");
                        });
        Runs.until(() -> root.state() == FiberState.WAITING);
        return root;
    }

    /** In the last moment: it is over, and its cord is not yet. */
    @Test
    void F8_failureThatIsTakenWhileTheCordEndsIsNotReported() {
        Fiber<String> root = failingWhenScheduled();
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        root.onEnd(fiber -> thrown.add(Runs.failureOf(root::await)));
        root.schedule(null);
        assertTrue(root.cord().awaitEnd(FAR));
        assertEquals("boom", Runs.cause(thrown.getFirst()).getMessage());
        reports.assertNone();
    }

    @Test
    void F8_failureThatAFutureTakesIsNotReported() {
        Fiber<String> root = failingWhenScheduled();
        CompletableFuture<String> future = root.toFuture();
        root.schedule(null);
        assertTrue(root.cord().awaitEnd(FAR));
        assertTrue(future.isCompletedExceptionally());
        reports.assertNone();
    }

    /** It comes after the end of the root, by the cord itself and by another thread. */
    @Test
    void F8_failureThatALateFutureTakesIsNotReported() {
        for (boolean fromElsewhere : new boolean[] {false, true}) {
            Fiber<String> root = failingWhenScheduled();
            List<CompletableFuture<String>> futures = new CopyOnWriteArrayList<>();
            root.onEnd(
                    fiber -> {
                        if (fromElsewhere) {
                            Thread.ofPlatform().start(() -> futures.add(root.toFuture()));
                            Runs.until(() -> !futures.isEmpty());
                        } else {
                            futures.add(root.toFuture());
                        }
                    });
            root.schedule(null);
            assertTrue(root.cord().awaitEnd(FAR));
            assertTrue(futures.getFirst().isCompletedExceptionally());
            reports.assertNone();
        }
    }

    /** A watcher takes nothing. */
    @Test
    void F8_failureThatIsOnlyWatchedIsReported() {
        Fiber<String> root = failingWhenScheduled();
        Thread watcher = Thread.ofPlatform().start(() -> root.awaitEnd(FAR));
        root.onEnd(Fiber::failure);
        root.schedule(null);
        assertTrue(root.cord().awaitEnd(FAR));
        Runs.until(() -> !watcher.isAlive());
        assertSame(root, reports.only().fiber());
    }

    @Test
    void F7_closeTerminatesTheBodyAndWaits() {
        List<String> log = new CopyOnWriteArrayList<>();
        CountDownLatch started = new CountDownLatch(1);
        Fiber<@Nullable Object> root =
                Cord.start(
                        options,
                        () -> {
                            started.countDown();
                            try {
                                return Fiber.suspend();
                            } finally {
                                log.add("left");
                            }
                        });
        Runs.await(started);
        root.cord().close();
        assertEquals(List.of("left"), log);
        assertThrows(FiberTerminatedException.class, root::await);
        reports.assertNone();
    }

    @Test
    void F7_failureInTheBodysCleanUpWhileClosingIsReported() {
        CountDownLatch started = new CountDownLatch(1);
        Fiber<String> root =
                Cord.start(
                        options,
                        () -> {
                            started.countDown();
                            Runs.failureOf(Fiber::suspend);
                            throw new Exception("in clean-up");
                        });
        Runs.await(started);
        root.cord().close();
        assertEquals("in clean-up", Runs.cause(reports.only().failure()).getMessage());
    }

    /** Tarantool's cojoin_cancel: the joiner takes the cord with it. */
    @Test
    void F6_terminatedJoinerThatClosesTheCordTakesItWithIt() {
        CountDownLatch started = new CountDownLatch(1);
        Runs.real(
                StackKind.LIGHT,
                reports,
                () -> {
                    Fiber<@Nullable Object> root =
                            Cord.start(
                                    options,
                                    () -> {
                                        started.countDown();
                                        return Fiber.suspend();
                                    });
                    Cord cord = root.cord();
                    Fiber<@Nullable Object> joiner =
                            Fiber.spin(
                                    () -> {
                                        try (cord) {
                                            return root.await();
                                        }
                                    });
                    Fiber.snooze();
                    Runs.await(started);
                    joiner.terminate();
                    assertThrows(FiberTerminatedException.class, joiner::await);
                    assertTrue(cord.awaitEnd(Duration.ZERO));
                    assertThrows(FiberTerminatedException.class, root::await);
                });
        reports.assertNone();
    }

    @Test
    void F6_terminatedJoinerThatDoesNotCloseItLeavesItAsItIs() {
        Runs.real(
                StackKind.LIGHT,
                reports,
                () -> {
                    Fiber<@Nullable Object> root = Cord.start(options, () -> Fiber.suspend());
                    Fiber<@Nullable Object> joiner = Fiber.spin(() -> root.await());
                    Fiber.snooze();
                    joiner.terminate();
                    assertThrows(FiberTerminatedException.class, joiner::await);
                    root.stop("stopped");
                    assertEquals("stopped", root.await());
                });
        reports.assertNone();
    }

    @Test
    void misuse_bodyAwaitingItselfIsADeadlock() {
        Fiber<Throwable> root =
                Cord.start(options, () -> Runs.failureOf(() -> Fiber.current().await()));
        assertTrue(root.await() instanceof DeadlockException);
        assertThrows(
                IllegalArgumentException.class,
                () -> Cord.start(Runs.virtualOptions(reports), () -> "never"));
    }
}
