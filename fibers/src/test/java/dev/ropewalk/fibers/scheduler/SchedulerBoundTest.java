package dev.ropewalk.fibers.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** How many tasks may wait to be started (rule F15). */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SchedulerBoundTest {
    private static final Duration FAR = Duration.ofSeconds(20);

    private final Reports reports = new Reports();
    private final CountDownLatch gate = new CountDownLatch(1);

    private Scheduler start(int cords, int maxPending) {
        return Scheduler.start(
                SchedulerOptions.named("workers")
                        .withCords(cords)
                        .withMaxPending(maxPending)
                        .withCord(CordOptions.named("c").withUncaught(reports)));
    }

    /** Its cords run nothing before the gate is opened. */
    private Scheduler startBlocked(int cords, int maxPending) {
        Scheduler scheduler = start(cords, maxPending);
        scheduler.cords().forEach(this::block);
        return scheduler;
    }

    private void block(Cord cord) {
        CountDownLatch busy = new CountDownLatch(1);
        cord.spin(
                "blocker",
                () -> {
                    busy.countDown();
                    Runs.await(gate);
                });
        Runs.await(busy);
    }

    private void openAndClose(Scheduler scheduler) {
        gate.countDown();
        ShutdownReport report = scheduler.shutdown(FAR);
        assertTrue(report.isClean(), report::toString);
        reports.assertNone();
    }

    @Test
    void F15_moreThanMayWaitAreRefusedAndNoneIsLost() {
        AtomicInteger runs = new AtomicInteger();
        Scheduler scheduler = startBlocked(2, 3);
        for (int i = 0; i < 3; i++) {
            scheduler.execute(runs::incrementAndGet);
        }
        TaskRejectedException refused =
                assertThrows(
                        TaskRejectedException.class,
                        () -> scheduler.spin("fourth", runs::incrementAndGet));
        assertTrue(
                refused.toString().contains("task fourth of scheduler workers"), refused::toString);
        assertTrue(refused.toString().contains("maxPending=3"), refused::toString);
        assertThrows(
                RejectedExecutionException.class, () -> scheduler.execute(runs::incrementAndGet));
        assertEquals(3, scheduler.stats().placed());
        gate.countDown();
        Runs.until(() -> runs.get() == 3);
        scheduler.spin("later", runs::incrementAndGet).await();
        openAndClose(scheduler);
        assertEquals(4, runs.get());
    }

    @Test
    void F15_aFiberWhoseTaskIsRefusedHasNoChildOfIt() {
        Scheduler scheduler = startBlocked(1, 1);
        scheduler.execute(() -> {});
        Cord.run(
                () -> {
                    Fiber<@Nullable Void> spinner =
                            Fiber.spin(
                                    () -> {
                                        assertThrows(
                                                TaskRejectedException.class,
                                                () -> scheduler.spin("refused", () -> {}));
                                        assertThrows(
                                                TaskRejectedException.class,
                                                () ->
                                                        Scope.run(
                                                                scope ->
                                                                        scope.spinOn(
                                                                                scheduler,
                                                                                "refused too",
                                                                                () -> "")));
                                    });
                    spinner.await(); // within its stop limit
                });
        openAndClose(scheduler);
    }

    /** A task that was ended does not take up room any more, once a cord has looked. */
    @Test
    void F15_tasksThatAreEndedBeforeTheirStartMakeRoom() {
        Scheduler scheduler = startBlocked(1, 2);
        List<Fiber<?>> tasks = new ArrayList<>();
        tasks.add(scheduler.spin("a", () -> {}));
        tasks.add(scheduler.spin("b", () -> {}));
        tasks.forEach(Fiber::terminate);
        gate.countDown();
        tasks.forEach(each -> assertTrue(each.awaitEnd(FAR)));
        assertEquals("c", scheduler.spin(() -> "c").await());
        assertEquals("d", scheduler.spin(() -> "d").await());
        openAndClose(scheduler);
    }

    @Test
    void F15_whatACordHandsOnWhenItLeavesIsCountedOnce() throws InterruptedException {
        Scheduler scheduler = start(1, 5);
        block(scheduler.cords().getFirst());
        AtomicInteger runs = new AtomicInteger();
        Thread thread =
                new Thread(
                        () ->
                                scheduler.bind(
                                        () -> {
                                            for (int i = 0; i < 5; i++) {
                                                scheduler.execute(runs::incrementAndGet);
                                            }
                                        }));
        thread.start();
        assertTrue(thread.join(FAR));
        assertEquals(0, runs.get());
        assertThrows(TaskRejectedException.class, () -> scheduler.spin(() -> {}));
        gate.countDown();
        Runs.until(() -> runs.get() == 5);
        for (int i = 0; i < 20; i++) {
            scheduler.spin(runs::incrementAndGet).await();
        }
        openAndClose(scheduler);
    }

    @Test
    void F15_aLoopGoesOnWithFewerFibers() {
        Scheduler scheduler = startBlocked(2, 1);
        scheduler.execute(() -> {});
        LongAdder sum = new LongAdder();
        Cord.run(() -> Parallel.forEach(scheduler, 0, 100, sum::add));
        assertEquals(4_950, sum.sum());
        openAndClose(scheduler);
    }

    @Test
    void F15_exactlySoManyAreTakenFromManyThreads() throws InterruptedException {
        Scheduler scheduler = startBlocked(2, 100);
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger taken = new AtomicInteger();
        Action spinMany =
                () -> {
                    for (int i = 0; i < 1_000; i++) {
                        try {
                            scheduler.execute(runs::incrementAndGet);
                            taken.incrementAndGet();
                        } catch (TaskRejectedException full) {
                            // A place is taken just before it is counted.
                            assertTrue(scheduler.stats().placed() <= 100);
                        }
                    }
                };
        List<CompletableFuture<@Nullable Throwable>> ends = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
            ends.add(end);
            Thread.ofPlatform()
                    .start(
                            () -> {
                                try {
                                    spinMany.run();
                                    end.complete(null);
                                } catch (Throwable thrown) {
                                    end.complete(thrown);
                                }
                            });
        }
        for (CompletableFuture<@Nullable Throwable> end : ends) {
            assertNull(end.join());
        }
        assertEquals(100, taken.get());
        assertEquals(100, scheduler.stats().placed());
        openAndClose(scheduler);
        assertEquals(100, runs.get());
    }

    @Test
    void F15_aTaskThatFindsNoCordAnyMoreTakesNoRoom() {
        AtomicInteger refused = new AtomicInteger();
        try (Scheduler scheduler = start(0, 1)) {
            scheduler.bind(
                    () -> {
                        Fiber.spin(
                                () -> {
                                    try {
                                        Fiber.suspend();
                                    } finally { // the thread is unbound by then
                                        assertThrows(
                                                CordClosedException.class,
                                                () -> scheduler.spin("late", () -> {}));
                                        refused.incrementAndGet();
                                    }
                                });
                        Fiber.snooze();
                    });
            assertEquals(1, refused.get());
            assertEquals("x", scheduler.bind(() -> scheduler.spin(() -> "x").await()));
        }
        reports.assertNone();
    }

    @Test
    void misuse_aBoundBelowOne() {
        SchedulerOptions options = SchedulerOptions.named("workers");
        Throwable error =
                assertThrows(IllegalArgumentException.class, () -> options.withMaxPending(0));
        assertTrue(error.toString().contains("maxPending=0 of scheduler workers"), error::toString);
        assertEquals(7, options.withMaxPending(7).withCords(1).withOneCpuEach().maxPending());
    }
}
