package dev.ropewalk.fibers.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.testkit.Gate;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/** Loops over several cords (rule F15; marl's parallelize). */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ParallelTest {
    private static final Duration FAR = Duration.ofSeconds(20);

    private static void run(int cords, Body body) {
        try (Scheduler scheduler =
                Scheduler.start(SchedulerOptions.named("workers").withCords(cords))) {
            scheduler.spin("caller", () -> body.run(scheduler)).await();
            Cord.run(() -> body.run(scheduler)); // and from outside
        }
    }

    private interface Body {
        void run(Scheduler scheduler) throws Exception;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void F15_eachNumberOnce(int cords) {
        run(
                cords,
                scheduler -> {
                    for (int numbers : new int[] {0, 1, 2, 7, 1_000, 12_345}) {
                        AtomicIntegerArray seen = new AtomicIntegerArray(numbers);
                        Parallel.forEach(
                                scheduler,
                                -3,
                                numbers - 3,
                                number -> seen.incrementAndGet((int) number + 3));
                        for (int i = 0; i < numbers; i++) {
                            assertEquals(1, seen.get(i), "number " + i + " of " + numbers);
                        }
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 999, 1_000, 5_000, Long.MAX_VALUE})
    void F15_anySizeOfParts(long part) {
        run(
                2,
                scheduler -> {
                    LongAdder sum = new LongAdder();
                    Parallel.forEach(scheduler, 0, 1_000, part, sum::add);
                    assertEquals(999 * 1_000 / 2, sum.sum());
                });
    }

    @Test
    void F15_theFirstActionRunsInTheCaller() {
        run(
                2,
                scheduler -> {
                    Fiber<?> caller = Fiber.current();
                    Set<Integer> ran = ConcurrentHashMap.newKeySet();
                    Parallel.run(
                            scheduler,
                            () -> {
                                assertSame(caller, Fiber.current());
                                ran.add(1);
                            },
                            () -> ran.add(2),
                            () -> ran.add(3));
                    assertEquals(Set.of(1, 2, 3), ran);
                    Parallel.run(scheduler);
                });
    }

    @Test
    void F15_partsThatWaitForEachOtherRunAtTheSameTime() {
        run(
                2,
                scheduler -> {
                    CountDownLatch both = new CountDownLatch(2);
                    Parallel.run(
                            scheduler,
                            () -> {
                                both.countDown();
                                Runs.await(both); // blocks its cord
                            },
                            () -> {
                                both.countDown();
                                Runs.await(both);
                            });
                });
    }

    @Test
    void F15_aBusySchedulerHoldsNobodyUp() {
        try (Scheduler scheduler =
                Scheduler.start(SchedulerOptions.named("workers").withCords(2))) {
            Gate gate = new Gate();
            gate.blockOneOf(scheduler);
            LongAdder sum = new LongAdder();
            scheduler.spin("caller", () -> Parallel.forEach(scheduler, 0, 100, sum::add)).await();
            assertEquals(4_950, sum.sum());
            gate.open();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void F7_aFailureStopsTheLoop(int cords) {
        run(
                cords,
                scheduler -> {
                    AtomicInteger runs = new AtomicInteger();
                    IllegalStateException bad = new IllegalStateException("number 10");
                    FiberFailedException failed =
                            assertThrows(
                                    FiberFailedException.class,
                                    () ->
                                            Parallel.forEach(
                                                    scheduler,
                                                    0,
                                                    1_000_000,
                                                    1,
                                                    number -> {
                                                        runs.incrementAndGet();
                                                        if (number == 10) {
                                                            throw bad;
                                                        }
                                                    }));
                    assertSame(bad, failed.getCause());
                    assertTrue(runs.get() < 1_000_000, () -> "runs=" + runs);
                });
    }

    @Test
    void F7_checkedFailureOfAnAction() {
        run(
                2,
                scheduler -> {
                    Exception bad = new Exception("checked");
                    Throwable failed =
                            Runs.failureOf(
                                    () ->
                                            Parallel.run(
                                                    scheduler,
                                                    () -> {
                                                        throw bad;
                                                    }));
                    assertInstanceOf(FiberFailedException.class, failed);
                    assertSame(bad, failed.getCause());
                });
    }

    @Test
    void F6_terminationAndLimitsEndALoop() {
        run(
                2,
                scheduler -> {
                    LongAdder runs = new LongAdder();
                    Fiber<@Nullable Void> looping =
                            Fiber.spin(
                                    "looping",
                                    () ->
                                            Parallel.forEach(
                                                    scheduler,
                                                    0,
                                                    1L << 50,
                                                    1,
                                                    _ -> runs.increment()));
                    while (runs.sum() < 100) {
                        Fiber.snooze();
                    }
                    looping.terminate();
                    assertThrows(FiberTerminatedException.class, looping::await);
                    assertThrows(
                            FiberTimeoutException.class,
                            () ->
                                    CancelScope.cancelAfter(
                                            Duration.ofMillis(1),
                                            () ->
                                                    Parallel.forEach(
                                                            scheduler,
                                                            0,
                                                            1L << 50,
                                                            1,
                                                            _ -> runs.increment())));
                    long before = runs.sum();
                    Fiber.sleep(Duration.ofMillis(1));
                    assertEquals(before, runs.sum(), "something still runs");
                });
    }

    @Test
    void F15_noNumberIsLeftOutSilentlyWhenAHelperIsEnded() {
        Scheduler scheduler = Scheduler.start(SchedulerOptions.named("workers").withCords(2));
        CountDownLatch waits = new CountDownLatch(1);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Fiber<?> caller =
                Cord.start(
                        CordOptions.named("caller"),
                        () -> {
                            Fiber<?> me = Fiber.current();
                            thrown.complete(
                                    Runs.failureOf(
                                            () ->
                                                    Parallel.forEach(
                                                            scheduler,
                                                            0,
                                                            2,
                                                            1,
                                                            number -> {
                                                                if (Fiber.current() != me) {
                                                                    waits.countDown();
                                                                    Fiber.sleep(FAR);
                                                                }
                                                                Runs.await(waits);
                                                            })));
                            return "";
                        });
        Runs.await(waits);
        ShutdownReport report = scheduler.shutdown(Duration.ofMillis(10));
        assertFalse(report.isClean());
        assertInstanceOf(FiberFailedException.class, thrown.join());
        assertTrue(thrown.join().toString().contains("middle of a part"), thrown::toString);
        caller.await();
    }

    @Test
    void misuse_loopsThatCannotBe() {
        run(
                1,
                scheduler -> {
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> Parallel.forEach(scheduler, 0, 10, 0, _ -> {}));
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> Parallel.forEach(scheduler, Long.MIN_VALUE, 10, _ -> {}));
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> Parallel.forEach(scheduler, 0, Long.MAX_VALUE, _ -> {}));
                    AtomicInteger runs = new AtomicInteger();
                    Parallel.forEach(scheduler, 10, -10, _ -> runs.incrementAndGet());
                    assertEquals(0, runs.get());
                });
    }

    @Test
    void misuse_aPlainThreadIsNoFiber() {
        try (Scheduler scheduler =
                Scheduler.start(SchedulerOptions.named("workers").withCords(1))) {
            Throwable error = Runs.failureOf(() -> Parallel.forEach(scheduler, 0, 10, _ -> {}));
            assertTrue(error.toString().contains("no fiber runs on"), error::toString);
            assertFalse(scheduler.stats().placed() > 0);
        }
    }

    /** It would be half done where its caller is told that it was not. */
    @Test
    void F6_loopOfACallerThatIsToEndBeginsNowhere() {
        run(
                2,
                scheduler -> {
                    LongAdder begun = new LongAdder();
                    assertFalse(
                            CancelScope.moveOnAfter(
                                    Duration.ZERO,
                                    () ->
                                            Parallel.forEach(
                                                    scheduler, 0, 100, 1, i -> begun.increment())));
                    assertEquals(0, begun.sum());
                });
    }
}
