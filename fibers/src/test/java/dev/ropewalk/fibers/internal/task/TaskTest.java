package dev.ropewalk.fibers.internal.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.EndHook;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.Mail;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.scheduler.ShutdownReport;
import dev.ropewalk.fibers.testkit.Gate;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** What can be done to a task before it has started: its cords are kept busy until it was done. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class TaskTest {
    private static final Duration SOON = Duration.ofMillis(5);

    /** A scheduler whose cords run nothing until the gate is opened. */
    private static final class Crew implements AutoCloseable {
        final Reports reports = new Reports();
        final Scheduler scheduler;
        private final Gate gate = new Gate();

        Crew(int cords) {
            scheduler =
                    Scheduler.start(
                            SchedulerOptions.named("workers")
                                    .withCords(cords)
                                    .withCord(CordOptions.named("c").withUncaught(reports)));
            gate.block(scheduler.cords());
        }

        void open() {
            gate.open();
        }

        @Override
        public void close() {
            open();
            ShutdownReport report = scheduler.shutdown(Duration.ofSeconds(10));
            assertTrue(report.isClean(), report::toString);
            reports.assertNone();
        }
    }

    private interface Body {
        void run(Crew workers, AtomicBoolean ran) throws Exception;
    }

    private static void run(int cords, Body body) {
        AtomicBoolean ran = new AtomicBoolean();
        try (Crew workers = new Crew(cords)) {
            Cord.run(() -> body.run(workers, ran));
        }
    }

    @Test
    void F15_terminatedTaskNeverRuns() {
        run(
                2,
                (workers, ran) -> {
                    Fiber<@Nullable Void> task = workers.scheduler.spin("t", () -> ran.set(true));
                    task.terminate();
                    workers.open();
                    assertThrows(FiberTerminatedException.class, task::await);
                    assertFalse(ran.get());
                });
    }

    @Test
    void F15_stoppedTaskHasItsResultAndNeverRuns() {
        run(
                1,
                (workers, ran) -> {
                    Fiber<String> task =
                            workers.scheduler.spin(
                                    "t",
                                    () -> {
                                        ran.set(true);
                                        return "ran";
                                    });
                    task.stop("stopped");
                    workers.open();
                    assertEquals("stopped", task.await());
                    assertFalse(ran.get());
                });
    }

    @Test
    void F15_raisedIntoTaskNeverRuns() {
        run(
                1,
                (workers, ran) -> {
                    Fiber<@Nullable Void> task = workers.scheduler.spin("t", () -> ran.set(true));
                    IllegalStateException raised = new IllegalStateException("raised");
                    task.raise(raised);
                    task.raise(new IllegalStateException("second"));
                    workers.open();
                    assertSame(raised, Runs.cause(Runs.failureOf(task::await)));
                    assertFalse(ran.get());
                });
    }

    @Test
    void F15_restartedTaskJustStarts() {
        run(
                1,
                (workers, ran) -> {
                    AtomicInteger runs = new AtomicInteger();
                    Fiber<@Nullable Void> task =
                            workers.scheduler.spin("t", () -> count(runs.incrementAndGet()));
                    task.restart();
                    assertFalse(task.schedule("nothing to end") && task.failure() != null);
                    workers.open();
                    task.await();
                    assertEquals(1, runs.get());
                });
    }

    private static void count(int ignored) {
        assertTrue(ignored > 0);
    }

    private static void suspend() {
        Fiber.suspend();
    }

    @Test
    void F15_whatIsAskedOfATaskComesInOrder() {
        run(
                1,
                (workers, ran) -> {
                    List<String> told = new CopyOnWriteArrayList<>();
                    Fiber<@Nullable Void> task = workers.scheduler.spin("t", () -> ran.set(true));
                    EndHook first = task.onEnd(_ -> told.add("first"));
                    task.onEnd(_ -> told.add("second"));
                    first.cancel();
                    task.onEnd(_ -> told.add("third"));
                    CompletableFuture<@Nullable Void> future = task.toFuture();
                    workers.open();
                    task.await();
                    Futures.await(future);
                    assertTrue(ran.get());
                    assertEquals(List.of("second", "third"), told);
                });
    }

    @Test
    void F5_awaiterThatLeavesATaskIsForgotten() {
        run(
                1,
                (workers, _) -> {
                    Fiber<String> task = workers.scheduler.spin("t", () -> "done");
                    assertFalse(task.awaitEnd(SOON));
                    workers.open();
                    assertEquals("done", task.await());
                });
    }

    @Test
    void F7_detachedTaskOutlivesItsSpinner() {
        run(
                1,
                (workers, ran) -> {
                    Fiber<Fiber<@Nullable Void>> spinner =
                            Fiber.spin(
                                    () -> {
                                        Fiber<@Nullable Void> task =
                                                workers.scheduler.spin("t", () -> ran.set(true));
                                        task.detach();
                                        workers.open(); // it leaves this fiber on its own cord
                                        return task;
                                    });
                    Fiber<@Nullable Void> task = spinner.await();
                    task.await();
                    assertTrue(ran.get());
                });
    }

    @Test
    void F7_taskGoesToAnotherParentBeforeItStarts() {
        run(
                1,
                (workers, ran) -> {
                    Fiber<@Nullable Void> task = workers.scheduler.spin("t", TaskTest::suspend);
                    Fiber<@Nullable Void> other = Fiber.spin("other", () -> Fiber.sleep(SOON));
                    task.attachTo(other);
                    workers.open();
                    other.await();
                    assertThrows(FiberTerminatedException.class, task::await);
                });
    }

    @Test
    void F7_tasksNeverStartAfterTheirSpinnerEnded() {
        run(
                2,
                (workers, _) -> {
                    AtomicInteger runs = new AtomicInteger();
                    List<Fiber<?>> tasks = new ArrayList<>();
                    Fiber<@Nullable Void> spinner =
                            Fiber.spin(
                                    "spinner",
                                    () -> {
                                        for (int i = 0; i < 100; i++) {
                                            tasks.add(
                                                    workers.scheduler.spin(
                                                            () -> count(runs.incrementAndGet())));
                                        }
                                    });
                    Fiber.snooze();
                    Fiber.snooze();
                    workers.open();
                    spinner.await();
                    assertEquals(0, runs.get());
                    for (Fiber<?> each : tasks) {
                        assertInstanceOf(FiberTerminatedException.class, each.failure());
                    }
                });
    }

    @Test
    void F15_aTaskHasNoCordYet() {
        run(
                1,
                (workers, _) -> {
                    Fiber<String> task = workers.scheduler.spin("t", () -> "done");
                    Throwable error = assertThrows(IllegalStateException.class, task::cord);
                    assertTrue(error.toString().contains("task t of scheduler workers"));
                    assertEquals(FiberState.RUNNABLE, task.state());
                    assertNull(task.failure());
                    workers.open();
                    task.await();
                    assertSame(workers.scheduler.cords().getFirst(), task.cord());
                });
    }

    @Test
    void F15_anIdleCordSteals() {
        try (Crew workers = new Crew(1)) {
            // A second cord, bound, has nothing of its own to do.
            workers.scheduler.bind(
                    () -> {
                        List<Fiber<Cord>> tasks = new ArrayList<>();
                        for (int i = 0; i < 50; i++) {
                            tasks.add(workers.scheduler.spin(Cord::current));
                        }
                        for (Fiber<Cord> each : tasks) {
                            assertSame(Cord.current(), each.await());
                        }
                    });
        }
    }

    @Test
    void F15_theOldestTaskIsStolenFirst() {
        try (Crew workers = new Crew(1)) {
            List<Integer> order = new ArrayList<>();
            List<Integer> all = new ArrayList<>();
            List<Fiber<Boolean>> tasks = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                int number = i;
                all.add(number);
                tasks.add(workers.scheduler.spin(() -> order.add(number)));
            }
            // They wait on a cord that is stuck; this one takes them all.
            workers.scheduler.bind(() -> tasks.forEach(Fiber::await));
            assertEquals(all, order);
        }
    }

    @Test
    void F15_aSleepingCordIsWokenToSteal() {
        Reports reports = new Reports();
        SchedulerOptions options =
                SchedulerOptions.named("workers")
                        .withCords(2)
                        .withCord(CordOptions.named("c").withUncaught(reports));
        try (Scheduler scheduler = Scheduler.start(options)) {
            Cord busy = scheduler.cords().get(0);
            Cord other = scheduler.cords().get(1);
            for (int round = 0; round < 20; round++) {
                Gate gate = new Gate();
                Fiber<?> blocker = gate.block(busy);
                Runs.until(() -> CordImpl.of(other).mail.activity() == Mail.Activity.ASLEEP);
                // One of the two is placed on the busy cord.
                Fiber<Cord> first = scheduler.spin(Cord::current);
                Fiber<Cord> second = scheduler.spin(Cord::current);
                assertSame(other, first.await());
                assertSame(other, second.await());
                gate.open();
                blocker.await();
            }
        }
        reports.assertNone();
    }

    @Test
    void F15_aSpinningCordThatGetsSeveralTasksWakesAnother() {
        AtomicInteger blocked = new AtomicInteger();
        try (Scheduler scheduler =
                Scheduler.start(SchedulerOptions.named("workers").withCords(3))) {
            for (int round = 0; round < 2_000; round++) {
                CountDownLatch second = new CountDownLatch(1);
                Fiber<@Nullable Void> first =
                        scheduler.spin("first", () -> blockUnlessBothAreHere(second, blocked));
                scheduler.execute(second::countDown);
                first.await();
            }
        }
        assertTrue(blocked.get() > 1_900, blocked::toString);
    }

    /** A look that was due just then has started the second on this cord too, and it stays here. */
    private static void blockUnlessBothAreHere(CountDownLatch second, AtomicInteger blocked) {
        if (!CordImpl.current().loop.hasRunnable()) {
            blocked.incrementAndGet();
            Runs.await(second);
        }
    }

    @Test
    void F15_oneSleeperOfManyIsFound() {
        int cords = 12;
        try (Scheduler scheduler =
                Scheduler.start(SchedulerOptions.named("workers").withCords(cords))) {
            Gate gate = new Gate();
            gate.block(scheduler.cords().subList(0, cords - 1));
            Cord last = scheduler.cords().getLast();
            for (int i = 0; i < 2 * cords; i++) {
                Runs.until(() -> CordImpl.of(last).mail.activity() == Mail.Activity.ASLEEP);
                assertSame(last, scheduler.spin(Cord::current).await());
            }
            gate.open();
        }
    }

    @ParameterizedTest
    @EnumSource
    void F15_aFiberThatSnoozesAloneDoesNotKeepTasksOut(StackKind stacks) {
        SchedulerOptions options =
                SchedulerOptions.named("workers")
                        .withCords(1)
                        .withCord(CordOptions.named("c").withStacks(stacks));
        try (Scheduler scheduler = Scheduler.start(options)) {
            AtomicBoolean ran = new AtomicBoolean();
            scheduler
                    .spin(
                            "waits",
                            () -> {
                                scheduler.execute(() -> ran.set(true));
                                while (!ran.get()) {
                                    Fiber.snooze();
                                }
                            })
                    .await();
        }
    }

    @Test
    void F15_cordsWhoseInitialiserFailsTakeNothing() {
        Reports reports = new Reports();
        SchedulerOptions options =
                SchedulerOptions.named("workers")
                        .withCords(2)
                        .withCord(
                                CordOptions.named("c")
                                        .withUncaught(reports)
                                        .withInitialiser(
                                                () -> {
                                                    throw new IllegalStateException("by design");
                                                }));
        for (int round = 0; round < 200; round++) {
            try (Scheduler scheduler = Scheduler.start(options)) {
                Runs.until(() -> SchedulerImpl.of(scheduler).workers.queues().length == 0);
                Throwable error =
                        assertThrows(IllegalStateException.class, () -> scheduler.spin(() -> {}));
                assertTrue(error.toString().contains("has no cord"), error::toString);
            }
        }
        assertEquals(400, reports.all().size());
    }

    @Test
    void misuse_anInitialiserCannotWaitForTasks() {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        SchedulerOptions options =
                SchedulerOptions.named("workers")
                        .withCords(1)
                        .withCord(
                                CordOptions.named("c")
                                        .withInitialiser(
                                                () -> {
                                                    Scheduler mine = Scheduler.currentOrNull();
                                                    thrown.complete(
                                                            Runs.failureOf(
                                                                    () ->
                                                                            Objects.requireNonNull(
                                                                                            mine)
                                                                                    .spin(() -> 1)
                                                                                    .await()));
                                                }));
        try (Scheduler scheduler = Scheduler.start(options)) {
            assertTrue(thrown.join().toString().contains("initialiser"), thrown::toString);
            assertEquals(1, scheduler.spin(() -> 1).await());
        }
    }

    @Test
    void F15_statsCountWhatIsThere() {
        run(
                2,
                (workers, _) -> {
                    long before = workers.scheduler.stats().alive();
                    Fiber<@Nullable Void> task = workers.scheduler.spin("t", () -> {});
                    assertEquals(before + 1, workers.scheduler.stats().alive());
                    assertEquals(2, workers.scheduler.stats().cords());
                    workers.open();
                    task.await();
                    Runs.until(() -> workers.scheduler.stats().alive() == before);
                });
    }

    @Test
    void F7_aTaskThatWasGivenAwayIsItsNewParents() {
        run(
                1,
                (workers, _) -> {
                    Fiber<@Nullable Void> task =
                            workers.scheduler.spin(
                                    "bad",
                                    () -> {
                                        throw new IllegalStateException("by design");
                                    });
                    Fiber<@Nullable Object> adopter = Fiber.spin("adopter", () -> Fiber.suspend());
                    task.attachTo(adopter);
                    workers.open();
                    Throwable failed = Runs.failureOf(adopter::await);
                    assertTrue(failed.toString().contains("bad"), failed::toString);
                });
    }

    @Test
    void F15_fibersThatWakeEachOtherDoNotKeepTasksOut() {
        try (Crew workers = new Crew(1)) {
            Scheduler scheduler = workers.scheduler;
            AtomicBoolean over = new AtomicBoolean();
            scheduler.execute(
                    () -> {
                        Fiber<@Nullable Void> busy =
                                Fiber.spin(
                                        () -> {
                                            while (!over.get()) {
                                                Fiber.snooze();
                                            }
                                        });
                        while (!over.get()) {
                            Fiber.snooze();
                        }
                        busy.await();
                    });
            scheduler.execute(() -> over.set(true));
            workers.open();
            Runs.until(over::get);
        }
    }

    @Test
    void F15_anEndAndAStartDecideByOneStep() {
        int tasks = 20_000;
        AtomicInteger runs = new AtomicInteger();
        ConcurrentHashMap<Fiber<?>, Boolean> ended = new ConcurrentHashMap<>();
        try (Scheduler scheduler =
                Scheduler.start(SchedulerOptions.named("workers").withCords(2))) {
            Cord.run(
                    () -> {
                        List<Fiber<@Nullable Void>> all = new ArrayList<>();
                        for (int i = 0; i < tasks; i++) {
                            Fiber<@Nullable Void> task =
                                    scheduler.spin(() -> count(runs.incrementAndGet()));
                            all.add(task);
                            if (i % 3 == 0) {
                                all.get(i / 2).terminate();
                            }
                            task.onEnd(each -> ended.merge(each, true, (_, _) -> false));
                        }
                        int succeeded = 0;
                        for (Fiber<@Nullable Void> each : all) {
                            try {
                                each.await();
                                succeeded++;
                            } catch (FiberTerminatedException terminated) {
                                // It never ran.
                            }
                        }
                        assertEquals(runs.get(), succeeded);
                    });
        }
        assertEquals(tasks, ended.size());
        assertFalse(ended.containsValue(false));
    }
}
