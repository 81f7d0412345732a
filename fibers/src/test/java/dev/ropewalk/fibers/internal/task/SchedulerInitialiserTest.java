package dev.ropewalk.fibers.internal.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.scheduler.ShutdownReport;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** Cords of a scheduler that end by themselves, above all by a failing initialiser (rule F15). */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SchedulerInitialiserTest {
    private static final Duration FAR = Duration.ofSeconds(20);

    private final Reports reports = new Reports();
    private final Exception boom = new Exception("boom");

    private Scheduler start(int cords, StackKind stacks, Action initialiser) {
        return Scheduler.start(
                SchedulerOptions.named("workers")
                        .withCords(cords)
                        .withCord(
                                CordOptions.named("c")
                                        .withUncaught(reports)
                                        .withStacks(stacks)
                                        .withInitialiser(initialiser)));
    }

    private void failWhen(CountDownLatch go) throws Exception {
        Blocking.run(() -> Runs.await(go));
        throw boom;
    }

    @ParameterizedTest
    @EnumSource
    void F15_tasksThatWaitForInitialisersThatAllFailAreToldWhy(StackKind stacks) {
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        Scheduler scheduler = start(2, stacks, () -> failWhen(go));
        List<Fiber<Integer>> tasks =
                List.of(
                        scheduler.spin("a", runs::incrementAndGet),
                        scheduler.spin("b", runs::incrementAndGet),
                        scheduler.spin("c", runs::incrementAndGet));
        go.countDown();
        for (Fiber<Integer> task : tasks) {
            Throwable closed = Runs.cause(Runs.failureOf(task::await));
            assertInstanceOf(CordClosedException.class, closed);
            assertSame(boom, closed.getCause(), closed::toString);
        }
        assertEquals(0, runs.get());
        ShutdownReport report = scheduler.shutdown(FAR);
        assertEquals(2, report.failed().size(), report::toString);
        assertTrue(report.failed().getFirst().contains("boom"), report::toString);
        assertTrue(!report.isClean());
    }

    @Test
    void F15_tasksOfASchedulerWhoseCordsAllFailedAreRefusedWithTheCause() {
        Scheduler scheduler =
                start(
                        2,
                        StackKind.LIGHT,
                        () -> {
                            throw boom;
                        });
        Runs.until(() -> SchedulerImpl.of(scheduler).workers.queues().length == 0);
        CordClosedException closed =
                assertThrows(CordClosedException.class, () -> scheduler.spin("late", () -> {}));
        assertSame(boom, closed.getCause());
        assertTrue(closed.toString().contains("scheduler workers has no cord any more"));
        assertTrue(closed.toString().contains("cord workers-"), closed::toString);
        RejectedExecutionException rejected =
                assertThrows(RejectedExecutionException.class, () -> scheduler.execute(() -> {}));
        assertSame(boom, Runs.cause(Runs.cause(rejected)));
        scheduler.close();
    }

    @Test
    void F15_oneCordThatFailsLeavesItsTasksToTheOthers() {
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        Scheduler scheduler =
                start(
                        3,
                        StackKind.LIGHT,
                        () -> {
                            Blocking.run(() -> Runs.await(go));
                            if (Cord.current().name().equals("workers-1")) {
                                throw boom;
                            }
                        });
        List<Fiber<Integer>> tasks =
                List.of(
                        scheduler.spin("a", runs::incrementAndGet),
                        scheduler.spin("b", runs::incrementAndGet),
                        scheduler.spin("c", runs::incrementAndGet));
        go.countDown();
        Fiber.awaitAll(tasks);
        Runs.until(() -> scheduler.stats().cords() == 2);
        scheduler.spin("after", runs::incrementAndGet).await();
        assertEquals(4, runs.get());
        Runs.until(() -> !reports.all().isEmpty()); // it comes behind the end of the cord
        assertSame(boom, Runs.cause(reports.only().failure()));
        ShutdownReport report = scheduler.shutdown(FAR);
        assertEquals(
                List.of("workers-1 ended by itself: java.lang.Exception: boom"), report.failed());
        assertEquals(0, report.left());
    }

    // ---------------------------------------------------------------- whose a task is

    @ParameterizedTest
    @EnumSource
    void F15_aTaskOfNobodyHasNoParentToEnd(StackKind stacks) {
        try (Scheduler scheduler = start(1, stacks, () -> {})) {
            Fiber<@Nullable Fiber<?>> task = scheduler.spin(() -> Fiber.current().parent());
            assertNull(task.await());
            Cord.run(
                    () -> {
                        Fiber<@Nullable Object> kept =
                                scheduler.spin("kept", () -> Fiber.suspend());
                        assertSame(Fiber.current(), kept.parent());
                        kept.detach();
                        Runs.until(() -> kept.parent() == null);
                        kept.schedule("over");
                        kept.await();
                    });
        }
        reports.assertNone();
    }

    @ParameterizedTest
    @EnumSource
    void misuse_theRootOfASchedulersCordIsNotEndedByItsFibers(StackKind stacks) {
        try (Scheduler scheduler = start(1, stacks, () -> {})) {
            Cord cord = scheduler.cords().getFirst();
            Fiber<@Nullable Void> onCord = cord.spin("by hand", () -> endParent());
            onCord.await();
            Fiber<?> root = Objects.requireNonNull(onCord.parent());
            Throwable error = Runs.failureOf(root::terminate); // from elsewhere as well
            assertTrue(
                    error.toString()
                            .contains("belongs to scheduler workers and ends with it; close that"),
                    error::toString);
            assertEquals("alive", scheduler.spin(() -> "alive").await());
        }
        reports.assertNone();
    }

    private static void endParent() {
        Fiber<?> root = Objects.requireNonNull(Fiber.current().parent());
        assertThrows(IllegalStateException.class, root::terminate);
        assertThrows(IllegalStateException.class, () -> stop(root));
        assertThrows(IllegalStateException.class, root::restart);
        assertThrows(IllegalStateException.class, () -> root.raise(new Exception("x")));
        assertThrows(IllegalStateException.class, () -> root.toFuture().cancel(true));
        Fiber.snooze();
    }

    @SuppressWarnings("unchecked") // no result is ever seen
    private static void stop(Fiber<?> fiber) {
        ((Fiber<String>) fiber).stop("result");
    }
}
