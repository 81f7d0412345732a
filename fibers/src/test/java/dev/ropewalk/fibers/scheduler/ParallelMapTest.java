package dev.ropewalk.fibers.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Results in order, and what becomes of failures in loops over several cords (rule F15). */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ParallelMapTest {
    private static final Duration FAR = Duration.ofDays(1);

    private final Reports reports = new Reports();

    private interface Body {
        void run(Scheduler scheduler) throws Exception;
    }

    /** In a task, and from outside. */
    private void run(int cords, Body body) {
        try (Scheduler scheduler =
                Scheduler.start(
                        SchedulerOptions.named("workers")
                                .withCords(cords)
                                .withCord(CordOptions.named("c").withUncaught(reports)))) {
            scheduler.spin("caller", () -> body.run(scheduler)).await();
            Cord.run(
                    CordOptions.named("outside").withUncaught(reports),
                    () -> {
                        body.run(scheduler);
                        return "";
                    });
            reports.assertNone();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void F15_resultsStandInTheOrderOfTheItems(int cords) {
        run(
                cords,
                scheduler -> {
                    for (int size : new int[] {0, 1, 2, 7, 1_000}) {
                        SplittableRandom random = new SplittableRandom(size);
                        List<Integer> items = random.ints(size, 0, 100).boxed().toList();
                        List<String> results =
                                Parallel.map(
                                        scheduler,
                                        items,
                                        item -> {
                                            if (item % 10 == 0) {
                                                Fiber.snooze();
                                            }
                                            return "item " + item;
                                        });
                        assertEquals(items.stream().map(item -> "item " + item).toList(), results);
                    }
                });
    }

    @Test
    void F15_numbersAndNullsAreMappedToo() {
        run(
                2,
                scheduler -> {
                    List<Long> squares = Parallel.map(scheduler, -3, 4, n -> n * n);
                    assertEquals(List.of(9L, 4L, 1L, 0L, 1L, 4L, 9L), squares);
                    assertEquals(List.of(), Parallel.map(scheduler, 4, -3, n -> n));
                    List<@Nullable String> items = Arrays.asList("a", null, "b");
                    List<@Nullable String> same =
                            Parallel.<@Nullable String, @Nullable String>map(
                                    scheduler, items, item -> item);
                    assertEquals(items, same);
                    assertThrows(UnsupportedOperationException.class, () -> same.set(0, "x"));
                });
    }

    @Test
    void F15_mapsStandInMaps() {
        run(
                2,
                scheduler -> {
                    List<List<List<Integer>>> table =
                            Parallel.map(
                                    scheduler,
                                    0,
                                    20,
                                    i ->
                                            Parallel.map(
                                                    scheduler,
                                                    0,
                                                    20,
                                                    j ->
                                                            Parallel.map(
                                                                    scheduler,
                                                                    0,
                                                                    5,
                                                                    k -> (int) (i * j * k))));
                    assertEquals(19 * 19 * 4, table.get(19).get(19).get(4));
                });
    }

    /** Those that wait in the middle would else hold up the failure for ever. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void F7_aFailureCancelsTheOthersWhereTheyWait(boolean callerFails) {
        run(
                3,
                scheduler -> {
                    IllegalStateException bad = new IllegalStateException("bad");
                    AtomicInteger left = new AtomicInteger();
                    CountDownLatch wait = new CountDownLatch(2);
                    Fiber<?> caller = Fiber.current();
                    AtomicInteger first = new AtomicInteger();
                    Throwable failed =
                            Runs.failureOf(
                                    () ->
                                            Parallel.map(
                                                    scheduler,
                                                    List.of(1, 2, 3),
                                                    item -> {
                                                        boolean fails =
                                                                callerFails
                                                                        ? Fiber.current() == caller
                                                                        : Fiber.current() != caller
                                                                                && first
                                                                                                .getAndIncrement()
                                                                                        == 0;
                                                        if (fails) {
                                                            Runs.await(wait);
                                                            throw bad;
                                                        }
                                                        try {
                                                            wait.countDown();
                                                            Fiber.sleep(FAR);
                                                        } finally {
                                                            left.incrementAndGet();
                                                        }
                                                        return item;
                                                    }));
                    assertInstanceOf(FiberFailedException.class, failed);
                    assertSame(bad, failed.getCause());
                    assertEquals(2, left.get());
                    assertEquals(0, failed.getSuppressed().length);
                });
    }

    @Test
    void F7_laterFailuresAreSuppressedInTheFirst() {
        run(
                3,
                scheduler -> {
                    CountDownLatch all = new CountDownLatch(3);
                    Throwable failed =
                            Runs.failureOf(
                                    () ->
                                            Parallel.map(
                                                    scheduler,
                                                    List.of(1, 2, 3),
                                                    item -> {
                                                        all.countDown();
                                                        Runs.await(all);
                                                        throw new IllegalStateException(
                                                                "item " + item);
                                                    }));
                    List<String> told =
                            IntStream.rangeClosed(0, failed.getSuppressed().length)
                                    .mapToObj(
                                            i ->
                                                    i == 0
                                                            ? Runs.cause(failed)
                                                            : failed.getSuppressed()[i - 1])
                                    .map(each -> String.valueOf(each.getMessage()))
                                    .sorted()
                                    .toList();
                    assertEquals(List.of("item 1", "item 2", "item 3"), told);
                });
    }

    @Test
    void F6_aCallerThatIsTerminatedTakesTheOthersAlong() {
        run(
                3,
                scheduler -> {
                    AtomicInteger waits = new AtomicInteger();
                    AtomicInteger left = new AtomicInteger();
                    Fiber<?> caller =
                            Fiber.spin(
                                    "mapping",
                                    () ->
                                            Parallel.map(
                                                    scheduler,
                                                    List.of(1, 2, 3),
                                                    item -> {
                                                        waits.incrementAndGet();
                                                        try {
                                                            Fiber.sleep(FAR);
                                                        } finally {
                                                            left.incrementAndGet();
                                                        }
                                                        return item;
                                                    }));
                    while (waits.get() < 3) {
                        Fiber.sleep(Duration.ofNanos(1_000));
                    }
                    caller.terminate();
                    assertThrows(FiberTerminatedException.class, caller::await);
                    assertEquals(3, left.get());
                });
    }

    /** What fails while the caller is being ended is told with its end, not lost. */
    @Test
    void F6_failuresInTheCleanUpOfATerminatedCallAreToldWithItsEnd() {
        try (Scheduler scheduler =
                Scheduler.start(SchedulerOptions.named("workers").withCords(2))) {
            Runs.real(
                    StackKind.LIGHT,
                    reports,
                    () -> {
                        AtomicInteger waits = new AtomicInteger();
                        Fiber<?> caller =
                                Fiber.spin(
                                        "mapping",
                                        () ->
                                                Parallel.forEach(
                                                        scheduler,
                                                        0,
                                                        2,
                                                        number -> failWhenEnded(waits)));
                        while (waits.get() < 2) {
                            Fiber.sleep(Duration.ofNanos(1_000));
                        }
                        caller.terminate();
                        Throwable end = Runs.cause(Runs.failureOf(caller::await));
                        assertTrue(
                                Arrays.stream(end.getSuppressed())
                                        .anyMatch(each -> "in clean-up".equals(each.getMessage())),
                                end::toString);
                    });
        }
    }

    private static void failWhenEnded(AtomicInteger waits) {
        waits.incrementAndGet();
        try {
            Fiber.sleep(FAR);
        } catch (Throwable ended) {
            if (Fiber.current().name().equals("part of a loop")) {
                throw new IllegalStateException("in clean-up", ended);
            }
            throw ended;
        }
    }

    @Test
    void misuse_moreNumbersThanAListCanHold() {
        run(
                1,
                scheduler -> {
                    for (long to : new long[] {Integer.MAX_VALUE - 7L, Long.MAX_VALUE}) {
                        Throwable error =
                                assertThrows(
                                        IllegalArgumentException.class,
                                        () -> Parallel.map(scheduler, 0, to, n -> n));
                        assertTrue(error.toString().contains("use forEach"), error::toString);
                    }
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> Parallel.map(scheduler, Long.MIN_VALUE, 5, n -> n));
                });
    }

    @Test
    void misuse_aPlainThreadCannotMap() {
        try (Scheduler scheduler =
                Scheduler.start(SchedulerOptions.named("workers").withCords(1))) {
            assertThrows(
                    IllegalStateException.class,
                    () -> Parallel.map(scheduler, Collections.emptyList(), item -> item));
            assertThrows(
                    IllegalStateException.class, () -> Parallel.map(scheduler, 0, 1, item -> item));
        }
    }
}
