package dev.ropewalk.fibers.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.sync.Event;
import dev.ropewalk.fibers.sync.WaitGroup;
import dev.ropewalk.fibers.testkit.Reports;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What holds for tasks on both kinds of stack, on 1, 2 and 8 cords, and on a bound thread alone.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SchedulerTest {
    private static final Duration FAR = Duration.ofSeconds(30);

    record Variant(StackKind stacks, int cords) {}

    static Stream<Variant> variants() {
        return Stream.of(StackKind.values())
                .flatMap(stacks -> Stream.of(0, 1, 2, 8).map(cords -> new Variant(stacks, cords)));
    }

    private interface Body {
        void run(Scheduler scheduler) throws Exception;
    }

    /** With cords the body runs on this plain thread, without on the bound one. */
    private static void run(Variant variant, Body body) {
        Reports reports = new Reports();
        run(variant, reports, body);
        reports.assertNone();
    }

    private static void run(Variant variant, Reports reports, Body body) {
        SchedulerOptions options =
                SchedulerOptions.named("workers")
                        .withCords(variant.cords())
                        .withCord(
                                CordOptions.named("of-workers")
                                        .withStacks(variant.stacks())
                                        .withUncaught(reports));
        Scheduler scheduler = Scheduler.start(options);
        try {
            if (variant.cords() == 0) {
                scheduler.bind(() -> body.run(scheduler));
            } else {
                Cord.run(() -> body.run(scheduler));
            }
        } finally {
            ShutdownReport report = scheduler.shutdown(FAR);
            assertTrue(report.isClean(), report::toString);
        }
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F15_everyTaskRunsOnceOnTheSchedulersThreads(Variant variant) {
        int tasks = 10_000;
        AtomicInteger runs = new AtomicInteger();
        Set<Cord> cords = ConcurrentHashMap.newKeySet();
        run(
                variant,
                scheduler -> {
                    List<Fiber<@Nullable Void>> all = new ArrayList<>();
                    for (int i = 0; i < tasks; i++) {
                        all.add(
                                scheduler.spin(
                                        () -> {
                                            runs.incrementAndGet();
                                            cords.add(Cord.current());
                                            assertSame(scheduler, Scheduler.currentOrNull());
                                        }));
                    }
                    Fiber.awaitAll(all);
                    if (variant.cords() > 0) {
                        assertTrue(scheduler.cords().containsAll(cords));
                        assertFalse(cords.contains(Cord.current()));
                    }
                });
        assertEquals(tasks, runs.get());
        assertTrue(cords.size() <= Math.max(1, variant.cords()), cords::toString);
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F15_startedFibersNeverMove(Variant variant) {
        run(
                variant,
                scheduler -> {
                    Event go = Event.sharedManual();
                    List<Fiber<Boolean>> all =
                            IntStream.range(0, 1_000)
                                    .mapToObj(
                                            _ ->
                                                    scheduler.<Boolean>spin(
                                                            () -> {
                                                                Cord before = Cord.current();
                                                                go.await();
                                                                Fiber.snooze();
                                                                return before == Cord.current();
                                                            }))
                                    .toList();
                    go.signal();
                    assertFalse(Fiber.awaitAll(all).contains(false));
                });
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F15_waitersAndSignallersMeet(Variant variant) {
        run(
                variant,
                scheduler -> {
                    List<Fiber<@Nullable Void>> all = new ArrayList<>();
                    for (int i = 0; i < 100; i++) {
                        Event event = Event.shared();
                        all.add(scheduler.spin("waiter", () -> event.await()));
                        all.add(scheduler.spin("signaller", event::signal));
                    }
                    Fiber.awaitAll(all);
                });
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F15_closeRunsWhatIsPending(Variant variant) {
        AtomicInteger counter = new AtomicInteger();
        run(
                variant,
                scheduler -> {
                    for (int i = 0; i < 1_000; i++) {
                        scheduler.execute(counter::incrementAndGet);
                    }
                });
        assertEquals(1_000, counter.get());
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F15_closeAwaitsFibersThatWait(Variant variant) {
        AtomicInteger counter = new AtomicInteger();
        run(
                variant,
                scheduler -> {
                    WaitGroup go = WaitGroup.shared();
                    go.add(1);
                    for (int i = 0; i < 1_000; i++) {
                        scheduler.execute(
                                () -> {
                                    go.await();
                                    counter.incrementAndGet();
                                });
                    }
                    scheduler.execute(go::done);
                });
        assertEquals(1_000, counter.get());
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F15_tasksSpinTasks(Variant variant) {
        run(variant, scheduler -> assertEquals(610, fibonacci(scheduler, 15)));
    }

    private static int fibonacci(Scheduler scheduler, int n) {
        if (n < 2) {
            return n;
        }
        Fiber<Integer> other = scheduler.spin(() -> fibonacci(scheduler, n - 1));
        int rest = fibonacci(scheduler, n - 2);
        return other.await() + rest;
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F7_failureOfATaskCancelsItsSpinner(Variant variant) {
        run(
                variant,
                scheduler -> {
                    Fiber<@Nullable Void> spinner =
                            Fiber.spin(
                                    () ->
                                            Scope.run(
                                                    scope -> {
                                                        scope.spinOn(
                                                                scheduler,
                                                                "bad",
                                                                () -> {
                                                                    throw new BoomException();
                                                                });
                                                        Fiber.suspend();
                                                    }));
                    FiberFailedException failed =
                            assertThrows(FiberFailedException.class, spinner::await);
                    assertEquals(BoomException.class, deepest(failed).getClass());
                });
    }

    private static final class BoomException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static Throwable deepest(Throwable thrown) {
        Throwable each = thrown;
        while (each.getCause() != null) {
            each = each.getCause();
        }
        return each;
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F7_failureOfWhatNobodySpunIsReported(Variant variant) {
        Reports reports = new Reports();
        run(
                variant,
                reports,
                scheduler ->
                        scheduler.execute(
                                () -> {
                                    throw new BoomException();
                                }));
        assertEquals(BoomException.class, deepest(reports.only().failure()).getClass());
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F7_tasksEndWithTheirSpinner(Variant variant) {
        run(
                variant,
                scheduler -> {
                    AtomicInteger begun = new AtomicInteger();
                    AtomicInteger left = new AtomicInteger();
                    Fiber<@Nullable Void> spinner =
                            Fiber.spin(
                                    () -> {
                                        for (int i = 0; i < 500; i++) {
                                            scheduler.spin(
                                                    () -> {
                                                        begun.incrementAndGet();
                                                        try {
                                                            Fiber.suspend();
                                                        } finally {
                                                            left.incrementAndGet();
                                                        }
                                                    });
                                        }
                                        Fiber.snooze();
                                    });
                    spinner.await();
                    assertEquals(begun.get(), left.get());
                });
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F12_aSchedulerIsAnExecutor(Variant variant) {
        run(
                variant,
                scheduler -> {
                    CompletableFuture<String> future =
                            CompletableFuture.supplyAsync(
                                            () -> {
                                                Fiber.sleep(Duration.ofNanos(1));
                                                return "ready";
                                            },
                                            scheduler)
                                    .thenApplyAsync(text -> text + "!", scheduler);
                    assertEquals("ready!", Futures.await(future));
                });
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F15_onThisCordStaysThere(Variant variant) {
        run(
                variant,
                scheduler -> {
                    Fiber<Boolean> task =
                            scheduler.spin(
                                    () -> {
                                        Cord here = Cord.current();
                                        List<Fiber<Cord>> pinned =
                                                IntStream.range(0, 100)
                                                        .mapToObj(
                                                                i ->
                                                                        scheduler.onThisCord(
                                                                                "p" + i,
                                                                                Cord::current))
                                                        .toList();
                                        return Fiber.awaitAll(pinned).stream()
                                                .allMatch(each -> each == here);
                                    });
                    assertTrue(task.await());
                });
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F8_plainThreadsSpinAndAwait(Variant variant) {
        run(
                variant,
                scheduler -> {
                    CompletableFuture<Integer> sum = new CompletableFuture<>();
                    Thread plain =
                            new Thread(
                                    () -> {
                                        int total = 0;
                                        for (int i = 0; i < 200; i++) {
                                            int value = i;
                                            total += scheduler.spin(() -> value).await();
                                        }
                                        sum.complete(total);
                                    });
                    plain.start();
                    assertEquals(199 * 200 / 2, Futures.await(sum));
                });
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F15_everySchedulerHasItsOwnNames(Variant variant) {
        run(
                variant,
                scheduler -> {
                    Fiber<String> named = scheduler.spin("named", () -> Fiber.current().name());
                    Fiber<String> other = scheduler.spin(() -> Fiber.current().name());
                    assertEquals("named", named.await());
                    assertNotEquals("named", other.await());
                    assertTrue(named.toString().startsWith("fiber named on cord workers-"));
                });
    }
}
