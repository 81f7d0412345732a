package dev.ropewalk.fibers.internal.fiber;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.VirtualCords;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Rule F12: a fiber of another cord seen as a future, in all orders of its end and a cancel. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class FutureRaceTest {
    private static final int SEEDS = 300;

    /** It may have failed before the future listened, and then it was reported before that. */
    @Test
    void F12_failureEntersTheFutureOrIsReported() {
        Set<String> ways = new HashSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            long replay = seed;
            Reports reports = new Reports();
            String way =
                    VirtualCords.run(
                            CordOptions.named("virtual")
                                    .withClock(new CordOptions.VirtualClock(seed, seed % 2 == 0))
                                    .withUncaught(reports),
                            2,
                            cords -> cancelAsItFails(cords));
            int told = reports.all().size();
            assertTrue(told <= 1, () -> "seed=" + replay + ": " + reports.all());
            assertTrue(told == 1 || !way.equals("cancelled, failed"), () -> "lost, seed=" + replay);
            ways.add(way + ", reports=" + told);
        }
        assertTrue(ways.contains("cancelled, failed, reports=1"), ways::toString);
        assertTrue(ways.contains("cancelled, terminated, reports=0"), ways::toString);
        assertTrue(ways.contains("told, failed, reports=0"), ways::toString);
    }

    private static String cancelAsItFails(List<Cord> cords) {
        Cord here = cords.getFirst();
        Cord other = cords.get(1);
        FiberImpl.current().isolateChildren();
        Fiber<String> fiber =
                other.spin(
                        "fails",
                        () -> {
                            Runs.snooze(other.nextInt(8));
                            throw new IllegalStateException("bad");
                        });
        CompletableFuture<String> future = fiber.toFuture();
        Runs.snooze(here.nextInt(8));
        boolean isCancelled = future.cancel(true);
        assertTrue(fiber.awaitEnd(Waits.FOREVER));
        assertTrue(future.isDone());
        assertEquals(isCancelled, future.isCancelled());
        boolean wasTerminated = fiber.failure() instanceof FiberTerminatedException;
        return (isCancelled ? "cancelled" : "told") + (wasTerminated ? ", terminated" : ", failed");
    }

    @Test
    void F12_resultEntersTheFutureOrItWasCancelled() {
        Runs.together(
                2,
                cords -> {
                    Cord other = cords.get(1);
                    Fiber<String> fiber =
                            other.spin(
                                    "fiber",
                                    () -> {
                                        Runs.snooze(other.nextInt(6));
                                        return "result";
                                    });
                    Runs.snooze(cords.getFirst().nextInt(6));
                    CompletableFuture<String> future = fiber.toFuture();
                    Runs.snooze(cords.getFirst().nextInt(6));
                    boolean isCancelled = future.cancel(false);
                    assertEquals("result", fiber.await());
                    if (!isCancelled) {
                        assertEquals("result", future.resultNow());
                    }
                    assertEquals("result", Futures.await(fiber.toFuture()));
                });
    }

    @Test
    void F5_cancelledFutureLeavesNothingInTheFiber() {
        Runs.together(
                2,
                cords -> {
                    for (Cord cord : cords) {
                        Fiber<@Nullable Object> fiber =
                                cord.<@Nullable Object>spin("long", () -> Fiber.suspend());
                        for (int i = 0; i < 10; i++) {
                            assertTrue(fiber.toFuture().cancel(false));
                            CompletableFuture<?> completed = fiber.toFuture();
                            assertTrue(completed.completeExceptionally(new Exception("by hand")));
                        }
                        Runs.settle();
                        Runs.settle();
                        assertEquals(0, FiberImpl.of(fiber).listening());
                        fiber.stop("stopped");
                        assertEquals("stopped", fiber.await());
                    }
                });
    }

    @Test
    void F12_futureOfATaskThatWasNeverStarted() {
        Reports reports = new Reports();
        Scheduler scheduler =
                Scheduler.start(
                        SchedulerOptions.named("workers")
                                .withCords(1)
                                .withCord(CordOptions.named("c").withUncaught(reports)));
        List<CompletableFuture<?>> futures = new ArrayList<>();
        scheduler
                .cords()
                .getFirst()
                .spin(
                        "one turn",
                        () -> {
                            Fiber<String> task = scheduler.spin("task", () -> "never");
                            futures.add(task.toFuture());
                            task.terminate();
                            futures.add(task.toFuture());
                        })
                .await();
        assertTrue(scheduler.shutdown(Waits.FOREVER).isClean());
        for (CompletableFuture<?> each : futures) {
            assertTrue(each.isDone(), each::toString);
            assertFalse(each.isCancelled());
        }
    }
}
