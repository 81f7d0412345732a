package dev.ropewalk.fibers.internal.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
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

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** How a scheduler ends, and what it says of who did not (rule F15). */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SchedulerShutdownTest {
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final Duration FAR = Duration.ofSeconds(20);

    private final Reports reports = new Reports();

    private Scheduler start(int cords) {
        return Scheduler.start(
                SchedulerOptions.named("workers")
                        .withCords(cords)
                        .withCord(
                                CordOptions.named("c").withStopLimit(SHORT).withUncaught(reports)));
    }

    @Test
    void F15_drainLetsTasksSpinTasks() {
        AtomicInteger runs = new AtomicInteger();
        Scheduler scheduler = start(2);
        scheduler.execute(() -> spinDown(scheduler, 50, runs));
        assertTrue(scheduler.shutdown(FAR).isClean());
        assertEquals(51, runs.get());
        reports.assertNone();
    }

    private static void spinDown(Scheduler scheduler, int left, AtomicInteger runs) {
        runs.incrementAndGet();
        if (left > 0) {
            Fiber.sleep(Duration.ofNanos(1_000));
            scheduler.execute(() -> spinDown(scheduler, left - 1, runs));
        }
    }

    /** Each cord counts by itself, and none may miss that all is quiet. */
    @Test
    void F15_theLastTasksOfSeveralCordsEndTheDrain() {
        for (int round = 0; round < 300; round++) {
            Scheduler scheduler = start(3);
            for (int i = 0; i < 9; i++) {
                scheduler.execute(() -> scheduler.execute(Fiber::snooze));
            }
            assertTrue(scheduler.shutdown(FAR).isClean());
            assertEquals(18, scheduler.stats().ended());
            assertEquals(18, scheduler.stats().placed());
        }
    }

    @Test
    void F15_afterTheLimitTasksAreTerminatedAndNamed() {
        AtomicBoolean cleanedUp = new AtomicBoolean();
        Scheduler scheduler = start(2);
        CountDownLatch waits = new CountDownLatch(1);
        Fiber<@Nullable Void> task =
                scheduler.spin(
                        "sleeper",
                        () -> {
                            try {
                                waits.countDown();
                                Fiber.suspend();
                            } finally {
                                cleanedUp.set(true);
                            }
                        });
        Runs.await(waits);
        ShutdownReport report = scheduler.shutdown(SHORT);
        assertFalse(report.isClean());
        assertEquals(1, report.terminated().size(), report::toString);
        assertEquals(List.of("sleeper"), report.terminated());
        assertEquals(List.of(), report.notStarted());
        assertEquals(List.of(), report.abandoned());
        assertEquals(List.of(), report.stuck());
        assertTrue(cleanedUp.get());
        assertThrows(FiberTerminatedException.class, task::await);
    }

    @Test
    void F15_whoSwallowsItsTerminationIsAbandonedAndNamed() {
        Scheduler scheduler = start(1);
        scheduler.spin("stubborn", SchedulerShutdownTest::swallowAll);
        ShutdownReport report = scheduler.shutdown(SHORT);
        assertEquals(1, report.abandoned().size(), report::toString);
        assertTrue(report.abandoned().contains("stubborn"));
        assertEquals(List.of(), report.stuck());
        assertEquals(FiberAbandonedException.class, reports.only().failure().getClass());
    }

    private static void swallowAll() {
        int swallowed = 0;
        while (swallowed >= 0) {
            try {
                Fiber.sleep(FAR);
            } catch (Throwable signal) {
                swallowed++;
            }
        }
    }

    @Test
    void F15_aStuckCordIsLeftBehindAndItsTasksEnd() {
        Scheduler scheduler = start(1);
        Gate gate = new Gate();
        gate.blockOneOf(scheduler);
        Fiber<@Nullable Void> waiting = scheduler.spin("waiting", () -> {});
        ShutdownReport report = scheduler.shutdown(SHORT);
        assertEquals(List.of("waiting"), report.notStarted());
        assertEquals(1, report.stuck().size(), report::toString);
        assertTrue(
                report.stuck().getFirst().startsWith("workers-0 runs blocker at "),
                report::toString);
        gate.open();
        Runs.until(() -> waiting.failure() != null);
        assertTrue(scheduler.cords().getFirst().awaitEnd(FAR));
    }

    @Test
    void F15_closingTwiceIsHarmlessAndSaysTheSame() {
        Scheduler scheduler = start(2);
        Gate gate = new Gate();
        scheduler.execute(gate::await);
        CompletableFuture<ShutdownReport> other = new CompletableFuture<>();
        Thread closer = new Thread(() -> other.complete(scheduler.shutdown(FAR)));
        closer.start();
        Runs.until(() -> SchedulerImpl.of(scheduler).state() == SchedulerImpl.State.DRAINING);
        gate.open();
        ShutdownReport report = scheduler.shutdown(FAR);
        assertSame(report, other.join());
        assertSame(report, scheduler.shutdown(Duration.ZERO));
        scheduler.close();
    }

    @Test
    void F15_aFiberOfAnotherCordCloses() {
        Scheduler scheduler = start(2);
        AtomicInteger runs = new AtomicInteger();
        Cord.run(
                () -> {
                    for (int i = 0; i < 100; i++) {
                        scheduler.execute(runs::incrementAndGet);
                    }
                    Fiber<@Nullable Void> closer = Fiber.spin(scheduler::close);
                    Fiber.snooze();
                    closer.terminate(); // it waits all the same
                    closer.awaitEnd(FAR);
                });
        assertEquals(100, runs.get());
        assertEquals(SchedulerImpl.State.OVER, SchedulerImpl.of(scheduler).state());
    }

    @Test
    void F15_aBoundThreadIsAwaited() {
        Scheduler scheduler = start(1);
        Gate gate = new Gate();
        gate.bind(scheduler);
        CompletableFuture<ShutdownReport> closed =
                CompletableFuture.supplyAsync(() -> scheduler.shutdown(FAR));
        Runs.until(() -> SchedulerImpl.of(scheduler).state() == SchedulerImpl.State.DRAINING);
        assertFalse(closed.isDone());
        gate.open();
        assertTrue(closed.join().isClean());
    }

    @Test
    void F15_aThreadThatStaysBoundIsNamed() throws InterruptedException {
        Scheduler scheduler = start(1);
        Gate gate = new Gate();
        Thread thread = gate.bind(scheduler);
        ShutdownReport report = scheduler.shutdown(SHORT);
        assertEquals(List.of("workers-bound-0"), report.bound());
        gate.open();
        assertTrue(thread.join(FAR));
    }

    @Test
    void F15_anInterruptedCloserEndsTheTasks() {
        Scheduler scheduler = start(1);
        CountDownLatch waits = new CountDownLatch(1);
        Fiber<@Nullable Void> task =
                scheduler.spin(
                        "sleeper",
                        () -> {
                            waits.countDown();
                            Fiber.suspend();
                        });
        Runs.await(waits);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread closer =
                new Thread(() -> thrown.complete(Runs.failureOf(() -> scheduler.shutdown(FAR))));
        closer.start();
        Runs.until(() -> SchedulerImpl.of(scheduler).state() == SchedulerImpl.State.DRAINING);
        closer.interrupt();
        assertEquals(WaitInterruptedException.class, thrown.join().getClass());
        assertTrue(task.awaitEnd(FAR));
        scheduler.close(); // waits for the end that goes on
        assertEquals(SchedulerImpl.State.OVER, SchedulerImpl.of(scheduler).state());
    }

    @Test
    void F15_anAbandonedCloserDoesNotStopTheEnd() {
        Reports ofCloser = new Reports();
        Scheduler scheduler = start(1);
        Gate gate = new Gate();
        scheduler.execute(gate::await);
        Cord.run(
                CordOptions.named("closing").withStopLimit(SHORT).withUncaught(ofCloser),
                () -> {
                    FiberImpl.of(CordImpl.current().root()).isolateChildren();
                    Fiber<?> closer = Fiber.spin("closer", scheduler::close);
                    Fiber.snooze();
                    return closer; // it is abandoned, because its limit is shorter than the drain's
                });
        assertEquals(FiberAbandonedException.class, ofCloser.only().failure().getClass());
        gate.open();
        assertTrue(scheduler.shutdown(FAR).isClean());
    }

    @Test
    void misuse_closeWhereNobodyCanWaitIsAnErrorAndHarmsNothing() {
        Scheduler scheduler = start(1);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Cord.run(
                () -> {
                    Fiber<@Nullable Void> fiber = Fiber.spin("short", () -> Fiber.snooze());
                    fiber.onEnd(_ -> thrown.complete(Runs.failureOf(scheduler::close)));
                    fiber.await();
                });
        assertEquals(IllegalStateException.class, thrown.join().getClass());
        assertEquals(SchedulerImpl.State.OPEN, SchedulerImpl.of(scheduler).state());
        scheduler.close();
    }

    @Test
    void F15_aShorterLimitOfASecondCloserCounts() {
        Scheduler scheduler = start(1);
        Fiber<@Nullable Object> task = scheduler.spin("t", () -> Fiber.suspend());
        CompletableFuture<ShutdownReport> first =
                CompletableFuture.supplyAsync(() -> scheduler.shutdown(Duration.ofDays(1)));
        Runs.until(() -> SchedulerImpl.of(scheduler).state() == SchedulerImpl.State.DRAINING);
        ShutdownReport report = scheduler.shutdown(SHORT);
        assertSame(report, first.join());
        assertTrue(task.awaitEnd(Duration.ZERO));
    }

    @Test
    void F15_tasksOfAThreadThatIsBeingUnboundAreNamedToo() throws InterruptedException {
        Scheduler scheduler = start(1);
        Gate gate = new Gate();
        gate.blockOneOf(scheduler); // so the bound thread takes the task
        CountDownLatch waits = new CountDownLatch(1);
        Thread thread =
                new Thread(
                        () ->
                                scheduler.bind(
                                        () -> {
                                            scheduler.execute(
                                                    () -> {
                                                        waits.countDown();
                                                        Fiber.suspend();
                                                    });
                                            while (waits.getCount() > 0) {
                                                Fiber.sleep(Duration.ofNanos(100_000));
                                            }
                                        }));
        thread.start();
        Runs.await(waits);
        Runs.until(
                () ->
                        SchedulerImpl.of(scheduler).workers.queues().length
                                == 1); // it has left, and drains
        gate.open();
        ShutdownReport report = scheduler.shutdown(SHORT);
        assertEquals(1, report.terminated().size(), report::toString);
        assertTrue(thread.join(FAR));
    }

    @Test
    void F15_theBodyOfABoundThreadAndItsChildrenAreNotEnded() throws InterruptedException {
        Scheduler scheduler = start(0);
        CountDownLatch bound = new CountDownLatch(1);
        CompletableFuture<String> result = new CompletableFuture<>();
        Fiber<?>[] child = new FiberImpl<?>[1];
        Thread thread =
                new Thread(
                        () ->
                                scheduler.bind(
                                        () -> {
                                            scheduler.spin("task", () -> Fiber.suspend()).detach();
                                            child[0] = Fiber.spin("child", () -> Fiber.suspend());
                                            Fiber.snooze();
                                            bound.countDown();
                                            result.complete(String.valueOf(Fiber.suspend()));
                                        }));
        thread.start();
        Runs.await(bound);
        ShutdownReport report = scheduler.shutdown(SHORT);
        assertEquals(List.of("task"), report.terminated(), report::toString);
        assertEquals(List.of("workers-bound-0"), report.bound(), report::toString);
        assertEquals(FiberState.WAITING, child[0].state());
        Fiber<?> body = child[0].parent();
        assertTrue(body != null && body.schedule("went on"));
        assertEquals("went on", result.join());
        assertTrue(thread.join(FAR));
    }

    /** As on the other cords: what does not end within the stop limit never runs again. */
    @Test
    void F15_aTaskOnABoundThreadThatDoesNotEndIsAbandoned() throws InterruptedException {
        Scheduler scheduler = start(0);
        CountDownLatch bound = new CountDownLatch(1);
        CompletableFuture<String> result = new CompletableFuture<>();
        CompletableFuture<Throwable> awaited = new CompletableFuture<>();
        Fiber<?>[] body = new FiberImpl<?>[1];
        Thread thread =
                new Thread(
                        () ->
                                scheduler.bind(
                                        () -> {
                                            body[0] = Fiber.current();
                                            scheduler.execute(() -> holdOut());
                                            Fiber.spin(
                                                    () -> {
                                                        Fiber.snooze();
                                                        bound.countDown();
                                                    });
                                            awaited.complete(
                                                    Runs.failureOf(
                                                            () ->
                                                                    Scope.run(
                                                                            scope ->
                                                                                    scope.spinOn(
                                                                                            scheduler,
                                                                                            "own",
                                                                                            SchedulerShutdownTest
                                                                                                    ::holdOut))));
                                            result.complete(String.valueOf(Fiber.suspend()));
                                        }));
        thread.start();
        Runs.await(bound);
        ShutdownReport report = scheduler.shutdown(SHORT);
        assertEquals(2, report.abandoned().size(), report::toString);
        assertTrue(report.abandoned().contains("own"), report::toString);
        assertEquals(0, report.left(), report::toString);
        assertEquals(List.of("workers-bound-0"), report.bound(), report::toString);
        assertInstanceOf(FiberAbandonedException.class, awaited.join());
        Fiber<?> bodyFiber = body[0];
        Runs.until(() -> bodyFiber.state() == FiberState.WAITING);
        assertTrue(bodyFiber.schedule("went on"));
        assertEquals("went on", result.join());
        assertTrue(thread.join(FAR));
        assertEquals(2, reports.all().size());
    }

    private static @Nullable Void holdOut() {
        CancelScope.shielded(FAR, () -> Fiber.sleep(FAR));
        return null;
    }

    @Test
    void F15_tasksOfAThreadThatIsBlockedAreCountedAsLeft() throws InterruptedException {
        Scheduler scheduler = start(0);
        CountDownLatch blocks = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        Thread thread =
                new Thread(
                        () ->
                                scheduler.bind(
                                        () ->
                                                scheduler
                                                        .spin(
                                                                "blocker",
                                                                () -> {
                                                                    blocks.countDown();
                                                                    Runs.await(gate);
                                                                    Fiber.suspend();
                                                                })
                                                        .awaitEnd(FAR)));
        thread.start();
        Runs.await(blocks);
        ShutdownReport report = scheduler.shutdown(SHORT);
        assertEquals(1, report.left(), report::toString);
        assertFalse(report.isClean());
        assertEquals(List.of("workers-bound-0"), report.bound());
        gate.countDown(); // it has been told to end meanwhile
        assertTrue(thread.join(FAR));
        assertTrue(SchedulerImpl.of(scheduler).hasNoTasks());
    }

    @Test
    void misuse_spinAfterCloseIsAnError() {
        Scheduler scheduler = start(1);
        scheduler.close();
        CordClosedException closed =
                assertThrows(CordClosedException.class, () -> scheduler.spin("late", () -> {}));
        assertTrue(closed.toString().contains("scheduler workers is OVER"), closed::toString);
        assertThrows(RejectedExecutionException.class, () -> scheduler.execute(() -> {}));
        assertThrows(CordClosedException.class, () -> scheduler.bind(() -> {}));
    }

    @Test
    void misuse_closeOnItsOwnCordIsAnError() {
        try (Scheduler scheduler = start(1)) {
            Throwable error = Runs.cause(Runs.failureOf(scheduler.spin(scheduler::close)::await));
            assertTrue(error.toString().contains("cannot wait for its own end"));
        }
    }

    @Test
    void misuse_closeOfOneOfItsCordsIsAnError() {
        try (Scheduler scheduler = start(1)) {
            Cord cord = scheduler.cords().getFirst();
            Throwable error = assertThrows(IllegalStateException.class, cord::close);
            assertTrue(error.toString().contains("belongs to scheduler workers"));
        }
    }

    @Test
    void misuse_optionsOutOfRange() {
        SchedulerOptions options = SchedulerOptions.named("x");
        assertEquals(Runtime.getRuntime().availableProcessors(), options.cords());
        assertTrue(
                assertThrows(IllegalArgumentException.class, () -> options.withCords(-1))
                        .toString()
                        .contains("cords=-1 of scheduler x"));
        assertThrows(IllegalArgumentException.class, () -> options.withCords(5_000));
        assertThrows(IllegalArgumentException.class, () -> options.withDrainLimit(SHORT.negated()));
        CordOptions virtual =
                CordOptions.named("c").withClock(new CordOptions.VirtualClock(1, false));
        assertThrows(IllegalArgumentException.class, () -> options.withCord(virtual));
        assertThrows(
                IllegalArgumentException.class,
                () -> options.withCords(0).withCord(virtual).withCords(1));
    }

    @Test
    void F15_noTaskRunsBeforeTheInitialiserIsDone() {
        AtomicInteger initialised = new AtomicInteger();
        try (Scheduler scheduler =
                Scheduler.start(
                        SchedulerOptions.named("workers")
                                .withCords(2)
                                .withCord(
                                        CordOptions.named("c")
                                                .withUncaught(reports)
                                                .withInitialiser(
                                                        () -> {
                                                            Fiber.sleep(SHORT);
                                                            initialised.incrementAndGet();
                                                        })))) {
            Set<Integer> seen = ConcurrentHashMap.newKeySet();
            for (int i = 0; i < 100; i++) {
                scheduler.execute(() -> seen.add(initialised.get()));
            }
            Runs.until(() -> scheduler.stats().alive() == 0);
            assertFalse(seen.contains(0), seen::toString);
        }
        reports.assertNone();
    }

    @Test
    void F15_oneCpuEachInTurn() {
        SchedulerOptions options =
                SchedulerOptions.named("x")
                        .withCord(CordOptions.named("c").withCpus(3, 1))
                        .withOneCpuEach();
        assertEquals(Set.of(1), SchedulerImpl.cordOptions(options, 0).thread().cpus());
        assertEquals(Set.of(3), SchedulerImpl.cordOptions(options, 1).thread().cpus());
        assertEquals(Set.of(1), SchedulerImpl.cordOptions(options, 2).thread().cpus());
        assertEquals("x-2", SchedulerImpl.cordOptions(options, 2).name());
    }

    @Test
    void F15_detachedFibersAreTerminatedAtTheEnd() {
        Scheduler scheduler = start(1);
        CompletableFuture<Fiber<?>> detached = new CompletableFuture<>();
        scheduler.execute(
                () -> {
                    Fiber<@Nullable Object> fiber = Fiber.spin("detached", () -> Fiber.suspend());
                    fiber.detach();
                    detached.complete(fiber);
                });
        assertTrue(scheduler.shutdown(FAR).isClean());
        assertEquals(FiberState.DEAD, detached.join().state());
    }
}
