package dev.ropewalk.fibers.internal.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.Mail;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.platform.RealPlatform;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.testkit.Gate;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads of the user as cords of a scheduler (rule F15). */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class BindTest {
    private static final Duration LIMIT = Duration.ofMillis(20);

    private final Reports reports = new Reports();

    /** No cords but bound ones, on a virtual clock: the same every time. */
    private Scheduler alone(Duration drainLimit) {
        return Scheduler.start(
                SchedulerOptions.named("alone")
                        .withCords(0)
                        .withDrainLimit(drainLimit)
                        .withCord(
                                CordOptions.named("c")
                                        .withUncaught(reports)
                                        .withStopLimit(LIMIT)
                                        .withClock(new CordOptions.VirtualClock(1, false))));
    }

    @Test
    void F15_tasksRunWhileTheBodyWaits() {
        List<String> told = new ArrayList<>();
        try (Scheduler scheduler = alone(LIMIT)) {
            String result =
                    scheduler.bind(
                            () -> {
                                Fiber<String> task =
                                        scheduler.spin(
                                                () -> {
                                                    told.add("task");
                                                    return "result";
                                                });
                                told.add("body");
                                String value = task.await();
                                told.add("after");
                                return value;
                            });
            assertEquals("result", result);
        }
        assertEquals(List.of("body", "task", "after"), told);
        reports.assertNone();
    }

    @Test
    void F15_tasksOfOneCordStartInOrder() {
        List<Integer> told = new ArrayList<>();
        try (Scheduler scheduler = alone(LIMIT)) {
            scheduler.bind(
                    () -> {
                        for (int i = 0; i < 100; i++) {
                            int number = i;
                            scheduler.execute(() -> told.add(number));
                        }
                    });
        }
        for (int i = 0; i < 100; i++) {
            assertEquals(i, told.get(i));
        }
    }

    @Test
    void F15_unbindRunsWhatIsLeftAndWhatThatSpins() {
        AtomicInteger runs = new AtomicInteger();
        try (Scheduler scheduler = alone(Duration.ofDays(1))) {
            scheduler.bind(
                    () -> {
                        for (int i = 0; i < 10; i++) {
                            scheduler.execute(
                                    () -> {
                                        Fiber.sleep(Duration.ofHours(1));
                                        scheduler.execute(runs::incrementAndGet);
                                    });
                        }
                    });
            assertEquals(10, runs.get());
        }
    }

    @Test
    void F15_unbindHasALimitAndReportsWhoDidNotEnd() {
        AtomicBoolean cleanedUp = new AtomicBoolean();
        try (Scheduler scheduler = alone(LIMIT)) {
            scheduler.bind(
                    () -> {
                        scheduler.execute(
                                () -> {
                                    try {
                                        Fiber.suspend();
                                    } finally {
                                        cleanedUp.set(true);
                                    }
                                });
                        scheduler.execute(
                                () -> {
                                    for (; ; ) {
                                        try {
                                            Fiber.suspend();
                                        } catch (Throwable swallowed) {
                                            assertTrue(cleanedUp.get() || !cleanedUp.get());
                                        }
                                    }
                                });
                    });
        }
        assertTrue(cleanedUp.get());
        assertInstanceOf(FiberAbandonedException.class, reports.only().failure());
    }

    @Test
    void F15_failureOfTheBodyComesOutAfterTheTasks() {
        AtomicInteger runs = new AtomicInteger();
        try (Scheduler scheduler = alone(LIMIT)) {
            FiberFailedException failed =
                    assertThrows(
                            FiberFailedException.class,
                            () ->
                                    scheduler.bind(
                                            () -> {
                                                scheduler.execute(runs::incrementAndGet);
                                                throw new IllegalStateException("body");
                                            }));
            assertEquals("body", Runs.cause(failed).getMessage());
            assertEquals(1, runs.get());
        }
    }

    @Test
    void F7_failureOfATaskThatNobodySpunDoesNotCancelTheBody() {
        try (Scheduler scheduler = alone(LIMIT)) {
            String result =
                    scheduler.bind(
                            () -> {
                                scheduler.execute(
                                        () -> {
                                            throw new IllegalStateException("task");
                                        });
                                Fiber.sleep(LIMIT);
                                return "unharmed";
                            });
            assertEquals("unharmed", result);
        }
        assertInstanceOf(FiberFailedException.class, reports.only().failure());
    }

    @Test
    void F15_bodyIsTerminatedAndItsTasksStillRun() {
        AtomicInteger runs = new AtomicInteger();
        try (Scheduler scheduler = alone(LIMIT)) {
            assertThrows(
                    FiberTerminatedException.class,
                    () ->
                            scheduler.bind(
                                    () -> {
                                        scheduler.execute(runs::incrementAndGet);
                                        Fiber.current().terminate();
                                        Fiber.suspend();
                                    }));
        }
        assertEquals(1, runs.get());
    }

    @Test
    void F15_otherCordsTakeWhatIsLeft() {
        Gate gate = new Gate();
        List<Cord> ranOn = new CopyOnWriteArrayList<>();
        SchedulerOptions options =
                SchedulerOptions.named("workers")
                        .withCords(1)
                        .withCord(CordOptions.named("c").withUncaught(reports));
        try (Scheduler scheduler = Scheduler.start(options)) {
            Cord own = scheduler.cords().getFirst();
            gate.block(own);
            Cord bound =
                    scheduler.bind(
                            () -> {
                                for (int i = 0; i < 10; i++) {
                                    scheduler.execute(() -> ranOn.add(Cord.current()));
                                }
                                return Cord.current();
                            });
            assertTrue(ranOn.isEmpty(), "the bound thread hands them on, and does not run them");
            gate.open();
            Runs.until(() -> ranOn.size() == 10);
            assertFalse(ranOn.contains(bound));
        }
        reports.assertNone();
    }

    @Test
    void F15_aThreadThatUnbindsTakesNothingFromBusyCords() throws InterruptedException {
        Gate gate = new Gate();
        SchedulerOptions options =
                SchedulerOptions.named("workers")
                        .withCords(2)
                        .withCord(CordOptions.named("c").withUncaught(reports));
        try (Scheduler scheduler = Scheduler.start(options)) {
            gate.block(scheduler.cords());
            List<Cord> ranOn = new CopyOnWriteArrayList<>();
            CompletableFuture<Cord> left = new CompletableFuture<>();
            Fiber<?>[] stays = new FiberImpl<?>[1];
            Thread thread =
                    new Thread(
                            () ->
                                    scheduler.bind(
                                            () -> {
                                                stays[0] =
                                                        scheduler.spin(
                                                                "stays", () -> Fiber.suspend());
                                                stays[0].detach(); // here, where it waits
                                                Fiber.snooze();
                                                Fiber.snooze();
                                                for (int i = 0; i < 20; i++) {
                                                    scheduler.execute(
                                                            () -> ranOn.add(Cord.current()));
                                                }
                                                left.complete(Cord.current());
                                            }));
            thread.start();
            Cord bound = left.join();
            Runs.until(() -> SchedulerImpl.of(scheduler).workers.queues().length == 2);
            Runs.until(() -> CordImpl.of(bound).mail.activity() == Mail.Activity.ASLEEP);
            assertTrue(ranOn.isEmpty(), ranOn::toString);
            stays[0].schedule("end");
            assertTrue(thread.join(Duration.ofSeconds(20)));
            gate.open();
            Runs.until(() -> ranOn.size() == 20);
            assertFalse(ranOn.contains(bound));
        }
        reports.assertNone();
    }

    @Test
    void F15_aThreadFactoryIsForTheOthers() {
        SchedulerOptions options =
                SchedulerOptions.named("workers")
                        .withCords(1)
                        .withCord(CordOptions.named("c").withThreadFactory(Thread::new));
        try (Scheduler scheduler = Scheduler.start(options)) {
            assertEquals("done", scheduler.bind(() -> scheduler.spin(() -> "done").await()));
        }
    }

    /** The threads leave at the same time, and hand to each other what they have not run. */
    @Test
    void F15_severalThreadsAreBoundAtOnce() throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            bindSeveral(round);
        }
    }

    @Test
    @Tag("stress")
    void F15_nothingIsLostBetweenThreadsThatLeave() throws InterruptedException {
        long end = RealPlatform.now() + Duration.ofSeconds(8).toNanos();
        for (int round = 0; RealPlatform.now() < end; round++) {
            bindSeveral(round);
        }
    }

    private static void bindSeveral(int round) throws InterruptedException {
        int threads = 4;
        AtomicInteger runs = new AtomicInteger();
        try (Scheduler scheduler = Scheduler.start(SchedulerOptions.named("bound").withCords(0))) {
            Action body =
                    () -> {
                        for (int task = 0; task < 500; task++) {
                            scheduler.execute(runs::incrementAndGet);
                        }
                    };
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Thread thread = new Thread(() -> scheduler.bind(body));
                thread.start();
                all.add(thread);
            }
            for (Thread each : all) {
                assertTrue(each.join(Duration.ofSeconds(20)));
            }
        }
        assertEquals(threads * 500, runs.get(), () -> "round " + round);
    }

    @Test
    void F6_aBodyThatIsRestartedBindsAgain() {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        try (Scheduler scheduler = alone(LIMIT)) {
            scheduler.bind(
                    () -> {
                        scheduler.execute(runs::incrementAndGet);
                        if (begun.incrementAndGet() == 1) {
                            Fiber.current().restart();
                            Fiber.suspend();
                        }
                        scheduler.spin("second", () -> {}).await();
                    });
        }
        assertEquals(2, runs.get());
        reports.assertNone();
    }

    @Test
    void F15_aTaskIsDetachedWhileTheLastThreadUnbinds() {
        AtomicInteger runs = new AtomicInteger();
        try (Scheduler scheduler = alone(LIMIT)) {
            scheduler.bind(
                    () -> {
                        Fiber.spin(
                                () -> {
                                    try {
                                        Fiber.suspend();
                                    } finally {
                                        Throwable closed =
                                                Runs.failureOf(() -> scheduler.spin("x", () -> {}));
                                        assertInstanceOf(IllegalStateException.class, closed);
                                        runs.incrementAndGet();
                                    }
                                });
                        Fiber.snooze();
                    });
        }
        assertEquals(1, runs.get());
        reports.assertNone();
    }

    @Test
    void F7_aDetachedTasksFailureDoesNotCancelTheBody() {
        try (Scheduler scheduler = alone(LIMIT)) {
            String result =
                    scheduler.bind(
                            () -> {
                                Fiber<@Nullable Void> task = scheduler.spin("t", BindTest::fail);
                                task.detach();
                                Fiber.sleep(LIMIT);
                                return "unharmed";
                            });
            assertEquals("unharmed", result);
        }
        assertInstanceOf(FiberFailedException.class, reports.only().failure());
    }

    private static void fail() {
        throw new IllegalStateException("by design");
    }

    @Test
    void F7_theLoserOfAnAwaitAnyThatFailsLaterIsHeardOf() {
        try (Scheduler scheduler = alone(LIMIT)) {
            FiberFailedException failed =
                    assertThrows(
                            FiberFailedException.class,
                            () ->
                                    scheduler.bind(
                                            () -> {
                                                Fiber<@Nullable Void> winner =
                                                        scheduler.spin("winner", () -> {});
                                                Fiber<@Nullable Void> loser =
                                                        scheduler.spin(
                                                                "loser",
                                                                () -> {
                                                                    Fiber.sleep(LIMIT);
                                                                    fail();
                                                                });
                                                assertSame(
                                                        winner,
                                                        Fiber.awaitAny(List.of(winner, loser)));
                                                Fiber.suspend();
                                            }));
            assertTrue(failed.toString().contains("loser"), failed::toString);
        }
    }

    @Test
    void misuse_twoThreadsOnOneVirtualClock() {
        try (Scheduler scheduler = alone(LIMIT)) {
            scheduler.bind(
                    () -> {
                        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
                        Thread other =
                                new Thread(
                                        () ->
                                                thrown.complete(
                                                        Runs.failureOf(
                                                                () -> scheduler.bind(() -> {}))));
                        other.start();
                        assertTrue(
                                thrown.join().toString().contains("virtual clock"),
                                () -> thrown.join().toString());
                    });
        }
    }

    @Test
    void misuse_bindUnderAMonitorIsAnError() {
        try (Scheduler scheduler = alone(LIMIT)) {
            synchronized (this) {
                Throwable error =
                        assertThrows(IllegalStateException.class, () -> scheduler.bind(() -> {}));
                assertTrue(error.toString().contains("holds a monitor"), error::toString);
            }
        }
    }

    @Test
    void misuse_bindTwiceIsAnError() {
        try (Scheduler scheduler = alone(LIMIT)) {
            scheduler.bind(
                    () -> {
                        Throwable error =
                                assertThrows(
                                        IllegalStateException.class,
                                        () -> scheduler.bind(() -> {}));
                        assertTrue(error.toString().contains("already"), error::toString);
                    });
        }
    }

    @Test
    void misuse_withNoCordAtAllSpinIsAnError() {
        try (Scheduler scheduler = alone(LIMIT)) {
            Throwable error =
                    assertThrows(IllegalStateException.class, () -> scheduler.spin(() -> {}));
            assertTrue(error.toString().contains("no thread is bound"), error::toString);
            scheduler.bind(() -> scheduler.spin(() -> {}).await());
            assertThrows(RejectedExecutionException.class, () -> scheduler.execute(() -> {}));
        }
    }

    @Test
    void misuse_onThisCordOfAnotherThread() {
        try (Scheduler scheduler = alone(LIMIT)) {
            assertNull(Scheduler.currentOrNull());
            Throwable error =
                    assertThrows(
                            IllegalStateException.class, () -> scheduler.onThisCord("x", () -> ""));
            assertTrue(error.toString().contains("no cord of scheduler alone"));
            scheduler.bind(() -> assertSame(scheduler, Scheduler.currentOrNull()));
        }
    }

    @Test
    void F15_spinnerOutsideIsTheParentOnTheBoundThread() {
        try (Scheduler scheduler = alone(LIMIT)) {
            scheduler.bind(
                    () -> {
                        Fiber<?> body = Fiber.current();
                        Fiber<@Nullable Fiber<?>> task =
                                scheduler.spin(() -> Fiber.current().parent());
                        assertSame(body, task.await());
                    });
        }
    }
}
