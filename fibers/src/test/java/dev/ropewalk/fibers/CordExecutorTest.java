package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
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
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;

/** Rule F12: a cord is an executor. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CordExecutorTest {
    private static final Duration FAR = Duration.ofDays(1);

    private final Reports reports = new Reports();

    @Test
    void F12_futuresRunOnTheCordAndMayWait() {
        Cord cord = Runs.started("executor", reports);
        CompletableFuture<Cord> future =
                CompletableFuture.supplyAsync(
                                () -> {
                                    Fiber.sleep(Duration.ofMillis(1));
                                    return Cord.current();
                                },
                                cord)
                        .thenApplyAsync(
                                before -> {
                                    Fiber.snooze();
                                    assertSame(before, Cord.current());
                                    return before;
                                },
                                cord);
        assertSame(cord, future.join());
        Runs.checkAndClose(cord);
        reports.assertNone();
    }

    @Test
    void F12_fiberAwaitsWhatItsOwnCordRuns() {
        Runs.inAnyOrder(
                () -> {
                    CompletableFuture<String> future =
                            CompletableFuture.supplyAsync(
                                    () -> {
                                        Fiber.sleep(FAR);
                                        return Fiber.current().name();
                                    },
                                    Cord.current());
                    assertEquals("task", Futures.await(future));
                });
    }

    @Test
    void F12_tasksOfACallerStartInOrder() {
        Cord cord = Runs.started("executor", reports);
        List<Integer> started = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            int number = i;
            cord.execute(() -> started.add(number));
        }
        Runs.checkAndClose(cord);
        assertEquals(IntStream.range(0, 1_000).boxed().toList(), started);
    }

    @Test
    void F12_taskIsTheRootsAndOutlivesWhoGaveIt() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new CopyOnWriteArrayList<>();
                    Fiber<?> caller =
                            Fiber.spin(
                                    () ->
                                            Cord.current()
                                                    .execute(
                                                            () -> {
                                                                Fiber.sleep(FAR);
                                                                log.add("ran");
                                                            }));
                    caller.await();
                    Fiber.sleep(FAR.multipliedBy(2));
                    assertEquals(List.of("ran"), log);
                });
    }

    @Test
    void F12_failureIsReportedAndDoesNotCancelTheBody() {
        IllegalStateException boom = new IllegalStateException("boom");
        String result =
                Runs.virtual(
                        reports,
                        () -> {
                            Cord.current()
                                    .execute(
                                            () -> {
                                                throw boom;
                                            });
                            Fiber.sleep(FAR);
                            return "result";
                        });
        assertEquals("result", result);
        assertEquals("task", reports.only().fiber().name());
        assertSame(boom, Runs.cause(reports.only().failure()));
    }

    /** Who takes a task as its child takes what goes with that. */
    @Test
    void F12_aTaskThatIsGivenToAFiberIsItsChildInAllRespects() {
        Runs.inAnyOrder(
                () -> {
                    CompletableFuture<Fiber<?>> task = new CompletableFuture<>();
                    Cord.current()
                            .execute(
                                    () -> {
                                        task.complete(Fiber.current());
                                        Fiber.sleep(FAR);
                                        throw new IllegalStateException("boom");
                                    });
                    Fiber<@Nullable Object> adopter = Fiber.spin("adopter", () -> Fiber.suspend());
                    Futures.await(task).attachTo(adopter);
                    Throwable failed = Runs.failureOf(adopter::await);
                    assertTrue(failed.toString().contains("boom"), failed::toString);
                });
    }

    @Test
    void F12_aTaskThatIsDetachedAgainCancelsNobody() {
        String result =
                Runs.virtual(
                        reports,
                        () -> {
                            CompletableFuture<Fiber<?>> task = new CompletableFuture<>();
                            Cord.current()
                                    .execute(
                                            () -> {
                                                task.complete(Fiber.current());
                                                Fiber.sleep(FAR);
                                                throw new IllegalStateException("boom");
                                            });
                            Fiber<?> adopter = Fiber.spin("adopter", () -> Fiber.sleep(FAR));
                            Fiber<?> given = Futures.await(task);
                            given.attachTo(adopter);
                            given.detach();
                            Fiber.sleep(FAR.multipliedBy(2));
                            adopter.await();
                            return "result";
                        });
        assertEquals("result", result);
        assertEquals("task", reports.only().fiber().name());
    }

    /** However it fails: by its own child, or in its clean-up. */
    @Test
    void F12_failureOfATasksChildDoesNotCancelTheBody() {
        String result =
                Runs.virtual(
                        reports,
                        () -> {
                            Cord.current().execute(CordExecutorTest::failBelow);
                            Cord.current().execute(CordExecutorTest::failInCleanUp);
                            Fiber.sleep(FAR);
                            return "result";
                        });
        assertEquals("result", result);
        assertEquals(2, reports.all().size());
    }

    private static void failBelow() {
        Fiber.spin(
                () -> {
                    throw new Exception("boom");
                });
        Fiber.suspend();
    }

    private static void failInCleanUp() {
        Fiber.spin(
                () -> {
                    Runs.failureOf(Fiber::suspend);
                    throw new Exception("in clean-up");
                });
        Fiber.snooze();
    }

    @Test
    void F12_abandonedTaskDoesNotCancelTheBody() {
        String result =
                Runs.virtual(
                        reports,
                        () -> {
                            Cord.current().execute(CordExecutorTest::swallow);
                            Fiber.snooze();
                            Fiber<?> task = FiberImpl.current().firstChild();
                            if (task != null) {
                                task.terminate();
                            }
                            Fiber.sleep(FAR);
                            return "result";
                        });
        assertEquals("result", result);
        assertInstanceOf(FiberAbandonedException.class, reports.only().failure());
    }

    private static void swallow() {
        for (; ; ) {
            Runs.failureOf(Fiber::suspend);
        }
    }

    @Test
    void F12_cordThatHasEndedRefuses() {
        Cord cord = Runs.started("executor", reports);
        cord.close();
        RejectedExecutionException refused =
                assertThrows(RejectedExecutionException.class, () -> cord.execute(() -> {}));
        assertTrue(refused.toString().contains("cord executor has ended"), refused::toString);
        Runs.real(
                () ->
                        assertThrows(
                                RejectedExecutionException.class,
                                () -> CompletableFuture.runAsync(() -> {}, cord)));
    }

    @Test
    void F12_cordThatIsEndingRefusesItsOwnFibers() {
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        Runs.virtual(
                reports,
                () -> {
                    Cord cord = Cord.current();
                    Fiber.spin(
                            () -> {
                                try {
                                    Fiber.suspend();
                                } finally {
                                    thrown.add(Runs.failureOf(() -> cord.execute(() -> {})));
                                }
                            });
                    Fiber.snooze();
                    return "result";
                });
        assertEquals(1, thrown.size());
        assertInstanceOf(RejectedExecutionException.class, thrown.getFirst());
    }

    /** It was accepted, so it is told. */
    @Test
    void F12_taskThatTheCordEndedBeforeItStartedIsReported() {
        Cord cord = Runs.started("executor", reports);
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch isEnding = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        List<String> log = new CopyOnWriteArrayList<>();
        cord.spin(
                "keeps its cord from ending",
                () -> {
                    started.countDown();
                    try {
                        Fiber.suspend();
                    } finally {
                        isEnding.countDown();
                        Runs.await(go);
                    }
                });
        Runs.await(started);
        CordImpl.of(cord).root().terminate();
        Runs.await(isEnding);
        cord.execute(() -> log.add("ran"));
        go.countDown();
        assertTrue(cord.awaitEnd(FAR));
        assertEquals(List.of(), log);
        assertEquals("task", reports.only().fiber().name());
        assertInstanceOf(CordClosedException.class, Runs.cause(reports.only().failure()));
    }

    @Test
    @SuppressWarnings("NullAway") // the mistake
    void misuse_nullTaskIsRefused() {
        Cord cord = Runs.started("executor", reports);
        assertThrows(NullPointerException.class, () -> cord.execute(null));
        Runs.checkAndClose(cord);
    }
}
