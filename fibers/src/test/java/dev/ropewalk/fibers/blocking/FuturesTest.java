package dev.ropewalk.fibers.blocking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.WaitInterruptedException;
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
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;

/** Rule F12: fibers await futures and are seen as futures. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class FuturesTest {
    private static final Duration SHORT = Duration.ofMillis(100);

    private final Reports reports = new Reports();

    // ---------------------------------------------------------------- await, the bad cases first

    @Test
    void F5_timedOutAwaiterLeavesNothingInTheStage() {
        Runs.inAnyOrder(
                () -> {
                    CompletableFuture<String> future = new CompletableFuture<>();
                    for (int i = 0; i < 100; i++) {
                        assertEquals(
                                "late",
                                CancelScope.moveOnAfter(
                                        SHORT, "late", () -> Futures.<String>await(future)));
                    }
                    assertEquals(0, future.getNumberOfDependents());
                    assertFalse(future.isDone());
                    future.complete("value");
                    assertEquals("value", Futures.await(future));
                });
    }

    @Test
    void F12_terminatedAwaiterLeavesTheStageAlone() {
        Runs.inAnyOrder(
                () -> {
                    CompletableFuture<String> future = new CompletableFuture<>();
                    Fiber<String> awaiter = Fiber.spin("awaiter", () -> Futures.await(future));
                    Runs.settle();
                    awaiter.terminate();
                    assertThrows(FiberTerminatedException.class, awaiter::await);
                    assertFalse(future.isDone());
                    assertEquals(0, future.getNumberOfDependents());
                });
    }

    @Test
    void F12_awaitOrCancelCancelsTheStageWhenItsCallerLeaves() {
        Runs.inAnyOrder(
                () -> {
                    CompletableFuture<String> future = new CompletableFuture<>();
                    Fiber<String> awaiter =
                            Fiber.spin("awaiter", () -> Futures.awaitOrCancel(future));
                    Runs.settle();
                    awaiter.terminate();
                    assertThrows(FiberTerminatedException.class, awaiter::await);
                    assertTrue(future.isCancelled());

                    CompletableFuture<String> timed = new CompletableFuture<>();
                    assertThrows(
                            FiberTimeoutException.class,
                            () ->
                                    CancelScope.cancelAfter(
                                            SHORT, () -> Futures.awaitOrCancel(timed)));
                    assertTrue(timed.isCancelled());
                });
    }

    /** Given first: the value is taken and the termination waits for the next switchpoint. */
    @Test
    void F8_completionInTheSameTurnBeatsATerminationAfterIt() {
        Runs.inAnyOrder(
                () -> {
                    CompletableFuture<String> future = new CompletableFuture<>();
                    List<String> log = new ArrayList<>();
                    Fiber<?> awaiter =
                            Fiber.spin(
                                    "awaiter",
                                    () -> {
                                        log.add(Futures.awaitOrCancel(future));
                                        Fiber.snooze();
                                        log.add("went on");
                                    });
                    Runs.settle();
                    future.complete("value");
                    awaiter.terminate();
                    assertThrows(FiberTerminatedException.class, awaiter::await);
                    assertEquals(List.of("value"), log);
                    assertFalse(future.isCancelled());
                });
    }

    @Test
    void F12_failureIsTheUnwrappedCauseOfAFreshException() {
        Runs.inAnyOrder(
                () -> {
                    Exception cause = new Exception("cause");
                    CompletableFuture<String> future = new CompletableFuture<>();
                    CompletionStage<String> stage =
                            future.thenApply(String::strip).thenApply(String::strip);
                    Fiber<?> completer =
                            Fiber.spin(
                                    () -> {
                                        Fiber.sleep(SHORT);
                                        future.completeExceptionally(
                                                new CompletionException(cause));
                                    });
                    Throwable first = Runs.failureOf(() -> Futures.await(stage));
                    Throwable second = Runs.failureOf(() -> Futures.awaitOrCancel(stage));
                    assertSame(FiberFailedException.class, first.getClass());
                    assertSame(cause, first.getCause());
                    assertSame(cause, second.getCause());
                    assertNotSame(first, second);
                    completer.await();
                });
    }

    @Test
    void F12_cancelledStageIsAFailure() {
        Runs.inAnyOrder(
                () -> {
                    CompletableFuture<String> future = new CompletableFuture<>();
                    assertTrue(future.cancel(true));
                    Throwable thrown = Runs.failureOf(() -> Futures.await(future));
                    assertTrue(Runs.cause(thrown) instanceof CancellationException);
                });
    }

    @Test
    void F12_completeStageIsNoSwitchpoint() {
        Runs.fifo(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> other = Fiber.spin(() -> log.add("other"));
                    assertNull(
                            Futures.<@Nullable String>await(
                                    CompletableFuture.completedFuture(null)));
                    assertEquals("a", Futures.await(CompletableFuture.completedStage("a")));
                    log.add("awaited");
                    other.await();
                    assertEquals(List.of("awaited", "other"), log);
                });
    }

    @Test
    void F12_anyExecutorMayComplete() {
        try (var executor = Executors.newFixedThreadPool(2)) {
            Runs.real(
                    () -> {
                        CompletableFuture<Integer> sum = CompletableFuture.completedFuture(0);
                        for (int i = 0; i < 500; i++) {
                            CompletableFuture<Integer> one =
                                    CompletableFuture.supplyAsync(() -> 1, executor);
                            sum = sum.thenCombineAsync(one, Integer::sum, executor);
                            assertEquals(i + 1, Futures.await(sum));
                        }
                        CompletionStage<Integer> minimal = sum.minimalCompletionStage();
                        assertEquals(500, Futures.await(minimal));
                    });
        }
    }

    @Test
    void F12_plainThreadMayAwaitAndIsInterrupted() throws InterruptedException {
        CompletableFuture<String> future = new CompletableFuture<>();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread =
                Thread.ofPlatform()
                        .start(() -> thrown.set(Runs.failureOf(() -> Futures.await(future))));
        Runs.until(() -> thread.getState() == Thread.State.WAITING);
        thread.interrupt();
        thread.join();
        assertTrue(thrown.get() instanceof WaitInterruptedException);
        assertEquals(0, future.getNumberOfDependents());
        future.complete("value");
        assertEquals("value", Futures.await(future));
    }

    // ---------------------------------------------------------------- a fiber as a future

    @Test
    void F12_futureGetsTheResultAndTheFailureWhichIsTakenThen() {
        Runs.inAnyOrder(
                () -> {
                    Exception cause = new Exception("cause");
                    CompletableFuture<String> good = Fiber.spin(() -> "result").toFuture();
                    CompletableFuture<?> bad =
                            Fiber.spin(
                                            () -> {
                                                throw cause;
                                            })
                                    .toFuture();
                    assertEquals("result", Futures.await(good));
                    assertSame(cause, Runs.failureOf(() -> Futures.await(bad)).getCause());
                    assertSame(cause, bad.exceptionNow());
                });
    }

    @Test
    void F12_futureOfADeadFiberIsComplete() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<String> dead = Fiber.spin(() -> "result");
                    dead.await();
                    assertEquals("result", dead.toFuture().resultNow());
                });
    }

    @Test
    void F12_cancelTrueTerminatesTheFiberAndCancelFalseDoesNot() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> first = Fiber.spin(() -> Fiber.suspend());
                    Fiber<?> second = Fiber.spin(() -> Fiber.suspend());
                    CompletableFuture<?> firstFuture = first.toFuture();
                    CompletableFuture<?> secondFuture = second.toFuture();
                    Runs.settle();
                    assertTrue(secondFuture.cancel(false));
                    assertTrue(firstFuture.cancel(true));
                    assertTrue(firstFuture.isCancelled());
                    assertTrue(first.awaitEnd(SHORT));
                    assertTrue(first.failure() instanceof FiberTerminatedException);
                    assertEquals(FiberState.WAITING, second.state());
                    second.terminate();
                });
    }

    /** Only the view itself ends the fiber, not what was made from it. */
    @Test
    void F12_cancellingWhatHangsOnTheFutureLeavesTheFiberAlone() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<String> fiber = Fiber.spin(() -> String.valueOf(Fiber.suspend()));
                    CompletableFuture<String> next = fiber.toFuture().thenApply(String::strip);
                    Runs.settle();
                    assertTrue(next.cancel(true));
                    Runs.settle();
                    fiber.schedule("value");
                    assertEquals("value", fiber.await());
                });
    }

    @Test
    void F7_failureThatCannotEnterTheFutureIsTheParents() {
        Throwable thrown =
                Runs.failureOf(
                        () ->
                                TestCord.run(
                                        1,
                                        false,
                                        () -> {
                                            Fiber<?> child =
                                                    Fiber.spin(
                                                            () -> {
                                                                Fiber.sleep(SHORT);
                                                                throw new Exception("mine");
                                                            });
                                            assertTrue(child.toFuture().cancel(false));
                                            Fiber.suspend();
                                        }));
        assertTrue(thrown.toString().contains("mine"), thrown.toString());
    }

    @Test
    void F12_terminatedFiberFailsItsFuture() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> fiber = Fiber.spin(() -> Fiber.suspend());
                    CompletableFuture<?> future = fiber.toFuture();
                    fiber.terminate();
                    Throwable thrown = Runs.failureOf(() -> Futures.await(future));
                    assertTrue(Runs.cause(thrown) instanceof FiberTerminatedException);
                    assertFalse(future.isCancelled());
                });
    }

    @Test
    void F8_futureOfAFiberElsewhereWorksFromPlainThreadsAndOtherCords() {
        Cord cord = Runs.started("elsewhere", reports);
        CountDownLatch release = new CountDownLatch(1);
        Fiber<String> fiber =
                cord.spin(
                        "slow",
                        () -> {
                            Runs.await(release);
                            return "result";
                        });
        CompletableFuture<String> future = fiber.toFuture();
        Executor direct = Runnable::run;
        CompletableFuture<Integer> length = future.thenApplyAsync(String::length, direct);
        Runs.real(
                () -> {
                    release.countDown();
                    assertEquals(6, Futures.await(length));
                });
        assertEquals("result", future.join());
        Fiber<?> waiting = cord.spin("waiting", () -> Fiber.suspend());
        assertTrue(waiting.toFuture().cancel(true));
        assertTrue(waiting.awaitEnd(Duration.ofSeconds(10)));
        Runs.checkAndClose(cord);
        assertEquals("result", fiber.toFuture().join());
        reports.assertNone();
    }
}
